"""Solving cyclic chains by products with vectors and by factors, with divergence decided."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.criteria import contrast, joint
from weft.derivations.chain import all_sentences
from weft.features.templates import templates
from weft.grammars.sums import solve as solving
from weft.grammars.sums.gmres import least_residual
from weft.grammars.sums.solve import Flow, solve_by_factors, solve_by_products, solve_steps
from weft.grammars.sums.steps import StepWeights, useful_part
from weft.models import Chain, Extent, prepare
from weft.models.chain.multinomials import relative_frequencies
from weft.structures.evidence import example


def random_steps(
    rng, order: int, tags: int, spread: float = 1.0, missing: float = 0.0, radius: float = 0.9
) -> StepWeights:
    """Steps with log-normal weights, some of them zero, scaled to a spectral radius."""

    def weights(*shape):
        drawn = np.exp(spread * rng.normal(size=shape))
        return np.where(rng.random(shape) < missing, 0.0, drawn)

    if order == 1:
        steps = StepWeights(weights(tags), weights(1, tags, tags), weights(tags))
    else:
        begin = np.zeros((tags + 1, tags))
        begin[tags] = weights(tags)
        steps = StepWeights(begin, weights(tags, tags + 1, tags), weights(tags + 1, tags))
    return scaled(steps, radius)


def scaled(steps: StepWeights, radius: float) -> StepWeights:
    now = radius_of(useful_part(steps)[0])
    return StepWeights(steps.begin, steps.go * (radius / now if now > 0 else 1.0), steps.end)


def radius_of(steps: StepWeights) -> float:
    return float(abs(np.linalg.eigvals(steps.matrix())).max())


orders = pytest.mark.parametrize("order", [1, 2])


@orders
def test_products_and_expectations_are_those_of_the_matrix(rng, order):
    steps = random_steps(rng, order, 4, missing=0.2)
    matrix, shape = steps.matrix(), steps.begin.shape
    assert matrix.shape == (steps.states, steps.states)
    before, after = rng.normal(size=(2, *shape))
    np.testing.assert_allclose(steps.leave(after).reshape(-1), matrix @ after.reshape(-1))
    np.testing.assert_allclose(steps.arrive(before).reshape(-1), before.reshape(-1) @ matrix)
    everything = before.reshape(-1)[:, None] * matrix * after.reshape(-1)
    taken = StepWeights(steps.begin, steps.expected(before, after), steps.end)
    np.testing.assert_allclose(taken.matrix(), everything)


def test_a_pair_of_tags_leads_to_pairs_that_begin_with_its_second(rng):
    matrix = random_steps(rng, 2, 3).matrix().reshape(4, 3, 4, 3)
    for first, second, third, fourth in np.ndindex(matrix.shape):
        assert (matrix[first, second, third, fourth] > 0) == (second == third)


@orders
@pytest.mark.parametrize("missing", [0.3, 0.7, 0.9])
def test_useful_states_lie_on_a_way_from_begin_to_end(rng, order, missing):
    found = set()
    for _ in range(20):
        steps = random_steps(rng, order, 4, missing=missing)
        part, useful = useful_part(steps)
        arcs = steps.matrix() > 0
        ways = np.linalg.matrix_power(np.eye(len(arcs)) + arcs, len(arcs)) > 0
        arrived = ways.T @ (steps.begin.reshape(-1) > 0)
        ends = ways @ (steps.end.reshape(-1) > 0)
        expected = arrived & ends
        np.testing.assert_array_equal(useful.reshape(-1), expected)
        kept = np.where(np.outer(expected, expected), steps.matrix(), 0.0)
        np.testing.assert_array_equal(part.matrix(), kept)
        np.testing.assert_array_equal(part.end, np.where(useful, steps.end, 0.0))
        np.testing.assert_array_equal(part.begin, np.where(useful, steps.begin, 0.0))
        found |= set(useful.reshape(-1).tolist())
    assert False in found


def test_least_residual_solves_what_a_matrix_solves(rng):
    for size in (1, 2, 7, 40):
        matrix = np.eye(size) * 4 + rng.normal(size=(size, size)) / np.sqrt(size)
        right = rng.normal(size=size)
        solution = least_residual(partial(np.matmul, matrix), right, 1e-15)
        np.testing.assert_allclose(solution, np.linalg.solve(matrix, right), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(least_residual(partial(np.matmul, matrix), 0 * right, 1e-15), 0)


def assert_same(one, other):
    assert one.partition == pytest.approx(other.partition, rel=1e-10)
    np.testing.assert_allclose(one.leaving, other.leaving, rtol=1e-10)
    expected = [each.arriving * each.leaving / each.partition for each in (one, other)]
    np.testing.assert_allclose(*expected, rtol=1e-10, atol=1e-10)


@orders
@pytest.mark.parametrize("spread", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("radius", [0.01, 0.5, 0.96, 0.999])
def test_products_find_what_factors_find(rng, order, spread, radius):
    for tags in (1, 2, 5, 9):
        for missing in (0.0, 0.3):
            steps = random_steps(rng, order, tags, spread, missing, radius)
            part, useful = useful_part(steps)
            if not useful.any():
                continue
            found = solve_by_products(part, useful)
            assert found is not None
            assert_same(found, solve_by_factors(part, useful))
            assert (found.arriving >= 0).all()


def test_solutions_equal_a_long_sum_over_lengths(rng):
    steps = random_steps(rng, 2, 5, missing=0.2, radius=0.5)
    mass, total = steps.begin, 0.0
    for _ in range(80):
        total += float((mass * steps.end).sum())
        mass = steps.arrive(mass)
    for small in (0, 1000):
        assert solve_steps(steps, small).partition == pytest.approx(total, rel=1e-12)


def test_states_that_cannot_end_at_once_are_no_obstacle(rng):
    steps = random_steps(rng, 2, 6, radius=0.95)
    end = np.zeros_like(steps.end)
    end[2, 3] = 0.01
    part, useful = useful_part(StepWeights(steps.begin, steps.go, end))
    found = solve_by_products(part, useful)
    assert found is not None
    assert_same(found, solve_by_factors(part, useful))


@orders
@pytest.mark.parametrize("distance", [1e-1, 1e-3, 1e-5, 1e-8, 1e-11])
def test_products_never_decide_wrongly_and_are_silent_only_near_a_radius_of_one(
    rng, order, distance
):
    for tags in (2, 6):
        steps = random_steps(rng, order, tags)
        useful = np.ones(steps.begin.shape, np.bool_)
        below = solve_by_products(scaled(steps, 1 - distance), useful)
        above = solve_by_products(scaled(steps, 1 + distance), useful)
        assert below is None or np.isfinite(below.partition)
        assert above is None or np.isinf(above.partition)
        if distance >= 1e-3:
            assert below is not None
            assert above is not None


@orders
def test_both_ways_decide_alike(rng, order):
    radii = [0.2, 0.9, 0.99, 0.999999, 1 - 1e-9, 1 + 1e-9, 1.000001, 1.01, 1.5, 40.0]
    for radius in radii:
        steps = random_steps(rng, order, 5, missing=0.1, radius=radius)
        for small in (0, 1000):
            assert np.isfinite(solve_steps(steps, small).partition) == (radius < 1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.floats(0, 60), st.floats(0, 1.5))
def test_any_weights_give_one_answer(seed, tags, spread, radius):
    rng = np.random.default_rng(seed)
    steps = random_steps(rng, 2, tags, spread, 0.2, radius)
    part, useful = useful_part(steps)
    found = solve_by_products(part, useful) if useful.any() else None
    if found is not None and abs(radius_of(part) - 1) > 1e-6:
        assert np.isfinite(found.partition) == (radius_of(part) < 1)


@pytest.mark.parametrize("fault", ["noise", "early", "nan"])
@pytest.mark.parametrize("radius", [0.3, 0.9, 0.99, 1.01, 1.5])
def test_a_bad_solution_is_never_taken_for_a_good_one(rng, monkeypatch, fault, radius):
    """Where the solver stops too early, or is off, nothing wrong can be shown of what it gives."""

    def faulty(product, right, tolerance):
        if fault == "early":
            return least_residual(product, right, tolerance, most=int(rng.integers(1, 6)))
        exact = least_residual(product, right, tolerance)
        if fault == "nan":
            return exact * rng.choice([1.0, np.nan])
        return exact + 10.0 ** rng.uniform(-9, 1) * rng.normal(size=len(exact))

    monkeypatch.setattr(solving, "least_residual", faulty)
    silent = 0
    for _ in range(40):
        part, useful = useful_part(random_steps(rng, 2, 4, missing=0.1, radius=radius))
        found = solve_by_products(part, useful)
        silent += found is None
        if found is not None:
            expected = solve_by_factors(part, useful)
            assert np.isinf(found.partition) == np.isinf(expected.partition)
            if radius < 1:
                assert_same(found, expected)
    assert silent > 0 or radius > 1


@orders
def test_convergence_is_shown_by_what_is_lost_at_each_step(rng, order):
    steps = random_steps(rng, order, 4, radius=0.9)
    useful = np.ones(steps.begin.shape, np.bool_)
    leaving = solve_steps(steps).leaving
    right = np.linalg.solve(np.eye(steps.states) - steps.matrix(), leaving.reshape(-1))
    remaining = right.reshape(leaving.shape)
    assert solving._shows_convergence(steps, useful, leaving, remaining)
    assert not solving._shows_convergence(steps, useful, leaving, -remaining)
    assert not solving._shows_convergence(steps, useful, leaving, 0.4 * remaining)
    assert not solving._shows_convergence(scaled(steps, 1.1), useful, leaving, remaining)


@orders
def test_errors_of_either_vector_are_bounded(rng, order):
    steps = random_steps(rng, order, 4, radius=0.9)
    exact = solve_steps(steps)
    right = np.linalg.solve(np.eye(steps.states) - steps.matrix(), exact.leaving.reshape(-1))
    remaining = right.reshape(exact.leaving.shape)
    total = (exact.arriving * exact.leaving).sum()
    for size in (1e-3, 1e-6, 1e-9):
        change = size * rng.uniform(-1, 1, exact.leaving.shape)
        arriving, leaving = exact.arriving * (1 + change), exact.leaving * (1 + change)
        wrong = [Flow(1.0, arriving, exact.leaving), Flow(1.0, exact.arriving, leaving)]
        errors = [(abs(change) * exact.arriving * exact.leaving).sum() / total, abs(change).max()]
        for solution, error in zip(wrong, errors, strict=True):
            bound = solving._error(steps, solution, remaining)
            assert error * (1 - 2 * size) <= bound < 1000 * error


@pytest.mark.parametrize("small", [0, 1000])
def test_weights_that_overflow_diverge_only_where_they_are_of_use(rng, small):
    steps = random_steps(rng, 1, 3, radius=0.5)
    go, end = steps.go.copy(), steps.end.copy()
    go[0, 0, 1] = np.inf
    assert solve_steps(StepWeights(steps.begin, go, end), small).partition == np.inf
    end[2], go[0, 2] = 0.0, 0.0  # tag 2 leads nowhere
    go[0, 0] = [0.1, 0.1, np.inf]
    solution = solve_steps(StepWeights(steps.begin, go, end), small)
    assert np.isfinite(solution.partition)
    assert solution.leaving[2] == 0


@pytest.mark.parametrize("small", [0, 1000])
def test_nothing_to_sum_is_zero(rng, small):
    steps = random_steps(rng, 2, 3)
    assert solve_steps(StepWeights(steps.begin, steps.go, 0 * steps.end), small).partition == 0


def test_values_and_gradients_do_not_depend_on_the_way_of_solving(rng, monkeypatch):
    tags, words = list("ABCDE"), ["u", "vv", "wv"]
    corpus = [
        example(rng.choice(words, length).tolist(), rng.choice(tags, length).tolist())
        for length in rng.integers(1, 6, 30)
    ]
    chain = Chain(
        order=2,
        templates=templates("word[0] suffix1[0]"),
        pair_templates=templates("suffix1[0]"),
        attributes=Extent.ALL,
        ngrams=Extent.ALL,
    )
    model = prepare(chain, corpus)
    start = relative_frequencies(model, corpus)
    theta = start + 0.1 * rng.normal(size=len(start))
    theta[: len(model.topology.bigrams)] -= 0.3
    answers = []
    for small in (0, 1000):
        monkeypatch.setattr(all_sentences, "solve_steps", partial(solve_steps, small=small))
        answers.append(contrast(model, corpus, joint)(theta))
    (one, gradient), (other, expected) = answers
    assert np.isfinite(other)
    assert one == pytest.approx(other, rel=1e-12)
    np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-10)
