"""Forests of many sentences, of which only some are in memory at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import weft
from stack_models import CYCLIC, corpus
from weft.derivations.stack import chunks
from weft.models.stack.spec import MoveTables
from weft.structures.tree import leaves


@pytest.fixture(scope="module")
def parser():
    return weft.fit(MoveTables(rare=0), corpus(CYCLIC))


def inputs(parser):
    assert {"a", "b"} <= set(parser.model.choices)
    return [["a"] * length + ["b"] for length in (1, 2, 3, 4, 3, 2, 5, 1)]


def asked(parser):
    evidences = parser.evidences(inputs(parser))
    derivations = parser.derivations(evidences, 1)
    ranked = derivations.kbest(parser.weights, 3)
    return [
        derivations.log_partition(parser.weights).tolist(),
        derivations.best(parser.weights)[0].tolist(),
        [[score for score, _ in each] for each in ranked],
        derivations.spans(parser.weights),
        derivations.entropy(parser.weights).tolist(),
    ]


def test_answers_do_not_depend_on_how_many_are_in_memory(parser, monkeypatch):
    expected, sizes = asked(parser), []
    build = type(parser.model).forest

    def counted(model, evidences, *rest):
        sizes.append(len(evidences))
        return build(model, evidences, *rest)

    monkeypatch.setattr(type(parser.model), "forest", counted)
    assert asked(parser) == expected
    assert sizes == [8] * 5
    sizes.clear()
    monkeypatch.setattr(chunks, "_EDGES", 1)
    monkeypatch.setattr(chunks, "_WORDS", 8)
    assert asked(parser) == expected
    assert max(sizes) == 1
    assert len(sizes) == 8 * 5


def test_searches_that_were_given_up_have_no_parses_but_the_best_stack(parser):
    limits = replace(parser.model.limits, edges=60)
    given = replace(parser, model=replace(parser.model, limits=limits))
    [short, *_, long, _] = inputs(parser)
    evidences = given.evidences([short, long])
    derivations = given.derivations(evidences, 1)
    assert np.isfinite(derivations.log_partition(given.weights)).tolist() == [True, False]
    assert [best is None for best in derivations.best(given.weights)[1]] == [False, True]
    rng = np.random.default_rng(0)
    for several in (derivations.kbest(given.weights, 2), derivations.sample(given.weights, rng, 2)):
        assert len(several[0]) > 0
        assert several[1] == []
    assert [bool(spans) for spans in derivations.spans(given.weights)] == [True, False]
    assert [best is None for best in derivations.surest(given.weights)] == [False, True]
    tree = given.closest(long)
    assert tree is not None
    assert len(list(leaves(tree))) == len(long)
