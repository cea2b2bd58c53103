"""Linear systems of logarithms: against dense linear algebra, and beyond the range of numbers."""

import math

import numpy as np
import pytest

from weft.errors import DivergenceError
from weft.grammars.sums.closure import LogClosure


def random_system(
    rng: np.random.Generator, count: int, edges: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges, of which some come twice."""
    sources, targets = rng.integers(0, count, (2, edges))
    return sources, targets, rng.random(edges) * 0.5 / max(1, edges / count)


@pytest.mark.parametrize(("count", "edges"), [(1, 0), (1, 1), (5, 3), (30, 40), (60, 300)])
def test_solutions_are_those_of_dense_systems(
    rng: np.random.Generator, count: int, edges: int
) -> None:
    sources, targets, values = random_system(rng, count, edges)
    matrix = np.zeros((count, count))
    np.add.at(matrix, (sources, targets), values)
    closure = LogClosure(count, sources, targets, np.log(values))
    for right in (rng.random(count), np.eye(count)[0]):
        with np.errstate(divide="ignore"):
            found = np.exp(closure.solve(np.log(right)))
        np.testing.assert_allclose(
            found, np.linalg.solve(np.eye(count) - matrix, right), atol=1e-12
        )


def test_what_is_not_reached_is_exactly_nothing(rng: np.random.Generator) -> None:
    """And what is reached never becomes nothing, however little it is."""
    sources, targets, values = random_system(rng, 40, 45)
    logs = np.log(values) + rng.choice([0.0, -800.0], len(values))
    closure = LogClosure(40, sources, targets, logs)
    reached = np.eye(40, dtype=bool)
    reached[sources, targets] = True
    for _ in range(40):
        reached = reached.astype(float) @ reached > 0
    with np.errstate(divide="ignore"):
        found = np.stack([closure.solve(row) for row in np.log(np.eye(40))], axis=1)
    assert ((found > -np.inf) == reached).all()


def test_numbers_of_any_size() -> None:
    """x = 1e-500 x + 1e-600 y + 1, y = 0.5 y + 1e400, by hand."""
    ten = math.log(10)
    closure = LogClosure(
        2,
        np.array([0, 0, 1]),
        np.array([0, 1, 1]),
        np.array([-500 * ten, -600 * ten, -math.log(2)]),
    )
    assert closure.solve(np.array([0.0, 400 * ten])) == pytest.approx(
        [0.0, 400 * ten + math.log(2)]
    )
    assert closure.solve(np.array([-np.inf, 400 * ten]))[0] == pytest.approx(
        -200 * ten + math.log(2)
    )


def test_a_cycle_that_keeps_its_weight_is_refused() -> None:
    with pytest.raises(DivergenceError, match="keeps all of its weight"):
        LogClosure(2, np.array([0, 1]), np.array([1, 0]), np.zeros(2))
