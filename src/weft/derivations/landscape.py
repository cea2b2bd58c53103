"""The number of right choices among listed analyses, as what annealing walks on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray, IndexArray, offsets_of, ranges
from weft.kernels import kernels

if TYPE_CHECKING:
    from weft.derivations.analyses import AnalysisHits


class Landscape:
    """The number of right choices, to be walked on; see :class:`weft.optimise.annealing.Landscape`.

    A change of one weight is seen by the analyses that have its feature, and by no others.

    Args:
        hits: What is counted.
        weights: Of examples. [examples]
        size: The number of weights θ.
    """

    def __init__(self, hits: AnalysisHits, weights: FloatArray, size: int) -> None:
        self._hits = hits
        self._weights = weights
        bags, rows = hits.analyses.bags, hits.choices
        lengths = np.diff(bags.offsets)[rows]
        entries = ranges(bags.offsets[rows], lengths)
        # By feature, and for each feature in the order of the analyses.
        order = np.argsort(bags.features[entries], kind="stable")
        counts = np.bincount(bags.features[entries], minlength=size)
        self._offsets = offsets_of(counts)
        self._rows = np.repeat(np.arange(len(rows), dtype=np.int32), lengths)[order]
        self._values = None if bags.values is None else bags.values[entries[order]]
        self._owners = np.repeat(np.arange(len(weights), dtype=np.int32), np.diff(hits.offsets))
        self._counter: kernels.ChoiceCounter | None = None

    def settle(self, theta: FloatArray) -> float:
        """Go to θ, and return the value there."""
        hits = self._hits
        self._counter = kernels.ChoiceCounter(
            self._offsets,
            self._rows,
            self._values,
            self._owners,
            hits.offsets,
            hits.right,
            self._weights,
            hits.scores(theta),
        )
        return self._counter.total

    def walk(
        self,
        features: IndexArray,
        deltas: FloatArray,
        slacks: FloatArray,
        theta: FloatArray,
        best_theta: FloatArray,
        best: float,
    ) -> tuple[float, float]:
        """Try changes one after the other, from where it was settled.

        Raises:
            ValueError: If it was not.
        """
        if self._counter is None:
            raise ValueError("settle somewhere first")
        return self._counter.walk(features, deltas, slacks, theta, best_theta, best)
