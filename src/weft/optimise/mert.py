"""Exact line search for step functions: minimum error rate training.

Where the value is a number of right choices, it is constant between the places where a choice
changes. Along a line θ + t d all these places can be found, and so the best of all t is known for
certain. An ascent goes along one direction after the other, every weight alone and some random
directions, and always to the middle of the best interval; it ends where none of them leads higher.
That depends on where it begins: it begins in several places, and then again and again near the best
weights so far.

Reference: F. J. Och (2003), "Minimum Error Rate Training in Statistical Machine Translation", ACL.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from weft.arrays import FloatArray, IntArray, freeze
from weft.errors import OptionError
from weft.optimise.solution import Callback, Reason, Solution, Step
from weft.ranking import first_largest
from weft.settings import setting

_ROUNDING = 1e-9
_BEYOND = 1.0  # how far to go past the last step, where no other follows


class StepFunction(Protocol):
    """An objective that is constant but for steps."""

    @property
    def most(self) -> float:
        """A value that none is above."""
        ...

    def value(self, theta: FloatArray) -> float:
        """Return the value at θ."""
        ...

    def promising(self, theta: FloatArray) -> IntArray:
        """Return the weights that may lead higher from θ, each alone; ascending."""
        ...

    def along(
        self, theta: FloatArray, direction: FloatArray, reach: float
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return the value at θ + t d for all t from -reach to reach.

        Returns:
            The value before the first step, where the steps are, and how high each is; in any
            order.
        """
        ...


