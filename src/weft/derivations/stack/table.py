"""How probable moves are, by what a shift-reduce parser knows: the two labels on top, and the next.

A move is the number ``kind * labels + label``; label 0 is ⋆, what is absent from the stack and what
follows the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.arrays import (
    FloatArray,
    IndexArray,
    IntArray,
    are_numbers,
    are_offsets,
    offsets_of,
    ranges,
)
from weft.inference.components import Components, components

SHIFT, REDUCE_1, REDUCE_2 = range(3)
"""The kinds of moves."""


@dataclass(frozen=True, eq=False)
class MoveTable:
    """Moves with their scores, by context.

    Attributes:
        rows: [labels, labels], the row of a label on top with one below; -1 where it has no moves.
        looks: How many terminals are told apart that may be next; 1 where none is looked at.
        offsets: [rows * looks + 1], where the moves of each context begin.
        moves: [entries], ascending in each context.
        scores: [entries], log-probabilities.

    Raises:
        ValueError: If these do not fit together.
    """

    rows: IndexArray
    looks: int
    offsets: IntArray
    moves: IndexArray
    scores: FloatArray

    def __post_init__(self) -> None:
        contexts = len(self.offsets) - 1
        if self.rows.ndim != 2 or self.rows.shape[0] != self.rows.shape[1]:
            raise ValueError("the rows of moves are labels by labels")
        if self.looks < 1 or contexts % self.looks:
            raise ValueError("every row of moves has as many contexts as there are terminals")
        if not are_numbers(self.rows + 1, contexts // self.looks + 1):
            raise ValueError("there are too few rows of moves")
        if not are_offsets(self.offsets, contexts, len(self.moves)):
            raise ValueError("the offsets of moves must ascend to their number")
        if not are_numbers(self.moves, 3 * self.labels) or len(self.scores) != len(self.moves):
            raise ValueError("moves are numbers with a score each")

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return len(self.rows)

    @cached_property
    def ranks(self) -> IndexArray:
        """[labels]: a reduce₁ never leads to a lower rank, and to the same one within a cycle."""
        parts = self._components
        ranks: IndexArray = (len(parts.levels) - 1 - parts.numbers).astype(np.int32)
        return ranks

    @cached_property
    def cyclic(self) -> IndexArray:
        """[labels]: 1 where reduce₁ moves lead from a label back to it."""
        found: IndexArray = self._components.cyclic[self._components.numbers].astype(np.int32)
        return found

    @cached_property
    def turns(self) -> tuple[IntArray, IntArray]:
        """[rows * looks + 1] and [moves]: the places of reduce₁ moves to cyclic labels."""
        kinds, labels = np.divmod(self.moves, self.labels)
        within = (kinds == REDUCE_1) & (self.cyclic[labels] > 0) & (self.scores > -np.inf)
        return offsets_of(within)[self.offsets], np.flatnonzero(within)

    @cached_property
    def _components(self) -> Components:
        """The labels that reduce₁ moves lead to each other."""
        owners = np.repeat(np.arange(len(self.offsets) - 1) // self.looks, np.diff(self.offsets))
        kinds, labels = np.divmod(self.moves.astype(np.int64), self.labels)
        unary = (kinds == REDUCE_1) & (self.scores > -np.inf)
        found = np.unique(owners[unary] * self.labels + labels[unary])
        places = np.searchsorted(found // self.labels, self.rows)
        ends = np.searchsorted(found // self.labels, self.rows, side="right")
        # Several pairs of labels may share a row, and then one label on top may come many times.
        tops = np.repeat(np.arange(self.labels), self.labels)
        lengths = (ends - places).reshape(-1)
        sources = np.repeat(tops, lengths)
        targets = found[ranges(places.reshape(-1), lengths)] % self.labels
        return components(self.labels, sources, targets)

    def context(self, top: int, below: int, look: int = 0) -> slice:
        """Return where the moves of a context are."""
        row = int(self.rows[top, below])
        if row < 0:
            return slice(0, 0)
        return slice(*self.offsets[row * self.looks + look :][:2].tolist())


def table_of(
    scores: Mapping[tuple[int, int, int], Mapping[int, float]], labels: int, looks: int = 1
) -> MoveTable:
    """Return the table of moves with scores, given by the labels on top and below and what is next.

    >>> table_of({(0, 0, 0): {1: -1.0}, (1, 0, 0): {0: 0.0}}, 2).moves
    array([1, 0], dtype=int32)
    """
    pairs = {pair: row for row, pair in enumerate(dict.fromkeys(key[:2] for key in scores))}
    rows = np.full((labels, labels), -1, np.int32)
    for (top, below), row in pairs.items():
        rows[top, below] = row
    contexts = [
        sorted(scores.get((*pair, look), {}).items()) for pair in pairs for look in range(looks)
    ]
    flat = [entry for each in contexts for entry in each]
    return MoveTable(
        rows,
        looks,
        offsets_of(map(len, contexts)),
        np.array([move for move, _ in flat], np.int32),
        np.array([score for _, score in flat], np.float64),
    )
