"""Explicit hypergraphs with features on their edges: the specification of every other form.

w = w₀ + Φ θ,    (log Z, μ) = inside_outside(hypergraph, w),    E[f] = Φᵀ μ
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from weft.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    broken_and_kept,
    checked_weights,
    offsets_of,
)
from weft.derivations.best import BestPaths
from weft.derivations.derivation_set import Ranked
from weft.derivations.feature_map import FeatureMap, concatenate
from weft.derivations.forest_parts import EdgeParts, right_edges, with_some
from weft.derivations.forest_steps import ForestHits
from weft.derivations.known import Counted
from weft.derivations.reparametrise import Weights, together
from weft.errors import EvidenceError, NotDefined
from weft.inference import inside_outside, kbest, sample, viterbi
from weft.inference.backends import native
from weft.ranking import TIE, rounded
from weft.structures.derivation import Derivation, derivation_of, edge_counts, preorder
from weft.structures.hypergraph import Hypergraph, edges_of


@dataclass(frozen=True, slots=True)
class Weighted:
    """One member of a forest: a hypergraph, w₀ [edges] and Φ.

    Attributes:
        hypergraph: The derivations.
        base: w₀. [edges]
        features: Φ, over the coordinates of θ, or over those of choices.
        choices: How the weights of choices are made of θ, where edges are made of such; a choice
            may be normalised among others. None where edges are made of features.
        spans: [edges, 2], the first token that each edge labels and the one after its last; None
            where that is not known.
    """

    hypergraph: Hypergraph
    base: FloatArray
    features: FeatureMap
    choices: Weights | None = None
    spans: IntArray | None = None

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return w₀ + Φ θ; of choices, w₀ + Φ w(θ)."""
        free = theta if self.choices is None else self.choices.weights(theta)
        return self.features.scores(free, self.base)


def _untold(evidence: Any) -> NoReturn:  # noqa: ARG001
    raise NotDefined("these forests were made of edges alone: what was observed is not known")


