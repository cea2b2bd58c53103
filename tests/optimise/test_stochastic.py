"""SGD, AdaGrad, Adam and subgradients: against L-BFGS, and against dense loops."""

from __future__ import annotations

import numpy as np
import pytest

from few_terms import hinges, logistic, penalised, problem_of
from weft.errors import DivergenceError, OptionError
from weft.optimise.batches import Problem, shuffled
from weft.optimise.lbfgs import LBFGS
from weft.optimise.solution import Reason
from weft.optimise.stochastic import SGD, AdaGrad, Adam
from weft.optimise.subgradient import Subgradient

TIGHT = LBFGS(max_iterations=2000, tolerance=0.0, gradient_tolerance=1e-10)
STOCHASTIC = {
    "sgd": SGD(epochs=400, tolerance=0.0, rate=0.5, batch=4),
    "adagrad": AdaGrad(epochs=400, tolerance=0.0, rate=0.5, batch=4),
    "adam": Adam(epochs=400, tolerance=0.0, rate=0.02, batch=4, decay=0.02),
    "subgradient": Subgradient(epochs=400, tolerance=0.0, batch=4),
}
FEW = {
    name: type(each)(epochs=4, tolerance=0.0, batch=3, **({} if name == "subgradient" else extra))
    for name, each in STOCHASTIC.items()
    for extra in ({"average": 0.5, "rate": 0.3},)
}


@pytest.mark.parametrize("name", STOCHASTIC)
def test_all_approach_the_optimum_of_lbfgs(name, rng):
    problem = problem_of(logistic(rng), rng)
    start = problem.centre
    best = TIGHT.maximise(penalised(problem), start).value
    found = STOCHASTIC[name].maximise(problem, start)
    assert found.value == pytest.approx(problem.value(found.weights))
    assert best - 2e-3 <= found.value <= best + 1e-9
    assert problem.value(start) < best - 1.0


def test_subgradients_approach_the_optimum_of_hinges(rng):
    problem = problem_of(hinges(rng)[0])
    best = TIGHT.maximise(penalised(problem), problem.centre).value
    found = STOCHASTIC["subgradient"].maximise(problem, problem.centre)
    assert found.value >= best - 0.02 * abs(best)


def dense(optimiser, problem, start):
    """All iterates, every weight at every step, by the formulas of the module."""
    batches = problem.batches(optimiser.batch, optimiser.seed)
    count, size = len(problem.terms), problem.terms.size
    theta, squares, means = start.copy(), np.zeros(size), np.zeros(size)
    touches, iterates = np.zeros(size), []
    for turn in range(optimiser.epochs):
        eta = optimiser.rate / (1 + optimiser.decay * turn)
        for number in shuffled(len(batches), optimiser.seed, turn):
            touched = np.zeros(size, bool)
            touched[batches[number].places] = True
            gradient = np.zeros(size)
            gradient[touched] = batches[number](theta[touched])[1] * len(batches) / count
            direction = gradient.copy()
            if isinstance(optimiser, AdaGrad):
                squares += gradient**2
                scales = np.array([0.0 if s == 0 else 1 / np.sqrt(s) for s in squares])
            elif isinstance(optimiser, Adam):
                touches += touched
                rest = optimiser.second
                means[touched] = 0.9 * means[touched] + 0.1 * gradient[touched]
                squares[touched] = rest * squares[touched] + (1 - rest) * gradient[touched] ** 2
                seen = np.maximum(touches, 1)
                direction[touched] = (means / (1 - 0.9**seen))[touched]
                scales = 1 / (np.sqrt(squares / (1 - rest**seen)) + 1e-8)
                scales[squares == 0] = 0.0
            else:
                scales = np.ones(size)
            decay = np.exp(-eta * scales * problem.precisions / count)
            theta = problem.centre + (theta - problem.centre) * decay + eta * scales * direction
            iterates.append((turn, theta))
    return iterates


