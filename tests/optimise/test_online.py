"""Perceptron, passive–aggressive steps and AROW against what defines them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from few_terms import hinges, problem_of
from weft.errors import OptionError
from weft.optimise.batches import Rule, shuffled
from weft.optimise.online import AROW, PassiveAggressive, Perceptron, answer
from weft.optimise.solution import Reason


def least(rule: Rule, loss: float, square: float) -> float:
    """τ of the step τψ that minimises ½‖τψ‖² + what is left of the loss, on a fine grid."""
    steps = np.linspace(0.0, 2.0 * loss / square, 400_001)
    left = np.maximum(0.0, loss - steps * square)
    if rule.name == "pa":
        penalty = np.where(left > 1e-12, np.inf, 0.0)
    else:
        penalty = rule.strength * (left if rule.name == "pa-1" else left**2)
    return float(steps[np.argmin(0.5 * steps**2 * square + penalty)])


@pytest.mark.parametrize("name", ["pa", "pa-1", "pa-2"])
@pytest.mark.parametrize("strength", [0.05, 0.4, 3.0])
def test_passive_aggressive_steps_are_the_least_that_mend_a_loss(name, strength, rng):
    for _ in range(5):
        features, loss = rng.normal(size=5), float(rng.uniform(0.1, 4.0))
        rule = Rule(name, strength)
        move = answer(rule, loss, features, {}, slice(None))
        expected = least(rule, loss, float(features @ features)) * features
        np.testing.assert_allclose(move, expected, atol=1e-4)


def test_arow_is_the_minimum_of_its_objective(rng):
    features, loss, r = rng.normal(size=3), 1.7, 0.6
    features[1] = 0.0
    variances = np.array([0.5, 1.0, 0.2])
    arrays = {"variances": variances.copy()}
    move = answer(Rule("arow", r), loss, features, arrays, slice(None))

    def objective(both):
        mean, spread = both[:3], np.exp(both[3:])
        divergence = 0.5 * (mean**2 / variances + spread / variances - np.log(spread)).sum()
        left = max(0.0, loss - features @ mean)
        return divergence + (left**2 + (spread * features**2).sum()) / (2 * r)

    found = scipy.optimize.minimize(objective, np.zeros(6), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(move, found.x[:3], atol=1e-5)
    np.testing.assert_allclose(arrays["variances"], np.exp(found.x[3:]), atol=1e-5)


@pytest.mark.parametrize("optimiser", [Perceptron, PassiveAggressive], ids=lambda k: k.__name__)
def test_averaged_weights_are_the_mean_of_all_iterates(optimiser, rng):
    problem = problem_of(hinges(rng)[0])
    made = optimiser(epochs=3)
    theta, iterates = rng.normal(size=problem.terms.size), []
    start = theta.copy()
    for turn in range(3):
        for number in shuffled(len(problem.terms), 0, turn):
            value, features = problem.terms.terms[number](theta)
            if features.any():
                theta = theta + answer(made.rule, -value, features, {}, slice(None))
            iterates.append(theta)
    found = made.maximise(problem, start)
    np.testing.assert_allclose(found.weights, np.mean(iterates, axis=0), rtol=1e-10, atol=1e-12)
    last = optimiser(epochs=3, averaged=False).maximise(problem, start)
    np.testing.assert_allclose(last.weights, theta, rtol=1e-12)
    assert not np.allclose(found.weights, last.weights)


def test_a_perceptron_ends_when_nothing_is_wrong(rng):
    terms, features, costs = hinges(rng, rows=5, size=20, each=6)
    costs[:] = 0.0
    found = Perceptron(epochs=500, averaged=False).maximise(problem_of(terms), rng.normal(size=20))
    assert found.reason is Reason.NO_CHANGE
    assert found.converged
    assert ((features @ found.weights)[:, 1:] > 0).all()


@pytest.mark.parametrize(
    ("kind", "options"),
    [(PassiveAggressive, {"strength": 0.0}), (AROW, {"regularisation": -1.0})],
)
def test_strengths_are_above_zero(kind, options):
    with pytest.raises(OptionError, match=next(iter(options))):
        kind(**options)
