"""Parsers over tags that read words, whose tags have probabilities."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import weft
from stack_models import CYCLIC, model_of
from stacks import probs_of, sums_of
from trees import tree
from weft.errors import NotDefined, OptionError
from weft.models.model import Outcome
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveTables
from weft.models.stack.tagged import read_alternatives
from weft.structures.evidence import Evidence, sentence
from weft.structures.tree import leaves

TAGS = ("a", "b", "other")
PROBS = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0], [0.3, 0.695, 0.005]])


@pytest.mark.parametrize("form", ["joint", "conditional"])
@pytest.mark.parametrize("texts", [CYCLIC[:5], CYCLIC])
def test_sums_are_over_all_tags_with_their_probabilities(form, texts):
    model = model_of(texts, form)
    parser = MoveTables().trained(model, Outcome(np.zeros(0)))
    words = [sentence(["x", "y", "x"]), sentence(["x"])]
    mine, asked = read_alternatives(parser, words, [PROBS, PROBS[:1]], TAGS, 0.01)
    probs = probs_of(model.table, model.labels, model.looks)
    for given, rows in zip(asked, (PROBS, PROBS[:1]), strict=True):
        [found] = mine.model.forest([Evidence(given)]).log_partition(mine.weights)
        expected = sum(
            math.prod(row[TAGS.index(tag)] for row, tag in zip(rows, tags, strict=True))
            * sums_of(tags, probs).total
            for tags in itertools.product("ab", repeat=len(rows))
        )
        assert math.exp(found) == pytest.approx(expected)
    [best] = mine.predict(asked[:1])
    assert len(list(leaves(best))) == 3


def test_the_likeliest_tag_is_there_however_improbable():
    parser = weft.fit(MoveTables(rare=0), [tree("(S a b)")])
    rows = np.array([[0.004, 0.003, 0.993], [0.0, 1.0, 0.0]])
    mine, asked = read_alternatives(parser, [sentence(["x", "y"])], [rows], TAGS, 0.5)
    some = [mine.model.choices[name] for name in asked[0].words]
    assert [[mine.model.labels[tag] for tag, _ in each] for each in some] == [["a"], ["b"]]
    assert some[0][0][1] == pytest.approx(math.log(0.004))


def test_tags_that_are_as_likely_but_for_last_digits_are_there():
    parser = weft.fit(MoveTables(rare=0), [tree("(S a b)")])
    rows = np.array([[0.3, 0.1 + 0.2, 0.2], [0.1 + 0.2, 0.3, 0.2]])
    for least in (0.5, 0.1 + 0.2):
        mine, asked = read_alternatives(parser, [sentence(["x", "y"])], [rows], TAGS, least)
        assert [len(mine.model.choices[name]) for name in asked[0].words] == [2, 2]


def test_what_reads_no_tags_says_so():
    words, rows = [sentence(["x"])], [PROBS[:1]]
    parser = weft.fit(MoveTables(rare=1), [tree("(S (A x) (B y))")])
    with pytest.raises(OptionError, match="reads words"):
        read_alternatives(parser, words, rows, TAGS)
    parser = weft.fit(MoveTables(rare=0), [tree("(S c d)")])
    with pytest.raises(OptionError, match="none of the tags that the parser reads: c, d"):
        read_alternatives(parser, words, rows, TAGS)
    parser = weft.fit(MoveFeatures(rare=0), [tree("(S a b)")])
    with pytest.raises(NotDefined, match="features of moves look at the tags"):
        read_alternatives(parser, words, rows, TAGS)
