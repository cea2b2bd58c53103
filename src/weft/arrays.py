"""Names of array types, read-only arrays, lists of lists stored flat, checks, and products.

The checks are those of public constructors and of files: kernels trust what has passed them.

Products of long vectors are our own: BLAS's threads wait for each other on a busy machine, and its
sums depend on their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from weft.kernels import kernels

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
IndexArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

LARGEST_WEIGHT = 1e10
"""No log-weight is larger, in either direction, but for -inf: so no sum of as many as there may be
becomes infinite, and the exponents of charts fit into 64 bits."""

ScalarT = TypeVar("ScalarT", bound=np.generic)
ItemT = TypeVar("ItemT")


_ROUNDING = 1e-10


def freeze(array: npt.NDArray[ScalarT]) -> npt.NDArray[ScalarT]:
    """Return a read-only view of ``array``.

    >>> freeze(np.zeros(2)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view


def aligned_zeros(rows: int, columns: int) -> FloatArray:
    """Return zeros [rows, columns] in memory that begins at a cache line.

    >>> int(aligned_zeros(3, 8).ctypes.data % 64)
    0
    """
    spare = np.zeros(rows * columns + 8)
    skip = -(spare.ctypes.data // 8) % 8
    return spare[skip : skip + rows * columns].reshape(rows, columns)


def offsets_of(lengths: Iterable[int] | npt.NDArray[np.integer[Any] | np.bool_]) -> IntArray:
    """Return where each of several consecutive runs begins, and where the last one ends.

    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    if not isinstance(lengths, np.ndarray):
        lengths = np.fromiter(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def distinct(numbers: npt.NDArray[ScalarT]) -> npt.NDArray[ScalarT]:
    """Return the distinct numbers in ascending order.

    NumPy's own imports masked arrays, which take more memory than most of our modules.

    >>> distinct(np.array([5, 1, 5]))
    array([1, 5])
    """
    ordered = np.sort(numbers)
    first: BoolArray = np.append(True, ordered[1:] != ordered[:-1])
    return ordered[first[: len(ordered)]]


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return start … start + length - 1 of each range, one range after the other.

    >>> ranges(np.array([5, 1]), np.array([2, 3]))
    array([5, 6, 1, 2, 3])
    """
    before = np.cumsum(lengths) - lengths
    numbers: IntArray = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return numbers


def flatten(rows: Sequence[Sequence[ItemT]]) -> tuple[IntArray, list[ItemT]]:
    """Return the offsets of the rows and their items, one after the other.

    >>> flatten(["ab", "", "c"])
    (array([0, 2, 2, 3]), ['a', 'b', 'c'])
    """
    return offsets_of(map(len, rows)), [item for row in rows for item in row]


def ascends(numbers: npt.NDArray[Any], *, strictly: bool = False) -> bool:
    """Whether no number of a row is smaller than the one before it; strictly, each is larger.

    Neighbours are compared with each other: differences of large integers wrap.

    >>> ascends(np.array([0, 2**62, -(2**62) - 1])), ascends(np.array([0, 0, 5]))
    (False, True)
    """
    before, after = numbers[:-1], numbers[1:]
    return bool((before < after).all() if strictly else (before <= after).all())


def are_offsets(array: npt.NDArray[Any], rows: int, items: int) -> bool:
    """Whether an array is the offsets of this many rows that have this many items together.

    >>> are_offsets(np.array([0, 2, 2, 5]), 3, 5), are_offsets(np.array([0, 2, 6]), 2, 5)
    (True, False)
    """
    return (
        array.dtype == np.int64
        and array.shape == (rows + 1,) != (0,)
        and (int(array[0]), int(array[-1])) == (0, items)
        and ascends(array)
    )


def are_numbers(array: npt.NDArray[Any], bound: int) -> bool:
    """Whether an array is of integers from 0 to below a bound.

    >>> are_numbers(np.array([0, 3]), 3), are_numbers(np.array([0, 2]), 3)
    (False, True)
    """
    if array.dtype.kind not in "iu":
        return False
    return not array.size or (int(array.min()) >= 0 and int(array.max()) < bound)


def integers(
    name: str, values: npt.ArrayLike, dtype: type[ScalarT], least: int = 0
) -> npt.NDArray[ScalarT]:
    """Return a read-only copy of a row of integers, none of them changed by the type.

    It is a copy because a write by the caller would make kernels read out of bounds.

    >>> integers("heads", [0, 2], np.int32)
    array([0, 2], dtype=int32)

    Raises:
        ValueError: If they are no integers, not in a row, below ``least`` or too large.
    """
    array = np.asarray(values)
    # An empty list has no integers to tell its type by.
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} must be a row of integers, not {array.dtype} of shape {array.shape}"
        )
    largest = int(np.iinfo(np.dtype(dtype)).max)
    if array.size and not least <= int(array.min()) <= int(array.max()) <= largest:
        raise ValueError(f"{name} must lie between {least} and {largest}")
    return freeze(array.astype(dtype))


def checked_weights(weights: npt.ArrayLike, size: int) -> FloatArray:
    """Return log-weights as kernels take them: as many as there are coordinates, and numbers.

    A weight is a number or -inf, which makes impossible what has it.

    >>> checked_weights([1, -np.inf], 2)
    array([  1., -inf])

    Raises:
        ValueError: If there are more or fewer, or one is NaN, +inf or larger than any weight.
    """
    array = np.ascontiguousarray(weights, np.float64)
    if array.shape != (size,):
        raise ValueError(f"this takes {size} weights in a row, not an array of {array.shape}")
    # Two passes, and no memory if nothing is -inf: this is asked at every evaluation.
    if size and not (array.max() <= LARGEST_WEIGHT and array.min() >= -LARGEST_WEIGHT):
        wrong = ~(np.isneginf(array) | (abs(array) <= LARGEST_WEIGHT))
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            raise ValueError(
                f"weight {place} is {array[place]}: weights are numbers up to "
                f"±{LARGEST_WEIGHT:g}, or -inf"
            )
    return array


def broken_and_kept(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return weights as the rules that those of -inf are, each broken one -1, and as the others.

    >>> broken_and_kept(np.array([2.0, -np.inf]))
    (array([ 0., -1.]), array([2., 0.]))
    """
    rules = np.isneginf(weights)
    return np.where(rules, -1.0, 0.0), np.where(rules, 0.0, weights)


def rounding_of(scores: FloatArray) -> FloatArray:
    """Return by how much sums may differ that are the same but for the order of their terms.

    >>> rounding_of(np.array([0.0, -9.0, -np.inf]))
    array([1.e-10, 1.e-09, 0.e+00])
    """
    return np.where(np.isfinite(scores), _ROUNDING * (1.0 + np.abs(scores)), 0.0)


def dot(a: FloatArray, b: FloatArray) -> float:
    """Return Σ_i a_i b_i.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(dots(a[None], b)[0])


def dots(rows: FloatArray, vector: FloatArray) -> FloatArray:
    """Return the product of each row [rows, n] with a vector [n].

    >>> dots(np.eye(2), np.array([3.0, 4.0]))
    array([3., 4.])
    """
    out = np.empty(len(rows))
    kernels.dots(rows, vector, out)
    return out


def combine(coefficients: FloatArray, rows: FloatArray, out: FloatArray) -> None:
    """Write Σ_r coefficient_r row_r into ``out`` [n].

    >>> out = np.empty(2)
    >>> combine(np.array([2.0, 1.0]), np.array([[1.0, 0.0], [1.0, 1.0]]), out)
    >>> out
    array([3., 1.])
    """
    kernels.combine(coefficients, rows, out)
