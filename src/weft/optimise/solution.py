"""What an optimiser is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from weft.arrays import FloatArray

Objective = Callable[[FloatArray], tuple[float, FloatArray]]
"""θ → (value, gradient). θ is read-only and overwritten later: neither change nor keep it."""


class Reason(StrEnum):
    """Why an optimiser stopped."""

    GRADIENT = "the gradient is small"
    VALUE = "the value hardly changes"
    LIMIT = "the limit of iterations is reached"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped by the callback"
    LINE_SEARCH = "the line search found no higher value"
    GAP = "the duality gap is small"
    NO_CHANGE = "a pass over all examples changed nothing"
    DIRECTIONS = "no direction leads higher"
    ALL_RIGHT = "every choice is right"


@dataclass(frozen=True, slots=True)
class Step:
    """Where one iteration ended.

    Attributes:
        iteration: Its number; 0 is the start.
        value: The value of the objective, penalties included.
        gradient_norm: The Euclidean norm of its gradient.
        step: How far along the search direction the iteration went.
        evaluations: The evaluations of the objective since the start.
        seconds: The seconds since the start.
    """

    iteration: int
    value: float
    gradient_norm: float
    step: float
    evaluations: int
    seconds: float


Callback = Callable[[Step, FloatArray], bool | None]
"""Told of the start and of every iteration; True stops. The weights are read-only, and
overwritten later: copy them to keep them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Which of several solutions was kept, from several starts.

    Attributes:
        number: The number of its start, from 1; the plain one is the first.
        by: What they were compared by.
        scores: What each is worth by that, in the order of the starts.
        values: The objective at each.

    >>> print(Kept(2, "value", (-30.5, -20.25, -21.0), (-30.5, -20.25, -21.0)))
    start 2 of 3 was kept, by value: -20.25; the others from -30.50 to -21.00
    """

    number: int
    by: str
    scores: tuple[float, ...]
    values: tuple[float, ...]

    @property
    def notes(self) -> dict[str, str]:
        """What a model keeps of it: for people, and for plots the value at each start.

        >>> Kept(1, "value", (-2.5, -3.0), (-2.5, -3.0)).notes["restart_values"]
        '-2.5, -3'
        """
        values = ", ".join(f"{value:.12g}" for value in self.values)
        return {"restarts": str(self), "restart_kept": str(self.number), "restart_values": values}

    def __str__(self) -> str:
        place = self.number - 1
        others = [score for n, score in enumerate(self.scores) if n != place]
        text = (
            f"start {self.number} of {len(self.scores)} was kept, by {self.by}: "
            f"{self.scores[place]:,.2f}; the others from {min(others):,.2f} to {max(others):,.2f}"
        )
        if self.scores == self.values:
            return text
        lowest, highest = min(self.values), max(self.values)
        return f"{text}; its value is {self.values[place]:,.2f}, of {lowest:,.2f} to {highest:,.2f}"


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The best weights found.

    Attributes:
        weights: The weights, read-only.
        value: The objective there; −inf if interrupted before it was first known.
        gradient_norm: The Euclidean norm of its gradient there.
        trace: The start and every iteration; values never fall, but for those of passes over
            single terms (:mod:`weft.optimise.passes`).
        reason: Why the optimiser stopped.
        state: What an optimiser that goes over terms in passes continues from; else None.
        kept: Which of several solutions it is; None where there was one.
    """

    weights: FloatArray
    value: float
    gradient_norm: float
    trace: tuple[Step, ...]
    reason: Reason
    state: Any = None
    kept: Kept | None = None

    @property
    def converged(self) -> bool:
        """Whether the optimiser stopped because it arrived."""
        return self.reason in (
            Reason.GRADIENT,
            Reason.VALUE,
            Reason.GAP,
            Reason.NO_CHANGE,
            Reason.DIRECTIONS,
            Reason.ALL_RIGHT,
        )
