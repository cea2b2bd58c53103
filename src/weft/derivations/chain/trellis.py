"""Sums over the tag sequences of sentences, for chains of order 1 and 2, arcs implicit.

A sequence y of a sentence with m tokens, y₀ = y₋₁ = y_{m+1} the boundary, scores

    Σ_{j ≤ m} token[j, y_j] + pair[j, y_{j-1} y_j]  +  Σ_{j ≤ m+1} transition[y_{j-2} y_{j-1} y_j]

whatever these scores are made of; see :mod:`~weft.derivations.chain.scoring`.

Members that look at the same sentence, such as a numerator and its denominator, share its scores,
and their marginals are added up before they are turned into expectations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

from weft.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    ScalarT,
    offsets_of,
    ranges,
)
from weft.derivations.chain import sequences
from weft.derivations.chain.best import Paths, SequenceHits, rivals
from weft.derivations.chain.costs import charged_sets
from weft.derivations.chain.layout import (
    Batch,
    ChainArguments,
    ChainMembers,
    Choose,
    batch_tokens,
    best_sequences,
    cut_out,
    split,
)
from weft.derivations.chain.scoring import Scoring, StepScores, free_weights
from weft.derivations.chain.tagsets import TagSetReader, TagSets, join_tagsets, single_tags
from weft.derivations.chain.tokens import Tokens
from weft.derivations.chain.topology import Topology
from weft.derivations.derivation_set import Ranked
from weft.kernels import kernels
from weft.structures.evidence import Evidence, Sentence
from weft.structures.occurrences import of_tokens


class Trellis:
    """Members that are chains over sentences.

    Args:
        topology: The tags and tag n-grams.
        lengths: [sentences], tokens in each.
        scoring: How the tokens of all sentences, one after the other, are scored.
        members: The sums to make.
        sets: The tag sets that members refer to.
        threads: How many threads to use; no result depends on it.
        reader: What numbered these sets, for evidence of what was observed.
    """

    def __init__(
        self,
        topology: Topology,
        lengths: IntArray,
        scoring: Scoring,
        members: ChainMembers,
        sets: TagSets,
        threads: int = 1,
        reader: TagSetReader | None = None,
    ) -> None:
        self.topology = topology
        self.lengths = lengths
        self.scoring = scoring
        self.members = members
        self.sets = sets
        self.threads = threads
        self.reader = reader
        self._order = np.argsort(members.sentences, kind="stable")
        self._starts = offsets_of(len(members.sets[k]) for k in self._order)
        self._labels = self.flat(members.sets)
        sorted_sentences = members.sentences[self._order]
        bounds = split(lengths, batch_tokens(topology, scoring))
        self._batches = [
            cut_out(lengths, sorted_sentences, self._starts, first, last)
            for first, last in pairwise(bounds)
        ]
        tokens = offsets_of(batch.tokens for batch in self._batches)
        self.scores = scoring.over(tokens, threads)

    def __len__(self) -> int:
        return len(self.members.sentences)

    @property
    def order(self) -> IntArray:
        """[members]: the members in the order of their sentences, as the kernels have them."""
        return self._order

    @property
    def labels(self) -> tuple[IntArray, IndexArray]:
        """Where each member's tag sets begin [members], and all of them [tokens of members]."""
        return self._in_order(self._starts[:-1]), self._labels

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        values = np.empty(len(self))
        for _, batch, arguments in self.scored(self.scores.at(theta, once=True)):
            kernels.chain_log_partition(*arguments, values[batch.members], self.threads)
        return self._in_order(values)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        steps = self.scores.at(theta)
        expectations = steps.expectations()
        totals = np.zeros_like(steps.transitions)
        values = np.empty(len(self))
        weights = coefficients[self._order]
        for number, batch, arguments in self.scored(steps):
            kernels.chain_sweep(
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
        totals = np.zeros_like(steps.transitions)
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
            kernels.chain_sweep(
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

        Members that look at one sentence are swept over one after the other.
        """
        values = np.empty(len(self))
        probabilities = np.zeros((len(self._labels), self.topology.tags))
        sentences = self.members.sentences[self._order]
        turns = np.arange(len(self)) - np.searchsorted(sentences, sentences)
        for turn in range(int(turns.max(initial=-1)) + 1):
            for _, batch, arguments in self.scored(self.scores.at(theta, once=True)):
                mine = np.flatnonzero(turns[batch.members] == turn)
                found = np.zeros_like(arguments.emission)
                kernels.chain_sweep(
                    *arguments,
                    (turns[batch.members] == turn).astype(np.float64),
                    values[batch.members],
                    found,
                    self._no_pairs(arguments),
                    np.zeros_like(arguments.transitions),
                    self.threads,
                )
                owners = np.repeat(
                    np.arange(len(batch.member_offsets) - 1), np.diff(batch.member_offsets)
                )[mine]
                sizes = np.diff(batch.member_starts)[mine]
                rows = ranges(batch.sentence_offsets[owners], sizes)
                places = ranges(batch.member_starts[mine], sizes)
                probabilities[batch.labels][places] = found[rows, : self.topology.tags]
        return self._in_order(values), self._by_member(probabilities)

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over tag sequences, in nats."""
        values = np.empty(len(self))
        for _, batch, arguments in self.scored(self.scores.at(theta, once=True)):
            kernels.chain_entropy(*arguments, values[batch.members], self.threads)
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

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` tag sequences of each member, or all that there are."""
        return sequences.kbest(self, theta, count)

    def fewest(
        self,
        theta: FloatArray,
        allowed: Sequence[Evidence] | None = None,
        forbidden: BoolArray | None = None,
    ) -> list[IndexArray | None]:
        """Return the sequence of each member that breaks the fewest rules, and of these the best.

        Args:
            theta: The weights; a weight of -inf is a rule.
            allowed: The evidence of the tags that tokens should have, each of them a rule.
            forbidden: [tags + 1, tags + 1], the transitions that break a rule.
        """
        if allowed is None:
            return sequences.fewest(self, theta, None, forbidden)
        trellis, sets = self._reading(allowed)
        return sequences.fewest(trellis, theta, sets, forbidden)

    def stuck(self, theta: FloatArray, member: int) -> int:
        """The first token that no tag sequence of a member gets past; or else the last."""
        return sequences.stuck(self.select(np.array([member])), theta)

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[IndexArray]]:
        """Draw tag sequences of each member; none where it has none."""
        return sequences.sample(self, theta, rng, count)

    def charged(self, observed: Sequence[Evidence], cost: float) -> Trellis:
        """Return the same sequences, each tag that is not an observed one adding to the score."""
        trellis, sets = self._reading(observed)
        return trellis.with_sets(*charged_sets(trellis, sets, cost))

    def without(self, observed: Sequence[Evidence]) -> Paths:
        """Return the best sequence of each member with a tag that was not observed."""
        trellis, sets = self._reading(observed)
        return rivals(trellis, sets)

    def parts(self, observed: Sequence[Evidence]) -> Tokens:
        """Return the tokens with their observed tags."""
        return Tokens(*self._reading(observed))

    def hits(self, observed: Sequence[Evidence]) -> SequenceHits:
        """Return whether all tags of the best sequences are observed ones."""
        return SequenceHits(*self._reading(observed))

    def select(self, members: IntArray) -> Trellis:
        """Return a trellis of some members, in the order given."""
        sets = [self.members.sets[member] for member in members.tolist()]
        return self.with_sets(ChainMembers(self.members.sentences[members], sets), self.sets)

    def alone(self, member: int) -> Trellis:
        """Return one member of a trellis with free weights, over its sentence and no other."""
        sentence = int(self.members.sentences[member])
        free, length = free_weights(self.scoring), self.lengths[sentence : sentence + 1]
        tokens = int(self.lengths[:sentence].sum()) + np.arange(int(length[0]))
        return Trellis(
            self.topology,
            length,
            replace(free, occurrences=of_tokens(free.occurrences, tokens)),
            ChainMembers(np.zeros(1, np.int64), [self.members.sets[member]]),
            self.sets,
            1,
            self.reader,
        )

    def with_sets(self, members: ChainMembers, sets: TagSets) -> Trellis:
        """Return a trellis over the same sentences with other members, and their tag sets."""
        return Trellis(
            self.topology, self.lengths, self.scoring, members, sets, self.threads, self.reader
        )

    def _reading(self, observed: Sequence[Evidence]) -> tuple[Trellis, list[Sequence[int]]]:
        """A trellis that has the sets of observed tags, and the number of each token's set."""
        if self.reader is None:
            raise ValueError("this trellis was made without what reads labels")
        sets: list[Sequence[int]] = [
            self.reader.read(each.tokens.words, each.analysis)
            for each in observed
            if isinstance(each.tokens, Sentence)
        ]
        table = self.reader.table(self.topology.width)
        if np.array_equal(table.bias, self.sets.bias):
            return self, sets
        before = len(self.sets.bias)
        together = self.with_sets(self.members, join_tagsets(self.sets, table))
        return together, [[before + number for number in each] for each in sets]

    def flat(self, sets: Sequence[Sequence[int]]) -> IndexArray:
        """Lay out a tag set for each token of each member as the kernels take them."""
        chosen = chain.from_iterable(sets[k] for k in self._order)
        return np.fromiter(chosen, np.int32, int(self._starts[-1]))

    def scored(self, steps: StepScores) -> Iterator[tuple[int, Batch, ChainArguments]]:
        """Yield each batch with its scores; those of the batch before are then gone."""
        cells = steps.cells
        few = (None, None) if cells is None else (cells.offsets, cells.columns)
        for number, batch in enumerate(self._batches):
            arguments = ChainArguments(
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
                *few,
            )
            yield number, batch, arguments

    def _no_pairs(self, arguments: ChainArguments) -> FloatArray | None:
        """Zeros for pair marginals, where there are pair scores."""
        if arguments.pair is None or self.scoring.tripled:
            return None
        return np.zeros_like(arguments.pair)

    def _in_order(self, values: npt.NDArray[ScalarT]) -> npt.NDArray[ScalarT]:
        """Undo the order of the sentences: one value per member, as the members were given."""
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
