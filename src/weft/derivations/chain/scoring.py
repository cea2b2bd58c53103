"""How the steps of a trellis are scored, and where what is expected of them goes.

A trellis sums; it does not know where its scores come from. Free weights, weights that are
normalised step by step, and tables of frequencies are all a :class:`Scoring`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from weft.arrays import FloatArray, IntArray, checked_weights, offsets_of
from weft.derivations.chain.rows import DirectSums, RowExpectations, Rows, RowSums, RowTable
from weft.derivations.chain.tag_parts import PartExpectations, PartRows, WithParts
from weft.derivations.chain.topology import Cells, Topology
from weft.derivations.feature_map import FeatureMap
from weft.errors import EvidenceError
from weft.structures.occurrences import Occurrences


class Expectations(Protocol):
    """What is expected at one θ, gathered batch by batch."""

    def marginals(self, batch: int) -> tuple[FloatArray, FloatArray | None]:
        """Zeros to be filled: tag marginals [tokens, width], pair marginals [tokens, width²]."""
        ...

    def collect(self, batch: int) -> None:
        """Add the expectations of the batch whose marginals have been filled in."""
        ...

    def finish(self, transitions: FloatArray) -> FloatArray:
        """Return the gradient [θ], given how often transitions are expected."""
        ...


class StepScores(Protocol):
    """The scores of all steps at one θ, batch by batch, in buffers that are used again."""

    @property
    def transitions(self) -> FloatArray:
        """[groups, width, width]; with cells of order 2, compact."""
        ...

    @property
    def cells(self) -> Cells | None:
        """The transitions that may differ from 0 and whose expectations are asked for, if few.

        None where all may, and all are. There are none with scores of pairs.
        """
        ...

    def tokens(self, batch: int) -> tuple[FloatArray, FloatArray | None]:
        """Scores of tokens with a tag [tokens, width] and, if any, with a pair [tokens, width²].

        Where the scoring is tripled those are of three tags, [tokens, width³], as transitions are.
        They are valid until the next batch's are asked for.
        """
        ...

    def expectations(self) -> Expectations:
        """Return what gathers the expectations at this θ, from zero."""
        ...


class Scores(Protocol):
    """Scores of the tokens of a corpus in batches, as a function of θ."""

    def at(self, theta: FloatArray, *, once: bool = False) -> StepScores:
        """Return the scores at one θ.

        Args:
            theta: The weights.
            once: Whether they are asked for no more than once or twice and without expectations,
                so that nothing is worth compiling.
        """
        ...


class Scoring(Protocol):
    """How the steps of a corpus are scored."""

    @property
    def paired(self) -> bool:
        """Whether tokens have scores for pairs of tags, which take much memory."""
        ...

    @property
    def tripled(self) -> bool:
        """Whether these are scores for three tags."""
        ...

    def over(self, bounds: IntArray, threads: int) -> Scores:
        """Return the scores of tokens in batches that begin and end at ``bounds``."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LogLinear:
    """Free weights of tag n-grams, attribute × tag and attribute × pair of tags.

    Attributes:
        topology: The tags and tag n-grams.
        occurrences: The attributes of all tokens.
        tag_rows: Weights of attribute × tag.
        pair_rows: Weights of attribute × pair of tags, as columns ``before * width + tag``.
        part_rows: Weights of attribute × part of a tag.
        compact: Whether no table of all triples is made for order 2, where few have a weight.
    """

    topology: Topology
    occurrences: Occurrences
    tag_rows: RowTable
    pair_rows: RowTable | None
    part_rows: PartRows | None = None
    compact: bool = False

    tripled = False

    @property
    def paired(self) -> bool:
        """Whether there are weights of pairs."""
        return self.pair_rows is not None

    @property
    def tables(self) -> list[RowTable]:
        """The weights of attributes, in the order of θ."""
        parts = None if self.part_rows is None else self.part_rows.table
        every = (self.tag_rows, self.pair_rows, parts)
        return [table for table in every if table is not None]

    @property
    def size(self) -> int:
        """How many coordinates θ has: the last of them is the end of some run."""
        topology = self.topology
        ngrams = [
            topology.bigram_start + len(topology.bigrams),
            topology.trigram_start + len(topology.trigrams),
        ]
        return max([*ngrams, *(table.start + len(table) for table in self.tables)])

    def over(self, bounds: IntArray, threads: int) -> LogLinearScores:
        """Return the scores of tokens in batches."""
        return LogLinearScores(self, bounds, threads)

    def attribute(self, feature: int) -> int | None:
        """The attribute that a coordinate of θ goes with; None for n-grams of tags."""
        for table in self.tables:
            if 0 <= feature - table.start < len(table):
                return int(np.searchsorted(table.offsets, feature - table.start, "right")) - 1
        return None

    def attributes(self, lengths: IntArray) -> FeatureMap:
        """The attributes of each sentence's tokens, given how many it has."""
        offsets = self.occurrences.offsets[offsets_of(lengths)]
        count = max(len(table.offsets) for table in self.tables) - 1
        return FeatureMap(offsets, self.occurrences.attributes, None, count)


def free_weights(scoring: Scoring) -> LogLinear:
    """Return a scoring whose weights are features of single steps, if it is that.

    Raises:
        TypeError: If weights are normalised, or are no weights of features.
    """
    if not isinstance(scoring, LogLinear):
        raise TypeError("only free weights are features of steps")
    return scoring


