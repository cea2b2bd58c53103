"""Orders by numbers that do not hang on a number's last bit.

Sums come out differently in their last digits on another processor. So numbers that agree are in no
order of their own: names put them in one, then places. Numbers are sorted; neighbours *agree* if
they differ by at most 1e-9 of the larger one, and numbers that agree with their neighbours form a
*run*. Runs keep the order of the numbers, and each run is sorted by name, then by place. Numbers of
a long run may so be further apart than its neighbours are.

Logarithms agree where their difference is at most 1e-9, too, as the probabilities then do: they
take ``least=1``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from weft.arrays import BoolArray, FloatArray, IntArray

ItemT = TypeVar("ItemT")

TIE = 1e-9
"""Numbers agree if they differ by at most this share of the larger one."""


def ranked(
    values: npt.ArrayLike,
    names: Callable[[IntArray], Sequence[Any]] | None = None,
    count: int | None = None,
    *,
    least: float = 0.0,
) -> IntArray:
    """Return the places of numbers, the largest first; those of equals by name, then by place.

    >>> ranked([0.3, 0.1 + 0.2, 0.5])
    array([2, 0, 1])
    >>> ranked([0.3, 0.1 + 0.2, 0.5], lambda places: ["NN" if p == 1 else "VB" for p in places])
    array([2, 1, 0])

    Args:
        values: The numbers; those that are none come last.
        names: From places to their names, which can be compared; by default places decide alone.
            It is only asked about equals that may be among the first ``count``.
        count: How many places to return; all by default.
        least: Smaller numbers agree if they differ by at most 1e-9 of this.
    """
    numbers = np.asarray(values, np.float64)
    order: IntArray = np.argsort(-numbers, kind="stable")
    runs = runs_of(numbers[order], least)
    order = order[np.lexsort((order, runs))]
    if names is not None:
        starts = np.flatnonzero(np.diff(runs, prepend=-1))
        ends = np.append(starts[1:], len(runs))
        several = (ends - starts > 1) & (starts < (len(runs) if count is None else count))
        for start, end in zip(starts[several].tolist(), ends[several].tolist(), strict=True):
            places = order[start:end]
            known = list(names(places))
            order[start:end] = places[sorted(range(len(known)), key=known.__getitem__)]
    return order[:count]


def runs_of(values: FloatArray, least: float = 0.0) -> IntArray:
    """[values]: the number of each one's run, given numbers in descending order.

    >>> runs_of(np.array([2.0, 2.0 - 1e-12, 1.0]))
    array([0, 0, 1])
    """
    apart = ~agree(values[:-1], values[1:], least)
    return np.concatenate([np.zeros(min(len(values), 1), np.int64), np.cumsum(apart)])


def agree(one: npt.ArrayLike, other: npt.ArrayLike, least: float = 0.0) -> BoolArray:
    """Whether numbers differ by at most 1e-9 of the larger of two, or of ``least``.

    >>> agree([0.3, 0.3, -np.inf], [0.1 + 0.2, 0.31, -np.inf])
    array([ True, False,  True])
    """
    before, after = np.asarray(one, np.float64), np.asarray(other, np.float64)
    with np.errstate(invalid="ignore"):
        close = abs(before - after) <= TIE * np.maximum(np.maximum(abs(before), abs(after)), least)
    return np.asarray((before == after) | (close & np.isfinite(before) & np.isfinite(after)))


def by_value(
    items: Iterable[ItemT],
    value: Callable[[ItemT], float],
    name: Callable[[ItemT], Any] | None = None,
    *,
    least: float = 0.0,
) -> list[ItemT]:
    """Return items by their numbers, the largest first; equals by name, then as they were given.

    >>> by_value([("b", 0.3), ("a", 0.1 + 0.2), ("c", 0.5)], lambda each: each[1])
    [('c', 0.5), ('b', 0.3), ('a', 0.30000000000000004)]
    >>> by_value([("b", 0.3), ("a", 0.1 + 0.2)], lambda each: each[1], lambda each: each[0])
    [('a', 0.30000000000000004), ('b', 0.3)]
    """
    known = list(items)

    def names(places: IntArray) -> list[Any]:
        return [name(known[place]) for place in places.tolist()] if name else [0] * len(places)

    order = ranked([value(each) for each in known], names, least=least)
    return [known[place] for place in order.tolist()]


def shared_ranks(values: npt.ArrayLike, *, least: float = 0.0) -> list[int]:
    """Return the rank of each number, 1 for the largest ones; they come in the order of their runs.

    >>> shared_ranks([0.3, 0.1 + 0.2, 0.1])
    [1, 1, 3]
    """
    runs = runs_of(-np.sort(-np.asarray(values, np.float64)), least)
    ranks: list[int] = (1 + np.searchsorted(runs, runs)).tolist()
    return ranks


def first_largest(rows: npt.ArrayLike) -> Any:
    """Return the place of the largest number of each row, the first of those that agree with it.

    >>> first_largest([[0.3, 0.1 + 0.2, 0.1], [0.0, 0.2, 0.8]])
    array([0, 2])
    """
    numbers = np.asarray(rows, np.float64)
    tops = numbers.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        bounds = np.where(np.isfinite(tops), tops - TIE * abs(tops), tops)
    return (numbers >= bounds).argmax(axis=-1)


def reaching(rows: FloatArray, least: float) -> BoolArray:
    """Whether each number of a row is at least that large, or as large as the largest there.

    >>> reaching(np.array([[0.1 + 0.2, 0.3, 0.4], [0.2, 0.2 - 1e-16, 0.1]]), 0.3)
    array([[ True,  True,  True],
           [ True,  True, False]])

    Args:
        rows: Probabilities.
        least: How large the others must be.
    """
    return np.asarray(rows >= np.minimum(least, rows.max(axis=-1, keepdims=True)) * (1 - TIE))


def rounded(values: npt.ArrayLike) -> FloatArray:
    """Return numbers rounded to multiples of 2⁻²⁸, of which sums are exact.

    So sums that are equal are the same in any order of their terms, and what differs from 0 by less
    than 1e-9 is 0: amounts by which posterior decoding gains or loses nothing.

    >>> rounded([2 * (0.5 + 1e-12) - 1, 0.25]).tolist()
    [0.0, 0.25]
    """
    return np.round(np.asarray(values, np.float64) * _STEPS) / _STEPS


_STEPS = 2.0**28  # per unit
