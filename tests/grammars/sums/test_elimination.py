"""Sparse systems and components: against dense linear algebra."""

import numpy as np
import pytest

from weft.errors import LimitError
from weft.grammars.sums import elimination as eliminations
from weft.grammars.sums.components import components
from weft.grammars.sums.elimination import elimination


def random_system(
    rng: np.random.Generator, count: int, edges: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    keys = np.unique(rng.integers(0, count * count, edges))
    values = rng.random(len(keys)) * 0.5 / max(1, edges / count)
    return keys // count, keys % count, values


@pytest.mark.parametrize("small", [0, 1000])
@pytest.mark.parametrize(("count", "edges"), [(1, 1), (5, 3), (30, 40), (60, 300), (200, 250)])
def test_solutions_are_those_of_dense_systems(
    rng: np.random.Generator, small: int, count: int, edges: int
) -> None:
    sources, targets, values = random_system(rng, count, edges)
    pattern = elimination(count, sources, targets, small=small)
    matrix = np.zeros((count, count))
    matrix[sources, targets] = values
    factors = pattern.factorised(values)
    right = rng.standard_normal((count, 3))
    inverse = np.linalg.inv(np.eye(count) - matrix)
    np.testing.assert_allclose(factors.solve(right), inverse @ right, atol=1e-12)
    np.testing.assert_allclose(factors.solve_transposed(right), inverse.T @ right, atol=1e-12)
    np.testing.assert_allclose(factors.product(right[:, 0]), matrix @ right[:, 0], atol=1e-12)
    np.testing.assert_allclose(factors.dense(), matrix)


def test_kept_unknowns_cut_every_cycle(rng: np.random.Generator) -> None:
    sources, targets, _ = random_system(rng, 150, 400)
    pattern = elimination(150, sources, targets)
    left = ~np.isin(sources, pattern.kept) & ~np.isin(targets, pattern.kept)
    assert not components(150, sources[left], targets[left]).cyclic.any()
    assert 0 < len(pattern.kept) < 100


def test_singular_systems_and_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = elimination(2, np.array([0, 1]), np.array([1, 0]))
    with pytest.raises(np.linalg.LinAlgError):
        ring.factorised(np.ones(2))
    monkeypatch.setattr(eliminations, "MOST_NUMBERS", 3)
    with pytest.raises(LimitError, match="depend on each other"):
        elimination(2, np.array([0, 1]), np.array([1, 0]))


def test_components_are_those_of_reachability(rng: np.random.Generator) -> None:
    for edges in (0, 10, 25, 60):
        sources, targets = rng.integers(0, 20, (2, edges))
        found = components(20, sources, targets)
        reached = np.eye(20, dtype=bool)
        reached[sources, targets] = True
        for _ in range(20):
            reached = reached.astype(float) @ reached > 0
        same = reached & reached.T
        assert ((found.numbers[:, None] == found.numbers) == same).all()
        assert (found.numbers[sources] >= found.numbers[targets]).all()
        apart = found.numbers[sources] != found.numbers[targets]
        levels = found.levels[found.numbers]
        assert (levels[sources[apart]] > levels[targets[apart]]).all()
        cyclic = same.sum(axis=0) > 1
        cyclic[sources[sources == targets]] = True
        assert (found.cyclic[found.numbers] == cyclic).all()
