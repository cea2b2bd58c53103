"""Sums over a universe of drawn analyses whose expectations are taken by a Metropolis walk."""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.analyses import Bags
from weft.derivations.derivation_set import DerivationSet, OnlySums
from weft.inference.metropolis import walk

_SEED = 1997


class Walked(OnlySums):
    """Members that are all the same universe; see :mod:`weft.inference.metropolis`.

    log Z is that of importance sampling, and E[f] that of the walk, which tosses the same coins
    wherever it is asked: so the gradient is a function of the weights, but not quite that of the
    value. It is for optimisers that follow gradients, such as SGD.

    Args:
        every: The members.
        bags: The universe's analyses.
    """

    why = "there are no single analyses of all sentences here, but only draws"

    def __init__(self, every: DerivationSet, bags: Bags) -> None:
        self._every = every
        self._bags = bags

    def __len__(self) -> int:
        return len(self._every)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, by importance sampling."""
        return self._every.log_partition(theta)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members], and Σ_k c_k E[f] [θ] by the walk."""
        scores = self._bags.scores(theta, 1)
        shares = walk(scores, np.random.default_rng(_SEED)).shares
        expected = self._bags.features.gradient(shares)
        return self.log_partition(theta), float(coefficients.sum()) * expected

    def impossible(self, member: int) -> int | None:
        """The token that no analysis gets past, as the members say."""
        return self._every.impossible(member)