class Forest:
    """Members that are explicit hypergraphs.

    Args:
        members: One hypergraph with its features a member.
        size: How many coordinates θ has.
        derive: From evidence to its member. It has the edges of all evidence about that sentence,
            and those that no derivation may have weigh -inf; so it says what was observed.
    """

    def __init__(
        self,
        members: Sequence[Weighted],
        size: int,
        derive: Callable[[Any], Weighted] = _untold,
    ) -> None:
        self.members = tuple(members)
        self.size = size
        self.derive = derive

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def edge_features(self) -> FeatureMap:
        """Φ of all members' edges over θ; of choices, as if none were normalised."""
        if self._choices is None or self._choices.features is None:
            return self._own
        found = self._choices.features.rows(self._own.features)
        return replace(found, offsets=found.offsets[self._own.offsets])

    @cached_property
    def _own(self) -> FeatureMap:
        """Φ of all members' edges, one member after the other, over θ or over choices."""
        maps = [each.features for each in self.members]
        if self._choices is None:
            return concatenate(maps, self.size)
        starts = offsets_of(each.size for each in maps).tolist()
        size = starts[-1]
        moved = [
            replace(each, features=each.features + np.int32(start), size=size)
            for each, start in zip(maps, starts[:-1], strict=True)
        ]
        return concatenate(moved, size)

    @cached_property
    def _choices(self) -> Weights | None:
        """The choices of all members, one member after the other; None where they have none."""
        several = [each.choices for each in self.members]
        found = [each for each in several if each is not None]
        counts = [each.features.size for each in self.members]
        return together(found, counts, self.size) if found else None

    @cached_property
    def _base(self) -> FloatArray:
        return np.concatenate([np.zeros(0), *(each.base for each in self.members)])

    @cached_property
    def edge_offsets(self) -> IntArray:
        """[members + 1]: where each member's edges begin."""
        return offsets_of(len(each.base) for each in self.members)

    @property
    def features(self) -> FeatureMap:
        """Φ with a row for each member: the features of all its edges, or of all its choices."""
        if self._choices is None or self._choices.features is None:
            return replace(self._own, offsets=self._own.offsets[self.edge_offsets])
        whole = self._choices.features
        ends = offsets_of(each.features.size for each in self.members)
        return replace(whole, offsets=whole.offsets[ends])

    def edge_scores(self, theta: FloatArray) -> FloatArray:
        """[edges]: w₀ + Φ θ of all members' edges; of choices, w₀ + Φ w(θ)."""
        free = checked_weights(theta, self.size)
        if self._choices is not None:
            free = self._choices.weights(free)
        return self._own.scores(free, self._base)

    def weighted(self, theta: FloatArray) -> Iterator[tuple[Hypergraph, FloatArray]]:
        """Yield each member's hypergraph and the scores of its edges."""
        weights = self.edge_scores(theta)
        for each, (first, last) in zip(
            self.members, pairwise(self.edge_offsets.tolist()), strict=True
        ):
            yield each.hypergraph, weights[first:last]

    def gradient(
        self, theta: FloatArray, uses: Sequence[FloatArray], coefficients: FloatArray
    ) -> FloatArray:
        """Return Σ_k c_k Φ_kᵀ μ_k [θ], given how often each member uses its edges at θ."""
        shares = np.repeat(coefficients, np.diff(self.edge_offsets))
        found = self._own.gradient(shares * np.concatenate([np.zeros(0), *uses]))
        if self._choices is None:
            return found
        gradient = np.zeros(self.size)
        self._choices.add_gradient(theta, found, gradient)
        return gradient

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        return self.marginals(theta)[0]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ]."""
        values, uses = self.marginals(theta)
        return values, self.gradient(theta, uses, coefficients)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Derivation | None]]:
        """Return the score [members] and the derivation of each member's best."""
        ranked = [best_of(*each) for each in self.weighted(theta)]
        return np.array([score for score, _ in ranked]), [best for _, best in ranked]

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k f(best_k) [θ]."""
        scores, found = self.best(theta)
        pairs = zip(np.diff(self.edge_offsets).tolist(), found, strict=True)
        uses = [
            np.zeros(size) if best is None else edge_counts(best, size).astype(np.float64)
            for size, best in pairs
        ]
        return scores, self.gradient(theta, uses, coefficients)

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member."""
        if not count:
            return [[] for _ in self.members]
        return [list(kbest(*each, count)) for each in self.weighted(theta)]

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Derivation]]:
        """Draw derivations of each member; none where it has none."""
        possible = np.isfinite(self.log_partition(theta)).tolist()
        return [
            sample(*each, rng, count) if able else []
            for each, able in zip(self.weighted(theta), possible, strict=True)
        ]

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often each edge is expected to be used [edges]."""
        found = [inside_outside(*each) for each in self.weighted(theta)]
        return np.array([value for value, _ in found]), [uses for _, uses in found]

    def surest(
        self, theta: FloatArray, parts: Sequence[Sequence[Hashable | None]] | None = None
    ) -> list[Derivation | None]:
        """Return the derivation of each member with the fewest wrong and missing parts expected.

        Args:
            theta: The weights [θ].
            parts: The part that each edge [edges] of each member is; None for none. By default
                each is one of its own.
        """
        values, several = self.marginals(theta)
        found: list[Derivation | None] = []
        for place, (member, uses) in enumerate(zip(self.members, several, strict=True)):
            gains = gains_of(uses, None if parts is None else parts[place])
            able = not np.isneginf(values[place])
            found.append(viterbi(member.hypergraph, gains)[1] if able else None)
        return found

    def fewest(self, theta: FloatArray) -> list[Derivation | None]:
        """Return the derivation of each member that breaks the fewest rules, the best of these.

        A weight of -inf is a rule; where choices are normalised, a probability of zero is. Edges of
        derivations that break the fewest rules make no derivations that break more.
        """
        free = checked_weights(theta, self.size)
        halves = broken_and_kept(free if self._choices is None else self._choices.weights(free))
        excluded = np.where(np.isneginf(self._base), -np.inf, 0.0)
        counts = self._own.scores(halves[0], excluded)
        scores = self._own.scores(halves[1], self._base)
        found: list[Derivation | None] = []
        for member, (first, last) in zip(
            self.members, pairwise(self.edge_offsets.tolist()), strict=True
        ):
            through = native.best_through(member.hypergraph, counts[first:last])[1]
            least = through.max(initial=-np.inf)
            # Features with values break rules by parts of one, whose sums are rounded.
            kept = np.where(through >= least - TIE, scores[first:last], -np.inf)
            able = least > -np.inf
            found.append(viterbi(member.hypergraph, kept)[1] if able else None)
        return found

    def impossible(self, member: int) -> int | None:
        """The token that no derivation of a member gets past, or -1 where edges know of none."""
        tree = self.members[member]
        possible = np.where(np.isneginf(tree.base), -np.inf, 0.0)
        if inside_outside(tree.hypergraph, possible)[0] > -np.inf:
            return None
        return -1 if tree.spans is None else _reach(tree, tree.spans)

    def charged(self, observed: Sequence[Any], cost: float) -> Forest:
        """Return the same derivations, each edge that no right one has adding to the score."""
        pairs = zip(self.members, self.right(observed), strict=True)
        members = [
            replace(member, base=member.base + np.where(right, 0.0, cost))
            for member, right in pairs
        ]
        return Forest(members, self.size, self.derive)

    def without(self, observed: Sequence[Any]) -> BestPaths:
        """Return the best derivation of each member with an edge that no right one has."""
        pairs = zip(self.members, self.right(observed), strict=True)
        return _Rivals(self, [with_some(member.hypergraph, ~right) for member, right in pairs])

    def right(self, observed: Sequence[Any]) -> list[BoolArray]:
        """Return which edges [edges] of each member some observed derivation has."""
        return [right_edges(self.derive(each)) for each in observed]

    def part_numbers(self) -> list[IntArray]:
        """Return a number [edges] for the edges of each member, by which right ones are counted.

        Edges of one number count as one; by default each edge counts by itself.
        """
        return [np.arange(member.hypergraph.edge_count) for member in self.members]

    def parts(self, observed: Sequence[Any]) -> EdgeParts:
        """Return the right edges of each member."""
        return EdgeParts(self, observed)

    def hits(self, observed: Sequence[Any]) -> ForestHits:
        """Return the share of right derivations among the best ones."""
        return ForestHits(self, observed)

    def select(self, members: IntArray) -> Forest:
        """Return some members, in the order given."""
        chosen = [self.members[member] for member in members.tolist()]
        return Forest(chosen, self.size, self.derive)

    def scores(self, theta: FloatArray, derivations: Sequence[Derivation]) -> FloatArray:
        """[members]: the score of a derivation of each."""
        pairs = zip(self.members, derivations, strict=True)
        return np.array([each.weights(theta)[list(preorder(one))].sum() for each, one in pairs])

    def rows_of(self, derivation: Derivation) -> list[int]:
        """Return the rows of w₀ and Φ that a derivation has: its edges."""
        return list(preorder(derivation))

    def counted(self, derivations: Sequence[Derivation]) -> Counted:
        """Return sets of one derivation of each member, without w₀."""
        pairs = zip(self.members, derivations, strict=True)
        rows = [_row(each, np.array(self.rows_of(one), np.int64)) for each, one in pairs]
        return Counted(concatenate(rows, self.size))

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z less the expected score."""
        return np.array([_entropy(*each) for each in self.weighted(theta)])


