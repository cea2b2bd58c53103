"""The number of right choices among packed derivations, at some weights and along lines, exactly.

Envelopes are made vertex by vertex, without listing a derivation: see ``native/envelopes.hpp``.

Reference: W. Macherey, F. J. Och, I. Thayer and J. Uszkoreit (2008), "Lattice-based Minimum Error
Rate Training for Statistical Machine Translation", EMNLP.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.arrays import FloatArray, IntArray, dot, offsets_of
from weft.derivations.envelopes import Profile
from weft.derivations.feature_map import FeatureMap
from weft.derivations.landscape import Remembered
from weft.kernels import kernels

if TYPE_CHECKING:
    from weft.derivations.forest import Forest


class ForestHits:
    """The share of right derivations among the best ones: those all of whose edges are right.

    Args:
        forest: The members.
        observed: What was observed of each.
    """

    def __init__(self, forest: Forest, observed: Sequence[Any]) -> None:
        graphs = [each.hypergraph for each in forest.members]
        none = np.zeros(0, np.int32)
        self.forest = forest
        self._memory = Remembered()
        self._arrays = (
            np.array([each.vertex_count for each in graphs], np.int64),
            forest.edge_offsets,
            np.concatenate([none, *(each.heads for each in graphs)]),
            offsets_of(n for each in graphs for n in np.diff(each.tail_offsets).tolist()),
            np.concatenate([none, *(each.tails for each in graphs)]),
            np.concatenate([np.zeros(0, np.bool_), *forest.right(observed)]),
        )

    @property
    def landscape(self) -> None:
        """None: single weights are followed by values that are remembered."""
        return

    def shares(self, theta: FloatArray) -> FloatArray:
        """[members]: 1 where the best derivation is right, a share where several are the best."""
        return self._memory.recall(theta, self._find, self.watching)

    def steps(self, weights: FloatArray) -> ForestSteps:
        """Return what line search follows, given the weights of members."""
        return ForestSteps(self, weights)

    def follow(
        self, scores: FloatArray, slopes: FloatArray, members: IntArray, reach: float
    ) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
        """Follow the best derivations of some members from -reach to reach.

        Args:
            scores: Of all edges at 0. [edges]
            slopes: [edges].
            members: Numbers of members.
            reach: Above 0, finite.

        Returns:
            The share of each member at first; and of each change the place among ``members``,
            where it is and by how much the share changes.
        """
        return kernels.follow_forests(*self._arrays, scores, slopes, members, reach)

    def _find(self, theta: FloatArray, members: IntArray | None) -> FloatArray:
        asked = np.arange(len(self.forest)) if members is None else members
        scores = self.forest.edge_scores(theta)
        return self.follow(scores, np.zeros_like(scores), asked, 1.0)[0]

    def watching(self, feature: int) -> IntArray:
        """Return the members whose edges have a feature."""
        return np.unique(self._members.row(feature)).astype(np.int64)

    @cached_property
    def _members(self) -> FeatureMap:
        """The members that have each feature."""
        return self.forest.features.transposed()


class ForestSteps:
    """The weighted number of right choices, a :class:`weft.optimise.mert.StepFunction`.

    Args:
        hits: What is counted.
        weights: Of members. [members]
    """

    def __init__(self, hits: ForestHits, weights: FloatArray) -> None:
        self._hits = hits
        self._weights = weights
        self._edges = hits.forest.edge_features.transposed()
        self._slopes = np.zeros(len(hits.forest.edge_features))
        self._last: tuple[FloatArray, FloatArray] | None = None

    @property
    def most(self) -> float:
        """The value where every choice is right."""
        return float(self._weights.sum())

    def value(self, theta: FloatArray) -> float:
        """Return the value at θ."""
        return dot(self._weights, self._hits.shares(theta))

    def along(self, theta: FloatArray, direction: FloatArray, reach: float) -> Profile:
        """Return the value at θ + t d for all t from -reach to reach."""
        if self._last is None or not np.array_equal(self._last[0], theta):
            self._last = theta.copy(), self._hits.forest.edge_scores(theta)
        members, edges = self._moved(direction)
        first, sets, places, jumps = self._hits.follow(self._last[1], self._slopes, members, reach)
        self._slopes[edges] = 0.0
        others = self._weights.copy()
        others[members] = 0.0
        start = dot(others, self._hits.shares(theta)) + dot(self._weights[members], first)
        return start, places, self._weights[members[sets]] * jumps

    def promising(self, theta: FloatArray) -> IntArray:
        """Return the weights of features of examples whose choice is not right, or not alone."""
        wrong = np.flatnonzero(self._hits.shares(theta) < 1)
        found = np.unique(self._hits.forest.features.rows(wrong).features)
        return found.astype(np.int64)

    def _moved(self, direction: FloatArray) -> tuple[IntArray, IntArray | slice]:
        """Set the slopes of edges; return the members that have some, and which edges do."""
        [features] = np.nonzero(direction)
        if len(features) != 1:
            self._slopes[:] = self._hits.forest.edge_features.scores(direction)
            return np.arange(len(self._weights)), slice(None)
        [feature] = features.tolist()
        mine = slice(*self._edges.offsets[feature : feature + 2].tolist())
        edges = self._edges.features[mine]
        values = 1.0 if self._edges.values is None else self._edges.values[mine]
        np.add.at(self._slopes, edges, direction[feature] * values)
        return self._hits.watching(feature), edges.astype(np.int64)
