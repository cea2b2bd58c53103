"""Explicit hypergraphs with features on their edges: the specification of every other form.

w = w₀ + Φ θ,    (log Z, μ) = inside_outside(hypergraph, w),    E[f] = Φᵀ μ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, checked_weights
from weft.inference import inside_outside
from weft.structures.hypergraph import Hypergraph


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
        self._size = size

    def __len__(self) -> int:
        return len(self.members)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        return self.evaluate(theta, np.zeros(len(self)))[0]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ]."""
        theta = checked_weights(theta, self._size)
        values = np.empty(len(self))
        gradient = np.zeros_like(theta)
        for position, member in enumerate(self.members):
            values[position], marginals = inside_outside(member.hypergraph, member.weights(theta))
            expectations = member.features.transposed_times(marginals, len(theta))
            gradient += coefficients[position] * expectations
        return values, gradient

    def impossible(self, member: int) -> int | None:
        """0 where a member has no derivation: a hypergraph does not know of tokens."""
        tree = self.members[member]
        possible = np.zeros(tree.hypergraph.edge_count)
        return 0 if inside_outside(tree.hypergraph, possible)[0] == -np.inf else None

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z less the expected score."""
        theta = checked_weights(theta, self._size)
        return np.array([_entropy(member, theta) for member in self.members])


def _entropy(member: Weighted, theta: FloatArray) -> float:
    weights = member.weights(theta)
    log_partition, marginals = inside_outside(member.hypergraph, weights)
    used = marginals > 0
    return float(log_partition - marginals[used] @ weights[used])
