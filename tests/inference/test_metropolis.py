"""Shares of draws by importance and by a walk."""

from __future__ import annotations

import numpy as np
import pytest

from weft.inference.metropolis import effective_size, walk


def test_the_walk_stays_in_proportion_to_weights(rng):
    """Its shares over many draws from q are those of p."""
    q, p = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.7])
    draws = rng.choice(3, 60_000, p=q)
    found = walk(np.log(p / q)[draws], rng)
    shares = np.bincount(draws, weights=found.shares, minlength=3)
    np.testing.assert_allclose(shares, p, atol=0.02)
    weights = (p / q)[draws]
    np.testing.assert_allclose(
        np.bincount(draws, weights=weights / weights.sum(), minlength=3), p, atol=0.02
    )


def test_equal_weights_accept_everything(rng):
    found = walk(np.zeros(50), rng)
    assert found.accepted == 1.0
    np.testing.assert_allclose(found.shares, 1 / 50)


def test_what_has_no_weight_is_never_visited(rng):
    found = walk([-np.inf, 0.0, -np.inf, -1.0], rng)
    assert found.shares[[0, 2]].tolist() == [0.0, 0.0]
    assert found.shares.sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="no draw"):
        walk([-np.inf], rng)


def test_effective_size():
    assert effective_size(np.full(7, -1000.0)) == pytest.approx(7.0)
    assert effective_size([0.0, -800.0]) == pytest.approx(1.0)
    assert effective_size([-np.inf]) == 0.0
