"""Optimisers that go over the terms of an objective in passes.

A pass turns one state into the next, and the state is all there is to know: a run that continues
from a saved state ends with the same bits as one that was never interrupted. Random numbers are
made from the seed and the number of the pass, so that there is no generator to save.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from weft.arrays import LARGEST_WEIGHT, FloatArray, freeze
from weft.errors import DivergenceError, OptionError
from weft.optimise.batches import Problem
from weft.optimise.keeping import Snapshot, offer, resumed
from weft.optimise.solution import Callback, Reason, Solution, Step
from weft.settings import setting


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Where a run stands after some passes.

    Attributes:
        arrays: What the optimiser keeps, by name; read-only.
        values: Of the start and of each pass: the objective, its terms as they were when their
            turn came.
        norm: The Euclidean distance that the weights went in the last pass; for Frank–Wolfe, the
            duality gap.
        changes: How many batches changed the weights in the last pass.
    """

    arrays: Mapping[str, FloatArray]
    values: tuple[float, ...]
    norm: float = math.inf
    changes: int = 1

    @property
    def passes(self) -> int:
        """How many passes were made."""
        return len(self.values) - 1

    def pack(self) -> Snapshot:
        """Return the state as it is kept."""
        values = {"values": np.array(self.values), "norm": np.array([self.norm])}
        return Snapshot(self.arrays).under("state") + Snapshot(values, {"changes": self.changes})

    @classmethod
    def unpack(cls, kept: Snapshot) -> State:
        """Return the state that was kept."""
        values, [norm] = kept.arrays["values"].tolist(), kept.arrays["norm"].tolist()
        return cls(kept.part("state").arrays, tuple(values), norm, kept.facts["changes"])


def state_of(
    arrays: Mapping[str, FloatArray], values: tuple[float, ...], norm: float, changes: int = 1
) -> State:
    """Return a state of arrays that are written to no more."""
    return State({name: freeze(each) for name, each in arrays.items()}, values, norm, changes)


@dataclass(frozen=True)
class ByPasses(ABC):
    """An optimiser that goes over the terms in passes.

    Attributes:
        epochs: The largest number of passes.
        tolerance: Stop when the value changes by less in a pass, in proportion to itself.
        seed: Of the order in which terms come.
    """

    epochs: int = setting(20, "the largest number of passes over the corpus", key="iterations")
    tolerance: float = setting(
        1e-4, "the relative change of the value in a pass below which training ends"
    )
    seed: int = 0

    penalised: ClassVar[bool] = True
    """Whether there is a penalty; rules that limit their own steps have none."""

    streams: ClassVar[bool] = True
    """Whether terms need not be in memory, as nothing is kept about each of them."""

    def __post_init__(self) -> None:
        check_positive(self, "epochs")
        if self.seed < 0 or not 0 <= self.tolerance < math.inf:
            raise OptionError("seed and tolerance must be at least 0")

    def check(self, problem: Problem) -> None:  # noqa: B027
        """Refuse a problem that such steps do not solve.

        Raises:
            OptionError: With the reason.
        """

    @abstractmethod
    def begin(self, problem: Problem, start: FloatArray) -> State:
        """Return the state before the first pass."""

    @abstractmethod
    def advance(self, problem: Problem, state: State) -> State:
        """Return the state after one more pass; the one before stays as it is."""

    @abstractmethod
    def weights(self, state: State) -> FloatArray:
        """[θ]: the weights to keep, averaged where that is asked for."""

    def arrived(self, state: State) -> Reason | None:
        """Return why there is nothing more to do, if so."""
        if not state.changes:
            return Reason.NO_CHANGE
        if state.passes > 1:
            last, before = state.values[-1], state.values[-2]
            if abs(last - before) < self.tolerance * max(1.0, abs(last)):
                return Reason.VALUE
        return Reason.LIMIT if state.passes >= self.epochs else None

    def maximise(
        self,
        problem: Problem,
        start: FloatArray,
        callback: Callback | None = None,
        state: State | None = None,
    ) -> Solution:
        """Climb from ``start``, or go on from a state.

        A KeyboardInterrupt ends the run with the weights of the last pass that was complete.

        Args:
            problem: The terms and their penalty.
            start: θ to begin with, [n]; not changed.
            callback: Told of the start and of every pass; True stops. Its values are of terms
                when their turn came; the value of the solution is that of its weights, but for
                streams.
            state: The state of an earlier run, of the same optimiser on the same problem.

        Raises:
            DivergenceError: If the objective is not finite at ``start``, or steps are too long.
            OptionError: If such steps do not solve the problem; the message says why.
        """
        self.check(problem)
        kept = resumed(callback)
        run = _Run(self, problem, start, State.unpack(kept) if kept is not None else state)
        try:
            reason = run.run(callback)
        except KeyboardInterrupt:
            reason = Reason.INTERRUPTED
        return run.solution(reason)


