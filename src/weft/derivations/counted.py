"""Members that are one derivation each: what is known in full.

log Z = θ·f(d),    E[f] = f(d)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import FloatArray, IndexArray, are_numbers, checked_weights, flatten


class Counted:
    """Members that are one derivation, each given by how often it has which features.

    Args:
        features: For each member, the coordinates of θ that its derivation has, once for every
            time that it has them.
        size: How many coordinates θ has.

    >>> Counted([[0, 2, 0], []], 3).log_partition(np.array([1.0, 5.0, 10.0]))
    array([12.,  0.])
    """

    def __init__(self, features: Sequence[Sequence[int] | IndexArray], size: int) -> None:
        offsets, numbers = flatten([np.asarray(each).tolist() for each in features])
        self._members = len(features)
        self._owners = np.repeat(np.arange(self._members), np.diff(offsets))
        self._features = np.array(numbers, np.int64)
        self._size = size
        if not are_numbers(self._features, size):
            raise ValueError(f"features are coordinates of {size} weights")

    def __len__(self) -> int:
        return self._members

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: the score of each derivation."""
        theta = checked_weights(theta, self._size)
        scores = np.bincount(self._owners, theta[self._features], self._members)
        return scores.astype(np.float64, copy=False)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores [members] and Σ_k c_k f(d_k) [θ]."""
        counts = np.bincount(self._features, coefficients[self._owners], self._size)
        return self.log_partition(theta), counts.astype(np.float64, copy=False)

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: there is the derivation."""
        return None
