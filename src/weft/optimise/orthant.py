"""Maximising with an L1 penalty, one orthant at a time (OWL-QN).

The penalised objective is F(θ) = f(θ) − Σⱼ cⱼ |θⱼ|, smooth within an orthant. Its steepest
ascent is the pseudo-gradient ◇, with g = ∇f:

    ◇ⱼ = gⱼ − cⱼ sign θⱼ  where θⱼ ≠ 0,     gⱼ − clip(gⱼ, −cⱼ, cⱼ)  where θⱼ = 0.

A direction keeps only those penalised coordinates that agree in sign with ◇, and a step stops
at zero where it would leave the orthant. Coordinates with cⱼ = 0 move freely.

Reference: G. Andrew and J. Gao, Scalable training of L1-regularized log-linear models, ICML 2007.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, dot


class Orthant:
    """The penalty c of ``size`` weights, and room to compute with it.

    Choices are made by multiplying with 0 or 1, which on long vectors is several times faster
    than indexing with a mask; it may leave a −0.

    Args:
        l1: c, one number for all weights or an array [size].
        size: The number of weights.

    >>> orthant = Orthant(np.array([3.0, 1.0]), size=2)
    >>> orthant.penalty(np.array([1.0, -2.0]))
    5.0
    """

    def __init__(self, l1: float | FloatArray, size: int) -> None:
        self._high = np.asarray(l1, dtype=np.float64)
        if self._high.shape not in ((), (size,)):
            raise ValueError(f"an l1 penalty of shape {self._high.shape} for {size} weights")
        self._low = -self._high
        self._free = self._high == 0
        self._scratch = np.empty(size)
        self._keeps = np.empty(size, dtype=np.bool_)

    def penalty(self, weights: FloatArray) -> float:
        """Return Σⱼ cⱼ |θⱼ|."""
        np.abs(weights, out=self._scratch)
        self._scratch *= self._high
        return float(self._scratch.sum())

    def pseudo_gradient(self, weights: FloatArray, gradient: FloatArray, out: FloatArray) -> None:
        """Write ◇ into ``out``.

        >>> out = np.empty(4)
        >>> weights, gradient = np.array([2.0, -2.0, 0.0, 0.0]), np.array([1.0, 1.0, 5.0, -2.0])
        >>> Orthant(3.0, size=4).pseudo_gradient(weights, gradient, out)
        >>> out
        array([-2.,  4.,  2.,  0.])
        """
        np.minimum(gradient, self._high, out=out)
        np.maximum(out, self._low, out=out)
        out *= np.equal(weights, 0.0, out=self._keeps)
        np.sign(weights, out=self._scratch)
        self._scratch *= self._high
        out += self._scratch
        np.subtract(gradient, out, out=out)

    def align(self, direction: FloatArray, ascent: FloatArray) -> None:
        """Zero the penalised coordinates of ``direction`` that differ in sign from ``ascent``.

        >>> direction = np.array([1.0, -1.0, -1.0])
        >>> Orthant(np.array([1.0, 1.0, 0.0]), size=3).align(direction, np.full(3, 2.0))
        >>> direction
        array([ 1., -0., -1.])
        """
        np.multiply(direction, ascent, out=self._scratch)
        np.greater(self._scratch, 0.0, out=self._keeps)
        self._keeps |= self._free
        direction *= self._keeps

    def project(self, trial: FloatArray, weights: FloatArray) -> None:
        """Zero the penalised coordinates of ``trial`` that crossed zero on the way.

        A weight of zero may go either way: an aligned direction leads it into the right orthant.

        >>> trial, weights = np.array([-1.0, 1.0, -1.0, -1.0]), np.array([1.0, 1.0, 0.0, 1.0])
        >>> Orthant(np.array([2.0, 2.0, 2.0, 0.0]), size=4).project(trial, weights)
        >>> trial
        array([-0.,  1., -1., -1.])
        """
        np.multiply(trial, weights, out=self._scratch)
        np.greater_equal(self._scratch, 0.0, out=self._keeps)
        self._keeps |= self._free
        trial *= self._keeps

    def gain(self, ascent: FloatArray, weights: FloatArray, trial: FloatArray) -> float:
        """Return ◇ᵀ (trial − θ).

        >>> Orthant(1.0, size=2).gain(np.array([1.0, 2.0]), np.zeros(2), np.array([3.0, 4.0]))
        11.0
        """
        np.subtract(trial, weights, out=self._scratch)
        return dot(ascent, self._scratch)
