"""How training ended, whatever was trained."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

from weft.commands.inputs import finite
from weft.models.storage import Trained
from weft.models.tagger import Progress
from weft.optimise.solution import Reason


class Ending(ABC):
    """What a trained model says of its training."""

    __slots__ = ()

    @property
    @abstractmethod
    def trained(self) -> Trained:
        """The model, with its trace and notes."""

    @property
    def stopped(self) -> str:
        """Why the optimiser stopped."""
        return self.trained.notes["stopped"]

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped it."""
        return self.stopped == Reason.INTERRUPTED

    @property
    def last(self) -> Progress:
        """Where training ended."""
        trace = self.trained.trace
        return trace[-1] if trace else Progress(0, -math.inf, math.inf, 0.0)

    @property
    def seconds(self) -> float:
        """How long training took."""
        return self.last.seconds or 0.0

    def ending_json(self) -> dict[str, Any]:
        """Return how it ended, ready for JSON."""
        return {
            "features": len(self.trained.weights),
            "iterations": self.last.iteration,
            "value": finite(self.last.value),
            "gradient_norm": finite(self.last.gradient_norm),
            "seconds": self.seconds,
            "stopped": self.stopped,
            "interrupted": self.interrupted,
            "notes": dict(self.trained.notes),
        }
