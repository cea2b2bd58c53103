"""Names of array types, read-only arrays, and lists of lists stored flat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

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


def offsets_of(lengths: Iterable[int]) -> IntArray:
    """Return where each of several consecutive runs begins, and where the last one ends.

    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    counts = np.fromiter(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def flatten(rows: Sequence[Sequence[ItemT]]) -> tuple[IntArray, list[ItemT]]:
    """Return the offsets of the rows and their items, one after the other.

    >>> flatten(["ab", "", "c"])
    (array([0, 2, 2, 3]), ['a', 'b', 'c'])
    """
    return offsets_of(map(len, rows)), [item for row in rows for item in row]
