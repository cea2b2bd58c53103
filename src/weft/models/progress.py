"""How training goes, iteration by iteration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Where training stood after an iteration.

    Attributes:
        iteration: Its number; 0 is the start.
        value: The objective, penalties included.
        gradient_norm: The norm of its gradient.
        seconds: Since the start of training; None where that is not known, as in a model file: the
            same training gives the same file.
        accuracy: On the development corpus; None where there is none.
    """

    iteration: int
    value: float
    gradient_norm: float
    seconds: float | None
    accuracy: float | None = None
