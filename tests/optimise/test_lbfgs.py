"""L-BFGS and OWL-QN against SciPy, by their optimality conditions, and where things go wrong."""

import math

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import DivergenceError, OptionError, WeftError
from weft.optimise.lbfgs import LBFGS
from weft.optimise.solution import Reason

TIGHT = LBFGS(memory=10, max_iterations=20_000, tolerance=0.0, gradient_tolerance=1e-9)


def logistic(seed, rows=40, size=6, precision=0.5):
    """The log-likelihood of a logistic regression with a Gaussian penalty, and its inputs."""
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(rows, size))
    signs = np.where(rng.random(rows) < 0.5, -1.0, 1.0)

    def objective(theta):
        margins = signs * (inputs @ theta)
        value = -np.logaddexp(0.0, -margins).sum() - 0.5 * precision * theta @ theta
        probs = np.exp(-np.logaddexp(0.0, margins))
        return float(value), inputs.T @ (signs * probs) - precision * theta

    return objective


def quadratic(curvatures, optimum):
    def objective(theta):
        gap = theta - optimum
        return -0.5 * float(gap @ (curvatures * gap)), -curvatures * gap

    return objective


def rosenbrock(theta):
    return -float(scipy.optimize.rosen(theta)), -scipy.optimize.rosen_der(theta)


def scipy_maximum(objective, start):
    def negated(theta):
        value, gradient = objective(theta)
        return -value, -gradient

    options = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9}
    result = scipy.optimize.minimize(negated, start, jac=True, method="L-BFGS-B", options=options)
    return result.x, -result.fun


def proximal_maximum(objective, size, l1, curvatures=(0.5, 60.0), iterations=800):
    """The maximum with an L1 penalty by accelerated proximal steps, given curvature bounds."""
    least, most = curvatures
    momentum = (math.sqrt(most) - math.sqrt(least)) / (math.sqrt(most) + math.sqrt(least))
    theta = ahead = np.zeros(size)
    for _ in range(iterations):
        target = ahead + objective(ahead)[1] / most
        new = np.sign(target) * np.maximum(np.abs(target) - l1 / most, 0.0)
        theta, ahead = new, new + momentum * (new - theta)
    return theta, objective(theta)[0] - np.sum(l1 * np.abs(theta))


def assert_monotone(solution):
    values = [step.value for step in solution.trace]
    assert all(math.isfinite(value) for value in values)
    assert values == sorted(values)
    assert solution.value == values[-1]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("memory", [1, 3, 10])
def test_same_optimum_as_scipy(seed, memory):
    objective = logistic(seed)
    start = np.random.default_rng(seed).normal(size=6)
    solution = LBFGS(memory=memory, tolerance=0.0, gradient_tolerance=1e-9).maximise(
        objective, start
    )
    weights, value = scipy_maximum(objective, start)
    assert solution.converged
    assert solution.value == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(solution.weights, weights, atol=1e-5)
    assert_monotone(solution)


@pytest.mark.parametrize("size", [2, 5, 20])
def test_rosenbrock(size):
    solution = TIGHT.maximise(rosenbrock, np.tile([-1.2, 1.0], size)[:size])
    assert solution.reason is Reason.GRADIENT
    assert solution.trace[-1].evaluations < 40 * size + 100
    np.testing.assert_allclose(rosenbrock(solution.weights)[1], 0.0, atol=1e-7)
    assert_monotone(solution)


@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6])
def test_ill_conditioned_quadratics(condition):
    curvatures = np.geomspace(1.0, condition, 30)
    optimum = np.random.default_rng(0).normal(size=30)
    solution = TIGHT.maximise(quadratic(curvatures, optimum), np.zeros(30))
    np.testing.assert_allclose(solution.weights, optimum, atol=1e-6)
    assert_monotone(solution)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_scale_of_the_objective_does_not_matter(scale):
    objective = logistic(0)

    def scaled(theta):
        value, gradient = objective(theta)
        return scale * value, scale * gradient

    options = LBFGS(tolerance=0.0, gradient_tolerance=1e-7 * scale)
    solution = options.maximise(scaled, np.zeros(6))
    np.testing.assert_allclose(
        solution.weights, scipy_maximum(objective, np.zeros(6))[0], atol=1e-5
    )


