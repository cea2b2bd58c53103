"""The memory of L-BFGS against the dense BFGS update."""

import numpy as np
import pytest

from weft.optimise.curvature import Curvature


def dense_inverse(pairs, size):
    """H by the BFGS formula (Nocedal and Wright, 7.16), from γ times the identity."""
    s, y = pairs[-1]
    inverse = (s @ y) / (y @ y) * np.eye(size)
    for s, y in pairs:
        rho = 1.0 / (s @ y)
        left = np.eye(size) - rho * np.outer(s, y)
        inverse = left @ inverse @ left.T + rho * np.outer(s, s)
    return inverse


def random_pairs(rng, count, size):
    root = rng.normal(size=(size, size))
    hessian = root @ root.T + np.eye(size)
    return [(s, hessian @ s) for s in rng.normal(size=(count, size))]


@pytest.mark.parametrize("memory", [1, 2, 5])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 11])
def test_direction_is_that_of_the_dense_update(memory, count):
    rng = np.random.default_rng(count)
    curvature, out = Curvature(memory, size=7), np.empty(7)
    pairs = random_pairs(rng, count, 7)
    for s, y in pairs:
        assert curvature.add(s, y)
    curvature.ascent[:] = rng.normal(size=7)
    curvature.direction(out)
    expected = dense_inverse(pairs[-memory:], 7) @ curvature.ascent
    np.testing.assert_allclose(out, expected, rtol=1e-8, atol=1e-10)
    assert len(curvature) == min(memory, count)


def test_pairs_after_clearing_are_the_only_ones():
    rng = np.random.default_rng(0)
    curvature, out = Curvature(3, size=5), np.empty(5)
    for s, y in random_pairs(rng, 5, 5):
        curvature.add(s, y)
    curvature.clear()
    curvature.ascent[:] = rng.normal(size=5)
    curvature.direction(out)
    np.testing.assert_array_equal(out, curvature.ascent)
    pairs = random_pairs(rng, 2, 5)
    for s, y in pairs:
        curvature.add(s, y)
    curvature.direction(out)
    np.testing.assert_allclose(out, dense_inverse(pairs, 5) @ curvature.ascent, rtol=1e-8)


@pytest.mark.parametrize(
    "bend",
    [[-1.0, 0.0], [0.0, 1.0], [1e-17, 1.0], [0.0, 0.0], [np.nan, 0.0], [np.inf, 0.0]],
)
def test_a_pair_without_positive_curvature_is_skipped(bend):
    curvature, before, after = Curvature(1, size=2), np.empty(2), np.empty(2)
    curvature.add(np.array([1.0, 1.0]), np.array([1.0, 3.0]))
    curvature.ascent[:] = 1.0, 2.0
    curvature.direction(before)
    assert not curvature.add(np.array([1.0, 0.0]), np.array(bend))
    curvature.direction(after)
    np.testing.assert_array_equal(before, after)
