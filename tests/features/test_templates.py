from __future__ import annotations

import pytest

from weft.errors import OptionError
from weft.features.templates import default_templates, find_function, template, templates


@pytest.mark.parametrize(
    "text",
    ["word[0]", "suffix3[-2]", "column2[1]", "column3.lower[0]", "word[-1]|column2[0]", "bias"],
)
def test_notation_round_trips(text):
    assert str(template(text)) == text


def test_the_window_holds_every_offset():
    assert template("word[-2]|word[1]").window == (-2, 1)
    assert template("bias").window == (0, 0)


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("word", "Weft", "Weft"),
        ("lower", "Weft", "weft"),
        ("prefix2", "Weft", "We"),
        ("prefix5", "Weft", None),
        ("suffix4", "Weft", "Weft"),
        ("shape", "Mk-2b", "Xx-dx"),
        ("capital", "Weft", "yes"),
        ("capital", "weft", None),
        ("digit", "v2", "yes"),
        ("hyphen", "so-called", "yes"),
        ("hyphen", "called", None),
    ],
)
def test_functions(name, word, value):
    assert find_function(name)(word) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word", "no atom"),
        ("word[0", "no atom"),
        ("colour[0]", "no attribute function 'colour'"),
        ("prefix0[0]", "no attribute function"),
        ("column0[0]", "columns count from 1"),
        ("word[99]", "at most 20 away"),
    ],
)
def test_errors_say_what_was_expected(text, message):
    with pytest.raises(OptionError, match=message):
        template(text)


def test_several_templates_are_distinct():
    assert len(templates("word[0] word[0], bias")) == 2


def test_defaults_look_at_every_column():
    columns = {atom.column for each in default_templates(3) for atom in each.atoms}
    assert columns == {0, 1, 2}
