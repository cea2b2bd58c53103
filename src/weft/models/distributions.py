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

    @property
    def times(self) -> FloatArray:
        """[θ]: how many outcomes each weight counts for: what is added to all counts, so often."""
        return self.members.astype(np.float64)

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


@dataclass(frozen=True, slots=True, eq=False)
class SharedDistributions(Distributions):
    """The same where outcomes that were not seen share a weight.

    Distribution g has ``size`` outcomes, each of which has the weight ``rest[g]``, and those that
    were seen have one more, which is added to it. With D(o) the counts of the latter and B those of
    the former, which all outcomes count for,

        p(o) = D(o) / B,    of any that was not seen    (B - Σ_o D(o)) / (size - seen outcomes) / B.

    Attributes:
        rest: [shared], the shared weights, in the order of their distributions.
        first: The number of the first distribution with such a weight; they follow each other.
        size: How many outcomes such a distribution has.
    """

    rest: slice
    first: int
    size: int

    @property
    def times(self) -> FloatArray:
        """[θ]: how many outcomes each weight counts for."""
        times = self.members.astype(np.float64)
        times[self.rest] = self.size
        return times

    def weights(self, counts: FloatArray) -> FloatArray:
        """[θ]: logs of probabilities, those of outcomes that were seen less what all share."""
        weights = Distributions.weights(self, counts)
        own = self.groups >= self.first
        own[self.rest] = False
        groups, counted, every = self.groups[own] - self.first, counts[own], counts[self.rest]
        others = self.size - np.bincount(groups, minlength=len(every))
        left = every - np.bincount(groups, counted, len(every))
        empty = every <= 0  # any outcome is then as likely as any other
        with np.errstate(divide="ignore", invalid="ignore"):
            shared = np.log(np.where(empty, 1.0 / self.size, left / np.maximum(others, 1) / every))
            logs = np.where(empty[groups], -np.log(self.size), np.log(counted / every[groups]))
        weights[self.rest] = np.where(others > 0, shared, 0.0)
        weights[own] = logs - weights[self.rest][groups]
        return weights