def _reach(tree: Weighted, spans: IntArray) -> int:
    """How many tokens, from the first on, some possible part of a derivation labels.

    One less where that is all of them, and what fails is how they are put together.
    """
    made: dict[int, list[tuple[int, int]]] = {}
    for edge, (head, tails) in enumerate(edges_of(tree.hypergraph)):
        if np.isneginf(tree.base[edge]) or not all(tail in made for tail in tails):
            continue
        own = [tuple(spans[edge].tolist())] if spans[edge, 0] < spans[edge, 1] else []
        # Tails may be made in several ways, of which the longest gets furthest.
        parts = own + [max(made[tail], key=lambda span: span[1]) for tail in tails if made[tail]]
        whole = [(min(start for start, _ in parts), max(end for _, end in parts))] if parts else []
        made.setdefault(head, []).extend(whole)
    furthest = max((end for each in made.values() for start, end in each if start == 0), default=0)
    return min(furthest, max(int(spans[:, 1].max(initial=1)) - 1, 0))


def _row(member: Weighted, edges: IntArray) -> FeatureMap:
    """The features of several edges together, where choices are not normalised."""
    found = member.features.rows(edges)
    if member.choices is not None and member.choices.features is not None:
        found = member.choices.features.rows(found.features)
    return replace(found, offsets=found.offsets[[0, -1]])


