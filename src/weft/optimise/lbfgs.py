"""Limited-memory BFGS that maximises, with an L1 penalty if one is wanted.

An iteration goes from θ along d = H g, where g is the gradient (the pseudo-gradient with an L1
penalty) and H what the last few iterations tell of the inverse of the negated Hessian
(:mod:`weft.optimise.curvature`). It tries the step 1, or 1/‖g‖ while there is nothing to tell,
and searches from there for a step that is high enough (:mod:`weft.optimise.linesearch`).

The objective may be infinite or NaN away from the start: such trials are shortened and never
enter the memory.

Reference: J. Nocedal and S. Wright, Numerical Optimization, 2nd edition, section 7.2.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from weft.arrays import FloatArray, dot, freeze
from weft.errors import DivergenceError, OptionError
from weft.optimise.curvature import Curvature
from weft.optimise.keeping import (
    Arrays,
    Snapshot,
    offer,
    pack_steps,
    resumed,
    unpack_steps,
)
from weft.optimise.linesearch import FLAT, RISE, Probe, wolfe_search
from weft.optimise.orthant import Orthant
from weft.optimise.solution import Callback, Objective, Reason, Solution, Step
from weft.settings import setting

_HALVINGS = 40
_ROUNDING = 1e-14
_TINY = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class LBFGS:
    """Limited-memory BFGS.

    Attributes:
        memory: How many iterations the curvature is taken from.
        max_iterations: Stop after this many.
        tolerance: Stop when (value − value ``period`` iterations ago) / max(1, |value|) is less.
        period: See ``tolerance``.
        gradient_tolerance: Stop when ‖gradient‖ / max(1, ‖θ‖) is no more.
        l1: Maximise the objective minus Σⱼ l1ⱼ |θⱼ|; one number for all weights or one each.
            Weights that the penalty holds at zero are exactly zero.

    >>> def objective(theta):
    ...     return -float(((theta - 3.0) ** 2).sum()), -2.0 * (theta - 3.0)
    >>> solution = LBFGS().maximise(objective, np.zeros(2))
    >>> solution.weights, solution.value, solution.converged
    (array([3., 3.]), -0.0, True)
    """

    memory: int = setting(6, "the number of iterations that L-BFGS remembers")
    max_iterations: int = setting(1000, "the largest number of iterations", key="iterations")
    tolerance: float = setting(1e-5, "the relative gain over a period below which training ends")
    period: int = setting(10, "the number of iterations of that period")
    gradient_tolerance: float = 1e-5
    l1: float | FloatArray = setting(0.0, "what each unit of a weight costs, beside the penalty")

    def __post_init__(self) -> None:
        if self.memory < 1:
            raise OptionError(f"memory must be at least 1, not {self.memory}")
        check_limits(self)
        if not np.all((np.asarray(self.l1) >= 0) & (np.asarray(self.l1) < math.inf)):
            raise OptionError(f"l1 must be finite and ≥ 0, not {self.l1}")

    def maximise(
        self, objective: Objective, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        """Climb from ``start`` to a local maximum.

        A KeyboardInterrupt, whether it comes during an evaluation or in the callback, ends the
        search with the best weights so far.

        Args:
            objective: θ → (value, gradient); −inf, +inf and NaN mean outside the domain.
            start: θ to begin with, [n]; not changed.
            callback: Told of the start and of every iteration; True stops.

        Returns:
            The best weights, how they were reached, and why no further.

        Raises:
            DivergenceError: The objective is not finite at ``start``.
            ValueError: The start, the gradient or ``l1`` has the wrong shape.
        """
        return climb(
            self, objective, start, Curvature(self.memory, np.size(start)), callback, l1=self.l1
        )


class StoppingRule(Protocol):
    """When a climb ends; see :class:`LBFGS`."""

    @property
    def max_iterations(self) -> int: ...  # noqa: D102
    @property
    def tolerance(self) -> float: ...  # noqa: D102
    @property
    def period(self) -> int: ...  # noqa: D102
    @property
    def gradient_tolerance(self) -> float: ...  # noqa: D102


def check_limits(limits: StoppingRule) -> None:
    """Refuse limits that make no sense.

    Raises:
        OptionError: With the name of the limit.
    """
    for name, least in (("max_iterations", 0), ("period", 1)):
        if getattr(limits, name) < least:
            raise OptionError(f"{name} must be at least {least}, not {getattr(limits, name)}")
    for name in ("tolerance", "gradient_tolerance"):
        if not 0 <= getattr(limits, name) < math.inf:
            raise OptionError(f"{name} must be finite and ≥ 0, not {getattr(limits, name)}")


class Memory(Protocol):
    """What earlier iterations tell: :class:`weft.optimise.curvature.Curvature`, for one."""

    @property
    def ascent(self) -> FloatArray:
        """The vector that :meth:`direction` turns; to be written into."""
        ...

    def __len__(self) -> int: ...

    def clear(self) -> None:
        """Forget everything."""
        ...

    def add(self, move: FloatArray, bend: FloatArray) -> bool:
        """Remember a move and how the gradient changed along it."""
        ...

    def direction(self, out: FloatArray) -> None:
        """Write the direction to go into ``out``."""
        ...

    def take(self) -> Arrays:
        """Return all that is remembered, the ascent included, as it is now."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Remember what :meth:`take` returned."""
        ...


