"""The scores of log-linear moves in a forest, made without a list of the features of each.

See ``native/stack_scores.hpp``. What is kept of a sentence are its items and the moves that edges
make; which features these have is found again whenever they are scored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, checked_weights
from weft.derivations.feature_map import FeatureMap
from weft.derivations.reparametrise import Weighting, Weights
from weft.derivations.stack.parses import Parses
from weft.kernels import MoveScorer


@dataclass(frozen=True, eq=False)
class MoveScores:
    """How the weights of the moves that a forest makes are made of θ.

    Attributes:
        scorer: What scores moves.
        parses: The forest.
        ids: [terminals + 3], the numbers of its terminals that features know.
        offsets: [vertices + 1], where the moves of each vertex begin.
        moves: [weights], the moves.
        size: How many coordinates θ has.
        normalised: Whether the moves that are possible at a vertex are normalised.
        list_features: From vertices and moves to Φ, for those who ask for it.
    """

    scorer: MoveScorer
    parses: Parses
    ids: IntArray
    offsets: IntArray
    moves: IndexArray
    size: int
    normalised: bool
    list_features: Callable[[IntArray, IndexArray], FeatureMap]

    @cached_property
    def features(self) -> FeatureMap:
        """Φ, as if no moves were normalised."""
        return self.list_features(self.vertices, self.moves)

    @property
    def repeatable(self) -> Weights:
        """The same for many values of θ: Φ in a list, unless that of all possible moves is needed.

        Free weights need the features of the moves that are made, which are a few of those that
        are possible.
        """
        return self if self.normalised else Weighting(self.size, self.features)

    @property
    def vertices(self) -> IntArray:
        """[weights]: where each move is made."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def weights(self, theta: FloatArray, threads: int = 1) -> FloatArray:
        """Return the weights that θ comes to, [weights]; the same for any number of threads."""
        scores = np.zeros(len(self.moves))
        given, theta = self.parses.terminals, checked_weights(theta, self.size)
        self.scorer.score(
            self.parses.items,
            self.parses.spans,
            given.looks,
            given.sources,
            given.labels,
            self.ids,
            self.offsets,
            self.moves,
            theta,
            self.normalised,
            scores,
            threads,
        )
        return scores

    def add_gradient(self, theta: FloatArray, expected: FloatArray, gradient: FloatArray) -> None:
        """Add the gradient in θ to another, given that in the weights [weights]."""
        given, theta = self.parses.terminals, checked_weights(theta, self.size)
        self.scorer.add_gradient(
            self.parses.items,
            self.parses.spans,
            given.looks,
            given.sources,
            given.labels,
            self.ids,
            self.offsets,
            self.moves,
            theta,
            self.normalised,
            expected,
            gradient,
        )
