"""Weights that are made of θ; the derivations are those of the weights.

    w = w(θ),    ∂/∂θ = (∂w/∂θ)ᵀ E

where E are the expectations, or the features of the best derivations, at w. Weights may be sums of
coordinates of θ, w = Φ θ, and may be normalised within groups, such as rules with the same left
side:

    w_r = v_r − log Σ_{r′ in the group of r} exp v_r′,
    ∂/∂v_r = E_r − p_r Σ_{r′ in the group of r} E_r′,    p_r = exp w_r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np

from weft.arrays import FloatArray, IntArray, checked_weights, offsets_of
from weft.derivations.feature_map import FeatureMap, concatenate


def normalise_weights(weights: FloatArray, groups: IntArray) -> FloatArray:
    """Return the logs of probabilities that weights come to, [weights].

    A weight of −inf stays; where a whole group has such weights, it has no probabilities.

    >>> np.exp(normalise_weights(np.log([1.0, 3.0, 7.0]), np.array([0, 0, 1])))
    array([0.25, 0.75, 1.  ])
    """
    count = int(groups.max(initial=-1)) + 1
    tops = np.full(count, -np.inf)
    np.maximum.at(tops, groups, weights)
    base = np.where(np.isfinite(tops), tops, 0.0)
    sums = np.bincount(groups, np.exp(weights - base[groups]), count)
    with np.errstate(divide="ignore"):
        logs = np.where(sums > 0, np.log(sums) + base, 0.0)
    found: FloatArray = weights - logs[groups]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Weighting:
    """How weights are made of θ, and how what is expected at them goes back to θ.

    >>> halves = Weighting(2, groups=np.array([0, 0]))
    >>> halves.gradient(halves.weights(np.zeros(2)), np.array([1.0, 0.0]))
    array([ 0.5, -0.5])

    Attributes:
        size: How many coordinates θ has.
        features: Φ; None where θ are the weights.
        groups: The group of each weight that is normalised; None where they are free.
    """

    size: int
    features: FeatureMap | None = None
    groups: IntArray | None = None

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return the weights that θ comes to, [weights]."""
        theta = checked_weights(theta, self.size)
        free = theta if self.features is None else self.features.scores(theta)
        return free if self.groups is None else normalise_weights(free, self.groups)

    def gradient(self, weights: FloatArray, expected: FloatArray) -> FloatArray:
        """Return the gradient in θ [θ], given the weights, and that in the weights [weights]."""
        if self.groups is not None:
            totals = np.bincount(self.groups, expected)
            expected = expected - np.exp(weights) * totals[self.groups]
        return expected if self.features is None else self.features.gradient(expected)

    def add_gradient(self, theta: FloatArray, expected: FloatArray, gradient: FloatArray) -> None:
        """Add the gradient in θ to another, given that in the weights [weights]."""
        weights = theta if self.groups is None else self.weights(theta)
        gradient += self.gradient(weights, expected)


class Weights(Protocol):
    """How weights are made of θ: a :class:`Weighting`, or what says the same without writing Φ."""

    @property
    def features(self) -> FeatureMap | None:
        """Φ, over θ; None where θ are the weights."""
        ...

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return the weights that θ comes to, [weights]."""
        ...

    def add_gradient(self, theta: FloatArray, expected: FloatArray, gradient: FloatArray) -> None:
        """Add the gradient in θ to another, given that in the weights [weights]."""
        ...


@dataclass(frozen=True, eq=False)
class Apart:
    """The weights of several, one after the other, of the same θ, each made by itself.

    Attributes:
        several: How the weights of each are made.
        bounds: [several + 1], where those of each begin.
        size: How many coordinates θ has.
    """

    several: Sequence[Weights]
    bounds: IntArray
    size: int

    @cached_property
    def features(self) -> FeatureMap:
        """Φ."""
        found = [each.features for each in self.several]
        return concatenate([each for each in found if each is not None], self.size)

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return the weights that θ comes to, [weights]."""
        return np.concatenate([np.zeros(0), *(each.weights(theta) for each in self.several)])

    def add_gradient(self, theta: FloatArray, expected: FloatArray, gradient: FloatArray) -> None:
        """Add the gradient in θ to another, given that in the weights [weights]."""
        for each, (first, last) in zip(self.several, pairwise(self.bounds.tolist()), strict=True):
            each.add_gradient(theta, expected[first:last], gradient)


def together(several: Sequence[Weights], counts: Sequence[int], size: int) -> Weights:
    """Return the weights of several, one after the other, of the same θ.

    Args:
        several: How the weights of each are made.
        counts: How many weights each has.
        size: How many coordinates θ has.
    """
    listed = [each for each in several if isinstance(each, Weighting)]
    if len(listed) == len(several):
        return stack_weightings(listed, size)
    return Apart(several, offsets_of(counts), size)


def stack_weightings(several: Sequence[Weighting], size: int) -> Weighting:
    """Return the weights of several, one after the other, of the same θ; all have features.

    >>> from weft.derivations.feature_map import from_lists
    >>> halves = Weighting(1, from_lists([[0], []], 1), np.array([0, 0]))
    >>> np.exp(stack_weightings([halves, halves], 1).weights(np.zeros(1)))
    array([0.5, 0.5, 0.5, 0.5])

    Args:
        several: How the weights of each are made; all normalised, or none.
        size: How many coordinates θ has.
    """
    features = concatenate([each.features for each in several if each.features is not None], size)
    if any(each.groups is None for each in several):
        return Weighting(size, features)
    groups, first = [], 0
    for each in several:
        if each.groups is not None and len(each.groups):
            groups.append(each.groups + first)
            first = int(groups[-1].max()) + 1
    return Weighting(size, features, np.concatenate([np.zeros(0, np.int64), *groups]))