def climb(
    limits: StoppingRule,
    objective: Objective,
    start: FloatArray,
    memory: Memory,
    callback: Callback | None = None,
    *,
    l1: float | FloatArray = 0.0,
    flat: float = FLAT,
) -> Solution:
    """Climb along the directions that a memory gives; see :meth:`LBFGS.maximise`.

    Args:
        limits: When to stop.
        objective: θ → (value, gradient).
        start: θ to begin with, [n]; not changed.
        memory: What turns the gradient into a direction, and learns from the moves.
        callback: Told of the start and of every iteration; True stops.
        l1: The L1 penalty.
        flat: How small a slope, in proportion to that of the start, a step must end with.
    """
    run = _LBFGSRun(limits, objective, start, memory, l1, flat)
    try:
        reason = run.run(callback)
    except KeyboardInterrupt:
        reason = Reason.INTERRUPTED
    return run.solution(reason)


class _Point(NamedTuple):
    """The weights with what is known of them, replaced together: no interrupt parts them."""

    weights: FloatArray
    step: Step


class _LBFGSRun:
    """One run. Holds θ, the trial, the direction, the rows of the memory, and no other copies."""

    def __init__(
        self,
        options: StoppingRule,
        objective: Objective,
        start: FloatArray,
        memory: Memory,
        l1: float | FloatArray,
        flat: float,
    ) -> None:
        weights = np.array(start, dtype=np.float64)
        if weights.ndim != 1:
            raise ValueError(f"the start must be a vector, not of shape {weights.shape}")
        self.options = options
        self.objective = objective
        self.began = time.perf_counter()
        self.evaluations = 0
        self.trace: list[Step] = []
        self.point = _Point(weights, Step(0, -math.inf, math.inf, 0.0, 0, 0.0))
        self.trial = np.empty_like(weights)
        self.direction = np.empty_like(weights)
        self.curvature = memory
        self.flat = flat
        self.orthant = Orthant(l1, weights.size) if np.any(l1) else None
        # Without an L1 penalty the gradient is the ascent, and one row holds both.
        self.gradient = np.empty_like(weights) if self.orthant else self.curvature.ascent
        self.trial_gradient = self.gradient

    def run(self, callback: Callback | None) -> Reason:
        before = resumed(callback)
        if before is None:
            self.begin()
        else:
            self.restore(before)
        reason: Reason | None = None
        while reason is None:
            offer(callback, self.take)
            stops = callback is not None and callback(self.trace[-1], freeze(self.point.weights))
            reason = self.arrived() or (Reason.STOPPED if stops else self.advance())
        return reason

    def solution(self, reason: Reason) -> Solution:
        weights, step = self.point
        weights += 0.0  # so that no weight is −0
        return Solution(freeze(weights), step.value, step.gradient_norm, tuple(self.trace), reason)

    def take(self) -> Snapshot:
        arrays = {
            "weights": self.point.weights,
            "gradient": self.gradient,
            "steps": pack_steps(self.trace),
        }
        return Snapshot({**arrays, **self.curvature.take()})

    def restore(self, before: Snapshot) -> None:
        self.trace = unpack_steps(before.arrays["steps"])
        last = self.trace[-1]
        self.evaluations = last.evaluations
        self.began -= last.seconds
        self.point = _Point(np.array(before.arrays["weights"]), last)
        self.curvature.restore(before.arrays)
        np.copyto(self.gradient, before.arrays["gradient"])

    def begin(self) -> None:
        weights = self.point.weights
        value = self.evaluate(weights)
        np.copyto(self.gradient, self.trial_gradient)
        norm = self.ascent_norm(weights)
        if not (math.isfinite(value) and math.isfinite(norm)):
            raise DivergenceError(
                f"the objective or its gradient is not finite at the start (value {value}, "
                f"norm of the gradient {norm}): start from weights inside its domain"
            )
        self.arrive(weights, value, norm, step=0.0)

    def arrived(self) -> Reason | None:
        weights, step = self.point
        size = math.sqrt(dot(weights, weights))
        if step.gradient_norm <= self.options.gradient_tolerance * max(1.0, size):
            return Reason.GRADIENT
        if step.iteration >= self.options.period:
            change = step.value - self.trace[-1 - self.options.period].value
            if change < self.options.tolerance * max(1.0, abs(step.value)):
                return Reason.VALUE
        return Reason.LIMIT if step.iteration >= self.options.max_iterations else None

    def advance(self) -> Reason | None:
        """Make one iteration; where the memory misleads, once more without it."""
        promise = math.inf
        while True:
            self.curvature.direction(self.direction)
            slope = dot(self.curvature.ascent, self.direction)
            found = self.search(slope) if 0.0 < slope < math.inf else None
            if found is not None:
                self.accept(found)
                return None
            if not len(self.curvature):
                # No failure where the memory had foreseen a gain that rounding would swallow.
                is_rounding = promise <= _ROUNDING * abs(self.point.step.value)
                return Reason.VALUE if is_rounding else Reason.LINE_SEARCH
            promise = slope
            self.curvature.clear()

    def search(self, slope: float) -> Probe | None:
        value, norm = self.point.step.value, self.point.step.gradient_norm
        first = 1.0 if len(self.curvature) else 1.0 / max(norm, _TINY)
        if self.orthant is not None:
            return self.search_orthant(self.orthant, first)
        return wolfe_search(self.probe, Probe(0.0, value, slope), first, self.flat)

    def probe(self, step: float) -> Probe:
        np.multiply(self.direction, step, out=self.trial)
        self.trial += self.point.weights
        value = self.evaluate(self.trial)
        slope = dot(self.trial_gradient, self.direction)
        is_finite = math.isfinite(value) and math.isfinite(slope)
        return Probe(step, value, slope) if is_finite else Probe(step, -math.inf, 0.0)

    def search_orthant(self, orthant: Orthant, first: float) -> Probe | None:
        """Halve the step until the projected trial has risen enough."""
        weights, ascent = self.point.weights, self.curvature.ascent
        orthant.align(self.direction, ascent)
        for halvings in range(_HALVINGS):
            trial = self.probe_orthant(orthant, first * 0.5**halvings)
            # The gain foreseen is negative only where unpenalised weights move against ◇.
            gain = max(orthant.gain(ascent, weights, self.trial), 0.0)
            if trial.value >= self.point.step.value + RISE * gain:
                return trial
        return None

    def probe_orthant(self, orthant: Orthant, step: float) -> Probe:
        np.multiply(self.direction, step, out=self.trial)
        self.trial += self.point.weights
        orthant.project(self.trial, self.point.weights)
        value = self.evaluate(self.trial)
        slope = orthant.gain(self.trial_gradient, self.point.weights, self.trial)
        is_finite = math.isfinite(value) and math.isfinite(slope)
        return Probe(step, value, slope) if is_finite else Probe(step, -math.inf, 0.0)

    def evaluate(self, weights: FloatArray) -> float:
        self.evaluations += 1
        self.trial_gradient = self.gradient  # so that there is room for the next
        value, gradient = self.objective(freeze(weights))
        if gradient.shape != weights.shape:
            raise ValueError(f"weights {weights.shape} have a gradient of {gradient.shape}")
        self.trial_gradient = gradient
        return float(value) - (self.orthant.penalty(weights) if self.orthant else 0.0)

    def accept(self, found: Probe) -> None:
        """Move to the trial, whose gradient is the last one computed, and learn from the move."""
        weights, trial = self.point.weights, self.trial
        self.arrive(trial, found.value, self.ascent_norm(trial), found.step)
        # The old weights and gradient are of no more use but to hold the pair.
        np.subtract(trial, weights, out=weights)
        np.subtract(self.gradient, self.trial_gradient, out=self.gradient)
        self.curvature.add(weights, self.gradient)
        np.copyto(self.gradient, self.trial_gradient)
        self.trial = weights

    def ascent_norm(self, weights: FloatArray) -> float:
        ascent = self.trial_gradient
        if self.orthant is not None:
            ascent = self.curvature.ascent
            self.orthant.pseudo_gradient(weights, self.trial_gradient, out=ascent)
        return math.sqrt(dot(ascent, ascent))

    def arrive(self, weights: FloatArray, value: float, norm: float, step: float) -> None:
        seconds = time.perf_counter() - self.began
        done = Step(len(self.trace), value, norm, step, self.evaluations, seconds)
        self.point = _Point(weights, done)
        self.trace.append(done)
