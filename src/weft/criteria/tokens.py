"""Criteria of single parts: Σ_i weight_i Σ_j g(t_ij), t_ij = log p(y has observed part j | x_i).

The parts of a tag sequence are its tokens with their tags; those of a tree its labels over spans;
those of a derivation of a packed forest its edges. With g(t) = exp t this is expected local
accuracy, the number of parts that are expected to be right; with g(t) = t its logarithmic form.

Reference: Smith and Eisner (2005), "Contrastive Estimation", table 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray, dot
from weft.criteria.links import Link
from weft.criteria.members import impossible
from weft.criteria.objective import CorpusTerm
from weft.derivations.derivation_set import DerivationSet, Parts


@dataclass(frozen=True, slots=True, eq=False)
class TokenContrast(CorpusTerm):
    """A criterion of single parts on a corpus.

    Attributes:
        derivations: The distinct numerators and denominators.
        numerators: [examples], the member that is each example's A.
        parts: The observed parts of the denominators, one per example.
        weights: [examples].
        link: g.
    """

    derivations: DerivationSet
    numerators: IntArray
    parts: Parts
    weights: FloatArray
    link: Link

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient at θ; zeros for a gradient that is infinite."""
        log_probs = self.parts.log_probs(theta)
        value = dot(self.weights, self._by_example(self.link.value(log_probs)))
        if not math.isfinite(value):
            return value, np.zeros_like(theta)
        slopes = self.weights[self.parts.owners] * self.link.slope(log_probs)
        return value, self.parts.slope(theta, slopes, log_probs)

    def per_example(self, theta: FloatArray) -> FloatArray:
        """[examples]: Σ_j g(t_ij)."""
        return self._by_example(self.link.value(self.parts.log_probs(theta)))

    def impossible(self, theta: FloatArray) -> Iterator[tuple[int, int]]:
        """Yield the examples that no derivation explains, and the token where each one ends."""
        return impossible(self.derivations, self.numerators, theta)

    def _by_example(self, values: FloatArray) -> FloatArray:
        sums = np.bincount(self.parts.owners, values, minlength=len(self.weights))
        return sums.astype(np.float64)
