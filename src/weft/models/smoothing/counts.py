"""Counts of outcomes in contexts, and their relative frequencies.

Contexts and outcomes are numbers. Only what occurred takes room: the numbers of contexts may be
as large as 2⁶³ divided by the number of outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from weft.arrays import FloatArray, IntArray, ascends, ranges


@dataclass(frozen=True, slots=True, eq=False)
class CountTable:
    """How often outcomes occurred in contexts.

    Attributes:
        outcomes: How many outcomes there are.
        keys: [entries], ascending, ``context * outcomes + outcome``.
        counts: [entries], positive.
        contexts: [seen], those that occurred, ascending.
        starts: [seen + 1], where the entries of each begin and end.
        totals: [seen], the sums of their counts.

    Raises:
        ValueError: If keys do not ascend, or counts are not positive numbers whose sum is one.
    """

    outcomes: int
    keys: IntArray
    counts: FloatArray
    contexts: IntArray = field(init=False)
    starts: IntArray = field(init=False)
    totals: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        row = self.keys.dtype == np.int64 and self.keys.ndim == 1
        if not row or not ascends(self.keys, strictly=True) or (self.keys < 0).any():
            raise ValueError("the keys of a table ascend from 0 or more")
        floats = self.counts.dtype == np.float64 and self.counts.shape == self.keys.shape
        if not floats or not (self.counts > 0).all() or not np.isfinite(self.counts.sum()):
            raise ValueError("the counts of a table are positive numbers, one for each key")
        contexts, starts, places = np.unique(
            self.keys // self.outcomes, return_index=True, return_inverse=True
        )
        totals = np.bincount(places.reshape(-1), self.counts, len(contexts)).astype(np.float64)
        object.__setattr__(self, "contexts", contexts)
        object.__setattr__(self, "starts", np.append(starts, len(self.keys)).astype(np.int64))
        object.__setattr__(self, "totals", totals)

    def seen(self, contexts: IntArray) -> FloatArray:
        """Return how often each context occurred."""
        return _look_up(self.contexts, self.totals, contexts)

    def probs(self, contexts: IntArray, outcomes: IntArray) -> FloatArray:
        """Return relative frequencies, zero where the context never occurred."""
        counts = _look_up(self.keys, self.counts, contexts * self.outcomes + outcomes)
        totals = self.seen(contexts)
        return counts / np.where(totals > 0, totals, 1.0)

    def rows(self, contexts: IntArray) -> FloatArray:
        """Return the relative frequencies of all outcomes, [..., outcomes]."""
        out = np.zeros((contexts.size, self.outcomes))
        self.add_rows(contexts.reshape(-1), np.ones(contexts.size), out)
        return out.reshape(*contexts.shape, self.outcomes)

    def add_rows(self, contexts: IntArray, factors: FloatArray, out: FloatArray) -> None:
        """Add the relative frequencies of all outcomes, times factors, to [contexts, outcomes]."""
        places = find_numbers(self.contexts, contexts)
        rows = np.flatnonzero(places >= 0)
        places = places[rows]
        lengths = np.diff(self.starts)[places]
        entries = ranges(self.starts[places], lengths)
        shares = self.counts[entries] * np.repeat(factors[rows] / self.totals[places], lengths)
        out[np.repeat(rows, lengths), self.keys[entries] % self.outcomes] += shares


def find_numbers(known: IntArray, wanted: IntArray) -> IntArray:
    """Return where numbers stand among ascending ones; -1 where they do not."""
    if not len(known):
        return np.full(wanted.shape, -1, np.int64)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[places] == wanted, places, -1)


def _look_up(known: IntArray, values: FloatArray, wanted: IntArray) -> FloatArray:
    """The values of numbers among ascending ones; zero where they are not among them."""
    # The last entry is what -1 looks up.
    found: FloatArray = np.append(values, 0.0)[find_numbers(known, wanted)]
    return found


def count_table(
    contexts: IntArray, outcomes: IntArray, size: int, counts: FloatArray | None = None
) -> CountTable:
    """Count pairs of a context and an outcome.

    >>> table = count_table(np.array([0, 0, 7]), np.array([2, 2, 0]), 4)
    >>> table.seen(np.array([0, 1, 7]))
    array([2., 0., 1.])
    >>> table.rows(np.array([0]))
    array([[0., 0., 1., 0.]])

    Args:
        contexts: [events].
        outcomes: [events].
        size: How many outcomes there are.
        counts: [events], how often each happened, positive; once by default.
    """
    keys = contexts.astype(np.int64) * size + outcomes
    distinct, places = np.unique(keys, return_inverse=True)
    sums = np.bincount(places.reshape(-1), counts, len(distinct)).astype(np.float64)
    return CountTable(size, distinct, sums)
