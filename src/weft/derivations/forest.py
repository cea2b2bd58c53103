"""Explicit hypergraphs with features on their edges: the specification of every other form.

w = w₀ + Φ θ,    (log Z, μ) = inside_outside(hypergraph, w),    E[f] = Φᵀ μ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, checked_weights, ranges
from weft.derivations.best import Best
from weft.derivations.derivation_set import Ranked
from weft.derivations.forest_parts import EdgeParts, ForestHits, right_edges, with_some
from weft.inference import inside_outside, kbest, sample, viterbi
from weft.structures.derivation import Derivation, derivation_of, edge_counts, preorder
from weft.structures.hypergraph import Hypergraph

if TYPE_CHECKING:
    from weft.structures.alternatives import Picked


@dataclass(frozen=True, slots=True)
class FeatureMatrix:
    """Φ, a sparse matrix with a row an edge, as triples (edge, weight, value).

    Attributes:
        edges: [entries].
        weights: [entries], coordinates of θ.
        values: [entries].
    """

    edges: IntArray
    weights: IndexArray
    values: FloatArray

    def times(self, theta: FloatArray, edges: int) -> FloatArray:
        """Return Φ θ, [edges]."""
        scores = self.values * theta[self.weights]
        return np.bincount(self.edges, scores, minlength=edges).astype(np.float64, copy=False)

    def transposed_times(self, marginals: FloatArray, size: int) -> FloatArray:
        """Return Φᵀ μ, [size]."""
        shares = self.values * marginals[self.edges]
        return np.bincount(self.weights, shares, minlength=size).astype(np.float64, copy=False)

    def rows(self, edges: IntArray, count: int) -> FeatureMatrix:
        """Return the matrix of some of the edges, [edges], of all that there are."""
        order = np.argsort(self.edges, kind="stable")
        sizes = np.bincount(self.edges, minlength=count)
        starts = np.cumsum(sizes) - sizes
        entries = order[ranges(starts[edges], sizes[edges])]
        owners = np.repeat(np.arange(len(edges)), sizes[edges])
        return FeatureMatrix(owners, self.weights[entries], self.values[entries])


@dataclass(frozen=True, slots=True)
class Weighted:
    """One member of a forest: a hypergraph, w₀ [edges] and Φ."""

    hypergraph: Hypergraph
    base: FloatArray
    features: FeatureMatrix

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return w₀ + Φ θ."""
        return self.base + self.features.times(theta, self.hypergraph.edge_count)


class Forest:
    """Members that are explicit hypergraphs.

    Args:
        members: One hypergraph with its features a member.
        size: How many coordinates θ has.
    """

    def __init__(self, members: Sequence[Weighted], size: int) -> None:
        self.members = tuple(members)
        self.size = size

    def __len__(self) -> int:
        return len(self.members)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        return self.evaluate(theta, np.zeros(len(self)))[0]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ]."""
        theta = checked_weights(theta, self.size)
        values = np.empty(len(self))
        gradient = np.zeros_like(theta)
        for position, member in enumerate(self.members):
            values[position], marginals = inside_outside(member.hypergraph, member.weights(theta))
            expectations = member.features.transposed_times(marginals, len(theta))
            gradient += coefficients[position] * expectations
        return values, gradient

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Derivation | None]]:
        """Return the score [members] and the derivation of each member's best."""
        ranked = [_best(member, member.weights(theta)) for member in self.members]
        return np.array([score for score, _ in ranked]), [best for _, best in ranked]

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k f(best_k) [θ]."""
        scores, found = self.best(theta)
        gradient = np.zeros_like(theta)
        for member, best, share in zip(self.members, found, coefficients, strict=True):
            if best is not None:
                uses = edge_counts(best, member.hypergraph.edge_count).astype(np.float64)
                gradient += share * member.features.transposed_times(uses, len(theta))
        return scores, gradient

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member."""
        if not count:
            return [[] for _ in self.members]
        return [list(kbest(each.hypergraph, each.weights(theta), count)) for each in self.members]

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Derivation]]:
        """Draw derivations of each member; none where it has none."""
        possible = np.isfinite(self.log_partition(theta)).tolist()
        return [
            sample(each.hypergraph, each.weights(theta), rng, count) if able else []
            for each, able in zip(self.members, possible, strict=True)
        ]

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often each edge is expected to be used [edges]."""
        found = [inside_outside(each.hypergraph, each.weights(theta)) for each in self.members]
        return np.array([value for value, _ in found]), [uses for _, uses in found]

    def impossible(self, member: int) -> int | None:
        """0 where a member has no derivation: a hypergraph does not know of tokens."""
        tree = self.members[member]
        possible = np.where(np.isneginf(tree.base), -np.inf, 0.0)
        return 0 if inside_outside(tree.hypergraph, possible)[0] == -np.inf else None

    def charged(self, observed: Sequence[Picked], cost: float) -> Forest:
        """Return the same derivations, each edge that no right one has adding to the score."""
        pairs = zip(self.members, observed, strict=True)
        return Forest(
            [
                replace(member, base=member.base + np.where(right_edges(member, each), 0.0, cost))
                for member, each in pairs
            ],
            self.size,
        )

    def without(self, observed: Sequence[Picked]) -> Best:
        """Return the best derivation of each member with an edge that no right one has."""
        pairs = zip(self.members, observed, strict=True)
        wrong = [with_some(member.hypergraph, ~right_edges(member, each)) for member, each in pairs]
        return _Rivals(self, wrong)

    def parts(self, observed: Sequence[Picked]) -> EdgeParts:
        """Return the right edges of each member."""
        return EdgeParts(self, observed)

    def hits(self, observed: Sequence[Picked]) -> ForestHits:
        """Return whether the best derivations are right."""
        return ForestHits(self, observed)

    def select(self, members: IntArray) -> Forest:
        """Return some members, in the order given."""
        return Forest([self.members[member] for member in members.tolist()], self.size)

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z less the expected score."""
        theta = checked_weights(theta, self.size)
        return np.array([_entropy(member, theta) for member in self.members])


def _best(member: Weighted, weights: FloatArray) -> tuple[float, Derivation | None]:
    if inside_outside(member.hypergraph, weights)[0] == -np.inf:
        return -np.inf, None
    return viterbi(member.hypergraph, weights)


class _Rivals(Best):
    """The best derivation of each member with a wrong edge."""

    def __init__(self, forest: Forest, wrong: Sequence[tuple[Hypergraph, IntArray]]) -> None:
        members = [
            Weighted(found, each.base[edges], each.features.rows(edges, len(each.base)))
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


def _entropy(member: Weighted, theta: FloatArray) -> float:
    weights = member.weights(theta)
    log_partition, marginals = inside_outside(member.hypergraph, weights)
    used = marginals > 0
    return float(log_partition - marginals[used] @ weights[used]) if used.any() else 0.0
