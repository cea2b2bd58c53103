"""Every record that notebooks draw has a picture that is well-formed, and neither is long."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import weft
from parse_sets import random_examples
from report.notebook.test_pictures import drawn
from weft.automata import NEIGHBOURHOODS
from weft.corpora.bundled import bundled, bundled_parse_sets
from weft.lfg.analyses import ListedAnalyses
from weft.models.stack.spec import MoveTables
from weft.models.stack.trace import trace_parse
from weft.report.notebook.pictures import _PICTURES
from weft.reprs import Pictured
from weft.structures.hypergraph import hypergraph
from weft.structures.tree import Tree

MOST_REPR, MOST_PICTURE = 2_000, 200_000
EVIL = '<i>"&'
LONG = [f"w{number}{EVIL}" for number in range(500)]
FEW = weft.LBFGS(max_iterations=2)
TREES = [Tree("S", (Tree(EVIL, ("a",)), Tree("B", ("b",)))), Tree("S", ("b", "b"))]
LONG_TREES = [Tree("S", (Tree("A", ("a",)), "b")), Tree("S", (Tree("S", ("b", "b")), "b"))]

RULES = """S -> NP[NUM=?n] VP[NUM=?n]
NP[NUM=sg] -> 'Kim'
NP[NUM=?n] -> NP[NUM=?n] PP[]
PP[] -> 'with' NP[]
VP[NUM=?n] -> 'saw' NP[] | VP[NUM=?n] PP[]
"""
LFG = """TEST ENGLISH CONFIG (1.0)
  ROOTCAT S.
  RULES (TEST ENGLISH).
  LEXENTRIES (TEST ENGLISH).
  GOVERNABLERELATIONS SUBJ.
----
TEST ENGLISH RULES (1.0)
  S --> NP: (^ SUBJ) = !; VP.
----
TEST ENGLISH LEXICON (1.0)
  Kim NP * (^ PRED) = 'Kim'.
  sleeps VP * (^ PRED) = 'sleep<(^ SUBJ)>'.
----
"""


def chain():
    return weft.fit(weft.Chain(), bundled("train")[:30], optimiser=FEW)


def long_chain():
    return weft.fit(weft.Chain(), [weft.example(LONG, LONG)], optimiser=FEW)


def shift_reduce(trees):
    return weft.fit(MoveTables("conditional", rare=0), trees)


def forest(words):
    return weft.unify.FeatureParser(weft.unify.read_fcfg(io.BytesIO(RULES.encode()))).parse(words)


@pytest.fixture
def lfg(tmp_path):
    path = tmp_path / "test.lfg"
    path.write_text(LFG)
    return weft.unify.load(path)


RECORDS = {
    "Tagger": chain,
    "Tagger, long": long_chain,
    "Tagger of tables": lambda: weft.fit(weft.Tables(), bundled("train")[:20]),
    "Parser": lambda: weft.fit(weft.Cfg(), TREES, optimiser=FEW),
    "StackParser": lambda: shift_reduce(TREES),
    "Selector": lambda: weft.fit(
        weft.Selection(relevance=0), random_examples(np.random.default_rng(1), 9)
    ),
    "TrainingTrace": lambda: chain().trace,
    "TagPosteriors": lambda: chain().posteriors(["The", EVIL]),
    "Example": lambda: weft.example([EVIL, "b"], ["N", frozenset({"V", EVIL})]),
    "Tree": lambda: TREES[0],
    "Tree, long": lambda: Tree("S", tuple(LONG) * 20),
    "Lattice": lambda: NEIGHBOURHOODS["del1word"]((EVIL, "bark")),
    "Lattice, long": lambda: NEIGHBOURHOODS["del1subseq"](tuple(LONG)),
    "Hypergraph": lambda: hypergraph(3, [(0, ()), (1, ()), (2, (0, 1)), (2, (1, 0))]),
    "Hypergraph, long": lambda: hypergraph(1, [(0, ())] * 5000),
    "ParseSet": lambda: bundled_parse_sets()[0],
    "Trace": lambda: trace_parse(shift_reduce(TREES), ["a", "b"]),
    "Trace, long": lambda: trace_parse(shift_reduce(LONG_TREES), ["b"] * 200),
    "FeatureForest": lambda: forest("Kim saw Kim with Kim"),
    "FeatureForest, long": lambda: forest(" ".join(["Kim saw Kim", *["with Kim"] * 40])),
    "FeatureForest, empty": lambda: forest("saw Kim"),
    "FeatureTree": lambda: forest("Kim saw Kim")[0],
    "FeatureTree, long": lambda: forest(" ".join(["Kim saw Kim", *["with Kim"] * 40]))[0],
    "FeatureStructure": lambda: weft.unify.read_structure("NP[A=(1)[B='<&>'], C->(1), D=?x]"),
}


def shown(record) -> str:
    """A picture that is checked."""
    assert len(repr(record)) < MOST_REPR
    assert "\n" not in repr(record)
    picture = record._repr_html_()
    assert len(picture) < MOST_PICTURE
    return " ".join(drawn(record).itertext())


@pytest.mark.parametrize("name", RECORDS)
def test_pictures_are_well_formed_and_short(name):
    record = RECORDS[name]()
    assert type(record).__name__ == name.split(",")[0].split(" of ")[0]
    assert type(record).__name__ in repr(record)
    assert shown(record).strip()


def test_analyses_of_lexical_functional_grammars(lfg):
    found = lfg.parse("Kim sleeps")
    assert repr(found) == "<1 analysis of 'Kim sleeps'>"
    for record in (found, found[0], ListedAnalyses(("Kim",), (found[0],) * 3, 3)):
        text = shown(record)
        assert "SUBJ" in text
        assert "'Kim'" in text
    assert "'Kim'" not in shown(lfg.parse("sleeps Kim"))
    assert repr(found[0]).startswith("<Analysis: (S (NP Kim) (VP sleeps))")
    assert len(repr(lfg.grammar)) < MOST_REPR


def test_what_pictures_show():
    moves = shown(RECORDS["Trace"]())
    assert "shift(a)" in moves
    assert "% of the sum over all parses" in moves
    assert "more moves" in shown(RECORDS["Trace, long"]())
    assert "2 analyses" in shown(RECORDS["FeatureForest"]())
    assert "NUM" in shown(RECORDS["FeatureTree"]())
    assert "would show nothing" in shown(RECORDS["Tree, long"]())


def test_no_style_reaches_out_of_a_picture(lfg):
    """A style within an SVG holds for all of a page: every rule is about what is in the frame."""
    for record in (lfg.parse("Kim sleeps"), RECORDS["FeatureTree"]()):
        picture = record._repr_html_()
        assert picture.count("<style>") == 1
        assert "<svg" in picture


def test_every_pictured_class_has_a_picture():
    """Those of one's own that inherit from one of them, too."""
    waiting, found = [Pictured], []
    while waiting:
        below = waiting.pop().__subclasses__()
        waiting += below
        # Classes with slots are made twice, and the first is nobody's.
        found += [e for e in below if vars(sys.modules[e.__module__]).get(e.__name__) is e]
    kinds = tuple(kind for kind, _ in _PICTURES)
    assert set(kinds) <= set(found)
    assert [each for each in found if not issubclass(each, kinds)] == []
