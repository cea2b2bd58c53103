import numpy as np
import pytest
from scipy.optimize import minimize

from parse_sets import random_examples
from weft.criteria import Gaussian, conditional, contrast
from weft.errors import DivergenceError, OptionError
from weft.models.selection.model import prepare_selection
from weft.models.selection.spec import Selection
from weft.optimise.conjugate_gradient import ConjugateGradient
from weft.optimise.lbfgs import LBFGS

EXACT = {"tolerance": 0.0, "gradient_tolerance": 1e-9}


def quadratic(rng, size=12, condition=1e3):
    scales = np.geomspace(1.0, condition, size)
    basis, _ = np.linalg.qr(rng.normal(size=(size, size)))
    matrix, goal = basis @ np.diag(scales) @ basis.T, rng.normal(size=size)

    def objective(theta):
        gap = theta - goal
        return -0.5 * float(gap @ matrix @ gap), -(matrix @ gap)

    return objective, goal


def test_quadratics_take_few_iterations(rng):
    objective, goal = quadratic(rng)
    solution = ConjugateGradient(**EXACT).maximise(objective, np.zeros(12))
    np.testing.assert_allclose(solution.weights, goal, atol=1e-7)
    assert len(solution.trace) < 80  # steepest ascent takes thousands


def test_the_minimum_of_rosenbrock():
    def objective(theta):
        x, y = theta
        value = (1 - x) ** 2 + 100 * (y - x * x) ** 2
        return -value, -np.array([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)])

    solution = ConjugateGradient(**EXACT).maximise(objective, np.array([-1.2, 1.0]))
    np.testing.assert_allclose(solution.weights, 1.0, atol=1e-6)


@pytest.mark.parametrize("penalty", [Gaussian(1.0), Gaussian(49.0, relative=True)])
def test_it_reaches_what_lbfgs_and_scipy_reach(rng, penalty):
    corpus = random_examples(rng, 40, features=15)
    model = prepare_selection(Selection(), corpus)
    objective = contrast(model, corpus, conditional) + penalty.objective(model.parameters)
    start = np.zeros(model.parameters.size)
    found = [each(**EXACT).maximise(objective, start) for each in (ConjugateGradient, LBFGS)]
    np.testing.assert_allclose(found[0].weights, found[1].weights, atol=1e-6)
    assert found[0].value == pytest.approx(found[1].value, rel=1e-12)

    def negated(theta):
        value, gradient = objective(theta)
        return -value, -gradient

    other = minimize(negated, start, jac=True, method="CG", options={"gtol": 1e-8})
    assert found[0].value == pytest.approx(-other.fun, rel=1e-9)


def test_values_never_fall_and_infinite_trials_are_shortened():
    def objective(theta):
        x = float(theta[0])
        return (np.log(x) - x, np.array([1 / x - 1])) if x > 0 else (-np.inf, np.zeros(1))

    solution = ConjugateGradient().maximise(objective, np.array([1e-3]))
    values = [step.value for step in solution.trace]
    assert values == sorted(values)
    assert solution.weights[0] == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(DivergenceError):
        ConjugateGradient().maximise(objective, np.array([-1.0]))


def test_limits_are_checked():
    for options in ({"max_iterations": -1}, {"period": 0}, {"tolerance": -1.0}):
        with pytest.raises(OptionError):
            ConjugateGradient(**options)
