"""Nonlinear conjugate gradient that maximises.

An iteration goes from θ along the gradient g with a share of the last move s. With y the change of
the gradient along s, which is positive in the sense of sᵀy where the objective is concave,

    d = γ (g + max(β, 0) s),    β = −yᵀg / sᵀy + 2 (yᵀy) (sᵀg) / (sᵀy)²,    γ = sᵀy / yᵀy.

γ does not change the direction; it makes 1 the step to try first. The search along d is as for
L-BFGS, but stricter, since d leans on the last step's having gone far enough.

References: W. Hager and H. Zhang, A new conjugate gradient method with guaranteed descent and an
efficient line search, SIAM Journal on Optimization 16, 2005, equation 1.3; J. Nocedal and
S. Wright, Numerical Optimization, 2nd edition, section 5.2, for the sign of β.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, dot
from weft.optimise.keeping import Arrays
from weft.optimise.lbfgs import check_limits, climb
from weft.optimise.solution import Callback, Objective, Solution
from weft.settings import setting

_FLAT = 0.05  # c₂ of the line search; at 0.1 quadratics take ten times as many iterations


@dataclass(frozen=True, slots=True, eq=False)
class ConjugateGradient:
    """Nonlinear conjugate gradient.

    Attributes:
        max_iterations: Stop after this many.
        tolerance: Stop when (value − value ``period`` iterations ago) / max(1, |value|) is less.
        period: See ``tolerance``.
        gradient_tolerance: Stop when ‖gradient‖ / max(1, ‖θ‖) is no more.

    >>> def objective(theta):
    ...     return -float(((theta - 3.0) ** 2).sum()), -2.0 * (theta - 3.0)
    >>> solution = ConjugateGradient().maximise(objective, np.zeros(2))
    >>> solution.weights, solution.converged
    (array([3., 3.]), True)
    """

    max_iterations: int = setting(1000, "the largest number of iterations", key="iterations")
    tolerance: float = setting(1e-5, "the relative gain over a period below which training ends")
    period: int = setting(10, "the number of iterations of that period")
    gradient_tolerance: float = 1e-5

    def __post_init__(self) -> None:
        check_limits(self)

    def maximise(
        self, objective: Objective, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        """Climb to a local maximum; see :meth:`weft.optimise.lbfgs.LBFGS.maximise`."""
        return climb(self, objective, start, Conjugacy(np.size(start)), callback, flat=_FLAT)


class Conjugacy:
    """The last move, how the gradient changed along it, and the gradient to be turned.

    It stands where the memory of L-BFGS does (:class:`weft.optimise.curvature.Curvature`).

    >>> memory = Conjugacy(2)
    >>> memory.ascent[:] = 0.0, 4.0
    >>> memory.add(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    True
    >>> out = np.empty(2)
    >>> memory.direction(out)
    >>> out
    array([0., 2.])
    """

    def __init__(self, size: int) -> None:
        self.ascent: FloatArray = np.zeros(size)
        self._move = np.zeros(size)
        self._bend = np.zeros(size)
        self._is_known = False

    def __len__(self) -> int:
        return int(self._is_known)

    def clear(self) -> None:
        """Forget the last move."""
        self._is_known = False

    def add(self, move: FloatArray, bend: FloatArray) -> bool:
        """Remember a move instead of the last one, unless its curvature is not positive."""
        self._is_known = 0.0 < dot(move, bend) < np.inf
        np.copyto(self._move, move)
        np.copyto(self._bend, bend)
        return self._is_known

    def take(self) -> Arrays:
        """Return the last move with what is known of it, as it is now."""
        arrays = {"ascent": self.ascent, "move": self._move, "bend": self._bend}
        return {**arrays, "known": np.array([self._is_known])}

    def restore(self, arrays: Arrays) -> None:
        """Remember what :meth:`take` returned."""
        for name, mine in (("ascent", self.ascent), ("move", self._move), ("bend", self._bend)):
            np.copyto(mine, arrays[name])
        self._is_known = bool(arrays["known"][0])

    def direction(self, out: FloatArray) -> None:
        """Write d into ``out``: the gradient, where there was no move."""
        np.copyto(out, self.ascent)
        if not self._is_known:
            return
        with np.errstate(all="ignore"):  # what overflows has no finite slope: the caller turns back
            curvature, bends = dot(self._move, self._bend), dot(self._bend, self._bend)
            along, across = dot(self._move, self.ascent), dot(self._bend, self.ascent)
            beta = 2.0 * bends * along / curvature**2 - across / curvature
            out += max(beta, 0.0) * self._move
            out *= curvature / bends
