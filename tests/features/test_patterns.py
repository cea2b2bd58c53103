"""Wapiti's regular expressions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import OptionError
from weft.features.patterns import (
    LONGEST,
    check_expression,
    decode_expression,
    encode_expression,
    find_match,
)
from weft.features.templates import find_function, template, templates

OTHERS = {
    ".": ".",
    r"\d": "[0-9]",
    r"\D": "[^0-9]",
    r"\l": "[a-z]",
    r"\u": "[A-Z]",
    r"\U": "[^A-Z]",
    r"\w": "[a-zA-Z0-9]",
    r"\p": "[-.,$]",
    "a": "a",
    r"\.": r"\.",
}
"""What Python's expressions have instead, over a small alphabet."""

PIECES = st.tuples(st.sampled_from(sorted(OTHERS)), st.sampled_from(["", "*", "?"]))


@given(st.lists(PIECES, max_size=5), st.booleans(), st.booleans(), st.text("abA1-.$ ", max_size=8))
def test_matches_are_those_of_pythons_expressions(pieces, from_start, to_end, value):
    ours = "^" * from_start + "".join(map("".join, pieces)) + "$" * to_end
    lazy = {"": "", "*": "*?", "?": "?"}
    theirs = "".join(OTHERS[piece] + lazy[times] for piece, times in pieces)
    found = re.search(r"\A" * from_start + theirs + r"\Z" * to_end, value, re.S)
    assert find_match(ours, value) == (found and found[0])


def test_classes_know_other_scripts():
    assert find_match(r"^\u", "Éa") == "É"
    assert find_match(r"\p", "«") == "«"
    assert find_match(r"^\a*$", "straße") == "straße"


def test_an_escaped_backslash_may_stand_before_the_end():
    assert find_match(r"\\$", "a\\b") is None
    assert find_match(r"\\$", "a\\") == "\\"
    assert find_match(r"\$", "a$b") == "$"
    assert find_match(r"\\\$", "a\\$b") == "\\$"


def test_long_repetitions_end_soon():
    assert find_match("a*" * 60 + "b", "a" * 2000) is None


def test_what_is_no_expression_is_refused():
    with pytest.raises(OptionError, match=r"nothing to repeat by \*"):
        check_expression("a**")
    with pytest.raises(OptionError, match="over 200 characters"):
        check_expression("a" * (LONGEST + 1))


@given(st.text(max_size=10))
def test_expressions_are_names_in_templates(text):
    assert decode_expression(encode_expression(text)) == text
    try:
        check_expression(text)
    except OptionError:
        return
    made = template(f"column2.test:{encode_expression(text)}[-1]")
    assert templates(str(made)) == (made,)


def test_functions_test_and_match():
    assert [find_function(r"test:%5Cu")(word) for word in ("aB", "ab")] == ["true", "false"]
    assert [find_function("match:.%3F%24")(word) for word in ("aB", "")] == ["B", ""]
    assert find_function("lowermatch:.%3F%24")("aB") == "b"
    with pytest.raises(OptionError, match="nothing to repeat"):
        find_function("match:%2A")
