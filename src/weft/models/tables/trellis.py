"""The tag sequences of sentences by tables of order 1, summed over step by sparse step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, checked_weights
from weft.derivations.chain.layout import (
    Batch,
    ChainMembers,
    Choose,
    best_sequences,
    cut_out,
    split,
)
from weft.derivations.chain.tagsets import TagSetReader, TagSets
from weft.derivations.chain.topology import Topology
from weft.derivations.chain.trellis import Trellis
from weft.models.tables.scores import TableScoring
from weft.models.tables.sparse import SparseSteps

_CELLS = 2**21  # of items with tags that are made at a time


class _Text(NamedTuple):
    """What every kernel of sparse steps begins with."""

    sentence_offsets: IntArray
    step_items: IndexArray
    last_items: IndexArray
    places: IndexArray
    emission: FloatArray | None
    rates: FloatArray | None
    set_offsets: IntArray
    set_tags: IndexArray
    set_factors: FloatArray
    member_offsets: IntArray
    member_starts: IntArray
    member_sets: IndexArray


class SparseTrellis(Trellis):
    """A trellis whose sums, marginals and best sequences cost what differs from the back-off.

    All else is asked of the same trellis written out, and so are members whose sums need logs.

    Args:
        topology: The tags.
        scoring: The tables written out.
        lengths: [sentences], tokens in each.
        members: The sums to make.
        sets: The tag sets that members refer to.
        threads: How many threads to use; no result depends on it.
        reader: What numbered these sets.
        steps: The tables, sparse.
    """

    def __init__(
        self,
        topology: Topology,
        lengths: IntArray,
        scoring: TableScoring,
        members: ChainMembers,
        sets: TagSets,
        threads: int,
        reader: TagSetReader | None,
        steps: SparseSteps,
    ) -> None:
        super().__init__(topology, lengths, scoring, members, sets, threads, reader)
        self._steps, self._tables = steps, scoring
        self._step_items = scoring.step_items.astype(np.int32)
        self._items = scoring.items
        bounds = split(lengths, max(1, _CELLS // topology.width))
        sentences = members.sentences[self.order]
        self._parts = [
            cut_out(lengths, sentences, self._starts, first, last)
            for first, last in pairwise(bounds)
        ]

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z."""
        values = np.empty(len(self))
        for batch, text in self._texts(theta):
            self._steps.kernel.log_partition(*text, values[batch.members], self.threads)
        values, lost = self._found(values)
        if len(lost):
            values[lost] = self.written_out(lost).log_partition(theta)
        return values

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and each member's tag probabilities [tokens, tags]."""
        values = np.empty(len(self))
        probs = np.zeros((len(self._labels), self.topology.tags))
        for batch, text in self._texts(theta):
            found = probs[batch.labels]
            self._steps.kernel.marginals(*text, values[batch.members], found, self.threads)
        values, lost = self._found(values)
        several = self._by_member(probs)
        if len(lost):
            values[lost], others = self.written_out(lost).marginals(theta)
            _put(several, lost, others)
        return values, several

    def best(
        self, theta: FloatArray, choose: Choose = best_sequences
    ) -> tuple[FloatArray, list[IndexArray]]:
        """Return the score [members] and the tags [tokens] of each member's best sequence."""
        if choose is not best_sequences:
            return super().best(theta, choose)
        scores, tags = np.empty(len(self)), np.zeros_like(self._labels)
        for batch, text in self._texts(theta):
            self._steps.kernel.best(*text, scores[batch.members], tags[batch.labels], self.threads)
        scores, lost = self._found(scores)
        several = self._by_member(tags)
        if len(lost):
            scores[lost], others = self.written_out(lost).best(theta)
            _put(several, lost, others)
        return scores, several

    def with_sets(self, members: ChainMembers, sets: TagSets) -> SparseTrellis:
        """Return a trellis over the same sentences with other members, and their tag sets."""
        given = self.topology, self.lengths, self._tables, members, sets, self.threads
        return SparseTrellis(*given, self.reader, self._steps)

    def written_out(self, members: IntArray) -> Trellis:
        """Return some members with a score for each pair of tags at each token."""
        sets = [self.members.sets[member] for member in members.tolist()]
        chosen = ChainMembers(self.members.sentences[members], sets)
        given = self.topology, self.lengths, self._tables, chosen, self.sets, self.threads
        return Trellis(*given, self.reader)

    def _found(self, values: FloatArray) -> tuple[FloatArray, IntArray]:
        """Values in the order of the members, and those that are to be summed in logs."""
        ordered = self._in_order(values)
        return ordered, np.flatnonzero(np.isnan(ordered))

    def _texts(self, theta: FloatArray) -> Iterator[tuple[Batch, _Text]]:
        """Yield each part with the factors of its items, which depend on no θ."""
        checked_weights(theta, 0)
        with np.errstate(over="ignore"):
            factors = np.exp(self.sets.bias)
        first = 0
        for part in self._parts:
            yield part, self._text(part, slice(first, first + part.tokens), factors)
            first += part.tokens

    def _text(self, part: Batch, run: slice, factors: FloatArray) -> _Text:
        items = self._items[run]
        distinct, places = np.unique(items, return_inverse=True)
        last = np.zeros(len(part.sentence_offsets) - 1, np.int32)
        some = np.diff(part.sentence_offsets) > 0
        last[some] = items[part.sentence_offsets[1:][some] - 1]
        return _Text(
            part.sentence_offsets,
            self._step_items[run],
            last,
            places.reshape(-1).astype(np.int32),
            self._steps.emission(distinct),
            self._steps.rates(distinct),
            self.sets.offsets,
            self.sets.tags,
            factors,
            part.member_offsets,
            part.member_starts,
            self._labels[part.labels],
        )


def _put(several: list[Any], members: IntArray, others: Sequence[Any]) -> None:
    for member, each in zip(members.tolist(), others, strict=True):
        several[member] = each
