"""Weights that share coordinates: w_r = θ_r + θ_t, where t is what r has in common with others."""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, IndexArray, checked_weights
from weft.derivations.derivation_set import DerivationSet


class Tied:
    """A set of derivations each of whose weights is the sum of two coordinates of θ.

    Args:
        free: The same derivations with weights of their own, [weights].
        shared: The second coordinate of each weight; the first is its own number. [weights]
        size: How many coordinates θ has.
    """

    def __init__(self, free: DerivationSet, shared: IndexArray, size: int) -> None:
        self._free = free
        self._shared = shared
        self._size = size

    def __len__(self) -> int:
        return len(self._free)

    def _weights(self, theta: FloatArray) -> FloatArray:
        theta = checked_weights(theta, self._size)
        weights: FloatArray = theta[: len(self._shared)] + theta[self._shared]
        return weights

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, −inf where a member has no derivation."""
        return self._free.log_partition(self._weights(theta))

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and the gradient of Σ_k c_k log Z_k [θ]."""
        values, expected = self._free.evaluate(self._weights(theta), coefficients)
        gradient = np.bincount(self._shared, expected, self._size).astype(np.float64)
        gradient[: len(expected)] += expected
        return values, gradient

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        return self._free.impossible(member)
