"""Trees of the Penn parsed corpora of historical languages; the sentences are our own."""

from __future__ import annotations

import io

import pytest

from trees import tree
from weft.corpora import find_steps, read_treebank
from weft.corpora.trees.cleaning import STEPS, clean
from weft.corpora.trees.historical import is_historical, lemma_share
from weft.structures.tree import Tree

ENGLISH = """
( (METADATA (AUTHOR nobody) (DATE (YEAR 1500))))
( (CODE <P_26>))

( (IP-MAT (CODE <P_27>) (CONJ and) (NP-SBJ *con*) (VBD sayde) (CODE {TEXT:said})
    (CP-THT (C 0) (IP-SUB (NP-SBJ (D the) (N kyng)) (BED was)
      (NP-OB1 *T*-1) (ADJP (ADJ olde)))) (NP-MSR (NUM 0)) (E_S .))
  (ID OURS,26.5))
( (CP-REL (WNP-1 0) (C that)) (ID OURS,26.6))
( (IP-MAT (NP-SBJ *pro*) (VB *)) (ID OURS,26.7))
"""

ICELANDIC = """
( (IP-MAT (CONJ og-og) (NP-SBJ (N-N madu$-madur) (D-N $inn-hinn)) (VBDI sagdi-segja)
    (CP-THT (C 0) (IP-SUB (NP-SBJ *exp*) (BEDI var-vera) (ADJ-N kalt-kaldur))) (, ---) (. .-.))
  (ID OURS,.1))
"""


def words_of(text: str, clean: str | None = None) -> list[str]:
    steps = {} if clean is None else {"clean": find_steps(clean)}
    return [" ".join(e.tokens.words) for e in read_treebank(io.BytesIO(text.encode()), **steps)]


def test_what_is_no_word_goes_by_itself() -> None:
    assert words_of(ENGLISH) == ["and sayde the kyng was olde 0 .", "that"]
    [first, _] = read_treebank(io.BytesIO(ENGLISH.encode()))
    assert first.parse == tree(
        "(TOP (IP (CONJ and) (VBD sayde) (CP (IP (NP (D the) (N kyng)) (BED was)"
        " (ADJP (ADJ olde)))) (NP (NUM 0)) (E_S .)))"
    )


def test_steps_by_name() -> None:
    assert words_of(ENGLISH, "codes,top")[0] == "and *con* sayde 0 the kyng was *T*-1 olde 0 ."
    assert words_of(ENGLISH, "gaps,top")[2].startswith("<P_27> and sayde {TEXT:said} the kyng was")
    assert words_of(ICELANDIC, "historical,lemmas,top") == ["og madu$ $inn sagdi var kalt --- ."]
    assert words_of(ICELANDIC) == [
        "og-og madu$-madur $inn-hinn sagdi-segja var-vera kalt-kaldur --- .-."
    ]


def test_other_trees_stay_as_they_are() -> None:
    one = tree("(S (CODE x) (NP (CD 0) (ID y)) (VP (NN *con*)))")
    assert not is_historical(one)
    assert clean(one, find_steps("historical")) is one
    assert is_historical(tree("(CODE <P_1>)"))
    assert not is_historical(Tree("", ()))


@pytest.mark.parametrize("word", ["*", "*T*", "*T*-12", "*ICH*-1", "*con*", "*-1", "0"])
def test_gaps(word: str) -> None:
    one = tree(f"(S (NP {word}) (VP (VB ran) {word}))")
    assert clean(one, find_steps("gaps")) == tree("(S (VP (VB ran)))")
    assert STEPS["gaps"](tree(f"(S {word})")) is None


@pytest.mark.parametrize("word", ["**", "*a", "*x*y", "00", "*-", "-1", "*T*-"])
def test_words_that_are_no_gaps(word: str) -> None:
    one = tree(f"(S (NP {word}))")
    assert STEPS["gaps"](one) == one


def test_lemmas() -> None:
    words = ["a-b", "a-b-c", "-", "--", "a-", "-b", "a--b"]
    one = Tree("S", tuple(words))
    assert STEPS["lemmas"](one) == Tree("S", ("a", "a-b", "-", "--", "a-", "-b", "a--b"))
    assert lemma_share(words) == pytest.approx(2 / 7)
    assert lemma_share([]) == 0.0
