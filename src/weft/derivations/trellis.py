"""Sums over the tag sequences of sentences, for chains of order 1 and 2, arcs implicit.

A sequence y of a sentence with m tokens, y₀ = y₋₁ = y_{m+1} the boundary, scores

    Σ_{j ≤ m} token[j, y_j] + pair[j, y_{j-1} y_j]  +  Σ_{j ≤ m+1} transition[y_{j-2} y_{j-1} y_j]

whatever these scores are made of; see :mod:`~weft.derivations.scoring`.

Members that look at the same sentence, such as a numerator and its denominator, share its scores,
and their marginals are added up before they are turned into expectations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weft import _native
from weft.arrays import FloatArray, IndexArray, IntArray, ScalarT, offsets_of
from weft.derivations.scoring import Scoring, StepScores
from weft.derivations.tagsets import TagSets
from weft.derivations.topology import Topology

_BATCH_TOKENS = 32_768
_PAIR_BYTES = 64 * 2**20  # for one batch's pair scores


@dataclass(frozen=True, slots=True)
class Members:
    """Which sentence each member sums over, and the tags that it allows there.

    Attributes:
        sentences: [members].
        sets: For each member the number of each token's tag set.
    """

    sentences: IntArray
    sets: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Consecutive sentences with their members, counted from 0 within the batch."""

    tokens: int
    members: slice  # of the members in the order of their sentences
    labels: slice  # of those members' tag sets
    sentence_offsets: IntArray
    member_offsets: IntArray
    member_starts: IntArray


class _Arguments(NamedTuple):
    """What every kernel of a chain begins with."""

    order: int
    tags: int
    transitions: FloatArray
    sentence_offsets: IntArray
    emission: FloatArray
    pair: FloatArray | None
    set_offsets: IntArray
    set_tags: IndexArray
    set_bias: FloatArray
    member_offsets: IntArray
    member_starts: IntArray
    member_sets: IndexArray


