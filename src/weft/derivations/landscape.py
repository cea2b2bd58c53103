"""The number of right choices among listed analyses, as what annealing walks on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.kernels import kernels

if TYPE_CHECKING:
    from weft.derivations.analyses import AnalysisHits


class Landscape:
    """The number of right choices, to be walked on; see :class:`weft.optimise.annealing.Landscape`.

    A change of one weight is seen by the analyses that have its feature, and by no others.

    Args:
        hits: What is counted.
        weights: Of examples. [examples]
    """

    def __init__(self, hits: AnalysisHits, weights: FloatArray) -> None:
        self._hits = hits
        self._weights = weights
        self._analyses = hits.analyses.bags.features.rows(hits.choices).transposed()
        self._owners = np.repeat(np.arange(len(weights), dtype=np.int32), np.diff(hits.offsets))
        self._counter: kernels.ChoiceCounter | None = None

    def settle(self, theta: FloatArray) -> float:
        """Go to θ, and return the value there."""
        hits = self._hits
        self._counter = kernels.ChoiceCounter(
            self._analyses.offsets,
            self._analyses.features,
            self._analyses.values,
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
