"""Scores and expectations of features that join an attribute of a token with a tag or tags.

Such features form a table with a row per attribute and a column per tag (or pair of tags):

    scores[t, c] = Σ_a value[t, a] θ[a, c]          totals[a, c] = Σ_t value[t, a] μ[t, c]

Rows that fill a good part of the columns and occur more than once are *wide*: θ is spread into a
dense table once an evaluation, and both sums run over whole rows. Other rows of some length are
*narrow*: sums run over the columns that they have. What is left are single entries, of very short
rows. Expectations are gathered by attribute, so that threads never write to the same place and
never change the result.

All that is compiled for repeated evaluation. What is asked once is summed straight from the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from weft.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    aligned_zeros,
    are_numbers,
    are_offsets,
    offsets_of,
    ranges,
)
from weft.kernels import kernels
from weft.structures.occurrences import Occurrences

_LONG = 3  # columns from which a row is no single entries; measured, and flat between 2 and 6
_FILLED = 8  # it is worth spreading if it has one column in so many


@dataclass(frozen=True, slots=True)
class RowTable:
    """Which weight belongs to which attribute and column.

    The weights of attribute a are ``start + offsets[a] … start + offsets[a + 1]``.

    Attributes:
        offsets: [attributes + 1].
        columns: [weights], ascending within an attribute.
        start: The first weight's place in θ.
        width: The padded number of columns.

    Raises:
        ValueError: If these do not fit together; kernels trust them.
    """

    offsets: IntArray
    columns: IndexArray
    start: int
    width: int

    def __post_init__(self) -> None:
        if not are_offsets(self.offsets, self.offsets.size - 1, self.columns.size):
            raise ValueError(f"offsets must ascend from 0 to {self.columns.size}")
        if self.columns.ndim != 1 or not are_numbers(self.columns, self.width) or self.start < 0:
            raise ValueError(f"columns are numbers below {self.width}")

    def __len__(self) -> int:
        return len(self.columns)


@dataclass(frozen=True, slots=True)
class _Lists:
    """A list of items for each owner, as the kernels take it."""

    offsets: IntArray
    items: IndexArray
    values: FloatArray | None


@dataclass(frozen=True, slots=True)
class _Batch:
    """The occurrences in one batch of tokens, by token."""

    tokens: int
    wide: _Lists  # token → slots
    narrow: _Lists  # token → attributes
    entries: _Lists  # token → weights
    columns: IndexArray  # of the entries


@dataclass(frozen=True, slots=True)
class _Inverse:
    """The same by weight: what belongs to each of the distinct slots, attributes and weights."""

    slots: IndexArray
    by_slot: _Lists  # slot → tokens
    attributes: IndexArray
    by_attribute: _Lists  # attribute → tokens
    weights: IndexArray
    by_weight: _Lists  # weight → token * width + column


class Rows:
    """A row table over the tokens of a corpus, compiled for repeated evaluation.

    Args:
        table: The weights.
        occurrences: Each token's attributes.
        bounds: [batches + 1], the tokens where batches begin and end.
        threads: How many threads to use; no result depends on it.
    """

    def __init__(
        self, table: RowTable, occurrences: Occurrences, bounds: IntArray, threads: int
    ) -> None:
        self.table = table
        self.width = table.width
        self.threads = threads
        self.longest = int(np.diff(bounds).max(initial=0))
        lengths = np.diff(table.offsets).astype(np.int32)
        counts = np.bincount(occurrences.attributes, minlength=len(lengths))
        filled = lengths >= max(_LONG, self.width // _FILLED)
        self.wide = np.flatnonzero(filled & (counts > 1)).astype(np.int32)
        slot_of = np.full(len(lengths), -1, np.int32)
        slot_of[self.wide] = np.arange(len(self.wide), dtype=np.int32)
        self.batches = [
            _compile(table, occurrences, slot_of, lengths, first, last)
            for first, last in pairwise(bounds.tolist())
        ]

    def weights_of(self, theta: FloatArray) -> FloatArray:
        """The weights of the table among all, in place."""
        return theta[self.table.start : self.table.start + len(self.table)]

    @cached_property
    def inverses(self) -> list[_Inverse]:
        """The batches by weight; only expectations need them."""
        return [_invert(batch, self.width) for batch in self.batches]


class RowSums:
    """The two sums of some rows at one θ, batch by batch, in buffers that are used again.

    Args:
        rows: The compiled rows.
        theta: The weights.
    """

    def __init__(self, rows: Rows, theta: FloatArray) -> None:
        self._rows = rows
        self._theta = theta
        self._weights = rows.weights_of(theta)
        self._spread = aligned_zeros(len(rows.wide), rows.width)
        table = rows.table
        kernels.spread_rows(
            rows.wide, table.offsets, table.columns, self._weights, self._spread, rows.threads
        )
        self._scores = aligned_zeros(rows.longest, rows.width)

    def scores(self, number: int) -> FloatArray:
        """[tokens, width]: the scores of a batch's tokens, until the next batch's are asked for."""
        batch = self._rows.batches[number]
        out = self._scores[: batch.tokens]
        out.fill(0.0)
        wide, entries, threads = batch.wide, batch.entries, self._rows.threads
        kernels.sum_rows(wide.offsets, wide.items, wide.values, self._spread, None, out, threads)
        kernels.add_entries(
            entries.offsets, batch.columns, entries.items, entries.values, self._theta, out, threads
        )
        narrow, table = batch.narrow, self._rows.table
        if len(narrow.items):
            kernels.add_attributes(
                narrow.offsets,
                narrow.items,
                narrow.values,
                table.offsets,
                table.columns,
                self._weights,
                out,
                threads,
            )
        return out


class DirectSums:
    """The same scores straight from the occurrences, for what is asked for once.

    Nothing is compiled, and nothing takes time or memory in proportion to the table. The terms are
    added in another order, so that scores agree with those of :class:`RowSums` up to rounding.

    Args:
        table: The weights.
        occurrences: Each token's attributes.
        bounds: [batches + 1], the tokens where batches begin and end.
        theta: The weights.
        threads: How many threads to use; no result depends on it.
    """

    def __init__(
        self,
        table: RowTable,
        occurrences: Occurrences,
        bounds: IntArray,
        theta: FloatArray,
        threads: int,
    ) -> None:
        self._table = table
        self._occurrences = occurrences
        self._bounds = bounds
        self._weights = theta[table.start : table.start + len(table)]
        self._threads = threads
        self._scores = aligned_zeros(int(np.diff(bounds).max(initial=0)), table.width)

    def scores(self, number: int) -> FloatArray:
        """[tokens, width]: the scores of a batch's tokens, until the next batch's are asked for."""
        first, last = self._bounds[number : number + 2].tolist()
        out = self._scores[: last - first]
        out.fill(0.0)
        kernels.add_attributes(
            self._occurrences.offsets[first : last + 1],
            self._occurrences.attributes,
            self._occurrences.values,
            self._table.offsets,
            self._table.columns,
            self._weights,
            out,
            self._threads,
        )
        return out


class RowExpectations:
    """The expectations of some rows, gathered batch by batch.

    Args:
        rows: The compiled rows.
        gradient: [θ], where the expectations are added.
    """

    def __init__(self, rows: Rows, gradient: FloatArray) -> None:
        self._rows = rows
        self._gradient = gradient
        self._weights = rows.weights_of(gradient)
        self._totals = aligned_zeros(len(rows.wide), rows.width)
        self._marginals = aligned_zeros(rows.longest, rows.width)

    def marginals(self, number: int) -> FloatArray:
        """[tokens, width], zeros to be filled with the batch's marginals."""
        out = self.filled(number)
        out.fill(0.0)
        return out

    def filled(self, number: int) -> FloatArray:
        """[tokens, width], the batch's marginals as they have been filled in."""
        return self._marginals[: self._rows.batches[number].tokens]

    def collect(self, number: int) -> None:
        """Add the expectations of the batch whose marginals have been filled in."""
        inverse = self._rows.inverses[number]
        slots, weights, threads = inverse.by_slot, inverse.by_weight, self._rows.threads
        marginals = self._marginals
        kernels.sum_rows(
            slots.offsets,
            slots.items,
            slots.values,
            marginals,
            inverse.slots,
            self._totals,
            threads,
        )
        kernels.sum_entries(
            weights.offsets,
            weights.items,
            weights.values,
            marginals.reshape(-1),
            inverse.weights,
            self._gradient,
            threads,
        )
        narrow, table = inverse.by_attribute, self._rows.table
        if len(narrow.items):
            kernels.sum_attributes(
                narrow.offsets,
                narrow.items,
                narrow.values,
                marginals,
                inverse.attributes,
                table.offsets,
                table.columns,
                self._weights,
                threads,
            )

    def finish(self) -> None:
        """Bring the wide rows' totals home to the gradient."""
        rows, table = self._rows, self._rows.table
        kernels.gather_rows(
            rows.wide, table.offsets, table.columns, self._totals, self._weights, rows.threads
        )


