"""Marks of meant analyses: the file, and what fits."""

from __future__ import annotations

import io

import pytest

from lfg.reading import CONFIG
from lfg.reading import read as read_grammar
from weft.errors import FormatError
from weft.lfg.analysis import Analysis, CNode, FValue
from weft.lfg.forest import LfgForest
from weft.lfg.marks import (
    Bracket,
    Fact,
    Mark,
    find_derivations,
    find_marked,
    list_facts,
    read_marks,
    write_mark,
)
from weft.lfg.parser import LfgParser

TEXT = """
# A comment.
Wipe the glass with a cloth.
[S [VP[base] Wipe [NP the glass] [PP with a cloth]]] .
ADJUNCT( wipe ,with )
~ADJUNCT(glass, with)

Stop!
Stop !
TENSE(stop)=past
"""


def read(text: str) -> list[Mark]:
    return list(read_marks(io.BytesIO(text.encode())))


def test_marks_are_read() -> None:
    first, second = read(TEXT)
    assert first.text == "Wipe the glass with a cloth."
    assert first.words == ("Wipe", "the", "glass", "with", "a", "cloth", ".")
    assert first.brackets == (
        Bracket("S", 0, 6),
        Bracket("VP[base]", 0, 6),
        Bracket("NP", 1, 3),
        Bracket("PP", 3, 6),
    )
    assert first.facts == (Fact("ADJUNCT(wipe, with)"), Fact("ADJUNCT(glass, with)", holds=False))
    assert (second.brackets, second.facts) == ((), (Fact("TENSE(stop) = past"),))
    assert second.source.endswith(":8")


def test_what_is_written_is_read_again() -> None:
    marks = read(TEXT)
    again = read("\n\n".join(map(write_mark, marks)))
    assert [(m.text, m.words, m.brackets, m.facts) for m in again] == [
        (m.text, m.words, m.brackets, m.facts) for m in marks
    ]


def test_what_follows_a_bracket_needs_no_blank() -> None:
    (mark,) = read("Kim (sic) sleeps.\n[S [NP Kim] (sic) [VP sleeps]].")
    assert mark.words == ("Kim", "(sic)", "sleeps", ".")
    assert mark.brackets == (Bracket("S", 0, 3), Bracket("NP", 0, 1), Bracket("VP", 2, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Stop !", "without brackets"),
        ("Stop now\n[S Stop]", "not those of the sentence"),
        ("Stop now\n[S Stop now", r"\[S is not closed"),
        ("Stop now\n[S Stop] now]", "closed that was not opened"),
        ("Stop now\n[S Stop now]\nSUBJ(stop", "expected a fact"),
    ],
)
def test_wrong_marks_are_refused_with_their_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read("\n" + text)
    assert caught.value.line is not None
    assert caught.value.line >= 2


def analysis(*, with_glass: bool) -> Analysis:
    """`Wipe glass with water`, the water with the wiping or with the glass."""
    words = [CNode(word, (), -1, at, at + 1) for at, word in enumerate(["wipe", "glass", "with"])]
    noun, preposition = CNode("N", (words[1],), 2, 1, 2), CNode("P", (words[2],), 4, 2, 3)
    below = (CNode("NP", (noun, preposition), 2, 1, 3),) if with_glass else (noun, preposition)
    tree = CNode("VP", (CNode("V", (words[0],), 0, 0, 1), *below), 0, 0, 3)
    adjunct = ("ADJUNCT", 6)
    wipe = (*(() if with_glass else (adjunct,)), ("OBJ", 2), ("PRED", 1))
    glass = (*((adjunct,) if with_glass else ()), ("PRED", 3))
    values = (
        FValue(features=wipe),
        FValue("wipe", ((2,), ())),
        FValue(features=glass),
        FValue("glass", ((), ())),
        FValue(features=(("PRED", 5),)),
        FValue("with", ((), ())),
        FValue(elements=(4,)),
    )
    return Analysis(tree, values)


def test_facts_name_words_by_their_preds() -> None:
    assert list_facts(analysis(with_glass=True)) == {"OBJ(wipe, glass)", "ADJUNCT(glass, with)"}


@pytest.mark.parametrize(
    ("mark", "fitting"),
    [
        ("[VP wipe glass with]", (0, 1)),
        ("[VP wipe [NP glass with]]", (0,)),
        ("[NP wipe glass] with", ()),
        ("[VP wipe glass with]\nADJUNCT(wipe, with)", (1,)),
        ("[VP wipe glass with]\n~ADJUNCT(wipe, with)", (0,)),
        ("[VP wipe [NP glass with]]\nADJUNCT(wipe, with)", ()),
    ],
)
def test_brackets_and_facts_single_analyses_out(mark: str, fitting: tuple[int, ...]) -> None:
    both = [analysis(with_glass=True), analysis(with_glass=False)]
    (read_mark,) = read("wipe glass with\n" + mark)
    assert find_marked(read_mark, both) == fitting


RULES = "ROOT --> S STOP. S --> N: (^ SUBJ)=!; V. N --> N_BASE N_SFX_BASE. V --> V_BASE V_SFX_BASE."
LEXICON = """
    Kim N XLE (^ PRED)='Kim'.
    sleep V XLE (^ PRED)='sleep<(^ SUBJ)>'.
    +N N_SFX XLE.
    +V V_SFX XLE.
    `. STOP *.
"""
TABLE = b"Kim\tKim+N\nsleeps\tsleep+V\n"


@pytest.mark.parametrize(
    ("mark", "fitting"),
    [
        ("[S [N Kim] [V sleeps]] .", 1),
        ("[N_BASE Kim] sleeps .", 0),
        ("Kim [V sleeps .]", 0),
        ("[S Kim [V sleeps.]]", 0),
        ("[N Kim] [V sleeps] .\nSUBJ(sleep, Kim)", 1),
    ],
)
def test_brackets_are_over_all_morphemes_of_their_words(mark: str, fitting: int) -> None:
    config = CONFIG.replace("S.", "ROOT.", 1) + " GOVERNABLERELATIONS SUBJ."
    grammar = read_grammar(RULES, LEXICON, config=config, analyser=io.BytesIO(TABLE))
    found = LfgParser(grammar).parse("Kim sleeps.")
    (read_mark,) = read("Kim sleeps.\n" + mark)
    assert isinstance(found, LfgForest)
    assert found.count == 1
    assert len(find_marked(read_mark, found)) == fitting
    assert len(find_derivations(read_mark, found)) == fitting
