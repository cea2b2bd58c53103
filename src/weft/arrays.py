"""Names of array types, read-only arrays, lists of lists stored flat, and products.

Products of long vectors are our own: BLAS's threads wait for each other on a busy machine, and its
sums depend on their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from weft import _native

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
IndexArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

ScalarT = TypeVar("ScalarT", bound=np.generic)
ItemT = TypeVar("ItemT")


def frozen(array: npt.NDArray[ScalarT]) -> npt.NDArray[ScalarT]:
    """Return a read-only view of ``array``.

    >>> frozen(np.zeros(2)).flags.writeable
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
    _native.dots(rows, vector, out)
    return out


def combine(coefficients: FloatArray, rows: FloatArray, out: FloatArray) -> None:
    """Write Σ_r coefficient_r row_r into ``out`` [n].

    >>> out = np.empty(2)
    >>> combine(np.array([2.0, 1.0]), np.array([[1.0, 0.0], [1.0, 1.0]]), out)
    >>> out
    array([3., 1.])
    """
    _native.combine(coefficients, rows, out)
