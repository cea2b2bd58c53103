"""Tokens of XLE's notation: comments, backquotes, and signs that mean different things."""

from __future__ import annotations

import pytest

from weft.errors import FormatError
from weft.lfg.scan import make_text, scan_entry


def texts(text):
    source = make_text("x.lfg", text)
    return [token.text for token in scan_entry(source, 0, len(source.bare))[0]]


def symbols(text):
    source = make_text("x.lfg", text)
    tokens = scan_entry(source, 0, len(source.bare))[0]
    return [token.text for token in tokens if token.is_symbol]


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('a "b (c" d', "a        d"),
        ('a "b\nc" d', "a   \n   d"),
        ('a """b" d', "a       d"),
        ('a "b`"c" d', "a        d"),
        ('a`"b "c"', 'a`"b    '),
        ("a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_comments_are_blanked_and_places_kept(text, bare):
    assert make_text("", text).bare == bare


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C' V' I':.", ["C'", "V'", "I'", ":"]),
        ("(^ P)='Q<(^ S)>'.", list("(^P)='Q<(^S)>'")),
        ("(^ PFORM)=com.", ["(", "^", "PFORM", ")", "=", "com"]),
        ("(^ PFORM)=c om.", ["(", "^", "PFORM", ")", "=c", "om"]),
        ("(^ PFORM)=C om.", ["(", "^", "PFORM", ")", "=c", "om"]),
        ("(^SUBJ).", ["(", "^", "SUBJ", ")"]),
        ("A-->B.", ["A", "-->", "B"]),
        ("(-> X-Y)(<- Z).", ["(", "->", "X-Y", ")", "(", "<-", "Z", ")"]),
        ("N+ +Pl =+ = +_ {+ -}.", ["N", "+", "+Pl", "=", "+", "=", "+_", "{", "+", "-", "}"]),
        ("A*B#1#2/C.", ["A", "*", "B", "#", "1", "#", "2", "/", "C"]),
        ("New` York `. `'.", ["New York", ".", "'"]),
        ("(↑ SUBJ)=↓ ↓∈(↑ ADJ) ¬(↑ X) (↑ X)¬=y (↑ X)≠y ↓∉↑ ↓∈c↑.",
         ["(", "^", "SUBJ", ")", "=", "!", "!", "$", "(", "^", "ADJ", ")", "~", "(", "^", "X", ")",
          "(", "^", "X", ")", "~=", "y", "(", "^", "X", ")", "~=", "y", "!", "~$", "^", "!", "$c",
          "^"]),
        ("x $<h>s y.", ["x", "$", "<h", ">s", "y"]),
        ("m$o::*.", ["m", "$", "o", "::", "*"]),
    ],
)  # fmt: skip
def test_signs(text, expected):
    assert texts(text) == expected


def test_a_period_ends_an_entry_outside_of_brackets_and_forms_only():
    assert texts("{ a . b } 'e.g.' c. d.")[-1] == "c"


def test_symbols_keep_apostrophes_and_operators_are_none():
    assert symbols("C' --> 'x' +.") == ["C'", "x", "+"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a (b .", "x.lfg:1:3: '(' is not closed"),
        ("a (b ] .", "x.lfg:1:6: ']' closes nothing; expected ')'"),
        ("a b", "x.lfg:1:1: expected a period at the end of the entry that begins here"),
        ('a "b .', "x.lfg:1:3: the comment is not closed"),
        ("a `", "x.lfg:1:3: a backquote is the last character"),
    ],
)
def test_what_cannot_be_read_is_shown_with_a_caret(text, message):
    with pytest.raises(FormatError) as error:
        texts(text)
    assert str(error.value).startswith(message)
    lines = str(error.value).splitlines()
    assert lines[-2].strip() == text.strip()
    assert lines[-1].index("^") == error.value.column + 3
