"""Linear systems of which only products with vectors are known: GMRES.

Of all x in span(b, M b, M² b, …) take the one with the least ‖b - M x‖ (Saad & Schultz 1986, GMRES:
a generalized minimal residual algorithm, SIAM J. Sci. Stat. Comput. 7(3), section 3). SciPy's gmres
takes about twice as long for the sums of a chain, at a tolerance of 1e-13; it measures residuals by
‖b‖ alone, and at a tolerance of 1e-15 does not stop before its last product.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.arrays import FloatArray, combine, dot, dots

_EVERY = 5  # products between looks at the residual, each of which solves a small system


def least_residual(
    product: Callable[[FloatArray], FloatArray],
    right: FloatArray,
    tolerance: float,
    most: int = 80,
) -> FloatArray:
    """Return an approximate solution x [n] of M x = b.

    >>> matrix = np.array([[2.0, 1.0], [0.0, 4.0]])
    >>> least_residual(lambda x: matrix @ x, np.array([4.0, 8.0]), 1e-15).round(9)
    array([1., 2.])

    Args:
        product: From x [n] to M x [n].
        right: [n], b, finite.
        tolerance: The norm of the residual, relative to ‖b‖ + ‖x‖, that is small enough; about
            1e-15 can be had.
        most: The largest number of products. Whether they were enough is for the caller to see.

    Raises:
        LinAlgError: If a product is not finite.
    """
    norm = _norm(right)
    if norm == 0.0:
        return np.zeros_like(right)
    most = min(most, len(right))
    basis = np.empty((most + 1, len(right)))  # orthonormal rows
    basis[0] = right / norm
    small = np.zeros((most + 1, most))  # M as the basis sees it
    aim = np.zeros(most + 1)  # b as the basis sees it
    aim[0] = norm
    for k in range(most):
        small[: k + 2, k], basis[k + 1] = _orthogonal(product(basis[k]), basis[: k + 1])
        complete = small[k + 1, k] <= 1e-14 * abs(small[: k + 1, k]).max()
        if k % _EVERY == _EVERY - 1 or complete or k + 1 == most:
            seen, target = small[: k + 2, : k + 1], aim[: k + 2]
            shares = np.asarray(np.linalg.lstsq(seen, target, rcond=None)[0], np.float64)
            if complete or _norm(seen @ shares - target) <= tolerance * (norm + _norm(shares)):
                break
    solution = np.empty_like(right)
    combine(shares, basis[: k + 1], solution)
    return solution


def _orthogonal(vector: FloatArray, basis: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A vector's components along a basis and, last, across it; and the unit vector across."""
    along = np.zeros(len(basis) + 1)
    part = np.empty_like(vector)
    for _ in range(2):  # twice is enough to be orthogonal in spite of rounding
        shares = dots(basis, vector)
        combine(shares, basis, part)
        vector = vector - part
        along[:-1] += shares
    along[-1] = _norm(vector)
    return along, vector / along[-1] if along[-1] > 0 else vector


def _norm(vector: FloatArray) -> float:
    return float(np.sqrt(dot(vector, vector)))
