"""Links: what an estimator makes of t = log Z(A) - log Z(B), the log-probability of A given B.

=============  =========  =======================================================
identity       t          the log-likelihood
exponential    exp t      expected accuracy: the probability itself
boosting loss  -exp(-t)   the negated boosting loss: minus one over the probability
=============  =========  =======================================================

Reference: Smith and Eisner (2005), "Contrastive Estimation", table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Link:
    """An increasing function g of t ≤ 0, and its slope.

    Attributes:
        name: What messages call it.
        value: From t [n] to g(t) [n]; t may be -inf.
        slope: From t [n] to g'(t) [n].
    """

    name: str
    value: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]


def _itself(t: FloatArray) -> FloatArray:
    return t


def _ones(t: FloatArray) -> FloatArray:
    return np.ones_like(t)


def _exp(t: FloatArray) -> FloatArray:
    probs: FloatArray = np.exp(t)
    return probs


def _inverse_exp(t: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # infinite loss is an answer: outside the domain
        inverse: FloatArray = np.exp(-t)
    return inverse


def _negated_inverse_exp(t: FloatArray) -> FloatArray:
    return -_inverse_exp(t)


identity = Link("identity", _itself, _ones)
"""g(t) = t."""

exponential = Link("exponential", _exp, _exp)
"""g(t) = exp t."""

boosting_loss = Link("boosting loss", _negated_inverse_exp, _inverse_exp)
"""g(t) = -exp(-t)."""
