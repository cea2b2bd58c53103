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


class Grouped:
    """A set of derivations whose weights are normalised within groups.

    Args:
        free: The same derivations with free weights.
        groups: The group of each weight, [θ].
    """

    def __init__(self, free: DerivationSet, groups: IntArray) -> None:
        self._free = free
        self._groups = groups

    def __len__(self) -> int:
        return len(self._free)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, −inf where a member has no derivation."""
        return self._free.log_partition(normalised(theta, self._groups))

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and the gradient of Σ_k c_k log Z_k [θ]."""
        weights = normalised(theta, self._groups)
        values, expected = self._free.evaluate(weights, coefficients)
        return values, grouped_gradient(weights, self._groups, expected)

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        return self._free.impossible(member)
