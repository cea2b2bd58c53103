"""Linear systems, the cycles in them and components: against dense linear algebra."""

import numpy as np
import pytest

from weft.errors import LimitError
from weft.grammars.sums import elimination
from weft.grammars.sums.elimination import Pattern
from weft.grammars.sums.feedback import feedback
from weft.inference.components import components


def random_system(
    rng: np.random.Generator, count: int, edges: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    keys = np.unique(rng.integers(0, count * count, edges))
    values = rng.random(len(keys)) * 0.5 / max(1, edges / count)
    return keys // count, keys % count, values


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("count", "edges"), [(1, 1), (5, 3), (30, 40), (60, 300), (200, 250)])
def test_solutions_are_those_of_dense_systems(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, sparse: bool, count: int, edges: int
) -> None:
    monkeypatch.setattr(elimination, "_SMALL", 0 if sparse else 1000)
    monkeypatch.setattr(elimination, "_FULL", 0)
    sources, targets, values = random_system(rng, count, edges)
    pattern = Pattern(count, sources, targets)
    matrix = np.zeros((count, count))
    matrix[sources, targets] = values
    factors = pattern.factorised(values)
    inverse = np.linalg.inv(np.eye(count) - matrix)
    for right in (rng.standard_normal((count, 3)), rng.standard_normal(count)):
        np.testing.assert_allclose(factors.solve(right), inverse @ right, atol=1e-12)
        np.testing.assert_allclose(factors.solve_transposed(right), inverse.T @ right, atol=1e-12)
    np.testing.assert_allclose(pattern.dense(values), matrix)


@pytest.mark.parametrize("small", [0, 1000])
def test_singular_systems_are_noticed(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(elimination, "_SMALL", small)
    monkeypatch.setattr(elimination, "_FULL", 0)
    ring = Pattern(2, np.array([0, 1]), np.array([1, 0]))
    with pytest.raises(np.linalg.LinAlgError):
        ring.factorised(np.ones(2)).solve(np.ones(2))


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.9, 1 - 1e-7, 1 + 1e-3, 3.0])
@pytest.mark.parametrize("full", [False, True])
def test_iteration_gives_way_to_factors(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, radius: float, full: bool
) -> None:
    """Whatever the radius, solutions are those of dense systems, each right side to its digits."""
    monkeypatch.setattr(elimination, "_FULL", 64 if full else 0)
    count = 150
    sources, targets, values = random_system(rng, count, 1500)
    matrix = np.zeros((count, count))
    matrix[sources, targets] = values
    largest = float(abs(np.linalg.eigvals(matrix)).max())
    values, matrix = values * radius / largest, matrix * radius / largest
    asked = []
    direct = Pattern.direct
    monkeypatch.setattr(Pattern, "direct", lambda *given: asked.append(None) or direct(*given))
    factors = Pattern(count, sources, targets).factorised(values)
    right = rng.random((count, 2)) * [1.0, 1e-12]
    found = factors.solve(right)
    expected = np.linalg.solve(np.eye(count) - matrix, right)
    np.testing.assert_allclose(found, expected, rtol=1e-11 if radius < 0.99 else 1e-6)
    np.testing.assert_allclose(
        factors.solve_transposed(right),
        np.linalg.solve(np.eye(count) - matrix.T, right),
        rtol=1e-11 if radius < 0.99 else 1e-6,
    )
    assert bool(asked) == (radius > 0.5 + 0.4 * full)


def test_feedback_cuts_every_cycle(rng: np.random.Generator) -> None:
    sources, targets, _ = random_system(rng, 150, 400)
    cut = feedback(150, sources, targets)
    left = ~np.isin(sources, cut) & ~np.isin(targets, cut)
    assert not components(150, sources[left], targets[left]).cyclic.any()
    assert 0 < len(cut) < 100


def test_systems_that_may_fill_up_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sources, targets = np.nonzero(~np.eye(4, dtype=bool))
    ring = Pattern(4, np.arange(4), (np.arange(4) + 1) % 4)
    monkeypatch.setattr(elimination, "MOST_NUMBERS", 8)
    ring.check_size()  # one unknown cuts its cycle: four numbers
    with pytest.raises(LimitError, match="4 symbols depend on each other, and 3 of them"):
        Pattern(4, sources, targets).check_size()
    monkeypatch.setattr(elimination, "MOST_NUMBERS", 16)
    Pattern(4, sources, targets).check_size()


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


def test_a_slow_unknown_beside_a_fast_large_one_is_summed_to_its_end():
    count, after = 200, np.arange(1, 200)
    sources, targets = np.append(after, 1), np.append(after, 0)
    pattern = Pattern(count, sources, targets)
    found = pattern.factorised(np.append(np.full(count - 1, 0.9), 3e-9)).solve(np.eye(count)[0])
    np.testing.assert_allclose(found[:3], [1.0, 3e-8, 0.0], rtol=1e-14)
