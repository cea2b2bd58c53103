"""Which tag may follow which, and the weights of tag n-grams.

The boundary, before and after every sentence, is one more tag: number ``tags``. For order 2 the
table of transitions has a group for the tag before, a row for the one before that and a column
for the tag itself; for order 1 it has one group, a row for the tag before and a column.

Tag pairs without a weight share the factor 1. Where they are most of all pairs, sums of order 1
take the factor times the sum of all rows once, and the *cells* that differ from it one by one:
they cost as many additions as there are cells. For order 2 cells are triples with a weight, and
their table is *compact*: [1 + n, width, width], first the scores of pairs, a row per tag before and
a column per tag, and then those of the cells, one after the other, in n tables or a part of one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray, are_numbers, distinct

LANES = 8

_SPARSE = 8
"""How many transitions there must be per cell, so that going from cell to cell is faster."""


def pad(columns: int) -> int:
    """Return the number of columns rounded up to whole vectors.

    >>> pad(8), pad(9)
    (8, 16)
    """
    return -(-columns // LANES) * LANES


def are_few(cells: int, tags: int, order: int = 1) -> bool:
    """Whether sums are made from cell to cell, for they are cheaper so.

    >>> are_few(3_000, 245), are_few(200, 22), are_few(20_000, 245, 2), are_few(6_000, 45, 2)
    (True, False, True, False)
    """
    return bool(cells * _SPARSE**order <= (tags + 1) ** (order + 1))


@dataclass(frozen=True, slots=True)
class Cells:
    """Transitions that may differ from 0, row by row; of order 2, group by group.

    Attributes:
        offsets: [groups * width + 1], where the cells of each row begin.
        columns: [cells], ascending within a row.
        trigrams: [trigrams], the cell of each; none for order 1.
    """

    offsets: IntArray
    columns: IndexArray
    trigrams: IntArray


@dataclass(frozen=True, slots=True)
class Topology:
    """A chain's tags, what may follow what, and the tag n-grams that have weights.

    Attributes:
        order: How many earlier tags a tag depends on, 1 or 2.
        tags: How many tags there are.
        forbidden: [tags + 1, tags + 1], whether a tag may not follow another.
        bigrams: [n, 2], tag pairs with a weight each, from ``bigram_start`` on in θ.
        trigrams: [n, 3], tag triples likewise, from ``trigram_start`` on.

    Raises:
        ValueError: If these do not fit together; kernels trust them.
    """

    order: int
    tags: int
    forbidden: BoolArray
    bigrams: IndexArray
    bigram_start: int
    trigrams: IndexArray
    trigram_start: int

    def __post_init__(self) -> None:
        used = self.tags + 1
        if self.order not in (1, 2) or self.tags < 1:
            raise ValueError(f"a chain has an order of 1 or 2, not {self.order}, and some tags")
        if self.forbidden.dtype != np.bool_ or self.forbidden.shape != (used, used):
            raise ValueError(f"{self.tags} tags need [{used}, {used}] booleans of what may follow")
        for ngrams, size in ((self.bigrams, 2), (self.trigrams, 3)):
            if ngrams.shape != (len(ngrams), size) or not are_numbers(ngrams, used):
                raise ValueError(f"n-grams are {size} tags in a row each, of {self.tags}")

    @property
    def width(self) -> int:
        """The padded number of tags, the boundary included."""
        return pad(self.tags + 1)

    @property
    def longest(self) -> tuple[IndexArray, slice]:
        """The longest n-grams, [n, order + 1], and where their weights are in θ."""
        ngrams = self.bigrams if self.order == 1 else self.trigrams
        start = self.bigram_start if self.order == 1 else self.trigram_start
        return ngrams, slice(start, start + len(ngrams))

    @property
    def base(self) -> FloatArray:
        """[groups, width, width]: 0 where a transition may be, else -inf."""
        pairs = self._pairs()
        if self.order == 1:
            return pairs[None]
        # [previous, the one before, next]: both pairs must be possible.
        return np.ascontiguousarray(pairs[:, None, :] + pairs.T[:, :, None])

    def _pairs(self) -> FloatArray:
        """[width, width]: 0 where a tag may follow another, else -inf."""
        width, used = self.width, self.tags + 1
        pairs = np.full((width, width), -np.inf)
        pairs[:used, :used] = np.where(self.forbidden, -np.inf, 0.0)
        return pairs

    @property
    def cells(self) -> Cells | None:
        """What has a weight (or, for order 1, is forbidden), where that is little of all."""
        used, rows = self.tags + 1, self.width
        if self.order == 1:
            count = len(self.bigrams) + int(np.count_nonzero(self.forbidden))
            before, after = self.bigrams.T.astype(np.int64)
            keys = distinct(np.append(before * used + after, np.flatnonzero(self.forbidden)))
            places = np.empty(0, np.int64)
        else:
            count, rows = len(self.trigrams), rows**2
            first, middle, last = self.trigrams.T.astype(np.int64)
            keys, places = np.unique(
                (middle * self.width + first) * used + last, return_inverse=True
            )
        if not are_few(count, self.tags, self.order):
            return None
        offsets = np.searchsorted(keys // used, np.arange(rows + 1)).astype(np.int64)
        return Cells(offsets, (keys % used).astype(np.int32), places.reshape(-1).astype(np.int64))

    def table(self, theta: FloatArray) -> FloatArray:
        """[groups, width, width]: the scores of all transitions."""
        table = self.base
        before, after = self.bigrams.T
        weights = theta[self.bigram_start : self.bigram_start + len(self.bigrams)]
        if self.order == 1:
            table[0, before, after] += weights
            return table
        table[before, :, after] += weights[:, None]
        first, middle, last = self.trigrams.T
        start = self.trigram_start
        table[middle, first, last] += theta[start : start + len(self.trigrams)]
        return table

    def compact(self, theta: FloatArray, cells: Cells) -> FloatArray:
        """[1 + n, width, width]: the scores of pairs, and of the cells of order 2."""
        square = self.width**2
        table = np.zeros((1 - len(cells.columns) // -square, self.width, self.width))
        before, after = self.bigrams.T
        table[0] = self._pairs()
        table[0, before, after] += theta[self.bigram_start : self.bigram_start + len(before)]
        weights = theta[self.trigram_start : self.trigram_start + len(self.trigrams)]
        np.add.at(table.reshape(-1), square + cells.trigrams, weights)
        return table

    def collect_compact(self, totals: FloatArray, cells: Cells, gradient: FloatArray) -> None:
        """Add expected pairs and cells, in the form of :meth:`compact`, to θ's coordinates."""
        before, after = self.bigrams.T
        gradient[self.bigram_start : self.bigram_start + len(before)] += totals[0, before, after]
        end = self.trigram_start + len(self.trigrams)
        flat = totals.reshape(-1)
        gradient[self.trigram_start : end] += flat[self.width**2 + cells.trigrams]

    def collect(self, totals: FloatArray, gradient: FloatArray) -> None:
        """Add expected transitions [groups, width, width] to θ's coordinates."""
        before, after = self.bigrams.T
        pairs = totals[0] if self.order == 1 else totals.sum(axis=1)
        end = self.bigram_start + len(self.bigrams)
        gradient[self.bigram_start : end] += pairs[before, after]
        if self.order == 2:
            first, middle, last = self.trigrams.T
            end = self.trigram_start + len(self.trigrams)
            gradient[self.trigram_start : end] += totals[middle, first, last]

    def within(self, totals: FloatArray) -> FloatArray:
        """[width, width]: expected steps from tag to tag, those past the end left out."""
        visits: FloatArray = totals.sum(axis=0 if self.order == 1 else 1)
        visits[:, self.tags :] = 0.0
        return visits
