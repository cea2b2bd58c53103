"""Members that are one derivation each: what is known in full.

log Z = θ·f(d),    E[f] = f(d)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import (
    FloatArray,
    IndexArray,
    IntArray,
    are_numbers,
    checked_weights,
    flatten,
)
from weft.derivations.derivation_set import OnlySums, Ranked


class Counted(OnlySums):
    """Members that are one derivation, each given by how often it has which features.

    Args:
        features: For each member, the coordinates of θ that its derivation has, once for every
            time that it has them.
        size: How many coordinates θ has.
        shown: From a member to its derivation, where it is more than features.

    >>> Counted([[0, 2, 0], []], 3).log_partition(np.array([1.0, 5.0, 10.0]))
    array([12.,  0.])
    """

    why = "a derivation that is known in full has no rival and no parts in doubt"

    def __init__(
        self,
        features: Sequence[Sequence[int] | IndexArray],
        size: int,
        shown: Callable[[int], Any] | None = None,
    ) -> None:
        offsets, numbers = flatten([np.asarray(each).tolist() for each in features])
        self._members = len(features)
        self._offsets = offsets
        self._owners = np.repeat(np.arange(self._members), np.diff(offsets))
        self._features = np.array(numbers, np.int64)
        self._size = size
        if not are_numbers(self._features, size):
            raise ValueError(f"features are coordinates of {size} weights")
        self._shown = shown

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

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the scores [members] and the derivations."""
        shown = self._shown or (lambda member: self._features[slice(*self._bounds(member))])
        return self.log_partition(theta), [shown(member) for member in range(self._members)]

    def _bounds(self, member: int) -> list[int]:
        bounds: list[int] = self._offsets[member : member + 2].tolist()
        return bounds

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the same as :meth:`evaluate`: the sum is of one derivation."""
        return self.evaluate(theta, coefficients)

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the derivation, if any is asked for."""
        scores, shown = self.best(theta)
        return [[each] if count else [] for each in zip(scores.tolist(), shown, strict=True)]

    def sample(
        self,
        theta: FloatArray,
        rng: np.random.Generator,  # noqa: ARG002
        count: int = 1,
    ) -> list[list[Any]]:
        """Return the derivation so many times: nothing else can be drawn."""
        return [[each] * count for each in self.best(theta)[1]]

    def entropy(self, theta: FloatArray) -> FloatArray:  # noqa: ARG002
        """[members]: zeros."""
        return np.zeros(self._members)

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """None: there is the derivation."""
        return None

    def charged(self, observed: Sequence[Any], cost: float) -> Counted:  # noqa: ARG002
        """Return the same: what is observed has no wrong parts."""
        return self

    def select(self, members: IntArray) -> Counted:
        """Return some members, in the order given."""
        features = [
            self._features[slice(*self._bounds(member))].tolist() for member in members.tolist()
        ]
        shown = self._shown
        if shown is None:
            return Counted(features, self._size)
        return Counted(features, self._size, lambda member: shown(int(members[member])))
