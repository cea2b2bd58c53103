"""Log-linear weights that are normalised step by step.

*Jointly*, each step is a distribution over the next tag (or the end) and its word, given the tags
before: a hidden Markov model whose parameters may share features,

    p(y | k) p(w | k, y),   p(y | k) ∝ exp θ[k, y],   p(w | k, y) ∝ exp Σ_a (θ[a, y] + θ[a, k y]).

*Conditionally*, each step is a distribution over the next tag, given the tags before and the
sentence: a maximum entropy Markov model. Both are chains as any other once their normalisers are
charged to what determines them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of
from weft.derivations.chain.scoring import (
    Expectations,
    LogLinear,
    LogLinearScores,
    LogLinearSteps,
)
from weft.derivations.chain.tagsets import TagSets
from weft.derivations.chain.topology import Topology
from weft.derivations.chain.vocabulary import Vocabulary, WordSums
from weft.kernels import kernels


@dataclass(frozen=True, slots=True, eq=False)
class JointlyNormalised:
    """Steps that are distributions over tag and word.

    Attributes:
        free: The weights, before they are normalised.
        vocabulary: The words.
    """

    free: LogLinear
    vocabulary: Vocabulary

    tripled = False

    @property
    def paired(self) -> bool:
        """Whether there are weights of pairs."""
        return self.free.paired

    def over(self, bounds: IntArray, threads: int) -> JointScores:
        """Compile the rows for repeated evaluation."""
        return JointScores(self.free.over(bounds, threads), self.vocabulary)


@dataclass(frozen=True, slots=True, eq=False)
class JointScores:
    """Scores of tokens in batches."""

    free: LogLinearScores
    vocabulary: Vocabulary

    def at(self, theta: FloatArray, *, once: bool = False) -> JointSteps:
        """Return the scores at one θ."""
        free = self.free.at(theta, once=once)
        if once:
            return JointSteps(free, self.vocabulary.totals_at(theta))
        words = self.vocabulary.at(theta)
        return JointSteps(free, words.totals, words)


class JointSteps:
    """Scores at one θ: normalisers are part of the transitions.

    Args:
        free: The scores before they are normalised.
        totals: [width or 1, width], the log-sums over the vocabulary.
        words: What is expected of them; None where nothing is asked that needs it.
    """

    def __init__(
        self, free: LogLinearSteps, totals: FloatArray, words: WordSums | None = None
    ) -> None:
        self.free = free
        self.words = words
        self.cells = None  # every step has a normaliser
        weights = step_weights(free.scores.topology, free.transitions, totals)
        self.shares = log_shares(weights)
        self.transitions = charge_steps(free.scores.topology, self.shares, totals)

    def tokens(self, batch: int) -> tuple[FloatArray, FloatArray | None]:
        """The scores of a batch's tokens, until the next batch's are asked for."""
        return self.free.tokens(batch)

    def expectations(self) -> JointExpectations:
        """Return what gathers the expectations at this θ, from zero."""
        return JointExpectations(self)


class JointExpectations:
    """Expectations of the free weights, less those of their normalisers.

    Args:
        steps: The scores that they belong to.
    """

    def __init__(self, steps: JointSteps) -> None:
        self._steps = steps
        self._free = steps.free.expectations()
        self.marginals = self._free.marginals
        self.collect = self._free.collect

    def finish(self, transitions: FloatArray) -> FloatArray:
        """Return the gradient [θ], given how often transitions are expected."""
        topology = self._steps.free.scores.topology
        expected = np.exp(self._steps.shares) * transitions.sum(axis=2, keepdims=True)
        visits = topology.within(transitions)
        gradient = self._free.finish(transitions)
        assert self._steps.words is not None  # noqa: S101
        return gradient - self._steps.words.expect(visits, expected)


def step_weights(topology: Topology, transitions: FloatArray, totals: FloatArray) -> FloatArray:
    """[groups, width, width]: transitions but those to tags without words, or to no word at all."""
    boundary = topology.tags
    wordless = np.where(np.isneginf(totals), -np.inf, 0.0)
    wordless[:, boundary:] = 0.0
    weights = transitions + (wordless[None] if topology.order == 1 else wordless[:, None, :])
    if topology.order == 1:
        weights[0, boundary, boundary] = -np.inf
    else:
        weights[boundary, :, boundary] = -np.inf
    return weights


def log_shares(weights: FloatArray) -> FloatArray:
    """The same less the log-sum of each row; rows without weight stay so."""
    totals = np.logaddexp.reduce(weights, axis=2, keepdims=True)
    return weights - np.where(np.isneginf(totals), 0.0, totals)


def charge_steps(topology: Topology, shares: FloatArray, totals: FloatArray) -> FloatArray:
    """Charge each step within a sentence the log-sum of all words there."""
    words = np.where(np.isneginf(totals), 0.0, totals)
    words[:, topology.tags :] = 0.0
    if topology.order == 1:
        return shares - words[None]
    return shares - words[:, None, :]


@dataclass(frozen=True, slots=True, eq=False)
class ConditionallyNormalised:
    """Steps that are distributions over the next tag, given the sentence.

    Attributes:
        free: The weights, before they are normalised.
        lengths: [sentences], tokens in each.
        sets: The tag sets that the next two refer to.
        needed: [tokens], the set of tags from which steps on are taken.
        allowed: [tokens], the set of tags that a token may have at all.
    """

    free: LogLinear
    lengths: IntArray
    sets: TagSets
    needed: IndexArray
    allowed: IndexArray

    tripled = False

    @property
    def paired(self) -> bool:
        """Whether there are scores of pairs; order 2 always has some."""
        return self.free.paired or self.free.topology.order == 2

    def over(self, bounds: IntArray, threads: int) -> ConditionalScores:
        """Compile the rows for repeated evaluation."""
        ends = offsets_of(self.lengths)
        offsets = [
            ends[np.searchsorted(ends, first) : np.searchsorted(ends, last) + 1] - first
            for first, last in pairwise(bounds)
        ]
        return ConditionalScores(self, self.free.over(bounds, threads), bounds, offsets, threads)


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalScores:
    """Scores of tokens in batches, and where the sentences of each batch begin."""

    scoring: ConditionallyNormalised
    free: LogLinearScores
    bounds: IntArray
    sentence_offsets: list[IntArray]
    threads: int

    def at(self, theta: FloatArray, *, once: bool = False) -> ConditionalSteps:
        """Return the scores at one θ."""
        return ConditionalSteps(self, self.free.at(theta, once=once))


class _Arguments(NamedTuple):
    """What the kernels of chains that are normalised conditionally begin with."""

    order: int
    tags: int
    transitions: FloatArray
    sentence_offsets: IntArray
    emission: FloatArray
    pair: FloatArray | None
    set_offsets: IntArray
    set_tags: IndexArray
    set_bias: FloatArray
    needed: IndexArray
    allowed: IndexArray


class ConditionalSteps:
    """Scores at one θ: the normaliser of a step is charged to the token before.

    Args:
        scores: The compiled rows.
        free: The scores before they are normalised.
    """

    def __init__(self, scores: ConditionalScores, free: LogLinearSteps) -> None:
        self._scores = scores
        self.free = free
        boundary = free.scores.topology.tags
        self.transitions = free.transitions
        self.cells = None if scores.scoring.paired else free.cells
        # The end is certain where the sentence ends.
        ends = self.transitions[:, :, boundary]
        ends[np.isfinite(ends)] = 0.0
        self._batch: tuple[FloatArray, FloatArray | None] | None = None

    def tokens(self, batch: int) -> tuple[FloatArray, FloatArray | None]:
        """The scores of a batch's tokens, until the next batch's are asked for."""
        emission, pair = self._batch = self.free.tokens(batch)
        charged_pair = None if pair is None else pair.copy()
        if charged_pair is None and self._scores.scoring.paired:
            charged_pair = np.zeros((len(emission), emission.shape[1] ** 2))
        charged_emission = emission.copy()
        kernels.chain_charge(
            *self._arguments(batch), charged_emission, charged_pair, self._scores.threads
        )
        return charged_emission, charged_pair

    def _arguments(self, batch: int) -> _Arguments:
        scores, scoring, topology = self._scores, self._scores.scoring, self.free.scores.topology
        if self._batch is None:
            raise ValueError("expectations of a batch need its scores")
        emission, pair = self._batch
        run = slice(scores.bounds[batch], scores.bounds[batch + 1])
        return _Arguments(
            topology.order,
            topology.tags,
            self.transitions,
            scores.sentence_offsets[batch],
            emission,
            pair,
            scoring.sets.offsets,
            scoring.sets.tags,
            scoring.sets.bias,
            scoring.needed[run],
            scoring.allowed[run],
        )

    def discharge(
        self, batch: int, marginals: FloatArray, pairs: FloatArray | None, totals: FloatArray
    ) -> None:
        """Take from marginals what the normalisers of the last batch are expected to be."""
        kernels.chain_discharge(
            *self._arguments(batch), marginals, pairs, totals, self._scores.threads
        )

    def expectations(self) -> Expectations:
        """Return what gathers the expectations at this θ, from zero."""
        return ConditionalExpectations(self)


class ConditionalExpectations:
    """Expectations of the free weights, less those of their normalisers.

    Args:
        steps: The scores that they belong to.
    """

    def __init__(self, steps: ConditionalSteps) -> None:
        self._steps = steps
        self._free = steps.free.expectations()
        self._taken = np.zeros_like(steps.transitions)
        self._batch: tuple[FloatArray, FloatArray | None] | None = None

    def marginals(self, batch: int) -> tuple[FloatArray, FloatArray | None]:
        """Zeros to be filled with a batch's marginals."""
        tags, pairs = self._free.marginals(batch)
        if pairs is None and self._steps.free.scores.topology.order == 2:
            pairs = np.zeros((len(tags), tags.shape[1] ** 2))
        self._batch = tags, pairs
        return self._batch

    def collect(self, batch: int) -> None:
        """Add the expectations of the batch whose marginals have been filled in."""
        if self._batch is None:
            raise ValueError("a batch's marginals are filled in before they are collected")
        self._steps.discharge(batch, *self._batch, self._taken)
        self._free.collect(batch)

    def finish(self, transitions: FloatArray) -> FloatArray:
        """Return the gradient [θ], given how often transitions are expected."""
        totals = transitions + self._taken
        totals[:, :, self._steps.free.scores.topology.tags] = 0.0  # the end has no weight
        return self._free.finish(totals)