def test_a_full_memory_keeps_the_newest_pairs():
    # On a quadratic of n dimensions, memory n with an almost exact search ends in about n steps.
    curvatures = np.geomspace(1.0, 50.0, 4)
    for memory, limit in ((1, 100), (4, 30), (50, 25)):
        options = LBFGS(memory=memory, tolerance=0.0, gradient_tolerance=1e-8)
        solution = options.maximise(quadratic(curvatures, np.ones(4)), np.zeros(4))
        assert solution.trace[-1].iteration < limit


def wall(outside):
    """10x + log(1 − x) − y²: highest at x = 0.9; ``outside`` with a NaN gradient from x = 1."""

    def objective(theta):
        if theta[0] >= 1.0:
            return outside, np.full(2, np.nan)
        value = 10.0 * theta[0] + math.log1p(-theta[0]) - theta[1] ** 2
        return value, np.array([10.0 - 1.0 / (1.0 - theta[0]), -2.0 * theta[1]])

    return objective


@pytest.mark.parametrize("outside", [-math.inf, math.nan, math.inf, 1e9])
@pytest.mark.parametrize("l1", [0.0, 1e-12])
def test_infinite_trials_are_shortened_and_forgotten(outside, l1):
    options = LBFGS(tolerance=0.0, gradient_tolerance=1e-6, l1=l1)
    solution = options.maximise(wall(outside), np.array([-3.0, 4.0]))
    assert solution.converged
    np.testing.assert_allclose(solution.weights, [0.9, 0.0], atol=1e-6)
    assert_monotone(solution)


def test_a_maximum_on_the_wall_itself_is_approached():
    def objective(theta):
        return (float(theta[0]), np.ones(1)) if theta[0] <= 1.0 else (-math.inf, np.ones(1))

    solution = LBFGS(tolerance=1e-12).maximise(objective, np.zeros(1))
    assert 0.999 < solution.weights[0] <= 1.0
    assert solution.reason in (Reason.VALUE, Reason.LINE_SEARCH)


@pytest.mark.parametrize("value", [-math.inf, math.nan, math.inf])
@pytest.mark.parametrize("l1", [0.0, 1.0])
def test_an_infinite_start_is_refused(value, l1):
    with pytest.raises(DivergenceError, match="not finite at the start") as caught:
        LBFGS(l1=l1).maximise(lambda theta: (value, np.zeros_like(theta)), np.zeros(2))
    assert isinstance(caught.value, WeftError)


@pytest.mark.parametrize("slope", [math.nan, math.inf])
@pytest.mark.parametrize("l1", [0.0, 1.0])
def test_an_infinite_gradient_at_the_start_is_refused(slope, l1):
    with pytest.raises(DivergenceError):
        LBFGS(l1=l1).maximise(lambda _: (0.0, np.full(2, slope)), np.zeros(2))


@pytest.mark.parametrize("l1", [0.0, 1.0])
def test_an_optimal_start_returns_at_once(l1):
    solution = LBFGS(l1=l1).maximise(quadratic(np.ones(3), np.zeros(3)), np.zeros(3))
    assert solution.reason is Reason.GRADIENT
    assert [step.evaluations for step in solution.trace] == [1]


@pytest.mark.parametrize("l1", [0.0, 1.0, np.zeros(0)])
def test_no_weights_at_all(l1):
    solution = LBFGS(l1=l1).maximise(lambda theta: (-1.0, theta.copy()), np.zeros(0))
    assert (solution.value, solution.converged, solution.weights.shape) == (-1.0, True, (0,))


class Interrupting:
    """Passes on to an objective until the n-th call, which Ctrl-C interrupts."""

    def __init__(self, objective, calls):
        self.objective = objective
        self.calls = calls

    def __call__(self, *args):
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return self.objective(*args)


@pytest.mark.parametrize("calls", [1, 2, 5, 9])
@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_an_interrupted_evaluation_keeps_the_best_weights(calls, l1):
    solution = LBFGS(l1=l1).maximise(Interrupting(rosenbrock, calls), np.array([-1.2, 1.0]))
    assert solution.reason is Reason.INTERRUPTED
    assert not solution.converged
    value = rosenbrock(solution.weights)[0] - l1 * np.abs(solution.weights).sum()
    assert solution.value == pytest.approx(value, rel=1e-12)
    assert_monotone(solution)


def test_an_interrupt_before_anything_is_known_returns_the_start():
    solution = LBFGS().maximise(Interrupting(rosenbrock, 0), np.array([-1.2, 1.0]))
    assert solution.reason is Reason.INTERRUPTED
    assert (solution.value, solution.trace) == (-math.inf, ())
    assert solution.weights.tolist() == [-1.2, 1.0]


