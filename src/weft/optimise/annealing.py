"""Simulated annealing, for objectives without a gradient.

A walk changes one weight at a time, by a normal random number. A change from value v to v′ is kept
if v′ − v ≥ T log u, with u uniform between 0 and 1: always where it does no harm, and with
probability exp((v′ − v) / T) where it does. The temperature T falls from ``hot`` to ``cold`` by
the same factor at every step. The best weights met on the way are the result.

A walk is a value: it can be kept and gone on with later, and is then the same as one that was
never interrupted.

Reference: S. Kirkpatrick, C. Gelatt and M. Vecchi, Optimization by simulated annealing,
Science 220, 1983; Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 4, for what it is used for here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from weft.arrays import FloatArray, IndexArray, freeze
from weft.errors import OptionError
from weft.optimise.keeping import Snapshot, offer, pack_steps, resumed, unpack_steps
from weft.optimise.solution import Callback, Reason, Solution, Step
from weft.settings import setting

_BATCH = 1000  # changes that are drawn at a time


class Landscape(Protocol):
    """An objective that single weights can be tried on."""

    def settle(self, theta: FloatArray) -> float:
        """Go to θ, and return the value there."""
        ...

    def walk(
        self,
        features: IndexArray,
        deltas: FloatArray,
        slacks: FloatArray,
        theta: FloatArray,
        best_theta: FloatArray,
        best: float,
    ) -> tuple[float, float]:
        """Try to add each delta to its weight, and keep it if the value changes by ≥ its slack.

        Args:
            features: The weights to change. [changes]
            deltas: By how much. [changes]
            slacks: At most 0. [changes]
            theta: Where the walk stands; changed. [θ]
            best_theta: The best weights so far; changed. [θ]
            best: The best value so far.

        Returns:
            The value where the walk stands then, and the best value.
        """
        ...


class Plain:
    """Any function from θ to a value as a landscape; every trial evaluates it anew.

    Args:
        value: From θ to a number.

    >>> landscape = Plain(lambda theta: -abs(float(theta[0]) - 2.0))
    >>> Annealing(steps=2000).maximise(landscape, np.zeros(1)).weights.round(1)
    array([2.])
    """

    def __init__(self, value: Callable[[FloatArray], float]) -> None:
        self._objective = value
        self._value = -math.inf

    def settle(self, theta: FloatArray) -> float:
        """Go to θ, and return the value there."""
        self._value = self._objective(freeze(theta))
        return self._value

    def walk(
        self,
        features: IndexArray,
        deltas: FloatArray,
        slacks: FloatArray,
        theta: FloatArray,
        best_theta: FloatArray,
        best: float,
    ) -> tuple[float, float]:
        """Try changes one after the other; see :meth:`Landscape.walk`."""
        changes = zip(features.tolist(), deltas.tolist(), slacks.tolist(), strict=True)
        for feature, delta, slack in changes:
            before = theta[feature]
            theta[feature] += delta
            value = self._objective(freeze(theta))
            if value - self._value < slack:
                theta[feature] = before
                continue
            self._value = value
            if value > best:
                best = value
                best_theta[:] = theta
        return self._value, best


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Where a walk stands.

    Attributes:
        weights: [θ], read-only.
        value: The objective there, but for rounding.
        best_weights: The best weights so far, [θ], read-only.
        best_value: The objective there.
        step: How many changes were tried.
        generator: The state of the random numbers.
    """

    weights: FloatArray
    value: float
    best_weights: FloatArray
    best_value: float
    step: int
    generator: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Annealing:
    """Simulated annealing.

    Attributes:
        steps: How many changes to try.
        hot: The temperature at the start, in units of the objective.
        cold: The temperature at the end.
        spread: The standard deviation of a change.
        seed: Of the random numbers.
    """

    penalised: ClassVar[bool] = False

    steps: int = setting(200_000, "how many changes simulated annealing tries")
    hot: float = setting(1.0, "the temperature that it begins with")
    cold: float = setting(0.02, "the temperature that it ends with")
    spread: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        needs = {
            "steps and seed must be at least 0": min(self.steps, self.seed) >= 0,
            "temperatures must be finite and above 0, the cold one no more than the hot one": 0
            < self.cold
            <= self.hot
            < math.inf,
            "spread must be finite and above 0": 0 < self.spread < math.inf,
        }
        for need, met in needs.items():
            if not met:
                raise OptionError(f"of annealing, {need}")

    @property
    def _piece(self) -> int:
        """How many changes somebody is told of at a time."""
        return max(_BATCH, -(-self.steps // 100))

    @property
    def pieces(self) -> int:
        """How often somebody is told of the walk, after its start."""
        return -(-self.steps // self._piece)

    def begin(self, landscape: Landscape, start: FloatArray) -> Walk:
        """Return a walk that has not begun."""
        weights = freeze(np.array(start, np.float64))
        value = landscape.settle(weights)
        state = np.random.default_rng(self.seed).bit_generator.state
        return Walk(weights, value, weights, value, 0, state)

    def advance(self, landscape: Landscape, walk: Walk, steps: int) -> Walk:
        """Go on with a walk for some steps, at most until the end; rounded up to whole batches.

        >>> landscape = Plain(lambda theta: -float(theta @ theta))
        >>> annealing = Annealing(steps=4000)
        >>> walk = annealing.begin(landscape, np.ones(2))
        >>> one = annealing.advance(landscape, walk, 4000)
        >>> other = annealing.advance(landscape, annealing.advance(landscape, walk, 2000), 2000)
        >>> bool((one.weights == other.weights).all()), one.best_value == other.best_value
        (True, True)
        """
        rng = np.random.default_rng()
        rng.bit_generator.state = dict(walk.generator)
        theta, best_theta = walk.weights.copy(), walk.best_weights.copy()
        value, best = walk.value, walk.best_value
        step, end = walk.step, min(self.steps, walk.step + steps)
        while step < end and len(theta):
            # Values that changed step by step differ in their last bits from those found anew: all
            # batches begin with the latter, so that it does not matter where a walk is interrupted.
            landscape.settle(freeze(theta))
            count = min(_BATCH, self.steps - step)
            features = rng.integers(len(theta), size=count, dtype=np.int32)
            deltas = self.spread * rng.standard_normal(count)
            slacks = self._temperatures(step, count) * np.log1p(-rng.random(count))
            value, found = landscape.walk(features, deltas, slacks, theta, best_theta, best)
            best = landscape.settle(freeze(best_theta)) if found > best else best
            step += count
        state = rng.bit_generator.state
        return Walk(freeze(theta), value, freeze(best_theta), best, step, state)

    def maximise(
        self, landscape: Landscape, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        """Walk from ``start``, and return the best weights on the way.

        An interrupt ends the walk with the best weights so far.

        Args:
            landscape: What to maximise.
            start: θ to begin with, [n]; not changed.
            callback: Told of the best value so far, at the start and a hundred times; True stops.
        """
        began = time.perf_counter()
        before = resumed(callback)
        walk = self.begin(landscape, start) if before is None else _unpack(before)
        trace = [] if before is None else unpack_steps(before.arrays["steps"])
        began -= trace[-1].seconds if trace else 0.0
        reason = Reason.LIMIT
        try:
            while True:
                seconds = time.perf_counter() - began
                trace.append(
                    Step(len(trace), walk.best_value, 0.0, self.spread, walk.step, seconds)
                )
                offer(callback, lambda: _pack(walk, trace[:-1]))  # noqa: B023
                if callback is not None and callback(trace[-1], walk.best_weights):
                    reason = Reason.STOPPED
                    break
                if walk.step >= self.steps or not len(walk.weights):
                    break
                walk = self.advance(landscape, walk, self._piece)
        except KeyboardInterrupt:
            reason = Reason.INTERRUPTED
        return Solution(walk.best_weights, walk.best_value, 0.0, tuple(trace), reason)

    def _temperatures(self, step: int, count: int) -> FloatArray:
        shares = np.arange(step, step + count) / self.steps
        temperatures: FloatArray = self.hot * (self.cold / self.hot) ** shares
        return temperatures


def _pack(walk: Walk, steps: Sequence[Step]) -> Snapshot:
    """A walk, before anybody was told of it, after some steps."""
    arrays = {
        "weights": walk.weights,
        "best": walk.best_weights,
        "values": np.array([walk.value, walk.best_value]),
        "steps": pack_steps(steps),
    }
    return Snapshot(arrays, {"step": walk.step, "generator": walk.generator})


def _unpack(before: Snapshot) -> Walk:
    arrays, facts = before.arrays, before.facts
    value, best = arrays["values"].tolist()
    return Walk(arrays["weights"], value, arrays["best"], best, facts["step"], facts["generator"])
