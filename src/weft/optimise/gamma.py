"""The logarithm of Γ and its derivative ψ, for arrays of numbers above zero.

Numbers below 10 are raised by the recurrences Γ(x + 1) = x Γ(x) and ψ(x + 1) = ψ(x) + 1/x; there
the asymptotic series, with the Bernoulli numbers as coefficients, is exact to double precision.

Reference: Abramowitz and Stegun, Handbook of Mathematical Functions, 6.1.15, 6.1.41, 6.3.5, 6.3.18.
"""

from __future__ import annotations

import math

import numpy as np

from weft.arrays import FloatArray

_ENOUGH = 10.0
_PSI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
_LOG_GAMMA = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def digamma(numbers: FloatArray) -> FloatArray:
    """Return ψ(x) = d log Γ(x) / dx of each number above zero.

    >>> digamma(np.array([1.0, 2.0])).round(6)  # minus Euler's constant, and 1 more
    array([-0.577216,  0.422784])
    """
    raised, below = numbers.astype(np.float64), np.zeros(len(numbers))
    while (small := raised < _ENOUGH).any():
        below[small] += 1.0 / raised[small]
        raised[small] += 1.0
    series = _series(_PSI, 1.0 / raised**2) / raised**2
    psi: FloatArray = np.log(raised) - 0.5 / raised - series - below
    return psi


def log_gamma(numbers: FloatArray) -> FloatArray:
    """Return log Γ(x) of each number above zero.

    >>> log_gamma(np.array([1.0, 5.0])).round(6)  # 0! and 4!
    array([0.      , 3.178054])
    """
    raised, factor = numbers.astype(np.float64), np.zeros(len(numbers))
    while (small := raised < _ENOUGH).any():
        # Logs are added up, since a product of small numbers underflows.
        factor[small] += np.log(raised[small])
        raised[small] += 1.0
    stirling = (raised - 0.5) * np.log(raised) - raised + 0.5 * math.log(2 * math.pi)
    logs: FloatArray = stirling + _series(_LOG_GAMMA, 1.0 / raised**2) / raised - factor
    return logs


def _series(coefficients: tuple[float, ...], powers: FloatArray) -> FloatArray:
    total = np.zeros_like(powers)
    for coefficient in reversed(coefficients):
        total = total * powers + coefficient
    return total
