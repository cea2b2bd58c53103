"""The number of right choices along a line, exactly: where the best derivations change.

Along θ + t d every derivation's score is a line in t, and the best score of a sentence is the upper
envelope of its lines: convex, in pieces. Its best derivation changes where pieces meet, and nowhere
else. So the number of right choices is a step function of t, which is known everywhere once the
envelopes are.

Of listed and packed analyses envelopes are made in one pass (``native/envelopes.hpp``). Of other
sets a line is known where its derivation is the best: two that are the best at the ends of an
interval meet somewhere between; either nothing is better there, and that is where the best one
changes, or another line is found, and the intervals on both sides are looked at in turn.

Reference: F. J. Och (2003), "Minimum Error Rate Training in Statistical Machine Translation", ACL;
W. Macherey, F. J. Och, I. Thayer and J. Uszkoreit (2008), "Lattice-based Minimum Error Rate
Training for Statistical Machine Translation", EMNLP, for envelopes of many derivations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import FloatArray, IntArray, dot
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
