"""Weights that share coordinates: w_r = θ_r + θ_t, where t is what r has in common with others."""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, IndexArray, checked_weights
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.reparametrised import Reparametrised


class Tied(Reparametrised):
    """A set of derivations each of whose weights is the sum of two coordinates of θ.

    Args:
        free: The same derivations with weights of their own, [weights].
        shared: The second coordinate of each weight; the first is its own number. [weights]
        size: How many coordinates θ has.
    """

    def __init__(self, free: DerivationSet, shared: IndexArray, size: int) -> None:
        super().__init__(free)
        self._shared = shared
        self._size = size

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return the sums, [weights]."""
        theta = checked_weights(theta, self._size)
        weights: FloatArray = theta[: len(self._shared)] + theta[self._shared]
        return weights

    def gradient(self, theta: FloatArray, expected: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return the gradient in θ [θ], given that in the weights [weights]."""
        gradient = np.bincount(self._shared, expected, self._size).astype(np.float64)
        gradient[: len(expected)] += expected
        return gradient

    def over(self, free: DerivationSet) -> Tied:
        """Return other derivations with the same coordinates."""
        return Tied(free, self._shared, self._size)