def test_an_interrupted_callback_keeps_the_best_weights():
    callback = Interrupting(lambda *_: None, 4)
    solution = LBFGS().maximise(rosenbrock, np.array([-1.2, 1.0]), callback)
    assert solution.reason is Reason.INTERRUPTED
    assert solution.trace[-1].iteration == 4
    assert solution.value == rosenbrock(solution.weights)[0]


def test_the_callback_sees_every_step_and_may_stop():
    seen = []

    def callback(step, theta):
        assert not theta.flags.writeable
        seen.append((step, theta.copy()))
        return step.iteration == 3

    solution = LBFGS().maximise(rosenbrock, np.array([-1.2, 1.0]), callback)
    assert solution.reason is Reason.STOPPED
    assert solution.reason == "stopped by the callback"
    assert tuple(step for step, _ in seen) == solution.trace
    assert [step.iteration for step, _ in seen] == [0, 1, 2, 3]
    assert solution.weights.tolist() == seen[-1][1].tolist()
    for step, theta in seen:
        assert step.value == rosenbrock(theta)[0]
        assert step.gradient_norm == pytest.approx(np.linalg.norm(rosenbrock(theta)[1]))


def test_the_trace_counts_evaluations():
    calls = []

    def objective(theta):
        calls.append(None)
        return rosenbrock(theta)

    solution = LBFGS().maximise(objective, np.array([-1.2, 1.0]))
    assert solution.trace[-1].evaluations == len(calls)
    assert [step.iteration for step in solution.trace] == list(range(len(solution.trace)))
    assert solution.trace[0].step == 0.0
    assert all(step.step > 0 for step in solution.trace[1:])
    seconds = [step.seconds for step in solution.trace]
    assert seconds == sorted(seconds)


def test_the_value_tolerance_looks_back_over_the_period():
    options = LBFGS(tolerance=1e-3, period=4, gradient_tolerance=0.0)
    solution = options.maximise(logistic(3, rows=400, size=20), np.zeros(20))
    values = [step.value for step in solution.trace]
    assert solution.reason is Reason.VALUE
    pairs = zip(values[:-4], values[4:], strict=True)
    changes = [(late - early) / max(1.0, abs(late)) for early, late in pairs]
    assert changes[-1] < 1e-3 <= min(changes[:-1], default=1.0)


def test_the_gradient_tolerance_is_relative_to_the_weights():
    options = LBFGS(tolerance=0.0, gradient_tolerance=1e-3)
    optimum = np.full(4, 1000.0)
    solution = options.maximise(quadratic(np.geomspace(1.0, 100.0, 4), optimum), np.zeros(4))
    assert solution.reason is Reason.GRADIENT
    size = np.linalg.norm(solution.weights)
    assert solution.gradient_norm <= 1e-3 * size
    assert all(step.gradient_norm > 1e-3 * size for step in solution.trace[:-3])


def test_the_iteration_limit():
    solution = LBFGS(max_iterations=3).maximise(rosenbrock, np.array([-1.2, 1.0]))
    assert (solution.reason, len(solution.trace)) == (Reason.LIMIT, 4)
    solution = LBFGS(max_iterations=0).maximise(rosenbrock, np.array([-1.2, 1.0]))
    assert (solution.reason, solution.weights.tolist()) == (Reason.LIMIT, [-1.2, 1.0])


@pytest.mark.parametrize("l1", [0.0, 1e-3])
def test_a_gradient_that_lies_ends_the_search(l1):
    solution = LBFGS(l1=l1).maximise(
        lambda theta: (-float(theta @ theta), theta + 1.0), np.zeros(2)
    )
    assert solution.reason is Reason.LINE_SEARCH
    assert solution.weights.tolist() == [0.0, 0.0]


def test_a_misleading_memory_is_cleared_once():
    # From the fourth call on it is another objective, and the old curvature leads astray.
    calls = []

    def objective(theta):
        calls.append(None)
        optimum = np.array([1.0, 1.0]) if len(calls) < 4 else np.array([-50.0, 3.0])
        value, gradient = quadratic(np.array([1.0, 30.0]), optimum)(theta)
        return value + (1e6 if len(calls) >= 4 else 0.0), gradient

    solution = LBFGS(tolerance=0.0).maximise(objective, np.array([5.0, -3.0]))
    np.testing.assert_allclose(solution.weights, [-50.0, 3.0], atol=1e-3)


