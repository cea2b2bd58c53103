"""Properties of lexical-functional analyses, counted by hand."""

import io
from collections import Counter

import pytest

from weft.features.functional import FUNCTIONAL, Functions, functional_features
from weft.lfg.parser import load_lfg

GRAMMAR = """\
TOY ENGLISH CONFIG (1.0)
  ROOTCAT S.  RULES (TOY ENGLISH).  LEXENTRIES (TOY ENGLISH).
  GOVERNABLERELATIONS SUBJ OBJ.  SEMANTICFUNCTIONS ADJUNCT.  NONDISTRIBUTIVES CONJ.
----
TOY ENGLISH RULES (1.0)
  S --> NP: (^ SUBJ)=!; VP.
  VP --> V (NP: (^ OBJ)=!) PP*: ! $ (^ ADJUNCT).
  NP --> { N PP*: ! $ (^ ADJUNCT) | NP: ! $ ^; C NP: ! $ ^ }.
  PP --> P NP: (^ OBJ)=!.
----
TOY ENGLISH LEXICON (1.0)
Kim    N * (^ PRED)='Kim' (^ NUM)=sg.
Monday N * (^ PRED)='Monday' (^ TIME)=day.
sees   V * (^ PRED)='see<(^ SUBJ)(^ OBJ)>'.
on     P * (^ PRED)='on<(^ OBJ)>'.
and    C * (^ CONJ)=and.
----
"""


@pytest.fixture(scope="module")
def parser():
    return load_lfg(io.BytesIO(GRAMMAR.encode()))


def find(parser, text, category):
    """The one analysis in which the phrase with `on` is attached to this category."""
    found = [a for a in parser.parse(text) if _over(a.tree, "PP") == category]
    assert len(found) == 1
    return found[0]


def _over(tree, label):
    for child in tree.children:
        found = tree.label if child.label == label else _over(child, label)
        if found:
            return found
    return None


def names(parser, analysis, name):
    functions = Functions.of(parser.grammar)
    return Counter(FUNCTIONAL[name].of_analysis(analysis, functions))


def test_productions_attachments_and_functions(parser):
    high = find(parser, "Kim sees Kim on Monday", "VP")
    assert names(parser, high, "productions") == {
        "S → NP VP": 1,
        "NP → N": 3,
        "VP → V NP PP": 1,
        "PP → P NP": 1,
    }
    assert names(parser, high, "attachments") == {
        "argument": 3,
        "argument SUBJ": 1,
        "argument OBJ": 2,
        "adjunct": 1,
        "adjunct ADJUNCT": 1,
    }
    assert names(parser, high, "functions") == {"SUBJ": 1, "OBJ": 2, "ADJUNCT": 1}
    assert names(parser, high, "atoms") == {"NUM sg": 2, "TIME day": 1}
    assert names(parser, high, "dates") == {"day": 1}
    assert names(parser, high, "coordination") == {}


def test_what_is_attached_low_has_a_smaller_height(parser):
    text = "Kim sees Kim on Monday"
    high, low = (find(parser, text, each) for each in ("VP", "NP"))
    # To the verb with an object that does not branch, or to a noun: the phrase with `on` branches.
    assert names(parser, high, "heights") == {
        "argument 0": 1,
        "argument 1": 1,
        "adjunct 0": 1,
        "argument 2": 1,
    }
    assert names(parser, low, "heights") == {
        "argument 0": 2,
        "argument 3": 1,
        "adjunct 0": 1,
    }


def test_branching_and_coordination(parser):
    [found] = [
        each
        for each in parser.parse("Kim and Monday sees Kim")
        if each.tree.children[0].label == "NP"
    ]
    assert names(parser, found, "branching") == {"other": 1, "right": 1}
    assert names(parser, found, "coordination") == {"parallel": 1}
    uneven = parser.parse("Kim sees Kim on Monday and Kim")
    kinds = Counter(kind for each in uneven for kind in names(parser, each, "coordination"))
    assert kinds == {"parallel": 2, "other": 1}


def test_features_have_the_property_in_their_names(parser):
    found = functional_features(parser.parse("Kim sees Kim").best(), Functions.of(parser.grammar))
    assert found["attachments: argument"] == 2.0
    assert found["branching: right"] == 1.0
    assert all(any(name.startswith(f"{each}: ") for each in FUNCTIONAL) for name in found)
