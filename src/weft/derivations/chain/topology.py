"""Which tag may follow which, and the weights of tag n-grams.

The boundary, before and after every sentence, is one more tag: number ``tags``. For order 2 the
table of transitions has a group for the tag before, a row for the one before that and a column
for the tag itself; for order 1 it has one group, a row for the tag before and a column.

Tag pairs without a weight share the factor 1. Where they are most of all pairs, sums of order 1
take the factor times the sum of all rows once, and the *cells* that differ from it one by one:
they cost as many additions as there are cells.
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


def are_few(cells: int, tags: int) -> bool:
    """Whether sums of order 1 are made from cell to cell, for they are cheaper so.

    >>> are_few(3_000, 245), are_few(200, 22)
    (True, False)
    """
    return cells * _SPARSE <= (tags + 1) ** 2


@dataclass(frozen=True, slots=True)
class Cells:
    """Transitions of order 1 that may differ from 0, row by row.

    Attributes:
        offsets: [width + 1], where the cells of each row begin.
        columns: [cells], ascending within a row.
    """

    offsets: IntArray
    columns: IndexArray


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
        width, used = self.width, self.tags + 1
        pairs = np.full((width, width), -np.inf)
        pairs[:used, :used] = np.where(self.forbidden, -np.inf, 0.0)
        if self.order == 1:
            return pairs[None]
        # [previous, the one before, next]: both pairs must be possible.
        return np.ascontiguousarray(pairs[:, None, :] + pairs.T[:, :, None])

    @property
    def cells(self) -> Cells | None:
        """What has a weight or is forbidden, where that is little of all; None for order 2."""
        used = self.tags + 1
        count = len(self.bigrams) + np.count_nonzero(self.forbidden)
        if self.order == 2 or not are_few(int(count), self.tags):
            return None
        before, after = self.bigrams.T.astype(np.int64)
        keys = distinct(np.append(before * used + after, np.flatnonzero(self.forbidden)))
        offsets = np.searchsorted(keys // used, np.arange(self.width + 1)).astype(np.int64)
        return Cells(offsets, (keys % used).astype(np.int32))

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
