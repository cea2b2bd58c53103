"""Whether answers are right as often as their probabilities say.

Answers are put into bins by their probability; in each, the mean probability should be the share
that is right. The *expected calibration error* is the mean of |share − mean probability| over
answers; the *Brier score* that of (right − probability)².

References: G. Brier (1950), Monthly Weather Review 78; M. Naeini, G. Cooper and M. Hauskrecht
(2015), "Obtaining well calibrated probabilities using Bayesian binning", section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.arrays import FloatArray, IntArray
from weft.errors import OptionError
from weft.frames import Tabular

BINS = 10
"""How many bins there are, if nothing is said."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration(Tabular):
    """How sure a model was, and how often it was right; bins without answers are left out.

    Attributes:
        probs: [bins], the mean probability of the answers in each bin.
        right: [bins], the share of them that is right.
        counts: [bins], how many there are.
        brier: The Brier score of all.
    """

    probs: FloatArray
    right: FloatArray
    counts: IntArray
    brier: float

    def columns(self) -> dict[str, list[Any]]:
        """Return the bins, a row each."""
        return {
            "probability": self.probs.tolist(),
            "right": self.right.tolist(),
            "count": self.counts.tolist(),
        }

    @property
    def error(self) -> float:
        """The expected calibration error."""
        return float(self.counts @ abs(self.right - self.probs) / self.counts.sum())


def calibrate(probs: npt.ArrayLike, right: npt.ArrayLike, bins: int = BINS) -> Calibration:
    """Compare probabilities with what was right.

    Args:
        probs: [answers], the probabilities of answers.
        right: [answers], whether they are right.
        bins: How many bins of equal width there are.

    Raises:
        OptionError: If there is no answer, or no bin.
        ValueError: If the two have different lengths.

    >>> found = calibrate([0.9, 0.9, 0.6, 0.6], [True, True, True, False])
    >>> found.right, round(found.error, 2), round(found.brier, 3)
    (array([0.5, 1. ]), 0.1, 0.135)
    """
    sure, marks = np.asarray(probs, np.float64), np.asarray(right, np.float64)
    if sure.shape != marks.shape or sure.ndim != 1:
        raise ValueError(f"expected two equally long lists, not {sure.shape} and {marks.shape}")
    if bins < 1 or not len(sure):
        raise OptionError("calibration needs at least one bin, and one answer that has a label")
    places = np.minimum((sure * bins).astype(np.int64), bins - 1)
    counts = np.bincount(places, minlength=bins)
    some = counts > 0
    means = [np.bincount(places, each, bins)[some] / counts[some] for each in (sure, marks)]
    return Calibration(means[0], means[1], counts[some], float(np.mean((marks - sure) ** 2)))