class _Run:
    """One run."""

    def __init__(
        self, optimiser: ByPasses, problem: Problem, start: FloatArray, state: State | None
    ) -> None:
        self.optimiser = optimiser
        self.problem = problem
        self.began = time.perf_counter()
        self.trace: list[Step] = []
        self.state = state or optimiser.begin(problem, np.array(start, np.float64))
        if not math.isfinite(self.state.values[-1]):
            raise DivergenceError(
                f"the value is {self.state.values[-1]} at the start: start from weights inside "
                "its domain"
            )

    def run(self, callback: Callback | None) -> Reason:
        while True:
            state = self.state
            seconds = time.perf_counter() - self.began
            evaluations = state.passes * max(1, len(self.problem.terms))
            # The start has no distance behind it.
            norm = state.norm if math.isfinite(state.norm) else 0.0
            step = Step(state.passes, state.values[-1], norm, 1.0, evaluations, seconds)
            self.trace.append(step)
            offer(callback, state.pack)
            if callback is not None and callback(step, self.weights):
                return Reason.STOPPED
            reason = self.optimiser.arrived(state)
            if reason is not None:
                return reason
            self.state = self.optimiser.advance(self.problem, state)

    @property
    def weights(self) -> FloatArray:
        return freeze(self.optimiser.weights(self.state) + 0.0)

    def solution(self, reason: Reason) -> Solution:
        weights = self.weights
        # To look at all terms of a stream once more would take as long as a pass.
        streamed = self.problem.terms.streamed
        value = self.state.values[-1] if streamed else self.problem.value(weights)
        norm = self.trace[-1].gradient_norm if self.trace else 0.0
        return Solution(weights, value, norm, tuple(self.trace), reason, self.state)


def check_positive(record: object, *names: str) -> None:
    """Refuse fields that are not above 0, or infinite.

    Raises:
        OptionError: With the name of the field.
    """
    for name in names:
        value = getattr(record, name)
        if not 0 < value < math.inf:
            raise OptionError(f"{name} must be finite and above 0, not {value}")


def check_bounded(weights: FloatArray) -> None:
    """Refuse weights that have grown beyond what kernels take.

    Raises:
        DivergenceError: With what to do.
    """
    if weights.size and not (weights.max() <= LARGEST_WEIGHT and weights.min() >= -LARGEST_WEIGHT):
        raise DivergenceError(
            "the weights grow without bound: take a smaller rate, or a stronger penalty"
        )


def check_hinges(problem: Problem, name: str) -> None:
    """Refuse terms that are not piecewise linear.

    Raises:
        OptionError: With what to do.
    """
    if not problem.terms.hinges:
        raise OptionError(
            f"{name} compares an observed analysis with the best rival, by scores that are linear "
            "in the weights: use the criterion perceptron or margin with weights that are not "
            "normalised, or one of sgd, adagrad and adam"
        )


def check_penalised(problem: Problem, name: str) -> None:
    """Refuse weights without a penalty.

    Raises:
        OptionError: With what to do.
    """
    if not (problem.precisions > 0).all():
        raise OptionError(
            f"{name} takes its steps from the penalty of every weight, and some have none: use "
            "gaussian:10, say"
        )
