"""Every public record is shown in a few lines, whatever its size."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files

import numpy as np
import pytest

import weft
from parse_sets import random_examples
from trees import tree
from weft.automata import NEIGHBOURHOODS
from weft.corpora import bundled
from weft.corpora.bundled import bundled_parse_sets
from weft.recipes import RECIPES
from weft.structures.evidence import Example, sentence
from weft.structures.parse_set import Candidate, ParseSet
from weft.structures.tree import Tree, leaves

FEW = weft.LBFGS(max_iterations=1)
MOST = 800


def trained():
    words = bundled("train")
    trees = [
        Example(sentence(list(leaves(each))), parse=each)
        for number in range(40)
        for each in [tree(f"(S (N{number} a{number}) (V b))")]
    ]
    choices = random_examples(np.random.default_rng(1), 30, features=50)
    yield weft.fit(weft.Chain(), words, optimiser=FEW)
    yield weft.fit(weft.Tables(), words)
    yield weft.fit(weft.Cfg(), trees, optimiser=FEW)
    yield weft.fit(weft.Selection(relevance=0), choices, optimiser=FEW)


@pytest.fixture(scope="module")
def everything() -> list[object]:
    found: list[object] = []
    for each in trained():
        found += [each, each.model]
    dictionary = {str(number): frozenset({"A", "B"}) for number in range(1000)}
    found += [weft.Chain(dictionary=dictionary), weft.Cfg(), weft.Selection(), weft.Tables()]
    found += [found[5].grammar, NEIGHBOURHOODS["del1subseq"](tuple("abcdefgh" * 5))]
    long = [f"w{number}" for number in range(1000)]
    found += [sentence(long), bundled("train")[0], weft.example(long, long)]
    found += [weft.example(long, long).evidence(), Tree("S", tuple(long))]
    found += [bundled_parse_sets()[0], ParseSet("1", "a", (Candidate(Tree("S", tuple(long))),) * 9)]
    found += [weft.joint, weft.contrastive("trans1"), weft.joint.denominator]
    found += [*RECIPES.values(), found[0].trace, found[0].posteriors(["The", "dog"])]
    return found


def test_reprs_are_short_and_name_their_class(everything):
    for each in everything:
        assert type(each).__name__ in repr(each)
        assert len(repr(each)) <= MOST, type(each)


def test_reprs_say_what_matters(everything):
    tagger, _, tables, _, parser, _, selector, *_ = everything
    assert repr(tagger) == f"<Tagger: 44 tags, {len(tagger.weights):,} features, conditional>"
    assert repr(tables) == "<Tagger: 44 tags, tables, counted>"
    assert repr(parser) == "<Parser: 81 rules, 81 features, conditional>"
    assert repr(selector) == f"<Selector: {len(selector.weights)} features, conditional>"
    assert repr(weft.Chain(order=2)) == "Chain(order=2)"
    assert repr(weft.joint) == "<Criterion: joint>"


def test_the_version_and_the_types_are_there():
    assert weft.__version__ == version("weft-nlp")
    assert files("weft").joinpath("py.typed").is_file()