class Trellis:
    """Members that are chains over sentences.

    Args:
        topology: The tags and tag n-grams.
        lengths: [sentences], tokens in each.
        scoring: How the tokens of all sentences, one after the other, are scored.
        members: The sums to make.
        sets: The tag sets that members refer to.
        threads: How many threads to use; no result depends on it.
    """

    def __init__(
        self,
        topology: Topology,
        lengths: IntArray,
        scoring: Scoring,
        members: Members,
        sets: TagSets,
        threads: int = 1,
    ) -> None:
        self.topology = topology
        self.lengths = lengths
        self.scoring = scoring
        self.members = members
        self.sets = sets
        self._threads = threads
        self._order = np.argsort(members.sentences, kind="stable")
        chosen = [members.sets[k] for k in self._order]
        self._starts = offsets_of(map(len, chosen))
        self._labels = np.fromiter(chain.from_iterable(chosen), np.int32, int(self._starts[-1]))
        sorted_sentences = members.sentences[self._order]
        bounds = _split(lengths, _batch_tokens(topology, scoring))
        self._batches = [
            _batch(lengths, sorted_sentences, self._starts, first, last)
            for first, last in pairwise(bounds)
        ]
        tokens = offsets_of(batch.tokens for batch in self._batches)
        self._scores = scoring.over(tokens, threads)

    def __len__(self) -> int:
        return len(self.members.sentences)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        values = np.empty(len(self))
        for _, batch, arguments in self._scored(self._scores.at(theta, once=True)):
            _native.chain_log_partition(*arguments, values[batch.members], self._threads)
        return self._in_order(values)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        steps = self._scores.at(theta)
        expectations = steps.expectations()
        totals = np.zeros_like(self.topology.base)
        values = np.empty(len(self))
        weights = coefficients[self._order]
        for number, batch, arguments in self._scored(steps):
            _native.chain_sweep(
                *arguments,
                weights[batch.members],
                values[batch.members],
                *expectations.marginals(number),
                totals,
                self._threads,
            )
            expectations.collect(number)
        return self._in_order(values), expectations.finish(totals)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[IndexArray]]:
        """Return the score [members] and the tags [tokens] of each member's best sequence.

        Where a member has no derivation its score is -inf and its tags are meaningless.
        """
        scores = np.empty(len(self))
        tags = np.zeros_like(self._labels)
        for _, batch, arguments in self._scored(self._scores.at(theta, once=True)):
            _native.chain_viterbi(
                *arguments, scores[batch.members], tags[batch.labels], self._threads
            )
        return self._in_order(scores), self._by_member(tags)

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and each member's tag probabilities [tokens, tags].

        Raises:
            ValueError: If two members look at one sentence: their marginals are never kept apart.
        """
        if len(self) != len(self.lengths) or len(np.unique(self.members.sentences)) != len(self):
            raise ValueError("marginals need exactly one member a sentence")
        values = np.empty(len(self))
        probabilities = np.zeros((len(self._labels), self.topology.width))
        totals = np.zeros_like(self.topology.base)
        for _, batch, arguments in self._scored(self._scores.at(theta, once=True)):
            _native.chain_sweep(
                *arguments,
                np.ones(len(values[batch.members])),
                values[batch.members],
                probabilities[batch.labels],
                None if arguments.pair is None else np.zeros_like(arguments.pair),
                totals,
                self._threads,
            )
        return self._in_order(values), self._by_member(probabilities[:, : self.topology.tags])

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over tag sequences, in nats."""
        values = np.empty(len(self))
        for _, batch, arguments in self._scored(self._scores.at(theta, once=True)):
            _native.chain_entropy(*arguments, values[batch.members], self._threads)
        return self._in_order(values)

    def impossible(self, member: int) -> int | None:
        """The first token that no tag sequence of a member gets past; None if there is none."""
        forbidden, boundary = self.topology.forbidden, self.topology.tags
        before = [boundary]
        # Order 2 forbids pairs of tags only, so that the last tag is all there is to know.
        for position, number in enumerate([*self.members.sets[member], None]):
            allowed = [boundary] if number is None else self.sets[number]
            before = [y for y in allowed if any(not forbidden[k, y] for k in before)]
            if not before:
                return min(position, len(self.members.sets[member]) - 1)
        return None

    def _scored(self, steps: StepScores) -> Iterator[tuple[int, _Batch, _Arguments]]:
        """Yield each batch with its scores; those of the batch before are then gone."""
        for number, batch in enumerate(self._batches):
            arguments = _Arguments(
                self.topology.order,
                self.topology.tags,
                steps.transitions,
                batch.sentence_offsets,
                *steps.tokens(number),
                self.sets.offsets,
                self.sets.tags,
                self.sets.bias,
                batch.member_offsets,
                batch.member_starts,
                self._labels[batch.labels],
            )
            yield number, batch, arguments

    def _in_order(self, values: FloatArray) -> FloatArray:
        """Undo the order of the sentences: one value a member, as the members were given."""
        ordered = np.empty_like(values)
        ordered[self._order] = values
        return ordered

    def _by_member(self, rows: npt.NDArray[ScalarT]) -> list[npt.NDArray[ScalarT]]:
        """Split what belongs to the members' tokens, in the order the members were given."""
        parts = np.split(rows, self._starts[1:-1])
        ordered = [parts[0]] * len(self)
        for part, member in zip(parts, self._order.tolist(), strict=False):
            ordered[member] = part
        return ordered


def _batch_tokens(topology: Topology, scoring: Scoring) -> int:
    """How many tokens a batch may have; fixed by the model, so that sums have a fixed order."""
    if not scoring.paired:
        return _BATCH_TOKENS
    return max(1, min(_BATCH_TOKENS, _PAIR_BYTES // (8 * topology.width**2)))


def _split(lengths: IntArray, most: int) -> list[int]:
    """Where to cut a sequence of sentences so that no batch has more than so many tokens.

    >>> _split(np.array([3, 3, 3, 9, 1]), 6)
    [0, 2, 3, 4, 5]
    """
    bounds, tokens = [0], 0
    for sentence, length in enumerate(lengths.tolist()):
        if tokens and tokens + length > most:
            bounds.append(sentence)
            tokens = 0
        tokens += length
    return [*bounds, len(lengths)]


def _batch(
    lengths: IntArray, sorted_sentences: IntArray, starts: IntArray, first: int, last: int
) -> _Batch:
    """Cut out the sentences ``first … last - 1`` and the members that look at them."""
    members = np.searchsorted(sorted_sentences, np.arange(first, last + 1)).astype(np.int64)
    begin, end = int(members[0]), int(members[-1])
    labels = slice(int(starts[begin]), int(starts[end]))
    return _Batch(
        tokens=int(lengths[first:last].sum()),
        members=slice(begin, end),
        labels=labels,
        sentence_offsets=offsets_of(lengths[first:last]),
        member_offsets=members - begin,
        member_starts=starts[begin : end + 1] - labels.start,
    )
