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
    """

    weights: FloatArray
    value: float
    gradient_norm: float
    trace: tuple[Step, ...]
    reason: Reason
    state: Any = None

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
