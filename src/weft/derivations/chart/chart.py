"""Charts: sums over all trees of a grammar over a sentence or a lattice, items implicit.

    Z = Σ_{trees τ over the sentence} exp Σ_{rules r of τ} θ_r,    E[f_r] = ∂ log Z / ∂θ_r.

Grammars are taken as they are: right sides of any length, terminals among them, empty and unary
expansions and their cycles, which are summed exactly, in values and in expectations. What is kept
of a sentence grows with the square of its length, times the nonterminals; time with its cube.

Reference: Lari and Young (1990), "The estimation of stochastic context-free grammars using the
inside-outside algorithm", Computer Speech and Language 4(1); Goodman (1999), "Semiring parsing",
Computational Linguistics 25(4).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weft.arrays import LARGEST_WEIGHT, BoolArray, FloatArray, IndexArray, IntArray, checked_weights
from weft.derivations.chart.empties import best_trees, ranked_empties
from weft.derivations.chart.grammar import ChartGrammar, chart_grammar, unary_cycles
from weft.derivations.chart.limits import Flags
from weft.derivations.chart.members import chart_members
from weft.derivations.chart.trees import best_empty, random_empty, trees_of
from weft.derivations.chart.weights import (
    EdgeWeights,
    best_edge_weights,
    edge_weights,
    empty_rules,
    empty_scores,
    fewest_edge_weights,
    rule_expectations,
    scores_of_edges,
)
from weft.derivations.threads import thread_count
from weft.errors import DivergenceError, LimitError
from weft.grammars.sums.partition import shown_cycle
from weft.kernels import kernels
from weft.structures.evidence import Evidence
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree

_LARGEST_SCORE = 100 * LARGEST_WEIGHT  # several features of a phrase add up

MEMORY = 2**30
"""How many bytes the chart of one sentence may take, if nothing is said."""


class ChartSums(NamedTuple):
    """What a sweep over charts gives.

    Attributes:
        values: log Z of each member. [members]
        rules: Σ_k c_k E_k[uses of each rule]. [rules]
        spans: The probability that a nonterminal spans, once for every time; the members' spans
            one after the other. [spans, nonterminals]
    """

    values: FloatArray
    rules: FloatArray
    spans: FloatArray


class Chart:
    """Members that are all trees of a grammar over a sentence or a lattice.

    θ are the log-weights of the grammar's rules.

    >>> from weft.structures.evidence import sentence
    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> rules = [Rule("S", ("S", "S")), Rule("S", (Terminal("a"),))]
    >>> chart = Chart(grammar(rules), [Evidence(sentence(["a", "a", "a"]))])
    >>> np.exp(chart.log_partition(np.zeros(2))).round(12)  # two trees
    array([2.])

    Args:
        grammar: The rules; its own weights do not matter.
        evidences: Sentences or lattices, with what is known of their trees.
        threads: How many threads to use; no result depends on it.
        beam: Within each cell, what weighs less than the best by more than this factor's logarithm
            is dropped, nonterminals and beginnings of right sides apart; None drops nothing.
        allowed: Whether each nonterminal may span; None where all may. [spans, nonterminals]
        memory: How many bytes the chart of one member may take; each thread has one at a time.
    """

    def __init__(
        self,
        grammar: Grammar | ChartGrammar,
        evidences: Sequence[Evidence],
        threads: int | None = None,
        *,
        beam: float | None = None,
        allowed: Flags | None = None,
        memory: int = MEMORY,
    ) -> None:
        self.rules = grammar if isinstance(grammar, ChartGrammar) else chart_grammar(grammar)
        self.evidences = tuple(evidences)
        self.members = chart_members(self.rules, self.evidences)
        self._allowed = _both(self.members.limits.allowed, allowed)
        shape = int(self.span_offsets[-1]), len(self.grammar.nonterminals)
        if allowed is not None and allowed.shape != shape:
            raise ValueError(f"there are {shape} spans and nonterminals, not {allowed.shape}")
        self.threads = thread_count(threads)
        self._beam = -np.inf if beam is None else -abs(beam)
        self._memory = float(memory)
        self.empty = empty_rules(self.rules.grammar)

    def __len__(self) -> int:
        return len(self.members.states)

    @property
    def grammar(self) -> Grammar:
        """The rules."""
        return self.rules.grammar

    @property
    def span_offsets(self) -> IntArray:
        """[members + 1]: where the spans of each member begin, and where the last ends.

        :func:`~weft.derivations.chart.members.spans_of` has the spans of one.
        """
        return self.members.span_offsets

    def log_partition(self, theta: FloatArray, spans: FloatArray | None = None) -> FloatArray:
        """[members]: log Z; -inf where a member has no tree, +inf where the sum diverges.

        Args:
            theta: The log-weights of rules. [rules]
            spans: Scores that are added wherever a nonterminal spans. [spans, nonterminals]
        """
        values = np.full(len(self), np.inf)
        try:
            weights = self._weights(theta)
        except DivergenceError:
            return values
        arguments = self.arguments(weights.edges, spans)
        if not kernels.chart_log_partition(*arguments, values, self.threads):
            values.fill(np.inf)
        self.refuse_large(values)
        return values

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [rules], in one sweep; 0 for what diverges."""
        values, rules, _ = self._sweep(theta, coefficients, None, marginals=False)
        return values, rules

    def sweep(
        self, theta: FloatArray, coefficients: FloatArray, spans: FloatArray | None = None
    ) -> ChartSums:
        """Return log Z, the expectations of rules, and the marginals of spans.

        Args:
            theta: The log-weights of rules. [rules]
            coefficients: [members]; marginals are not multiplied by them.
            spans: Scores that are added wherever a nonterminal spans. [spans, nonterminals]
        """
        return self._sweep(theta, coefficients, spans, marginals=True)

    def _sweep(
        self,
        theta: FloatArray,
        coefficients: FloatArray,
        spans: FloatArray | None,
        *,
        marginals: bool,
    ) -> ChartSums:
        values = np.full(len(self), np.inf)
        shape = (int(self.span_offsets[-1]) if marginals else 0, len(self.grammar.nonterminals))
        if 8 * shape[0] * shape[1] > self._memory:  # before there is room for marginals
            self.refuse_large(np.where(self.fits(), 0.0, np.nan))
        found = np.zeros(shape)
        try:
            weights = self._weights(theta)
        except DivergenceError:
            return ChartSums(values, np.zeros(self.grammar.rule_count), found)
        totals = np.zeros(self.rules.edge_count)
        finite = kernels.chart_sweep(
            *self.arguments(weights.edges, spans),
            np.ascontiguousarray(coefficients, np.float64),
            values,
            totals,
            found if marginals else None,
            self.threads,
        )
        if not finite:
            values.fill(np.inf)
        self.refuse_large(values)
        return ChartSums(values, rule_expectations(self.rules, weights, totals), found)

    def alone(self, member: int) -> Chart:
        """Return a chart of one member."""
        first, last = self.span_offsets[member : member + 2].tolist()
        allowed = None if self._allowed is None else self._allowed[first:last]
        return Chart(self.rules, [self.evidences[member]], self.threads, allowed=allowed)

    def best(
        self, theta: FloatArray, spans: FloatArray | None = None
    ) -> tuple[FloatArray, list[Tree | None]]:
        """Return the best score [members] and the best tree of each member.

        Of equally good trees it is always the same one. A member without trees has the score -inf
        and None.

        Raises:
            DivergenceError: If there is no best tree, because a cycle gains weight.
        """
        values, trees = self.best_where_any(theta, spans)
        if np.isposinf(values).any():
            raise self._divergence(values)
        return values, trees

    def best_where_any(
        self, theta: FloatArray, spans: FloatArray | None = None
    ) -> tuple[FloatArray, list[Tree | None]]:
        """Return the same, with +inf and None for members in which a cycle gains weight."""
        weights = best_edge_weights(self.rules, self.empty, self._checked(theta))
        values = np.zeros(len(self))
        found = kernels.chart_best(*self.arguments(weights.edges, spans), values, self.threads)
        self.refuse_large(values)
        if found is None:
            return np.full(len(self), np.inf), [None] * len(self)
        return values, trees_of(self.rules, *found, best_empty(weights))

    def fewest(
        self,
        broken: FloatArray,
        theta: FloatArray,
        span_broken: FloatArray | None = None,
        spans: FloatArray | None = None,
    ) -> list[Tree | None]:
        """Return the tree of each member that breaks the fewest rules, and of these the best.

        Args:
            broken: How many rules each rule of the grammar breaks, as a number up to 0. [rules]
            theta: The log-weights of the rules. [rules]
            span_broken: How many rules labels over spans break, likewise. [spans, nonterminals]
            spans: The scores of labels over spans; None where there are none, as above.

        Raises:
            DivergenceError: If there is no best tree, because a cycle gains weight.
        """
        counts, weights = fewest_edge_weights(self.rules, self.empty, broken, self._checked(theta))
        values = np.zeros(len(self))
        found = kernels.chart_fewest(
            *self.arguments(weights.edges, spans), counts, span_broken, values, self.threads
        )
        self.refuse_large(values)
        if found is None or np.isposinf(values).any():
            raise self._divergence(values)
        return trees_of(self.rules, *found, best_empty(weights))

    def kbest(
        self, theta: FloatArray, count: int, spans: FloatArray | None = None
    ) -> list[list[tuple[float, Tree]]]:
        """Return the best ``count`` trees of each member with their scores, best ones first.

        Where there are infinitely many trees, by a cycle of expansions, these are the best of them.

        Raises:
            DivergenceError: If there are no best trees, because a cycle does not lose weight.
            LimitError: If a chart would take too much memory.
        """
        if spans is not None:
            self.best(theta, spans)  # which knows of cycles that gain by scores of spans
        weights = best_edge_weights(self.rules, self.empty, self._checked(theta))
        found = kernels.chart_kbest(*self.arguments(weights.edges, spans), count, self.threads)
        if found is None:
            raise self._divergence(np.full(len(self), np.inf))
        bounds, scores, edges = found
        for member in np.flatnonzero(np.diff(bounds)).tolist():
            self.refuse_large(np.where(np.arange(len(self)) == member, scores[bounds[member]], 0.0))
        offsets, numbers = (each.tolist() for each in edges)
        listed = [numbers[first:last] for first, last in pairwise(offsets)]
        derivations = list(zip(scores.tolist(), listed, strict=True))
        empties = ranked_empties(weights, count)
        return [
            best_trees(self.rules, empties, derivations[first:last], count)
            for first, last in pairwise(bounds.tolist())
        ]

    def sample(
        self,
        theta: FloatArray,
        rng: np.random.Generator,
        count: int = 1,
        spans: FloatArray | None = None,
    ) -> list[list[Tree]]:
        """Draw ``count`` trees of each member in proportion to their weights.

        Raises:
            DivergenceError: If the sum over trees diverges.
        """
        weights = self._weights(theta)
        values = np.zeros(len(self))
        seeds = rng.integers(0, 2**64, (len(self), count), np.uint64)
        found = kernels.chart_sample(
            *self.arguments(weights.edges, spans), seeds, values, self.threads
        )
        self.refuse_large(values)
        if found is None or np.isposinf(values).any():
            raise self._divergence(values)
        trees = trees_of(self.rules, *found, random_empty(weights, rng))
        several = [trees[first : first + count] for first in range(0, len(trees), count)]
        return [[tree for tree in each if tree is not None] for each in several]

    def span_posteriors(
        self, theta: FloatArray, spans: FloatArray | None = None
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often each nonterminal is expected over each span.

        Where a nonterminal spans twice in a tree, one below the other, it counts twice.

        Returns:
            log Z, and for each member [spans, nonterminals]; zeros where it has no tree. The spans
            are those of :func:`~weft.derivations.chart.members.spans_of`.

        Raises:
            DivergenceError: If the sum over trees diverges.
        """
        values, _, marginals = self.sweep(theta, np.ones(len(self)), spans)
        if np.isposinf(values).any():
            raise self._divergence(values)
        # Of no members, NumPy would make one part.
        return values, np.split(marginals, self.span_offsets[1:-1])[: len(self)]

    def entropy(self, theta: FloatArray, spans: FloatArray | None = None) -> FloatArray:
        """[members]: the entropy of each distribution over trees, in nats.

        Raises:
            DivergenceError: If the sum over trees diverges.
        """
        weights = self._weights(theta)
        finite = np.where(np.isfinite(theta), theta, 0.0)
        scores = scores_of_edges(self.rules, finite, empty_scores(weights))
        values, expected = np.zeros(len(self)), np.zeros(len(self))
        converges = kernels.chart_expected_scores(
            *self.arguments(weights.edges, spans), scores, values, expected, self.threads
        )
        self.refuse_large(values)
        if not converges or np.isposinf(values).any():
            raise self._divergence(values)
        if spans is not None:
            _, several = self.span_posteriors(theta, spans)
            scored = np.split(np.where(np.isneginf(spans), 0.0, spans), self.span_offsets[1:-1])
            expected += [float((p * s).sum()) for p, s in zip(several, scored, strict=True)]
        return np.where(np.isneginf(values), 0.0, np.maximum(values - expected, 0.0))

    def fits(self) -> BoolArray:
        """[members]: whether the chart of each takes no more memory than it may."""
        values = np.zeros(len(self))
        weights = self._weights(self._small_weights)
        kernels.chart_log_partition(*self.arguments(weights.edges), values, self.threads)
        return ~np.isnan(values)

    @property
    def _small_weights(self) -> FloatArray:
        """[rules]: log-weights at which all sums converge, and that exclude nothing."""
        return np.full(self.grammar.rule_count, -20.0)

    def impossible(self, member: int) -> int | None:
        """The first token that is not in the grammar, or else the last; None if there is a tree."""
        values = self.log_partition(self._small_weights)
        if values[member] > -np.inf:
            return None
        unknown = int(self.members.unknown[member])
        return unknown if unknown >= 0 else max(0, int(self.members.states[member]) - 2)

    def _weights(self, theta: FloatArray) -> EdgeWeights:
        return edge_weights(self.rules, self.empty, self._checked(theta))

    def _checked(self, theta: npt.ArrayLike) -> FloatArray:
        return checked_weights(theta, self.grammar.rule_count)

    def arguments(self, weights: FloatArray, spans: FloatArray | None = None) -> ChartArguments:
        """Return what the kernels begin with, given the log-weights of edges."""
        if spans is not None and not (np.isneginf(spans) | (abs(spans) <= _LARGEST_SCORE)).all():
            raise ValueError(f"scores of spans are numbers up to ±{_LARGEST_SCORE:g}, or -inf")
        return ChartArguments(
            self.members.topology,
            self.members.members,
            weights,
            spans,
            self._allowed,
            self.members.limits.prefixes,
            self.members.limits.required,
            self.members.limits.requirements,
            self._beam,
            self._memory,
        )

    def refuse_large(self, values: FloatArray) -> None:
        """Raise LimitError for the first member that has NaN for a value."""
        for member in np.flatnonzero(np.isnan(values))[:1].tolist():
            raise LimitError(
                f"{self.members.sources[member]}: the chart of {self.members.states[member] - 1} "
                f"tokens would take more than {self._memory / 2**20:,.0f} MiB; allow more memory, "
                "or prune with a beam, or leave the sentence out"
            )

    def _divergence(self, values: FloatArray) -> DivergenceError:
        member = int(np.flatnonzero(np.isposinf(values))[:1].sum())
        cycles = [shown_cycle(cycle) for cycle in unary_cycles(self.rules)]
        several = " or ".join(cycles[:2]) if cycles else "of unary rules"
        return DivergenceError(
            f"{self.members.sources[member]}: the sum over trees is infinite, or there is no best "
            f"one, because the cycle {several} gains at least as much weight in each round as it "
            "loses; lower its rules' weights"
        )


def _both(one: Flags | None, other: Flags | None) -> Flags | None:
    """What both allow."""
    if one is None or other is None:
        return one if other is None else np.ascontiguousarray(other, np.uint8)
    return one & np.asarray(other, np.uint8)


class ChartArguments(NamedTuple):
    """What the kernels begin with."""

    topology: kernels.ChartTopology
    members: kernels.ChartMembers
    weights: FloatArray
    spans: FloatArray | None
    allowed: Flags | None
    prefixes: Flags | None
    required: IndexArray | None
    requirements: kernels.ChartRequirements
    beam: float
    memory: float
