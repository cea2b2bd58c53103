"""Scores of moves that are made when they are asked for, beside lists of the features of each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trees import tree
from weft.derivations.reparametrise import Weighting
from weft.derivations.stack.move_scores import MoveScores
from weft.models.options import Normalisation
from weft.models.stack.feature_model import FeatureModel
from weft.models.stack.feature_spec import MoveFeatures
from weft.structures.evidence import Evidence, sentence

TAGS = [
    "(TOP (S (NP DT NN) (VP VBZ (NP NN))))",
    "(TOP (S (NP PRP) (VP VBZ (S (NP DT JJ NN) (VP VBZ)))))",
    "(TOP (S (S (VP VBZ)) NN))",
    "(TOP (NP (NP (NP NN)) (PP IN (NP NN))))",
]
WORDS = [
    "(TOP (S (NP (DT the) (NN saw)) (VP (VBZ saws) (NP (NN saw)))))",
    "(TOP (S (NP (PRP we)) (VP (VBZ saw) (NP (DT the) (NN can)))))",
    "(TOP (S (VP (MD can) (VP (VB saw) (NP (DT the) (NN saw))))))",
]
EVERYTHING = "s1 s1+s2 s1+next s1+next+after s1+s2+before s1+first+last last+next before next"


def models() -> list[tuple[FeatureModel, list[str]]]:
    found = []
    for texts, rare, words in ((TAGS, 0, "DT NN VBZ NN"), (WORDS, 1, "we saw the saw")):
        for form in ("joint", "conditional"):
            for normalisation in ("none", "conditional"):
                for unseen in ("back-off", "interpolate"):
                    spec = MoveFeatures(
                        form,
                        unseen,
                        rare=rare,
                        beam=1e-3 if rare else 0.0,
                        cycles=2,
                        normalisation=normalisation,
                        features=tuple(EVERYTHING.split()),
                    )
                    corpus = spec.compile([tree(text) for text in texts])
                    found.append((spec.prepare(corpus), words.split()))
    return found


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("which", range(16))
def test_scores_are_those_of_lists_of_features(which: int, closed: bool) -> None:
    model, words = models()[which]
    if closed:
        model = replace(model, limits=replace(model.limits, cycles=None))
    evidence = Evidence(sentence(words))
    [parses] = model.forest([evidence]).parses
    # Moves within chains are no edges, and have scores, too.
    assert (len(parses.row_moves) > len(parses.moves)) == closed
    fast, listed = model.weighted(parses, evidence), model.listed(parses, evidence)
    assert isinstance(fast.choices, MoveScores)
    assert len(parses.moves) > 10
    rng = np.random.default_rng(which)
    for size in (0.0, 1.0, 30.0):
        theta = size * rng.standard_normal(model.parameters.size)
        np.testing.assert_allclose(
            fast.weights(theta), listed.weights(theta), rtol=1e-12, atol=1e-9
        )
        # Other uses of moves than a distribution has: gradients are sums over any.
        uses = rng.standard_normal(len(parses.row_moves))
        gradients = []
        for each in (fast, listed):
            gradient = np.zeros(len(theta))
            each.choices.add_gradient(theta, each.features.gradient(uses), gradient)
            gradients.append(gradient)
        np.testing.assert_allclose(*gradients, rtol=1e-9, atol=1e-9)
        assert not size or fast.choices.normalised or np.abs(gradients[0]).max() > 0.1


@pytest.mark.parametrize("which", [0, 9])
def test_features_that_are_asked_for_are_those_of_the_lists(which: int) -> None:
    model, words = models()[which]
    evidence = Evidence(sentence(words))
    [parses] = model.forest([evidence]).parses
    fast, listed = model.weighted(parses, evidence), model.listed(parses, evidence)
    for edge in np.flatnonzero(parses.moves >= 0).tolist():
        mine, theirs = (
            each.choices.features.row(int(each.features.row(edge)[0])).tolist()
            for each in (fast, listed)
        )
        assert mine == theirs


@pytest.mark.parametrize("which", [0, 2])
def test_what_is_asked_many_times_says_the_same(which: int) -> None:
    model, words = models()[which]
    once = model.forest([Evidence(sentence(words))])
    many = once.for_many()
    theta = np.random.default_rng(0).standard_normal(model.parameters.size)
    for mine, theirs in zip(
        *(each.evaluate(theta, np.ones(1)) for each in (once, many)), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)
    listed = isinstance(many.members[0].choices, Weighting)
    assert listed == (model.normalisation is Normalisation.NONE)


def test_threads_do_not_matter() -> None:
    model, words = models()[3]
    evidence = Evidence(sentence(words))
    [parses] = model.forest([evidence]).parses
    choices = model.weighted(parses, evidence).choices
    assert isinstance(choices, MoveScores)
    theta = np.random.default_rng(0).standard_normal(model.parameters.size)
    np.testing.assert_array_equal(choices.weights(theta, 3), choices.weights(theta))


def test_a_model_of_no_features_scores_nothing() -> None:
    spec = MoveFeatures("joint", rare=0, beam=0.0, normalisation="none", features=())
    corpus = spec.compile([tree(text) for text in TAGS])
    model = spec.prepare(corpus)
    evidence = Evidence(sentence(["NN", "VBZ"]))
    [parses] = model.forest([evidence]).parses
    assert not model.weighted(parses, evidence).weights(np.zeros(0)).any()
