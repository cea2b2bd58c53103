"""Block-coordinate Frank–Wolfe: its optimum by quadratic programming, and its certificate."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from few_terms import hinges, problem_of
from weft.errors import OptionError
from weft.optimise.batches import Problem
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.solution import Reason
from weft.optimise.subgradient import Subgradient


def optimum(problem, features, costs):
    """The same by quadratic programming, with a slack for each term."""
    rows, _, size = features.shape

    def loss(both):
        return problem.penalty(both[:size]) + both[size:].sum()

    def slope(both):
        distance = both[:size] - problem.centre
        return np.concatenate([problem.precisions * distance, np.ones(rows)])

    table = np.concatenate(
        [features.reshape(-1, size), np.repeat(np.eye(rows), features.shape[1], axis=0)], axis=1
    )
    limits = {
        "type": "ineq",
        "fun": lambda both: table @ both - costs.reshape(-1),
        "jac": lambda both: table,  # noqa: ARG005
    }
    start = np.concatenate([problem.centre, np.full(rows, 10.0)])
    found = scipy.optimize.minimize(
        loss, start, jac=slope, constraints=limits, method="SLSQP", options={"ftol": 1e-9}
    )
    assert found.success
    return -found.fun


@pytest.mark.parametrize("batch", [1, 3])
def test_the_gap_bounds_how_far_the_optimum_is(batch, rng):
    terms, features, costs = hinges(rng, rows=8, size=5, each=3)
    problem = problem_of(terms, rng)
    best = optimum(problem, features, costs)
    bounds = []

    def watch(step, weights):
        assert step.value == pytest.approx(problem.value(weights))
        bounds.append((best - step.value, step.gradient_norm))

    found = FrankWolfe(gap=1e-4, epochs=5000, batch=batch).maximise(problem, problem.centre, watch)
    assert found.reason is Reason.GAP
    assert all(-1e-6 <= away <= gap + 1e-6 for away, gap in bounds)
    assert bounds[0][0] > 1.0
    assert bounds[-1][1] <= 1e-4 * max(1.0, abs(found.value))
    assert found.value == pytest.approx(best, abs=1e-4 * max(1.0, abs(best)))


def test_the_best_weights_so_far_are_kept(rng):
    problem = problem_of(hinges(rng, rows=8, size=5, each=3)[0], rng)
    optimiser = FrankWolfe(inner=0, batch=3)
    state = optimiser.begin(problem, problem.centre)
    lower = 0
    for _ in range(30):
        state = optimiser.advance(problem, state)
        reached = problem.value(optimiser.weights(state))
        assert state.values[-1] == reached == max(state.values)
        lower += problem.value(state.arrays["weights"]) < reached
    assert lower  # the value does not rise with every pass


@pytest.mark.slow
def test_two_optimisers_have_one_solution(rng):
    problem = problem_of(hinges(rng)[0], rng)
    one = FrankWolfe(gap=1e-6, epochs=5000).maximise(problem, problem.centre)
    other = Subgradient(epochs=3000, tolerance=0.0).maximise(problem, problem.centre)
    assert one.value >= other.value - 1e-5 * abs(one.value)
    assert other.value == pytest.approx(one.value, rel=5e-3)
    np.testing.assert_allclose(other.weights, one.weights, atol=0.1)


def test_terms_that_are_not_concave_are_refused(rng):
    terms = hinges(rng)[0]
    terms.concave = False
    with pytest.raises(OptionError, match="several observed analyses"):
        FrankWolfe().maximise(problem_of(terms), np.zeros(terms.size))


def test_weights_need_a_penalty(rng):
    terms = hinges(rng)[0]
    free = Problem(terms, np.zeros(terms.size), np.zeros(terms.size))
    with pytest.raises(OptionError, match="some have none"):
        FrankWolfe().maximise(free, np.zeros(terms.size))
