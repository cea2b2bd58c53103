"""The number of right choices among listed analyses, and that as what searches walk on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    dot,
    freeze,
    rounding_of,
)
from weft.derivations.envelopes import Profile
from weft.kernels import kernels

if TYPE_CHECKING:
    from weft.derivations.analyses import Analyses


class ChoiceLandscape:
    """The number of right choices, to be walked on and to be followed along lines.

    A change of one weight is seen by the analyses that have its feature, and by no others. It is a
    :class:`weft.optimise.annealing.Landscape` and a :class:`weft.optimise.mert.StepFunction`.

    Args:
        hits: What is counted.
        weights: Of examples. [examples]
    """

    def __init__(self, hits: AnalysisHits, weights: FloatArray) -> None:
        self._hits = hits
        self._weights = weights
        self._analyses = hits.analyses.bags.features.rows(hits.choices).transposed()
        self._owners = np.repeat(np.arange(len(weights), dtype=np.int32), np.diff(hits.offsets))
        # Listed analyses are a forest of one vertex, and an edge for each.
        count = len(hits.choices)
        self._forests = (
            np.ones(len(weights), np.int64),
            hits.offsets,
            np.zeros(count, np.int32),
            np.zeros(count + 1, np.int64),
            np.zeros(0, np.int32),
        )
        self._counter: kernels.ChoiceCounter | None = None
        self._last: tuple[FloatArray, FloatArray, FloatArray] | None = None

    def settle(self, theta: FloatArray) -> float:
        """Go to θ, and return the value there."""
        hits = self._hits
        self._counter = kernels.ChoiceCounter(
            self._analyses.offsets,
            self._analyses.features,
            self._analyses.values,
            self._owners,
            hits.offsets,
            hits.right,
            self._weights,
            hits.scores(theta),
        )
        return self._counter.total

    def walk(
        self,
        features: IndexArray,
        deltas: FloatArray,
        slacks: FloatArray,
        theta: FloatArray,
        best_theta: FloatArray,
        best: float,
    ) -> tuple[float, float]:
        """Try changes one after the other, from where it was settled.

        Raises:
            ValueError: If it was not.
        """
        if self._counter is None:
            raise ValueError("settle somewhere first")
        return self._counter.walk(features, deltas, slacks, theta, best_theta, best)

    @property
    def most(self) -> float:
        """The value where every choice is right."""
        return float(self._weights.sum())

    def value(self, theta: FloatArray) -> float:
        """Return the value at θ."""
        return dot(self._weights, self._hits.shares(theta))

    def along(self, theta: FloatArray, direction: FloatArray, reach: float) -> Profile:
        """Return the value at θ + t d for all t from -reach to reach."""
        hits = self._hits
        scores, shares = self._known(theta)
        slopes = self._slopes(direction)
        members = np.unique(self._owners[slopes != 0]).astype(np.int64)
        first, sets, places, jumps = kernels.follow_forests(
            *self._forests, hits.right, scores, slopes, members, reach
        )
        others = self._weights.copy()
        others[members] = 0.0
        start = dot(others, shares) + dot(self._weights[members], first)
        return start, places, self._weights[members[sets]] * jumps

    def promising(self, theta: FloatArray) -> IntArray:
        """Return the weights of features of sentences whose choice is not right, or not alone."""
        wrong = self._known(theta)[1] < 1
        features = np.repeat(np.arange(len(self._analyses)), np.diff(self._analyses.offsets))
        return np.unique(features[wrong[self._owners[self._analyses.features]]])

    def _slopes(self, direction: FloatArray) -> FloatArray:
        """[choices]: Φ d; of one feature alone, from the analyses that have it."""
        [features] = np.nonzero(direction)
        if len(features) != 1:
            bags = self._hits.analyses.bags
            return bags.features.scores(direction)[self._hits.choices]
        [feature] = features.tolist()
        mine = slice(*self._analyses.offsets[feature : feature + 2].tolist())
        values = None if self._analyses.values is None else self._analyses.values[mine]
        found = np.bincount(self._analyses.features[mine], values, minlength=len(self._owners))
        slopes: FloatArray = direction[feature] * found
        return slopes

    def _known(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The scores of choices and the shares of members at θ, which is asked about often."""
        if self._last is None or not np.array_equal(self._last[0], theta):
            scores = self._hits.scores(theta)
            shares = right_shares(scores, self._hits.offsets, self._hits.right)
            self._last = theta.copy(), scores, shares
        return self._last[1:]


class Remembered:
    """Numbers of members that are found anew where a changed weight can make a difference.

    Annealing changes one weight at a time, from where it was or, if that was no good, from where
    it was before.
    """

    def __init__(self) -> None:
        self._known: list[tuple[FloatArray, FloatArray]] = []

    def recall(
        self,
        theta: FloatArray,
        find: Callable[[FloatArray, IntArray | None], FloatArray],
        watching: Callable[[int], IntArray | None],
    ) -> FloatArray:
        """[members]: the numbers at θ, read-only.

        Args:
            theta: The weights.
            find: From θ to the numbers of some members, or of all where these are None.
            watching: From a coordinate of θ to the members that it can make a difference to; None
                for all.
        """
        for known, before in self._known:
            changed = np.flatnonzero(theta != known).tolist()
            if len(changed) <= 1:
                found = before.copy()
                for feature in changed:
                    members = watching(feature)
                    mine = slice(None) if members is None else members
                    found[mine] = find(theta, members)
                self._known = [(theta.copy(), freeze(found)), (known, before)]
                break
        else:
            self._known = [(theta.copy(), freeze(find(theta, None)))]
        return self._known[0][1]


@dataclass(frozen=True, slots=True, eq=False)
class AnalysisHits:
    """The share of right analyses among the best ones of each member.

    Attributes:
        analyses: The members.
        offsets: Where each member's choices begin. [members + 1]
        choices: Numbers of analyses. [choices]
        right: Which of them are right. [choices]
    """

    analyses: Analyses
    offsets: IntArray
    choices: IndexArray
    right: BoolArray

    def scores(self, theta: FloatArray) -> FloatArray:
        """[choices]: the score of each."""
        return self.analyses.bags.scores(theta, self.analyses.threads)[self.choices]

    def shares(self, theta: FloatArray) -> FloatArray:
        """[members]: 1 where the best analysis is a right one, 1/ℓ where it is one of ℓ."""
        return right_shares(self.scores(theta), self.offsets, self.right)

    def landscape(self, weights: FloatArray) -> ChoiceLandscape:
        """Return what annealing walks on, given the weights of examples."""
        return ChoiceLandscape(self, weights)


def right_shares(scores: FloatArray, offsets: IntArray, right: BoolArray) -> FloatArray:
    """Return, for each sentence, the share of right analyses among its best ones.

    >>> scores, right = np.array([0.0, 1.0, 1.0, 2.0]), np.array([False, True, False, False])
    >>> right_shares(scores, np.array([0, 3, 4]), right)
    array([0.5, 0. ])

    Args:
        scores: [analyses].
        offsets: Where each sentence's analyses begin; each has at least one. [sentences + 1]
        right: [analyses].
    """
    starts = offsets[:-1]
    if not len(starts):
        return np.zeros(0)
    tops = np.maximum.reduceat(scores, starts)
    # Equal weights are added in another order: no choice is to hang on rounding.
    best = scores >= np.repeat(tops - rounding_of(tops), np.diff(offsets))
    shares: FloatArray = np.add.reduceat((best & right).astype(np.float64), starts)
    return shares / np.add.reduceat(best.astype(np.float64), starts)
