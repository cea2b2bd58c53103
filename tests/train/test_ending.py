"""A run that did not move is an error, and so is one that could not."""

from __future__ import annotations

import numpy as np
import pytest

from contracts.models import FAMILIES
from weft import Cfg, Chain, Gaussian, Selection, example, fit
from weft.corpora import bundled
from weft.criteria import (
    CRITERIA,
    accuracy,
    conditional,
    expected_accuracy,
    margin,
    no_penalty,
    perceptron,
    rival,
)
from weft.errors import OptionError, StuckError, WeftError
from weft.optimise.annealing import Annealing
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.lbfgs import LBFGS
from weft.optimise.online import PassiveAggressive, Perceptron
from weft.optimise.stochastic import SGD
from weft.optimise.subgradient import Subgradient
from weft.recipes import find_recipe
from weft.train.usual import usual_optimiser

CLIMBED = {name: each for name, each in FAMILIES.items() if not each.spec.counted}
families = pytest.mark.parametrize("family", CLIMBED.values(), ids=CLIMBED)

LONG = [
    example([f"w{number % 7}" for number in range(200)], [f"T{n % 7}" for n in range(200)]),
    example([f"w{number % 5}" for number in range(200)], [f"T{n % 5}" for n in range(200)]),
]
WORDS = [example(["a", "b", "c"], ["X", "Y", "Z"]), example(["c", "a"], ["Z", "X"])]


@pytest.mark.parametrize("criterion", [margin(), rival], ids=lambda each: each.name)
def test_lbfgs_at_a_kink_is_an_error(criterion):
    corpus = bundled("train")[:20]
    with pytest.raises(StuckError, match=r"did not move.*line search.*from zeros.*Try another"):
        fit(Chain(), corpus, criterion=criterion, optimiser=LBFGS(), start="zeros")


def test_a_flat_place_is_an_error():
    with pytest.raises(StuckError, match="the gradient is small, after 0 iterations"):
        fit(Chain(), LONG, criterion=expected_accuracy, start="zeros", penalty=no_penalty)
    assert fit(Chain(), LONG, criterion=expected_accuracy, penalty=no_penalty).trace[-1].value > 1.9


def test_a_walk_that_finds_nothing_better_is_an_error():
    with pytest.raises(StuckError, match="by Annealing"):
        fit(Chain(), LONG, criterion=accuracy, optimiser=Annealing(steps=5), start="zeros")


@pytest.mark.parametrize("name", ["hmm", "mrf"])
def test_a_penalty_that_outweighs_probabilities_is_an_error(name):
    """By default there is none such: gaussian:10 of likelihoods is gaussian:1000 here."""
    spec, corpus = find_recipe(name).model, bundled("train")[:40]
    with pytest.raises(StuckError, match=r"gaussian:10 outweighs.*such as gaussian:1000$"):
        fit(spec, corpus, criterion=expected_accuracy, penalty=Gaussian(10.0))
    found = fit(spec, corpus, criterion=expected_accuracy)
    assert found.notes["penalty"] == "gaussian:1000"
    assert spec.judge(found.model, corpus)(found.weights) > 0.9


def test_it_is_an_error_of_weft_and_of_its_own_kind():
    assert issubclass(StuckError, WeftError)
    assert not issubclass(StuckError, OptionError)


@pytest.mark.parametrize("criterion", [conditional, margin(), perceptron, expected_accuracy])
def test_a_maximum_is_no_error(criterion):
    """From its own result, and where one analysis is all there is."""
    spec, free = Chain(), no_penalty
    first = fit(spec, WORDS, criterion=criterion)
    assert fit(spec, WORDS, criterion=criterion, start=first).weights.shape == first.weights.shape
    alone = [example(["a", "b"], ["X", "X"])]
    assert fit(spec, alone, criterion=criterion, penalty=free).trace[-1].value >= 0.0


def test_no_iterations_are_no_error_where_none_are_asked_for():
    trained = fit(Chain(), WORDS, optimiser=LBFGS(max_iterations=0))
    assert not trained.weights.any()


@families
@pytest.mark.parametrize("name", ["conditional", "margin", "local-accuracy"])
def test_nothing_to_compare_is_an_error(family, name):
    with pytest.raises(OptionError, match=r"compares labels.*none of .* has any: give labelled"):
        fit(family.spec, family.corpora["raw"], criterion=CRITERIA[name])


@families
def test_accuracy_is_for_annealing(family):
    corpus = family.corpora["complete"]
    with pytest.raises(OptionError, match="line-search or annealing"):
        fit(family.spec, corpus, criterion=accuracy, optimiser=SGD())
    found = fit(family.spec, corpus, criterion=accuracy, optimiser=Annealing(steps=200))
    assert found.trace[-1].value > 0


@families
@pytest.mark.parametrize("name", ["margin", "perceptron", "rival", "expected-accuracy"])
def test_every_family_gets_away_from_its_start(family, name):
    corpus = family.corpora["complete"]
    trained = fit(family.spec, corpus, criterion=CRITERIA[name])
    assert np.isfinite(trained.weights).all()
    assert trained.weights.any()


@pytest.mark.parametrize(
    ("spec", "criterion", "penalty", "kind"),
    [
        (Chain(), margin(), None, FrankWolfe),
        (Chain(), margin(), no_penalty, PassiveAggressive),
        (Chain(normalisation="conditional"), margin(), None, Subgradient),  # type: ignore[arg-type]
        (Chain(), rival, Gaussian(1.0), type(None)),
        (Chain(), rival, Gaussian(1.0, {"tag:*": np.inf}), SGD),
        (Selection(), perceptron, None, Perceptron),
        (Cfg(normalisation="joint"), perceptron, None, SGD),  # type: ignore[arg-type]
        (Chain(normalisation="joint"), margin(), no_penalty, SGD),  # type: ignore[arg-type]
    ],
)
def test_the_usual_optimiser(spec, criterion, penalty, kind):
    assert type(usual_optimiser(spec, criterion, penalty)) is kind


def test_others_are_content_with_any():
    for name in ("conditional", "joint", "softmax-margin", "boosting", "local-likelihood"):
        assert usual_optimiser(Chain(), CRITERIA[name], None) is None