def gains_of(uses: FloatArray, parts: Sequence[Hashable | None] | None) -> FloatArray:
    """[edges]: how many fewer parts are expected to be wrong or missing with each edge.

    Args:
        uses: How often each is expected to be used. [edges]
        parts: The part that each is; None for none. By default each is one of its own.
    """
    if parts is None:
        return _gains(uses, uses)
    numbers: dict[Hashable | None, int] = {None: -1}
    found = [numbers.setdefault(part, len(numbers) - 1) for part in parts]
    return gains_of_numbers(uses, np.array(found, np.int64))


def gains_of_numbers(uses: FloatArray, numbers: IntArray) -> FloatArray:
    """Return the same, given the number of the part that each edge [edges] is; -1 for none."""
    some = numbers >= 0
    totals = np.bincount(numbers[some], uses[some], int(numbers.max(initial=-1)) + 1)
    probs = np.full(len(uses), 0.5)  # which is worth nothing
    probs[some] = totals[numbers[some]]
    return _gains(uses, probs)


def _gains(uses: FloatArray, probs: FloatArray) -> FloatArray:
    return np.where(uses > 0, rounded(2.0 * probs - 1.0), -np.inf)


def best_of(hypergraph: Hypergraph, weights: FloatArray) -> tuple[float, Derivation | None]:
    """Return the best derivation with its score; -inf and None where there is none."""
    try:
        return viterbi(hypergraph, weights)
    except EvidenceError:
        return -np.inf, None


class _Rivals(BestPaths):
    """The best derivation of each member with a wrong edge."""

    def __init__(self, forest: Forest, wrong: Sequence[tuple[Hypergraph, IntArray]]) -> None:
        members = [
            Weighted(found, each.base[edges], each.features.rows(edges), each.choices)
            for each, (found, edges) in zip(forest.members, wrong, strict=True)
        ]
        super().__init__(Forest(members, forest.size))
        self._forest = forest
        self._origins = [edges.tolist() for _, edges in wrong]

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Derivation | None]]:
        """Return the score [members] and the derivation, in edges of the forest."""
        scores, found = super().best(theta)
        several = zip(self._forest.members, found, self._origins, strict=True)
        return scores, [
            None
            if best is None
            else derivation_of(member.hypergraph, [origins[edge] for edge in preorder(best)])
            for member, best, origins in several
        ]


def _entropy(hypergraph: Hypergraph, weights: FloatArray) -> float:
    log_partition, marginals = inside_outside(hypergraph, weights)
    used = marginals > 0
    return float(log_partition - marginals[used] @ weights[used]) if used.any() else 0.0
