"""The memory of L-BFGS: recent moves, how the gradient bent along them, and what follows.

A pair is s = θ⁺ − θ and y = ∇(θ) − ∇(θ⁺); where the objective is concave sᵀy ≥ 0. The pairs
stand for an inverse H of the negated Hessian. With S and Y the pairs as rows, oldest first, R the
upper triangle of S Yᵀ, D its diagonal and γ = sᵀy / yᵀy of the newest pair,

    a = R⁻¹ S g,    b = R⁻ᵀ ((D + γ Y Yᵀ) a − γ Y g),    H g = γ g + Sᵀ b − γ Yᵀ a.

So only small matrices of inner products are needed beside two matrix–vector products with all
rows; the usual recursion does the same with 4m passes over vectors.

Reference: R. Byrd, J. Nocedal and R. Schnabel, Representations of quasi-Newton matrices and
their use in limited memory methods, Mathematical Programming 63, 1994, equation 3.1.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray, combine, dot, dots
from weft.optimise.keeping import Arrays


class Curvature:
    """At most ``memory`` pairs of vectors of ``size`` numbers, and the vector to apply H to.

    >>> curvature = Curvature(memory=2, size=2)
    >>> curvature.ascent[:] = 2.0, 6.0
    >>> curvature.add(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    True
    >>> out = np.empty(2)
    >>> curvature.direction(out)
    >>> out
    array([1., 3.])
    """

    def __init__(self, memory: int, size: int) -> None:
        # One block of rows g, s₀, y₀, s₁, y₁, …: the rows in use are contiguous.
        self._rows = np.zeros((1 + 2 * memory, size))
        self._slots: list[int] = []  # oldest first
        self._sy = np.zeros((memory, memory))
        self._yy = np.zeros((memory, memory))

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def ascent(self) -> FloatArray:
        """The vector that :meth:`direction` turns; to be written into."""
        row: FloatArray = self._rows[0]
        return row

    def clear(self) -> None:
        """Forget all pairs."""
        self._slots.clear()

    def add(self, move: FloatArray, bend: FloatArray) -> bool:
        """Remember a pair instead of the oldest one, unless its curvature is not positive.

        Args:
            move: s, [size].
            bend: y, [size].

        Returns:
            Whether the pair was remembered.
        """
        curvature = dot(move, bend)
        scale = np.sqrt(dot(move, move)) * np.sqrt(dot(bend, bend))
        if not 0.0 < np.finfo(np.float64).eps * scale < curvature < np.inf:
            return False
        is_full = len(self._slots) == len(self._sy)
        slot = self._slots.pop(0) if is_full else len(self._slots)
        self._rows[1 + 2 * slot] = move
        self._rows[2 + 2 * slot] = bend
        self._slots.append(slot)
        self._update_products(slot)
        return True

    def take(self) -> Arrays:
        """Return all pairs, and the vector to apply H to, as they are now."""
        rows = self._rows[: 1 + 2 * len(self._slots)]
        return {"rows": rows, "slots": np.array(self._slots), "sy": self._sy, "yy": self._yy}

    def restore(self, arrays: Arrays) -> None:
        """Remember what :meth:`take` returned."""
        self._rows[: len(arrays["rows"])] = arrays["rows"]
        self._slots = arrays["slots"].tolist()
        self._sy[:], self._yy[:] = arrays["sy"], arrays["yy"]

    def direction(self, out: FloatArray) -> None:
        """Write H times :attr:`ascent` into ``out``; H is the identity without pairs."""
        if not self._slots:
            np.copyto(out, self.ascent)
            return
        rows = self._rows[: 1 + 2 * len(self._slots)]
        # What overflows here has no finite slope, and the caller turns back.
        with np.errstate(all="ignore"):
            coefficients = self._coefficients(dots(rows, self.ascent))
        combine(coefficients, rows, out)

    def _update_products(self, slot: int) -> None:
        count = len(self._slots)
        products = dots(self._rows[: 1 + 2 * count], self._rows[2 + 2 * slot])
        self._sy[:count, slot] = products[1::2]
        self._yy[:count, slot] = self._yy[slot, :count] = products[2::2]

    def _coefficients(self, products: FloatArray) -> FloatArray:
        """Return what to multiply each row with, given the rows' products with g."""
        order = np.array(self._slots)
        square = np.ix_(order, order)
        upper, yy = np.triu(self._sy[square]), self._yy[square]
        gamma = upper[-1, -1] / yy[-1, -1]
        a = np.linalg.solve(upper, products[1::2][order])
        middle = upper.diagonal() * a + gamma * (yy @ a - products[2::2][order])
        coefficients = np.empty(len(products))
        coefficients[0] = gamma
        coefficients[1 + 2 * order] = np.linalg.solve(upper.T, middle)
        coefficients[2 + 2 * order] = -gamma * a
        return coefficients
