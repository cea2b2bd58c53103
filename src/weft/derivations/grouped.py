"""Weights that are normalised within groups, whatever they are the weights of.

    w_r = θ_r − log Σ_{r′ in the group of r} exp θ_r′

The derivations are those of a set with free weights w; its expectations E become

    ∂/∂θ_r = E_r − p_r Σ_{r′ in the group of r} E_r′,    p_r = exp w_r,

by the chain rule. Rules of a grammar with the same left side are such groups.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, IntArray, checked_weights
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.reparametrised import Reparametrised


def normalised(theta: FloatArray, groups: IntArray) -> FloatArray:
    """Return the logs of probabilities that weights come to, [θ].

    A weight of −inf stays; where a whole group has such weights, it has no probabilities.

    >>> np.exp(normalised(np.log([1.0, 3.0, 7.0]), np.array([0, 0, 1])))
    array([0.25, 0.75, 1.  ])
    """
    theta = checked_weights(theta, len(groups))
    count = int(groups.max(initial=-1)) + 1
    tops = np.full(count, -np.inf)
    np.maximum.at(tops, groups, theta)
    base = np.where(np.isfinite(tops), tops, 0.0)
    sums = np.bincount(groups, np.exp(theta - base[groups]), count)
    with np.errstate(divide="ignore"):
        logs = np.where(sums > 0, np.log(sums) + base, 0.0)
    weights: FloatArray = theta - logs[groups]
    return weights


def grouped_gradient(weights: FloatArray, groups: IntArray, expected: FloatArray) -> FloatArray:
    """Return the gradient in θ [θ], given the logs of probabilities and the expectations there.

    >>> grouped_gradient(np.log([0.25, 0.75]), np.array([0, 0]), np.array([1.0, 0.0]))
    array([ 0.75, -0.75])
    """
    totals = np.bincount(groups, expected)
    gradient: FloatArray = expected - np.exp(weights) * totals[groups]
    return gradient


class Grouped(Reparametrised):
    """A set of derivations whose weights are normalised within groups.

    Args:
        free: The same derivations with free weights.
        groups: The group of each weight, [θ].
    """

    def __init__(self, free: DerivationSet, groups: IntArray) -> None:
        super().__init__(free)
        self._groups = groups

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return the logs of probabilities, [θ]."""
        return normalised(theta, self._groups)

    def gradient(self, theta: FloatArray, expected: FloatArray) -> FloatArray:
        """Return the gradient in θ [θ], given expectations."""
        return grouped_gradient(self.weights(theta), self._groups, expected)

    def over(self, free: DerivationSet) -> Grouped:
        """Return other derivations with the same groups."""
        return Grouped(free, self._groups)
