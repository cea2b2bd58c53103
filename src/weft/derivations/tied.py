"""Weights that share coordinates: w_r = θ_r + θ_t, where t is what r has in common with others."""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.reparametrised import Reparametrised


class Tied(Reparametrised):
    """A set of derivations each of whose weights is the sum of two coordinates of θ.

    Args:
        free: The same derivations with weights of their own, [weights].
        shared: The second coordinate of each weight; the first is its own number. [weights]
    """

    def __init__(self, free: DerivationSet, shared: IndexArray) -> None:
        super().__init__(free)
        self._shared = shared

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return the sums, [weights]."""
        weights: FloatArray = theta[: len(self._shared)] + theta[self._shared]
        return weights

    def gradient(self, theta: FloatArray, expected: FloatArray) -> FloatArray:
        """Return the gradient in θ [θ], given that in the weights [weights]."""
        gradient = np.bincount(self._shared, expected, len(theta)).astype(np.float64)
        gradient[: len(expected)] += expected
        return gradient

    def over(self, free: DerivationSet) -> Tied:
        """Return other derivations with the same coordinates."""
        return Tied(free, self._shared)
