"""Gamma functions: SciPy's, and the recurrences that define them."""

from __future__ import annotations

import numpy as np
import scipy.special

from weft.optimise.gamma import digamma, log_gamma

NUMBERS = np.concatenate(
    [np.logspace(-300, -1, 200), np.linspace(0.01, 30, 3000), np.logspace(1.5, 15, 200)]
)


def test_digamma_is_scipys():
    np.testing.assert_allclose(
        digamma(NUMBERS), scipy.special.digamma(NUMBERS), rtol=2e-14, atol=3e-15
    )


def test_log_gamma_is_scipys():
    np.testing.assert_allclose(
        log_gamma(NUMBERS), scipy.special.gammaln(NUMBERS), rtol=2e-14, atol=5e-14
    )


def test_recurrences(rng):
    numbers = rng.uniform(0.1, 40.0, 500)
    np.testing.assert_allclose(digamma(numbers + 1) - digamma(numbers), 1 / numbers, rtol=1e-11)
    np.testing.assert_allclose(
        log_gamma(numbers + 1) - log_gamma(numbers), np.log(numbers), rtol=1e-11, atol=1e-12
    )


def test_arguments_are_not_changed():
    numbers = np.array([0.5, 2.0])
    digamma(numbers), log_gamma(numbers)
    assert numbers.tolist() == [0.5, 2.0]
    assert len(digamma(np.empty(0))) == 0