def test_an_objective_may_reuse_its_gradient_array():
    shared = np.empty(6)
    objective = logistic(5)

    def reusing(theta):
        value, shared[:] = objective(theta)
        return value, shared

    fresh, reused = (LBFGS().maximise(each, np.zeros(6)) for each in (objective, reusing))
    assert fresh.weights.tolist() == reused.weights.tolist()


def test_inputs_are_left_alone():
    start = np.ones(6)

    def objective(theta):
        assert not theta.flags.writeable
        return logistic(1)(theta)

    solution = LBFGS().maximise(objective, start)
    assert start.tolist() == [1.0] * 6
    assert not solution.weights.flags.writeable


@given(st.integers(0, 10_000), st.floats(0.01, 20.0))
@settings(max_examples=40, deadline=None)
def test_orthants_agree_with_proximal_steps(seed, l1):
    objective = logistic(seed)
    options = LBFGS(tolerance=0.0, gradient_tolerance=1e-6, l1=l1)
    start = np.random.default_rng(seed).normal(size=6) * (seed % 2)
    solution = options.maximise(objective, start)
    weights, value = proximal_maximum(objective, 6, l1)
    assert solution.value == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(solution.weights, weights, atol=1e-5)
    assert_monotone(solution)


@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_orthants_meet_the_optimality_conditions_with_exact_zeros(seed, vector):
    rng = np.random.default_rng(seed)
    size = 30
    l1 = rng.choice([0.0, 1.0, 4.0, 50.0], size) if vector else 4.0
    objective = logistic(seed, rows=80, size=size, precision=0.01)
    options = LBFGS(tolerance=0.0, gradient_tolerance=1e-7, l1=l1, max_iterations=5000)
    solution = options.maximise(objective, rng.normal(size=size))
    gradient, costs = objective(solution.weights)[1], np.broadcast_to(l1, size)
    zero = solution.weights == 0.0
    assert solution.reason is Reason.GRADIENT
    assert 0 < zero.sum() < size
    assert np.all(np.abs(gradient[zero]) <= costs[zero] + 1e-6)
    np.testing.assert_allclose(
        gradient[~zero], (costs * np.sign(solution.weights))[~zero], atol=1e-5
    )
    if vector:
        assert not zero[costs == 0.0].any()
        assert zero[costs == 50.0].all()


def test_soft_thresholding_in_closed_form():
    # The maximum of −½Σhⱼ(θⱼ − aⱼ)² − Σcⱼ|θⱼ| is sign(a)·max(|a| − c/h, 0).
    curvatures, optimum = np.array([1.0, 2.0, 4.0, 8.0]), np.array([3.0, -0.4, -2.0, 0.1])
    costs = np.array([1.0, 1.0, 0.0, 0.5])
    expected = np.sign(optimum) * np.maximum(np.abs(optimum) - costs / curvatures, 0.0)
    options = LBFGS(tolerance=0.0, gradient_tolerance=1e-10, l1=costs)
    solution = options.maximise(quadratic(curvatures, optimum), np.array([-1.0, 2.0, 1.0, 0.3]))
    np.testing.assert_allclose(solution.weights, expected, atol=1e-9)
    assert (solution.weights == 0).tolist() == (expected == 0).tolist()


def test_unpenalised_weights_cross_zero():
    options = LBFGS(l1=np.array([0.0, 1.0]), tolerance=0.0, gradient_tolerance=1e-9)
    objective = quadratic(np.ones(2), np.array([5.0, 5.0]))
    solution = options.maximise(objective, np.array([-3.0, -3.0]))
    np.testing.assert_allclose(solution.weights, [5.0, 4.0], atol=1e-8)


def test_zeros_are_positive():
    options = LBFGS(l1=1.0)
    solution = options.maximise(quadratic(np.ones(1), np.array([-0.1])), np.array([0.5]))
    assert solution.weights[0] == 0.0
    assert not np.signbit(solution.weights[0])


@pytest.mark.parametrize(
    "options",
    [
        {"memory": 0},
        {"max_iterations": -1},
        {"period": 0},
        {"tolerance": -1e-5},
        {"gradient_tolerance": math.nan},
        {"l1": -1.0},
        {"l1": math.inf},
        {"l1": np.array([1.0, -1.0])},
    ],
)
def test_impossible_options_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        LBFGS(**options)


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="must be a vector"):
        LBFGS().maximise(rosenbrock, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="gradient of"):
        LBFGS().maximise(lambda _: (0.0, np.zeros(3)), np.zeros(2))
    with pytest.raises(ValueError, match="for 2 weights"):
        LBFGS(l1=np.ones(3)).maximise(rosenbrock, np.zeros(2))
