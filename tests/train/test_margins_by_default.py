"""Criteria that compare best analyses come to their optimum where no optimiser is named."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import weft
from weft import Example, example
from weft.arrays import FloatArray
from weft.criteria import contrast, find_criterion
from weft.recipes import find_optimiser
from weft.structures.evidence import Evidence
from weft.structures.stream import Stream

CORPUS = [
    example(["the", "old", "man"], ["D", "N", "N"]),
    example(["old", "man"], ["N", "V"]),
    example(["the", "boats"], ["D", "N"]),
]
PARTLY = [example(["the", "old", "man"], ["D", None, "N"]), *CORPUS[1:]]
CHAIN = weft.Chain(templates=weft.templates("word[0]"))
VARIANCE = 2.0


def rivals(model: Any, each: Example) -> tuple[FloatArray, FloatArray]:
    """Return, of all other taggings, features less those observed, and numbers of wrong tags."""
    gold = each.analysis or ()
    several = [tags for tags in product(model.tags, repeat=len(gold)) if tags != gold]
    nothing = np.zeros(model.parameters.size)

    def features(tags: Any) -> FloatArray:
        found = model.derivations([Evidence(each.tokens, tags)])
        return np.asarray(found.evaluate(nothing, np.ones(1))[1])

    wrong = [sum(a != b for a, b in zip(tags, gold, strict=True)) for tags in several]
    return np.array([features(tags) - features(gold) for tags in several]), np.array(wrong, float)


def optimum(model: Any, name: str) -> float:
    """Return the highest value of a criterion with its penalty, as SciPy finds it."""
    size = model.parameters.size
    known = [rivals(model, each) for each in CORPUS]

    def cost(point: FloatArray) -> float:
        theta, worst = point[:size], point[size:]
        lost = worst if name == "margin" else np.logaddexp(0.0, worst)
        return float(lost.sum() + 0.5 * theta @ theta / VARIANCE)

    constraints = [
        {"type": "ineq", "fun": lambda p, place=place, f=f, c=c: p[size + place] - f @ p[:size] - c}
        for place, (f, wrong) in enumerate(known)
        for c in [wrong if name == "margin" else 0.0]
    ]
    bounds = [(None, None)] * size + [(0.0 if name == "margin" else None, None)] * len(CORPUS)
    begin = np.append(np.zeros(size), [3.0] * len(CORPUS))
    options = {"maxiter": 500, "ftol": 1e-12}
    found = minimize(
        cost, begin, method="SLSQP", bounds=bounds, constraints=constraints, options=options
    )
    assert found.success
    return -float(found.fun)


def value_of(tagger: Any, name: str) -> float:
    objective = contrast(tagger.model, CORPUS, find_criterion(name))
    return objective(tagger.weights)[0] - 0.5 * float(tagger.weights @ tagger.weights) / VARIANCE


@pytest.mark.parametrize("name", ["margin", "rival"])
def test_the_optimum_is_reached(name: str) -> None:
    penalty = weft.Gaussian(VARIANCE)
    tagger = weft.fit(CHAIN, CORPUS, criterion=find_criterion(name), penalty=penalty)
    best = optimum(tagger.model, name)
    assert value_of(tagger, name) == pytest.approx(best, rel=2e-3)


@pytest.mark.parametrize("optimiser", ["margin", "subgradient", "adagrad"])
def test_the_value_is_that_of_the_weights_that_are_kept(optimiser: str) -> None:
    named = None if optimiser == "margin" else find_optimiser(optimiser)
    more = {"criterion": find_criterion("margin"), "penalty": weft.Gaussian(VARIANCE)}
    for held_out in (None, CORPUS[1:]):
        tagger = weft.fit(CHAIN, CORPUS, optimiser=named, development=held_out, **more)
        kept = int(tagger.notes.get("kept_iteration", tagger.trace[-1].iteration))
        [value] = [step.value for step in tagger.trace if step.iteration == kept]
        assert value == pytest.approx(value_of(tagger, "margin"), rel=1e-9)


def test_what_has_no_dual_is_climbed_otherwise() -> None:
    criterion = find_criterion("margin")
    for corpus in (PARTLY, Stream(lambda: iter(CORPUS))):
        tagger = weft.fit(CHAIN, corpus, criterion=criterion)
        assert "gap" not in tagger.notes["stopped"]
        assert tagger.weights.any()