@pytest.mark.parametrize("name", ["sgd", "adagrad", "adam"])
def test_sparse_steps_are_dense_steps(name, rng):
    problem, optimiser = problem_of(logistic(rng), rng), FEW[name]
    start = rng.normal(size=problem.terms.size)
    iterates = dense(optimiser, problem, start)
    state = optimiser.maximise(problem, start).state
    np.testing.assert_allclose(state.arrays["weights"], iterates[-1][1], rtol=1e-12, atol=1e-12)
    # The weights to keep are the plain mean of the iterates of the last half of the passes.
    mean = np.mean([theta for turn, theta in iterates if turn >= 2], axis=0)
    np.testing.assert_allclose(optimiser.weights(state), mean, rtol=1e-12, atol=1e-12)


def test_sparse_subgradients_are_dense_ones(rng):
    problem, optimiser = problem_of(hinges(rng)[0], rng), FEW["subgradient"]
    batches = problem.batches(optimiser.batch, optimiser.seed)
    theta, total, step = rng.normal(size=problem.terms.size), 0.0, 0
    start = theta.copy()
    for turn in range(optimiser.epochs):
        for number in shuffled(len(batches), optimiser.seed, turn):
            step += 1
            gradient = np.zeros_like(theta)
            places = batches[number].places
            gradient[places] = len(batches) * batches[number](theta[places])[1]
            goal = problem.centre + gradient / problem.precisions
            theta = theta + 2 / (step + 1) * (goal - theta)
            total = total + step * theta
    state = optimiser.maximise(problem, start).state
    np.testing.assert_allclose(state.arrays["weights"], theta, rtol=1e-10, atol=1e-10)
    mean = total / (step * (step + 1) / 2)
    np.testing.assert_allclose(optimiser.weights(state), mean, rtol=1e-10, atol=1e-10)


def test_weights_without_a_penalty_do_not_decay(rng):
    terms = logistic(rng)
    problem = Problem(terms, np.zeros(terms.size), np.zeros(terms.size))
    iterates = dense(FEW["sgd"], problem, np.ones(terms.size))
    found = FEW["sgd"].maximise(problem, np.ones(terms.size))
    mean = np.mean([theta for turn, theta in iterates if turn >= 2], axis=0)
    np.testing.assert_allclose(found.weights, mean, rtol=1e-12)
    with pytest.raises(OptionError, match="takes its steps from the penalty"):
        FEW["subgradient"].maximise(problem, np.ones(terms.size))


def test_a_batch_of_all_terms_is_the_whole(rng):
    problem = problem_of(logistic(rng))
    one = SGD(epochs=1, batch=1000, average=0.0, rate=0.1).maximise(problem, problem.centre)
    gradient = problem.terms(problem.centre)[1]
    np.testing.assert_allclose(one.weights, 0.1 * gradient / len(problem.terms), rtol=1e-12)


def test_steps_that_are_too_long_are_refused(rng):
    problem = problem_of(hinges(rng)[0])
    with pytest.raises(DivergenceError, match="a smaller rate"):
        SGD(rate=1e12).maximise(problem, problem.centre)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (SGD, {"rate": 0.0}),
        (SGD, {"batch": 0}),
        (SGD, {"average": 2.0}),
        (SGD, {"decay": -1.0}),
        (Adam, {"second": 1.0}),
        (AdaGrad, {"epochs": 0}),
        (Subgradient, {"batch": 0}),
        (Subgradient, {"seed": -1}),
    ],
)
def test_settings_without_sense_are_refused(kind, options):
    with pytest.raises(OptionError, match=next(iter(options))):
        kind(**options)


def test_a_value_that_hardly_changes_ends_the_run(rng):
    problem = problem_of(logistic(rng))
    found = SGD(epochs=1000, tolerance=1e-3, rate=0.1).maximise(problem, problem.centre)
    assert found.reason is Reason.VALUE
    assert found.converged
    first, last = found.trace[-2].value, found.trace[-1].value
    assert abs(last - first) < 1e-3 * max(1.0, abs(last))
