"""Members of which one derivation counts: the best.

Log Z is then the score of that derivation, and what is expected are its features: a maximum in the
place of a sum. Where several derivations are the best, the features are those of one of them, and
the gradient is a subgradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import DerivationSet, OneEach
from weft.errors import DivergenceError


class BestPaths(OneEach):
    """The best derivation of each member of a set.

    Args:
        derivations: The set.
    """

    def __init__(self, derivations: DerivationSet) -> None:
        self._derivations = derivations

    @property
    def every(self) -> DerivationSet:
        """All derivations of each member."""
        return self._derivations

    def __len__(self) -> int:
        return len(self._derivations)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: the score of the derivation, -inf where there is none, +inf where no best."""
        try:
            return self.best(theta)[0]
        except DivergenceError:
            return self.follow(theta, np.zeros(len(self)))[0]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores [members] and Σ_k c_k f_k [θ] of the derivations that have them."""
        return self.follow(theta, coefficients)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the score [members] and the derivation."""
        return self._derivations.best(theta)

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores [members] and Σ_k c_k f_k [θ]."""
        return self._derivations.follow(theta, coefficients)

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        return self._derivations.impossible(member)

    def select(self, members: IntArray) -> BestPaths:
        """Return some members, in the order given."""
        return BestPaths(self._derivations.select(members))
