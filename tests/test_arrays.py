"""What constructors and files are checked with: nothing wraps, nothing is rounded."""

import numpy as np
import pytest

from weft.arrays import are_numbers, are_offsets, ascends, checked_weights, integers

WRAPPING = np.array([0, 2**62, -(2**62) - 1, 5])


def test_differences_that_wrap_do_not_ascend():
    assert (np.diff(WRAPPING[:3]) > 0).all()  # which is why neighbours are compared
    assert not ascends(WRAPPING)
    assert not are_offsets(WRAPPING, 3, 5)


@pytest.mark.parametrize(
    ("array", "rows", "items"),
    [
        (np.array([0, 2]), 2, 2),
        (np.array([1, 2]), 1, 2),
        (np.array([0, 3]), 1, 2),
        (np.array([0, 2], np.int32), 1, 2),
        (np.array([[0, 2]]), 1, 2),
        (np.zeros(0, np.int64), -1, 0),
        (np.array([0.0, 2.0]), 1, 2),
    ],
)
def test_what_is_not_offsets(array, rows, items):
    assert not are_offsets(array, rows, items)


def test_offsets():
    assert are_offsets(np.array([0, 0, 2]), 2, 2)
    assert are_offsets(np.zeros(1, np.int64), 0, 0)
    assert ascends(np.array([1, 1]))
    assert not ascends(np.array([1, 1]), strictly=True)


@pytest.mark.parametrize("array", [[-1], [3], [0.0], [2**62, -(2**62) - 1, 0]])
def test_what_is_not_numbers_below_three(array):
    assert not are_numbers(np.array(array), 3)


@pytest.mark.parametrize("values", [[2**32], [0.9], [-1], [[0]], ["0"], [True]])
def test_integers_are_not_changed_into_others(values):
    with pytest.raises(ValueError, match="heads must"):
        integers("heads", values, np.int32)


@pytest.mark.parametrize(
    "weights",
    [[0.0], [0.0] * 3, [[0.0, 0.0]], [0.0, np.nan], [np.inf, 0.0], [0.0, 1e200], [-np.inf, -1e11]],
)
def test_what_is_not_two_weights(weights):
    with pytest.raises(ValueError, match="weight"):
        checked_weights(weights, 2)


def test_impossible_is_a_weight():
    assert checked_weights([-np.inf, -1e9], 2)[0] == -np.inf
    assert checked_weights([], 0).shape == (0,)
