"""How training goes, iteration by iteration."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from weft.frames import Tabular
from weft.reprs import Pictured, count_things, describe


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


class TrainingTrace(tuple[Progress, ...], Tabular, Pictured):
    """How training went, iteration by iteration."""

    __slots__ = ()

    def columns(self) -> dict[str, list[Any]]:
        """Return a column per field of :class:`Progress`."""
        names = [each.name for each in fields(Progress)]
        return {name: [getattr(step, name) for step in self] for name in names}

    def __repr__(self) -> str:
        last = f"value {self[-1].value:,.4f} after iteration {self[-1].iteration}" if self else ""
        return describe(self, count_things(len(self), "iteration"), last)


@dataclass(frozen=True, slots=True)
class Outlook(Progress):
    """The same, with how far it may still be.

    Attributes:
        most: How many iterations there are in all, at most; None where that is not known.
        start: Which of several starts is climbed from, or which part of such a climb, from 1.
        starts: How many there are.
    """

    most: int | None = None
    start: int = 1
    starts: int = 1

    @property
    def progress(self) -> Progress:
        """What a trace keeps of it."""
        return Progress(self.iteration, self.value, self.gradient_norm, self.seconds, self.accuracy)

    @property
    def seconds_left(self) -> float | None:
        """How long it may still take, at most; None where that is not known."""
        if self.most is None or not self.iteration or self.seconds is None:
            return None
        return self.seconds / self.iteration * max(0, self.most - self.iteration)
