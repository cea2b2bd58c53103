"""Φ as sparse rows is the matrix that it stands for, in both directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.arrays import offsets_of
from weft.derivations.feature_map import FeatureMap, concatenate, from_columns, from_lists

SIZE = 5
VALUES = st.sampled_from([-2.0, 0.5, 1.0, 3.0])
ROWS = st.lists(st.lists(st.tuples(st.integers(0, SIZE - 1), VALUES), max_size=4), max_size=5)
SEEDS = st.integers(0, 99)


def made(rows, valued=True):
    entries = [entry for row in rows for entry in row]
    return FeatureMap(
        offsets_of(map(len, rows)),
        np.array([feature for feature, _ in entries], np.int32),
        np.array([value for _, value in entries]) if valued else None,
        SIZE,
    )


def dense(rows, valued=True):
    matrix = np.zeros((len(rows), SIZE))
    for place, row in enumerate(rows):
        for feature, value in row:
            matrix[place, feature] += value if valued else 1.0
    return matrix


@given(rows=ROWS, valued=st.booleans(), seed=SEEDS, threads=st.integers(1, 3))
def test_scores_and_gradients_are_products_with_the_matrix(rows, valued, seed, threads):
    rng = np.random.default_rng(seed)
    theta, base, amounts = rng.normal(size=SIZE), *rng.normal(size=(2, len(rows)))
    features, matrix = made(rows, valued), dense(rows, valued)
    assert len(features) == len(rows)
    np.testing.assert_allclose(features.scores(theta), matrix @ theta, atol=1e-12)
    np.testing.assert_allclose(
        features.scores(theta, base, threads), base + matrix @ theta, atol=1e-12
    )
    np.testing.assert_allclose(features.gradient(amounts), amounts @ matrix, atol=1e-12)
    np.testing.assert_allclose(features.transposed().scores(amounts), amounts @ matrix, atol=1e-12)


@given(rows=ROWS, more=ROWS, valued=st.tuples(st.booleans(), st.booleans()), seed=SEEDS)
def test_rows_are_picked_and_put_together(rows, more, valued, seed):
    theta = np.arange(1.0, SIZE + 1)
    both = concatenate([made(rows, valued[0]), made(more, valued[1])], SIZE)
    expected = np.concatenate([dense(rows, valued[0]), dense(more, valued[1])]) @ theta
    np.testing.assert_allclose(both.scores(theta), expected, atol=1e-12)
    some = np.random.default_rng(seed).integers(len(expected), size=6 * bool(len(expected)))
    np.testing.assert_allclose(both.rows(some).scores(theta), expected[some], atol=1e-12)


def test_columns_without_a_coordinate_add_nothing():
    theta = np.array([1.0, 2.0, -np.inf, 4.0, 5.0])
    assert from_columns(np.array([3, -1, 0]), SIZE).scores(theta).tolist() == [4.0, 0.0, 1.0]
    assert len(from_columns(np.empty(0, np.int64), SIZE)) == 0
    pairs = from_columns(np.array([[0, 4], [1, -1], [0, 2]], np.int32), SIZE)
    assert pairs.scores(theta).tolist() == [6.0, 2.0, -np.inf]
    assert pairs.gradient(np.array([1.0, 2.0, 3.0])).tolist() == [4.0, 2.0, 3.0, 0.0, 1.0]


def test_what_kernels_would_read_out_of_bounds_is_refused():
    features = from_lists([[0, 1], [4]], SIZE)
    for wrong in (np.zeros(SIZE - 1), np.zeros((SIZE, 1))):
        with pytest.raises(ValueError, match="takes 5 weights"):
            features.scores(wrong)
    with pytest.raises(ValueError, match="coordinates of 4 weights"):
        from_lists([[0, 1], [4]], 4)
    with pytest.raises(ValueError, match="coordinates of 5 weights"):
        from_lists([[-1]], SIZE)
    with pytest.raises(ValueError, match="offsets must ascend"):
        FeatureMap(np.array([0, 2]), np.zeros(3, np.int32), None, SIZE)
    with pytest.raises(ValueError, match="differ in number"):
        FeatureMap(np.array([0, 2]), np.zeros(2, np.int32), np.ones(3), SIZE)
