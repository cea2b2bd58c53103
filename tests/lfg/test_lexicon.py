"""Lexical entries in XLE's notation, and lexicons of different priority."""

from __future__ import annotations

import io

import pytest

from lfg.reading import CONFIG, read
from weft.lfg import read_lfg
from weft.lfg.write import show_description


def entries(grammar, word):
    return [
        (entry.category, entry.surface, show_description(entry.notes))
        for entry in grammar.entries[word]
    ]


def test_headwords_are_literal_up_to_white_space():
    text = (
        ". PERIOD *.\n, COMMA *.\n? QM * (^ X)=y.\nb. ABB *.\n[ LB *.\n`. P *.\nC' N *.\n+Pl T XLE."
    )
    grammar = read(lexicon=text.replace("`. P *.\n", ""))
    assert list(grammar.entries) == [".", ",", "?", "b.", "[", "C'", "+Pl"]
    assert list(read(lexicon="`. P *. New` York N *. a`\"b N *.").entries) == [
        ".", "New York", 'a"b',
    ]  # fmt: skip


def test_several_categories_and_morphcodes():
    grammar = read(lexicon="walk V * (^ A)=b; N XLE (^ C)=d; V[fin] *.")
    assert entries(grammar, "walk") == [
        ("V", True, "(^ A) = b"),
        ("N_BASE", False, "(^ C) = d"),
        ("V[fin]", True, ""),
    ]


def test_the_stem_is_put_in_for_words_and_kept_for_unknown_ones():
    templates = "P(X) = (^ PRED)='X' (^ FORM)=%stem."
    grammar = read(lexicon="cow N * @(P %stem).\n-unknown N XLE @(P %stem).", templates=templates)
    assert entries(grammar, "cow")[0][2] == "(^ PRED) = 'cow' (^ FORM) = cow"
    assert grammar.unknown[0].word == "-unknown"
    assert show_description(grammar.unknown[0].notes) == "(^ PRED) = '%stem' (^ FORM) = %stem"


def lexicons(lower, higher):
    config = CONFIG.replace("LEXENTRIES (D E)", "LEXENTRIES (LOW E) (HIGH E)")
    text = f"D E CONFIG (1.0)\n{config}\n----\nHIGH E LEXICON (1.0)\n{higher}\n----\n"
    text += f"LOW E LEXICON (1.0)\n{lower}\n----\n"
    return read_lfg(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    ("higher", "expected"),
    [
        ("w A * (^ H)=i.", ["A (^ H) = i"]),
        ("w +N * (^ H)=i; ETC.", ["N (^ L) = n", "V (^ L) = v", "N (^ H) = i", "A (^ U) = w"]),
        ("w +N * (^ H)=i; ONLY.", ["N (^ L) = n", "N (^ H) = i"]),
        ("w -N; ETC.", ["V (^ L) = v", "A (^ U) = w"]),
        ("w !N * (^ H)=i; ETC.", ["V (^ L) = v", "N (^ H) = i", "A (^ U) = w"]),
        ("w =V; ONLY.", ["V (^ L) = v"]),
        ("w =V; +A * (^ H)=i; ONLY.", ["V (^ L) = v", "A (^ H) = i"]),
        ("w A * (^ H)=i; ETC.", ["A (^ H) = i", "N (^ U) = w"]),
    ],
)
def test_edit_operators_change_entries_of_lower_priority(higher, expected):
    unknown = "-unknown N * (^ U)=%stem; A * (^ U)=%stem."
    grammar = lexicons(f"w N * (^ L)=n; V * (^ L)=v.\n{unknown}", higher)
    assert [f"{category} {notes}" for category, _, notes in entries(grammar, "w")] == expected


def test_etc_takes_the_categories_of_unknown_words_that_are_not_listed():
    grammar = read(lexicon="w N * (^ A)=b; ETC.\nv N *; ONLY.\n-unknown N *; V XLE (^ U)=%stem.")
    assert entries(grammar, "w") == [("N", True, "(^ A) = b"), ("V_BASE", False, "(^ U) = w")]
    assert entries(grammar, "v") == [("N", True, "")]


def test_an_entry_twice_in_a_lexicon_is_warned_of():
    grammar = read(lexicon="w N *.\nw V *.")
    assert entries(grammar, "w") == [("V", True, "")]
    assert grammar.warnings[0][0] == "the entry w is there again later: this one is not used"
    assert grammar.warnings[0][1].line == 14


def test_sub_entries_that_never_hold_are_none():
    grammar = read(lexicon="w N * a = b; V *.")
    assert entries(grammar, "w") == [("V", True, "")]


@pytest.mark.parametrize(
    "text", ["w .", "w N.", "w N * (^ A)=b V *.", "w ; N *.", "w N * (^ A; V *."]
)
def test_what_cannot_be_read_is_left_out_and_the_rest_read(text):
    grammar = read(lexicon=f"u N *.\n{text}\nv N *.")
    assert set(grammar.entries) - {"w"} == {"u", "v"}
    assert not grammar.entries.get("w")
    assert "is left out" in grammar.warnings[0][0]
    assert grammar.warnings[0][1].line == 15
