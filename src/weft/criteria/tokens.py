"""Criteria of single tags: Σ_i weight_i Σ_j g(t_ij), t_ij = log p(y_j = the observed tag | x_i).

With g(t) = exp t this is expected local accuracy, the number of tags that are expected to be right;
with g(t) = t its logarithmic form.

Reference: Smith and Eisner (2005), "Contrastive Estimation", table 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray, dot
from weft.criteria.links import Link
from weft.criteria.objective import Comparison
from weft.derivations.tokens import Tokens
from weft.derivations.trellis import Trellis


@dataclass(frozen=True, slots=True, eq=False)
class TokenContrast(Comparison):
    """A criterion of single tags on a corpus.

    Attributes:
        observed: The numerators, one an example.
        tokens: The tokens of the denominators with their observed tags.
        weights: [examples].
        link: g.
    """

    observed: Trellis
    tokens: Tokens
    weights: FloatArray
    link: Link

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient at θ; zeros for a gradient that is infinite."""
        log_probs = self.tokens.log_probs(theta)
        value = dot(self.weights, self._by_example(self.link.value(log_probs)))
        if not math.isfinite(value):
            return value, np.zeros_like(theta)
        slopes = self.weights[self.tokens.owners] * self.link.slope(log_probs)
        with np.errstate(divide="ignore"):
            # A tag that has no probability has no slope either, or the value were infinite.
            rates = np.log(slopes) - np.where(np.isneginf(log_probs), 0.0, log_probs)
        return value, self.tokens.gradient(theta, rates)

    def per_example(self, theta: FloatArray) -> FloatArray:
        """[examples]: Σ_j g(t_ij)."""
        return self._by_example(self.link.value(self.tokens.log_probs(theta)))

    def impossible(self, theta: FloatArray) -> Iterator[tuple[int, int]]:  # noqa: ARG002
        """Yield the examples that no derivation explains, and the token where each one ends."""
        for place in range(len(self.weights)):
            position = self.observed.impossible(place)
            if position is not None:
                yield place, position

    def _by_example(self, values: FloatArray) -> FloatArray:
        sums = np.bincount(self.tokens.owners, values, minlength=len(self.weights))
        return sums.astype(np.float64)


def token_contrast(
    trellis: Trellis,
    numerators: IntArray,
    denominators: IntArray,
    weights: FloatArray,
    link: Link,
) -> TokenContrast:
    """Return a criterion of single tags, given the members that are each example's A and B."""
    inputs, observed = trellis.select(denominators), trellis.select(numerators)
    return TokenContrast(observed, Tokens(inputs, observed.members.sets), weights, link)
