"""Members whose sum is known to be one, whatever the weights."""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray


class Certain:
    """Members with log Z = 0 and no expectations: what is normalised step by step sums to one.

    Args:
        members: How many there are.

    >>> Certain(2).log_partition(np.ones(3))
    array([0., 0.])
    """

    def __init__(self, members: int = 1) -> None:
        self._members = members

    def __len__(self) -> int:
        return self._members

    def log_partition(self, theta: FloatArray) -> FloatArray:  # noqa: ARG002
        """[members]: zeros."""
        return np.zeros(self._members)

    def evaluate(
        self,
        theta: FloatArray,
        coefficients: FloatArray,  # noqa: ARG002
    ) -> tuple[FloatArray, FloatArray]:
        """Return zeros: the sum does not change with θ."""
        return np.zeros(self._members), np.zeros_like(theta)

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: something always has a derivation."""
        return None
