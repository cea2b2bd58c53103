"""Expectation maximisation, where the maximum for given expected counts is known in closed form.

Each iteration turns the expected counts at θ into the weights that make them most likely. The value
never falls; with complete data the first iteration is the maximum, and is called counting.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from weft.arrays import FloatArray, freeze
from weft.errors import DivergenceError, OptionError
from weft.optimise.keeping import Snapshot, offer, pack_steps, resumed, unpack_steps
from weft.optimise.solution import Callback, Reason, Solution, Step
from weft.settings import setting


class ExpectedCounts(Protocol):
    """What EM climbs: a value and expected counts at θ, and the best θ for given counts."""

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value, penalties included, and the expected counts at θ."""
        ...

    def penalty(self, theta: FloatArray) -> float:
        """Return the part of the value that is the penalties'."""
        ...

    def reestimate(self, counts: FloatArray) -> FloatArray:
        """Return the weights that make these counts most likely."""
        ...


class MeasuredOn(StrEnum):
    """What the gain of an iteration is a gain of."""

    VALUE = "value"
    """The value, penalties included, which never falls."""

    LIKELIHOOD = "likelihood"
    """The value without them, which may fall for their sake: then by how much counts."""


@dataclass(frozen=True, slots=True)
class EM:
    """Expectation maximisation.

    Attributes:
        max_iterations: The largest number of iterations.
        tolerance: The relative gain of an iteration below which the search ends.
        measured_on: What the gain is a gain of. The pseudocounts of many distributions can make
            the penalties much larger than the likelihood, and then their gain small beside them.
    """

    max_iterations: int = setting(100, "the largest number of iterations", key="iterations")
    tolerance: float = setting(1e-6, "the relative gain of an iteration below which training ends")
    measured_on: MeasuredOn = setting(
        MeasuredOn.VALUE,
        "what that gain is of: the value with its penalty, or the likelihood alone",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "measured_on", MeasuredOn(self.measured_on))
        if self.max_iterations < 1:
            raise OptionError(f"max_iterations must be at least 1, not {self.max_iterations}")
        if not 0 <= self.tolerance < math.inf:
            raise OptionError(f"tolerance must be finite and ≥ 0, not {self.tolerance}")

    def maximise(
        self, objective: ExpectedCounts, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        """Climb from ``start`` to a local maximum; see :meth:`weft.optimise.lbfgs.LBFGS.maximise`.

        The norm that steps report is that of the change of the expected counts.
        """
        climb = _BaumWelchRun(self, objective, start, resumed(callback))
        try:
            reason = climb.run(callback)
        except KeyboardInterrupt:
            reason = Reason.INTERRUPTED
        last = climb.trace[-1]
        weights, trace = freeze(climb.weights), tuple(climb.trace)
        return Solution(weights, last.value, last.gradient_norm, trace, reason)


class _BaumWelchRun:
    """One run."""

    def __init__(
        self,
        options: EM,
        objective: ExpectedCounts,
        start: FloatArray,
        resume: Snapshot | None = None,
    ) -> None:
        self.options = options
        self.objective = objective
        self.began = time.perf_counter()
        if resume is not None:
            self.weights, self.counts = resume.arrays["weights"], resume.arrays["counts"]
            self.trace = unpack_steps(resume.arrays["steps"])
            self.measured = resume.arrays["measured"].tolist()
            self.began -= self.trace[-1].seconds
            return
        self.weights = start.copy()
        value, self.counts = objective(start)
        if not math.isfinite(value):
            raise DivergenceError(f"the value is {value} at the start, where it must be finite")
        self.measured = [self.measure(value, self.weights)]
        self.trace = [Step(0, value, float(np.linalg.norm(self.counts)), 0.0, 1, 0.0)]

    def run(self, callback: Callback | None) -> Reason:
        reason: Reason | None = None
        while reason is None:
            offer(callback, self.take)
            if callback is not None and callback(self.trace[-1], freeze(self.weights)):
                return Reason.STOPPED
            reason = self.arrived()
            if reason is None:
                self.advance()
        return reason

    def take(self) -> Snapshot:
        steps = pack_steps(self.trace)
        measured = np.array(self.measured)
        return Snapshot(
            {"weights": self.weights, "counts": self.counts, "steps": steps, "measured": measured}
        )

    def measure(self, value: float, weights: FloatArray) -> float:
        if self.options.measured_on is MeasuredOn.VALUE:
            return value
        return value - self.objective.penalty(weights)

    def arrived(self) -> Reason | None:
        last = self.trace[-1]
        if len(self.trace) > 1:
            before, now = self.measured
            gain = now - before
            if self.options.measured_on is MeasuredOn.LIKELIHOOD:
                gain = abs(gain)
            if gain <= self.options.tolerance * abs(now) or last.gradient_norm == 0.0:
                return Reason.VALUE
        return Reason.LIMIT if last.iteration >= self.options.max_iterations else None

    def advance(self) -> None:
        weights = self.objective.reestimate(self.counts)
        value, counts = self.objective(weights)
        measured = self.measure(value, weights)
        change = float(np.linalg.norm(counts - self.counts))
        seconds = time.perf_counter() - self.began
        number = len(self.trace)
        # Replaced together, so that no interrupt parts them.
        self.weights, self.counts = weights, counts
        self.measured = [self.measured[-1], measured]
        self.trace.append(Step(number, value, change, 1.0, number + 1, seconds))
