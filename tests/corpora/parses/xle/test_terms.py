"""Prolog terms."""

import pytest

from weft.corpora.parses.xle.terms import (
    DEEPEST,
    Compound,
    Variable,
    first_arguments,
    read_terms,
)
from weft.errors import FormatError


def terms(text: str) -> list:
    return list(read_terms(text, "x.pl"))


def test_all_that_xle_writes() -> None:
    text = """% a comment
    'f g'(a, 'It\\'s a ''dog''\\\\', -, -12, 0.5, [], [A1, CV_001,
      ], "x"). /* another
    */ g(1)."""
    assert terms(text) == [
        Compound(
            "f g",
            (
                "a",
                "It's a 'dog'\\",
                "-",
                -12,
                0.5,
                (),
                (Variable("A1"), Variable("CV_001")),
                "x",
            ),
        ),
        Compound("g", (1,)),
    ]
    assert [term.line for term in terms(text)] == [2, 4]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("f(a)", "1:5", "no full stop"),
        ("f(a", "1:4", "what begins in line 1 is not closed"),
        ("f(\n[a, b).", "2:6", r"expected '\]', for what begins in line 2"),
        ("f(a b).", "1:5", "expected a comma"),
        ("f(,a).", "1:3", "none before"),
        ("f('a).", "1:3", "is it closed"),
        ("f(a)).", "1:5", "closes nothing"),
        ("f (a).", "1:3", "without a space"),
        ("f([a|B]).", "1:5", "no place"),
        ("a :- b.", "1:3", "full stop"),
        (".", "1:1", "no term"),
        ("f(a. ", "1:4", "ends before it is closed"),
        (f"f({'9' * 50}).", "1:3", "too long"),
        ("f(" * (DEEPEST + 1), f"1:{2 * DEEPEST + 2}", "nested more than"),
        ("[" * 1_000_000, f"1:{DEEPEST + 1}", "nested more than"),
    ],
)
def test_what_is_no_term_is_refused_with_its_place(text: str, place: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as found:
        terms(text)
    assert str(found.value).startswith(f"x.pl:{place}:")


def test_the_first_arguments_need_no_end() -> None:
    assert first_arguments("% x\nf('a', [b], [c], [d(", "x.pl", 3) == ("a", ("b",), ("c",))
    assert first_arguments("f(a).", "x.pl", 3) == ()
