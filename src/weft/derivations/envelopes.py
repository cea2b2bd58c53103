"""The number of right choices along a line, exactly: where the best derivations change.

Along θ + t d every derivation's score is a line in t, and the best score of a sentence is the upper
envelope of its lines: convex, in pieces. Its best derivation changes where pieces meet, and nowhere
else. So the number of right choices is a step function of t, which is known everywhere once the
envelopes are.

Of listed analyses all lines are known, and one walks along their envelope. Of other sets a line is
known where its derivation is the best: two that are the best at the ends of an interval meet
somewhere between; either nothing is better there, and that is where the best one changes, or
another line is found, and the intervals on both sides are looked at in turn.

Reference: F. J. Och (2003), "Minimum Error Rate Training in Statistical Machine Translation", ACL;
W. Macherey, F. J. Och, I. Thayer and J. Uszkoreit (2008), "Lattice-based Minimum Error Rate
Training for Statistical Machine Translation", EMNLP, for envelopes of many derivations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, dot, offsets_of, rounding_of
from weft.derivations.derivation_set import DerivationSet, Hits

Profile = tuple[float, FloatArray, FloatArray]
"""A step function of t: its value before the first step, where the steps are, and how high each
is; steps are in any order."""

_ROUNDING = 1e-9


class Envelopes:
    """The weighted number of right choices, to be followed along lines.

    Args:
        inputs: The derivations that are chosen from, a member per example; their scores are
            linear in θ.
        observed: What was observed of each.
        hits: Whether the best ones are observed.
        weights: Of examples. [members]
    """

    def __init__(
        self, inputs: DerivationSet, observed: Sequence[Any], hits: Hits, weights: FloatArray
    ) -> None:
        self._inputs = inputs
        self._observed = observed
        self._hits = hits
        self._weights = weights
        self._alone: dict[int, tuple[DerivationSet, Hits]] = {}

    @property
    def most(self) -> float:
        """The value where every choice is right."""
        return float(self._weights.sum())

    def value(self, theta: FloatArray) -> float:
        """Return the value at θ."""
        return dot(self._weights, self._hits.shares(theta))

    def along(self, theta: FloatArray, direction: FloatArray, reach: float) -> Profile:
        """Return the value at θ + t d for all t from -reach to reach."""
        first = dot(self._weights, self._hits.shares(theta - reach * direction))
        places, jumps = [], []
        for member in self._bent(theta, direction, reach).tolist():
            line = self._line(member, theta, direction)
            breaks = line.breaks(-reach, reach)
            if breaks:
                ends = np.array([-reach, *breaks, reach])
                shares = [line.share(t) for t in (0.5 * (ends[1:] + ends[:-1])).tolist()]
                first += float(self._weights[member]) * (shares[0] - line.share(-reach))
                places += breaks
                jumps += (float(self._weights[member]) * np.diff(shares)).tolist()
        return first, np.array(places), np.array(jumps)

    def promising(self, theta: FloatArray) -> IntArray:
        """Return the weights of features of examples whose choice is not right."""
        wrong = np.where(self._hits.shares(theta) < 1, 1.0, 0.0)
        # At zero no derivation's share is so small that its features could not be seen.
        found = np.flatnonzero(self._inputs.evaluate(np.zeros_like(theta), wrong)[1])
        return found.astype(np.int64, copy=False)

    def _bent(self, theta: FloatArray, direction: FloatArray, reach: float) -> IntArray:
        """The members whose best score is no straight line: it is less than one in the middle."""
        low, middle, high = (
            self._inputs.best(theta + t * direction)[0] for t in (-reach, 0.0, reach)
        )
        known = np.isfinite(low) & np.isfinite(middle) & np.isfinite(high)
        low, middle, high = (np.where(known, each, 0.0) for each in (low, middle, high))
        size = np.maximum(np.abs(low), np.abs(high)) + 1.0
        return np.flatnonzero(0.5 * (low + high) - middle > _ROUNDING * size)

    def _line(self, member: int, theta: FloatArray, direction: FloatArray) -> _Line:
        if member not in self._alone:
            one = self._inputs.select(np.array([member]))
            self._alone[member] = one, one.hits([self._observed[member]])
        return _Line(*self._alone[member], theta, direction)


class _Line(NamedTuple):
    """One member along θ + t d."""

    derivations: DerivationSet
    hits: Hits
    theta: FloatArray
    direction: FloatArray

    def share(self, t: float) -> float:
        return float(self.hits.shares(self.theta + t * self.direction)[0])

    def tangent(self, t: float) -> _Tangent:
        scores, features = self.derivations.follow(self.theta + t * self.direction, np.ones(1))
        return _Tangent(t, float(scores[0]), dot(features, self.direction))

    def breaks(self, low: float, high: float) -> list[float]:
        """Where the best derivation changes, ascending."""
        found: list[float] = []
        waiting = [(self.tangent(low), self.tangent(high))]
        while waiting:
            left, right = waiting.pop()
            t = left.meets(right)
            if t is None:
                continue
            between = self.tangent(t)
            if between.score <= left.at(t) + _ROUNDING * (abs(between.score) + 1.0):
                found.append(t)
            else:
                waiting += [(left, between), (between, right)]
        return sorted(found)


class _Tangent(NamedTuple):
    """The line of the derivation that is the best at some t."""

    t: float
    score: float
    slope: float

    def at(self, t: float) -> float:
        return self.score + self.slope * (t - self.t)

    def meets(self, later: _Tangent) -> float | None:
        """Where it meets another that is the best later on; None if they are the same."""
        turn = later.slope - self.slope
        if turn <= _ROUNDING * (abs(later.slope) + abs(self.slope) + _ROUNDING):
            return None
        t = self.t + (later.score - later.slope * (later.t - self.t) - self.score) / -turn
        return t if self.t < t < later.t else None


def walk_envelopes(
    scores: FloatArray, slopes: FloatArray, offsets: IntArray, right: FloatArray, reach: float
) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
    """Follow the upper envelopes of several sets of lines from -reach to reach, all together.

    >>> scores, slopes = np.array([0.0, -1.0, -4.0]), np.array([0.0, 1.0, 2.0])
    >>> walk_envelopes(scores, slopes, np.array([0, 3]), np.array([0.0, 1.0, 0.0]), 9.0)
    (array([0.]), array([0, 0]), array([1., 3.]), array([ 1., -1.]))

    Args:
        scores: Of lines at 0. [lines]
        slopes: [lines].
        offsets: Where the lines of each set begin; each has at least one. [sets + 1]
        right: What each line is worth where it is the best; of lines that are the same but for
            rounding, the mean.
            [lines]
        reach: Above 0, finite.

    Returns:
        What each set is worth at first [sets]; and of each change the set, where it is and by how
        much its worth changes [changes].
    """
    lines = _Lines(np.arange(len(offsets) - 1), offsets, scores, slopes, right)
    # Just beyond -reach the highest line is the best, of those the steepest.
    best = lines.first(-(scores - reach * slopes))
    worth = first = lines.worth(best)
    now = np.full(len(first), -reach)
    found: list[tuple[IntArray, FloatArray, FloatArray]] = []
    while len(lines.sets):
        meets = lines.meets(best)
        then = np.maximum(np.minimum.reduceat(meets, lines.offsets[:-1]), now)
        going = then < reach
        meets = meets[np.repeat(going, np.diff(lines.offsets))]
        lines, now, worth = lines.some(going), then[going], worth[going]
        if len(lines.sets):
            best = lines.first(meets)
            before, worth = worth, lines.worth(best)
            found.append((lines.sets, now, worth - before))
    none = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    sets, places, jumps = (np.concatenate(each) for each in zip(none, *found, strict=True))
    return first, sets, places, jumps


class _Lines(NamedTuple):
    """Several sets of lines; see :func:`walk_envelopes`."""

    sets: IntArray
    offsets: IntArray
    scores: FloatArray
    slopes: FloatArray
    right: FloatArray

    def some(self, which: BoolArray) -> _Lines:
        """Return some of the sets."""
        sizes = np.diff(self.offsets)
        mine = np.repeat(which, sizes)
        several = (each[mine] for each in (self.scores, self.slopes, self.right))
        return _Lines(self.sets[which], offsets_of(sizes[which]), *several)

    def first(self, keys: FloatArray) -> IntArray:
        """[sets]: the line with the smallest key, the steepest of equals."""
        if not len(self.sets):
            return np.zeros(0, np.int64)
        near = keys == self._spread(np.minimum.reduceat(keys, self.offsets[:-1]))
        slopes = np.where(near, self.slopes, -np.inf)
        steep = self._spread(np.maximum.reduceat(slopes, self.offsets[:-1]))
        chosen = np.flatnonzero(near & (self.slopes == steep))
        return chosen[np.searchsorted(chosen, self.offsets[:-1])]

    def meets(self, best: IntArray) -> FloatArray:
        """[lines]: where each meets its set's best one, if it is steeper; inf for others."""
        turns = self.slopes - self._spread(self.slopes[best])
        places = np.full(len(turns), np.inf)
        gaps = self._spread(self.scores[best]) - self.scores
        np.divide(gaps, turns, out=places, where=turns > 0)
        return places

    def worth(self, best: IntArray) -> FloatArray:
        """[sets]: the mean worth of the lines that are the same as the best one."""
        if not len(self.sets):
            return np.zeros(0)
        same = np.ones(len(self.scores), np.bool_)
        for numbers in (self.scores, self.slopes):
            theirs = numbers[best]
            same &= np.abs(numbers - self._spread(theirs)) <= self._spread(rounding_of(theirs))
        starts = self.offsets[:-1]
        worth: FloatArray = np.add.reduceat(same * self.right, starts)
        return worth / np.add.reduceat(same.astype(np.float64), starts)

    def _spread(self, values: FloatArray) -> FloatArray:
        """[lines]: for each line what its set has."""
        return np.repeat(values, np.diff(self.offsets))