class LogLinearScores:
    """Log-linear scores of tokens in batches, compiled when that is worth it.

    Args:
        scoring: The weights, and the attributes of all tokens.
        bounds: [batches + 1], the tokens where batches begin and end.
        threads: How many threads to use; no result depends on it.
    """

    def __init__(self, scoring: LogLinear, bounds: IntArray, threads: int) -> None:
        self.topology = scoring.topology
        self.scoring = scoring
        self._bounds = bounds
        self._threads = threads
        self._compiled: dict[int, Rows] = {}

    def rows(self, table: RowTable) -> Rows:
        """Return one of the tables, compiled for repeated evaluation."""
        if id(table) not in self._compiled:
            occurrences = self.scoring.occurrences
            self._compiled[id(table)] = Rows(table, occurrences, self._bounds, self._threads)
        return self._compiled[id(table)]

    @cached_property
    def cells(self) -> Cells | None:
        """The transitions that have weights, where they are few and there are none of pairs."""
        whole = self.topology.order == 2 and not self.scoring.compact
        return None if self.scoring.paired or whole else self.topology.cells

    @property
    def compact(self) -> Cells | None:
        """The cells of a compact table; None where the table is of all transitions."""
        return self.cells if self.topology.order == 2 else None

    def _sums(self, table: RowTable, theta: FloatArray, once: bool) -> RowSums | DirectSums:
        if not once:
            return RowSums(self.rows(table), theta)
        return DirectSums(table, self.scoring.occurrences, self._bounds, theta, self._threads)

    def at(self, theta: FloatArray, *, once: bool = False) -> LogLinearSteps:
        """Return the scores at one θ."""
        theta = checked_weights(theta, self.scoring.size)
        if self.scoring.occurrences.values is not None and np.isneginf(theta).any():
            raise EvidenceError(
                "attributes with values need finite weights, and this model has some of -inf, as "
                "counted ones have: give names of attributes alone"
            )
        own = self.scoring
        tags = self._sums(own.tag_rows, theta, once)
        pairs = None if own.pair_rows is None else self._sums(own.pair_rows, theta, once)
        if (parts := own.part_rows) is None:
            return LogLinearSteps(self, theta, tags, pairs)
        of_parts = self._sums(parts.table, theta, once)
        return LogLinearSteps(self, theta, WithParts(tags, of_parts, parts.matrix), pairs)


class LogLinearSteps:
    """Log-linear scores at one θ.

    Args:
        scores: What they are the scores of.
        theta: The weights.
        tags: The scores of tokens with tags.
        pairs: The scores of tokens with pairs of tags, if any.
    """

    def __init__(
        self,
        scores: LogLinearScores,
        theta: FloatArray,
        tags: RowSums | DirectSums | WithParts,
        pairs: RowSums | DirectSums | None,
    ) -> None:
        self.scores = scores
        self.theta = theta
        cells = scores.compact
        self.transitions = (
            scores.topology.table(theta) if cells is None else scores.topology.compact(theta, cells)
        )
        self._tags = tags
        self._pairs = pairs

    @property
    def cells(self) -> Cells | None:
        """The transitions that have weights, where they are few."""
        return self.scores.cells

    def tokens(self, batch: int) -> tuple[FloatArray, FloatArray | None]:
        """The scores of a batch's tokens, until the next batch's are asked for."""
        return self._tags.scores(batch), self._pairs.scores(batch) if self._pairs else None

    def expectations(self) -> LogLinearExpectations:
        """Return what gathers the expectations at this θ, from zero."""
        return LogLinearExpectations(self.scores, np.zeros_like(self.theta))


class LogLinearExpectations:
    """Expectations of n-grams, attribute × tag and attribute × pair of tags.

    Args:
        scores: The compiled rows.
        gradient: [θ], where the expectations are added.
    """

    def __init__(self, scores: LogLinearScores, gradient: FloatArray) -> None:
        self._topology = scores.topology
        self._compact = scores.compact
        self._gradient = gradient
        own = scores.scoring

        def rows(table: RowTable) -> RowExpectations:
            return RowExpectations(scores.rows(table), gradient)

        self._tags = rows(own.tag_rows)
        self._pairs = None if own.pair_rows is None else rows(own.pair_rows)
        self._parts = None
        if (parts := own.part_rows) is not None:
            self._parts = PartExpectations(self._tags, rows(parts.table), parts.matrix)

    def _sides(self) -> Iterator[RowExpectations | PartExpectations]:
        yield self._tags
        if self._pairs:
            yield self._pairs
        if self._parts:
            yield self._parts

    def marginals(self, batch: int) -> tuple[FloatArray, FloatArray | None]:
        """Zeros to be filled with a batch's marginals."""
        return self._tags.marginals(batch), self._pairs.marginals(batch) if self._pairs else None

    def collect(self, batch: int) -> None:
        """Add the expectations of the batch whose marginals have been filled in."""
        for side in self._sides():
            side.collect(batch)

    def finish(self, transitions: FloatArray) -> FloatArray:
        """Return the gradient [θ], given how often transitions are expected."""
        for side in self._sides():
            side.finish()
        if self._compact is None:
            self._topology.collect(transitions, self._gradient)
        else:
            self._topology.collect_compact(transitions, self._compact, self._gradient)
        return self._gradient
