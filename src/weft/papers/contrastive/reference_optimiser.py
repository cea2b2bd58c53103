"""SciPy's L-BFGS-B: the optimiser of the independent implementation that we compare with.

Where a climb is ended long before its maximum, where it ends depends on its way. To compare with
figures that were found so, one must go the same way. Weft's own :class:`weft.optimise.lbfgs.LBFGS`
takes other steps along its lines.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray, freeze
from weft.optimise.solution import Callback, Objective, Reason, Solution, Step

_REASONS = {0: Reason.VALUE, 1: Reason.LIMIT, 99: Reason.STOPPED}  # by SciPy's status


@dataclass(frozen=True, slots=True)
class ScipyLBFGS:
    """SciPy's L-BFGS-B without bounds.

    Attributes:
        tolerance: The relative gain of an iteration at which the search ends.
        memory: The number of iterations that it remembers.
        max_iterations: The largest number of iterations.

    >>> def objective(theta):
    ...     return -float(((theta - 3.0) ** 2).sum()), -2.0 * (theta - 3.0)
    >>> solution = ScipyLBFGS().maximise(objective, np.zeros(2))
    >>> solution.weights.round(6), solution.converged
    (array([3., 3.]), True)
    """

    tolerance: float = 1e-4
    memory: int = 10
    max_iterations: int = 1000

    def maximise(
        self, objective: Objective, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        """Climb from ``start``; see :meth:`weft.optimise.lbfgs.LBFGS.maximise`."""
        from scipy.optimize import minimize  # slow to import, and rarely needed

        began = time.perf_counter()
        trace: list[Step] = []
        evaluations = 0
        norm = 0.0

        def negative(theta: FloatArray) -> tuple[float, FloatArray]:
            nonlocal evaluations, norm
            evaluations += 1
            value, gradient = objective(freeze(theta))
            norm = float(np.linalg.norm(gradient))
            if not trace:
                arrive(theta, value)
            return -value, -gradient

        def arrive(theta: FloatArray, value: float) -> None:
            seconds = time.perf_counter() - began
            trace.append(Step(len(trace), value, norm, float(bool(trace)), evaluations, seconds))
            if callback is not None and callback(trace[-1], freeze(theta)) and len(trace) > 1:
                raise StopIteration

        def tell(intermediate_result: Any) -> None:
            arrive(intermediate_result.x, -float(intermediate_result.fun))

        limits = {"maxcor": self.memory, "ftol": self.tolerance, "maxiter": self.max_iterations}
        found = minimize(
            negative,
            np.array(start, np.float64),
            jac=True,
            method="L-BFGS-B",
            callback=tell,
            options={**limits, "gtol": 0.0, "maxfun": 20 * self.max_iterations},
        )
        reason = _REASONS.get(found.status, Reason.LINE_SEARCH)
        return Solution(freeze(found.x), -float(found.fun), norm, tuple(trace), reason)