def _compile(
    table: RowTable,
    occurrences: Occurrences,
    slot_of: IndexArray,
    lengths_of: IndexArray,
    first: int,
    last: int,
) -> _Batch:
    begin, end = int(occurrences.offsets[first]), int(occurrences.offsets[last])
    attributes = occurrences.attributes[begin:end]
    values = None if occurrences.values is None else occurrences.values[begin:end]
    offsets = occurrences.offsets[first : last + 1] - begin
    slots = slot_of[attributes]
    is_wide = slots >= 0
    wide = _Lists(offsets_of(is_wide)[offsets], slots[is_wide], _pick(values, is_wide))
    lengths = lengths_of[attributes]
    is_narrow = ~is_wide & (lengths >= _LONG)
    narrow = _Lists(offsets_of(is_narrow)[offsets], attributes[is_narrow], _pick(values, is_narrow))
    lengths[is_wide | is_narrow] = 0
    single = lengths > 0
    weights = ranges(table.offsets[attributes[single]], lengths[single].astype(np.int64))
    entries = _Lists(
        offsets_of(lengths)[offsets],
        (table.start + weights).astype(np.int32),
        None if values is None else np.repeat(values, lengths),
    )
    return _Batch(last - first, wide, narrow, entries, table.columns[weights])


def _invert(batch: _Batch, width: int) -> _Inverse:
    places = _owners(batch.entries) * np.int32(width) + batch.columns
    return _Inverse(
        *_inverted(batch.wide, _owners(batch.wide)),
        *_inverted(batch.narrow, _owners(batch.narrow)),
        *_inverted(batch.entries, places),
    )


def _owners(lists: _Lists) -> IndexArray:
    """The owner of each item."""
    return np.repeat(np.arange(len(lists.offsets) - 1, dtype=np.int32), np.diff(lists.offsets))


def _pick(values: FloatArray | None, where: IntArray | BoolArray) -> FloatArray | None:
    return None if values is None else values[where]


def _inverted(lists: _Lists, owners: IndexArray) -> tuple[IndexArray, _Lists]:
    """The distinct items in order and, for each, its owners in order."""
    order = np.argsort(lists.items, kind="stable")
    ordered = lists.items[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    offsets = np.append(first, len(ordered)).astype(np.int64, copy=False)
    return ordered[first], _Lists(offsets, owners[order], _pick(lists.values, order))