@dataclass(frozen=True, slots=True)
class WeightedSteps:
    """A weighted sum of step functions.

    Attributes:
        terms: Each with its weight, at least 0.
    """

    terms: Sequence[tuple[float, StepFunction]]

    @property
    def most(self) -> float:
        """A value that none is above."""
        return sum(weight * each.most for weight, each in self.terms)

    def value(self, theta: FloatArray) -> float:
        """Return the value at θ."""
        return sum(weight * each.value(theta) for weight, each in self.terms)

    def promising(self, theta: FloatArray) -> IntArray:
        """Return the weights that may lead higher from θ, each alone; ascending."""
        several = [each.promising(theta) for _, each in self.terms]
        return np.unique(np.concatenate([np.zeros(0, np.int64), *several]))

    def along(
        self, theta: FloatArray, direction: FloatArray, reach: float
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return the value at θ + t d for all t from -reach to reach."""
        found = [(weight, *each.along(theta, direction, reach)) for weight, each in self.terms]
        return (
            sum(weight * first for weight, first, _, _ in found),
            np.concatenate([places for _, _, places, _ in found]),
            np.concatenate([weight * jumps for weight, _, _, jumps in found]),
        )


def best_step(
    first: float, places: FloatArray, jumps: FloatArray, reach: float
) -> tuple[float, float]:
    """Return the middle of the best interval of a step function, and the value there.

    Of several best ones the widest is taken, of equally wide ones the first; beyond the last step,
    what is near to it.

    >>> best_step(1.0, np.array([4.0, 2.0, 3.0]), np.array([-1.0, 1.0, 0.0]), 100.0)
    (3.0, 2.0)

    Args:
        first: The value before the first step.
        places: Where the steps are, in any order. [steps]
        jumps: How high each is. [steps]
        reach: How far it goes to both sides.
    """
    real = np.abs(jumps) > _ROUNDING
    order = np.argsort(places[real], kind="stable")
    places, jumps = places[real][order], jumps[real][order]
    if not len(places):
        return 0.0, first
    values = first + np.concatenate([[0.0], np.cumsum(jumps)])
    low, high = places[0] - 2 * _BEYOND, places[-1] + 2 * _BEYOND
    ends = np.concatenate([[max(-reach, low)], places, [min(reach, high)]])
    near = np.flatnonzero(values >= values.max() - _ROUNDING)
    best = near[first_largest(np.diff(ends)[near])]
    return 0.5 * float(ends[best] + ends[best + 1]), float(values[best])


@dataclass(frozen=True, slots=True)
class LineSearchAscent:
    """Exact line search along one direction after the other, from several starts.

    Attributes:
        kicks: How often it begins again, near the best weights so far.
        directions: How many random directions each pass over all weights tries, too.
        shake: How far from the best weights it begins again: a standard deviation, as a multiple of
            the weights' own size.
        passes: The most passes over all directions from one start.
        reach: The longest step along a direction.
        seed: Of the random numbers.
    """

    penalised: ClassVar[bool] = False

    kicks: int = setting(10, "how often line search begins again near the best weights so far")
    directions: int = setting(
        20, "how many random directions line search tries per pass, beside every weight alone"
    )
    shake: float = setting(
        0.3, "how far off line search begins again, as a multiple of the size of the weights"
    )
    passes: int = setting(50, "the most passes of line search over all directions from one start")
    reach: float = 100.0
    seed: int = 0

    def __post_init__(self) -> None:
        counts = (self.kicks, self.directions, self.seed)
        needs = {
            "kicks, directions and seed must be at least 0": min(counts) >= 0,
            "passes must be at least 1": self.passes >= 1,
            "shake and reach must be finite and above 0": all(
                0 < each < math.inf for each in (self.shake, self.reach)
            ),
        }
        for need, met in needs.items():
            if not met:
                raise OptionError(f"of line search, {need}")

    def maximise(
        self,
        function: StepFunction,
        start: FloatArray,
        callback: Callback | None = None,
        others: Sequence[FloatArray] = (),
    ) -> Solution:
        """Return the best weights that were found.

        An interrupt ends the search with the best weights so far.

        Args:
            function: What to maximise.
            start: θ to begin with, [n]; not changed.
            callback: Told of the best value so far, at the start and after every pass; True stops.
            others: More weights to begin with.
        """
        run = _Run(self, function, callback)
        try:
            run.reason = run.go(start, others)
        except KeyboardInterrupt:
            run.reason = Reason.INTERRUPTED
        best = freeze(run.best if run.trace else np.array(start, np.float64))
        return Solution(best, run.value, 0.0, tuple(run.trace), run.reason)


class _Run:
    """One search: the best weights so far, and what was told of them."""

    def __init__(
        self, how: LineSearchAscent, function: StepFunction, callback: Callback | None
    ) -> None:
        self.how = how
        self.function = function
        self.callback = callback
        self.rng = np.random.default_rng(how.seed)
        self.began = time.perf_counter()
        self.best, self.value = np.zeros(0), -math.inf
        self.trace: list[Step] = []
        self.reason = Reason.LIMIT
        self.evaluations = 0

    def go(self, start: FloatArray, others: Sequence[FloatArray]) -> Reason:
        """Climb from all starts, and return why this ends."""
        for theta in self._starts(start, others):
            value = self._count(theta)
            if self._tell(theta, value):
                return Reason.STOPPED
            for _ in range(self.how.passes):
                if self.value >= self.function.most - _ROUNDING:
                    return Reason.ALL_RIGHT
                before = value
                theta, value = self._sweep(theta, value)
                if self._tell(theta, value):
                    return Reason.STOPPED
                if value <= before + _ROUNDING:
                    break
        return Reason.DIRECTIONS

    def _starts(self, start: FloatArray, others: Sequence[FloatArray]) -> Iterator[FloatArray]:
        yield from (np.array(each, np.float64) for each in (start, *others))
        for _ in range(self.how.kicks if len(start) else 0):
            size = math.sqrt(float(np.mean(self.best**2))) or 1.0
            yield self.best + self.how.shake * size * self.rng.standard_normal(len(self.best))

    def _sweep(self, theta: FloatArray, value: float) -> tuple[FloatArray, float]:
        """Go along every weight alone, in random order, and along random directions."""
        for direction in self._directions(self.function.promising(theta), len(theta)):
            profile = self.function.along(theta, direction, self.how.reach)
            step, promised = best_step(*profile, self.how.reach)
            if promised > value + _ROUNDING:
                there = theta + step * direction
                found = self._count(there)
                # Where two lines are almost one, rounding may have promised too much.
                if found > value + _ROUNDING:
                    theta, value = there, found
        return theta, value

    def _directions(self, alone: IntArray, size: int) -> Iterator[FloatArray]:
        direction = np.zeros(size)
        for place in self.rng.permutation(alone).tolist():
            direction[place] = 1.0
            yield direction
            direction[place] = 0.0
        for _ in range(self.how.directions if size else 0):
            yield self.rng.standard_normal(size)

    def _count(self, theta: FloatArray) -> float:
        self.evaluations += 1
        return self.function.value(freeze(theta.copy()))

    def _tell(self, theta: FloatArray, value: float) -> bool:
        if value > self.value + _ROUNDING:
            self.best, self.value = theta.copy(), value
        seconds = time.perf_counter() - self.began
        step = Step(len(self.trace), self.value, 0.0, 1.0, self.evaluations, seconds)
        self.trace.append(step)
        return bool(self.callback is not None and self.callback(step, freeze(self.best)))
