"""Weights that are the logs of probabilities: which of them belong to one distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Distributions:
    """Which weights belong to one distribution.

    Attributes:
        groups: [θ], the distribution of each weight; -1 for weights that belong to none.
        possible: [θ], False for words with tags that the dictionary does not give them.
    """

    groups: IntArray
    possible: BoolArray

    @property
    def members(self) -> BoolArray:
        """[θ]: whether a weight is the log of a probability."""
        return (self.groups >= 0) & self.possible

    def weights(self, counts: FloatArray) -> FloatArray:
        """[θ]: the logs of counts divided by the sum of their distribution, 0 for others.

        A distribution without any count stays uniform.
        """
        mine = self.members
        groups = self.groups[mine]
        inside = counts[mine]
        totals = np.bincount(groups, inside)
        sizes = np.bincount(groups, minlength=len(totals))
        # Logs of totals and sizes are taken once a distribution, not once a weight.
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(inside) - np.log(totals)[groups]
            uniform = -np.log(sizes)
        empty = totals <= 0
        if empty.any():
            logs = np.where(empty[groups], uniform[groups], logs)
        weights = np.where(self.possible, 0.0, -np.inf)
        weights[mine] = logs
        return weights

    def perturbed(self, weights: FloatArray, noise: FloatArray) -> FloatArray:
        """[θ]: weights that were perturbed, and are still logs of probabilities."""
        return self.weights(np.exp(weights + noise))
