"""Sums over the tag sequences of sentences, for chains of order 1 and 2, arcs implicit.

A sequence y of a sentence with m tokens, y₀ = y₋₁ = y_{m+1} the boundary, scores

    Σ_{j ≤ m} token[j, y_j] + pair[j, y_{j-1} y_j]  +  Σ_{j ≤ m+1} transition[y_{j-2} y_{j-1} y_j]

whatever these scores are made of; see :mod:`~weft.derivations.scoring`.

Members that look at the same sentence, such as a numerator and its denominator, share its scores,
and their marginals are added up before they are turned into expectations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weft import _native
from weft.arrays import FloatArray, IndexArray, IntArray, ScalarT, offsets_of
from weft.derivations.scoring import Scoring, StepScores
from weft.derivations.tagsets import TagSets, single_tags
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
class Batch:
    """Consecutive sentences with their members, counted from 0 within the batch."""

    tokens: int
    members: slice  # of the members in the order of their sentences
    labels: slice  # of those members' tag sets
    sentence_offsets: IntArray
    member_offsets: IntArray
    member_starts: IntArray


class Arguments(NamedTuple):
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


Choose = Callable[[Arguments, slice, FloatArray, IndexArray, int], None]
"""Writes the score and the tags of a sequence of each member of a batch, given which of all
members' tokens are the batch's, with so many threads."""


def best_sequences(
    arguments: Arguments,
    tokens: slice,  # noqa: ARG001
    scores: FloatArray,
    tags: IndexArray,
    threads: int,
) -> None:
    """Choose the best sequence of each member: Viterbi."""
    _native.chain_viterbi(*arguments, scores, tags, threads)


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
        self.threads = threads
        self._order = np.argsort(members.sentences, kind="stable")
        self._starts = offsets_of(len(members.sets[k]) for k in self._order)
        self._labels = self.flat(members.sets)
        sorted_sentences = members.sentences[self._order]
        bounds = _split(lengths, _batch_tokens(topology, scoring))
        self._batches = [
            _batch(lengths, sorted_sentences, self._starts, first, last)
            for first, last in pairwise(bounds)
        ]
        tokens = offsets_of(batch.tokens for batch in self._batches)
        self.scores = scoring.over(tokens, threads)

    def __len__(self) -> int:
        return len(self.members.sentences)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        values = np.empty(len(self))
        for _, batch, arguments in self.scored(self.scores.at(theta, once=True)):
            _native.chain_log_partition(*arguments, values[batch.members], self.threads)
        return self._in_order(values)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        steps = self.scores.at(theta)
        expectations = steps.expectations()
        totals = np.zeros_like(self.topology.base)
        values = np.empty(len(self))
        weights = coefficients[self._order]
        for number, batch, arguments in self.scored(steps):
            _native.chain_sweep(
                *arguments,
                weights[batch.members],
                values[batch.members],
                *expectations.marginals(number),
                totals,
                self.threads,
            )
            expectations.collect(number)
        return self._in_order(values), expectations.finish(totals)

    def best(
        self, theta: FloatArray, choose: Choose = best_sequences
    ) -> tuple[FloatArray, list[IndexArray]]:
        """Return the score [members] and the tags [tokens] of each member's best sequence.

        Where a member has no derivation its score is -inf and its tags are meaningless.

        Args:
            theta: The weights.
            choose: How a sequence is chosen, if not as the best of all.
        """
        scores = np.empty(len(self))
        tags = np.zeros_like(self._labels)
        for _, batch, arguments in self.scored(self.scores.at(theta, once=True)):
            chosen = tags[batch.labels]
            choose(arguments, batch.labels, scores[batch.members], chosen, self.threads)
        return self._in_order(scores), self._by_member(tags)

    def follow(
        self, theta: FloatArray, coefficients: FloatArray, choose: Choose = best_sequences
    ) -> tuple[FloatArray, FloatArray]:
        """Return the score [members] of each member's best sequence, and Σ_k c_k f_k [θ] of these.

        A sequence is swept over like a member that allows it alone.

        Args:
            theta: The weights.
            coefficients: [members].
            choose: How a sequence is chosen, if not as the best of all.
        """
        steps = self.scores.at(theta)
        expectations = steps.expectations()
        totals = np.zeros_like(self.topology.base)
        scores = np.empty(len(self))
        tags = np.zeros_like(self._labels)
        weights = coefficients[self._order]
        single = single_tags(self.topology.tags, self.topology.width)
        for number, batch, arguments in self.scored(steps):
            found, chosen = scores[batch.members], tags[batch.labels]
            choose(arguments, batch.labels, found, chosen, self.threads)
            path = arguments._replace(
                set_offsets=single.offsets,
                set_tags=single.tags,
                set_bias=single.bias,
                member_sets=chosen,
            )
            _native.chain_sweep(
                *path,
                np.where(np.isneginf(found), 0.0, weights[batch.members]),
                np.empty_like(found),
                *expectations.marginals(number),
                totals,
                self.threads,
            )
            expectations.collect(number)
        return self._in_order(scores), expectations.finish(totals)

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
        for _, batch, arguments in self.scored(self.scores.at(theta, once=True)):
            _native.chain_sweep(
                *arguments,
                np.ones(len(values[batch.members])),
                values[batch.members],
                probabilities[batch.labels],
                None if arguments.pair is None else np.zeros_like(arguments.pair),
                totals,
                self.threads,
            )
        return self._in_order(values), self._by_member(probabilities[:, : self.topology.tags])

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over tag sequences, in nats."""
        values = np.empty(len(self))
        for _, batch, arguments in self.scored(self.scores.at(theta, once=True)):
            _native.chain_entropy(*arguments, values[batch.members], self.threads)
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

    def select(self, members: IntArray) -> Trellis:
        """Return a trellis of some members, in the order given."""
        sets = [self.members.sets[member] for member in members.tolist()]
        chosen = Members(self.members.sentences[members], sets)
        return Trellis(self.topology, self.lengths, self.scoring, chosen, self.sets, self.threads)

    def flat(self, sets: Sequence[Sequence[int]]) -> IndexArray:
        """Lay out a tag set for each token of each member as the kernels take them."""
        chosen = chain.from_iterable(sets[k] for k in self._order)
        return np.fromiter(chosen, np.int32, int(self._starts[-1]))

    def scored(self, steps: StepScores) -> Iterator[tuple[int, Batch, Arguments]]:
        """Yield each batch with its scores; those of the batch before are then gone."""
        for number, batch in enumerate(self._batches):
            arguments = Arguments(
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
) -> Batch:
    """Cut out the sentences ``first … last - 1`` and the members that look at them."""
    members = np.searchsorted(sorted_sentences, np.arange(first, last + 1)).astype(np.int64)
    begin, end = int(members[0]), int(members[-1])
    labels = slice(int(starts[begin]), int(starts[end]))
    return Batch(
        tokens=int(lengths[first:last].sum()),
        members=slice(begin, end),
        labels=labels,
        sentence_offsets=offsets_of(lengths[first:last]),
        member_offsets=members - begin,
        member_starts=starts[begin : end + 1] - labels.start,
    )
