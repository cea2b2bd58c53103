"""Log-sums over nested sets of derivations, and the log-probabilities that they give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class LogSums:
    """The log-sums over derivations of nested sets, for several examples.

    Attributes:
        complete: [examples], over those that agree with input and labels.
        input: [examples], over those that agree with the input.
        everything: Over all sentences; +inf where that diverges, or is not defined.
    """

    complete: FloatArray
    input: FloatArray
    everything: float

    @property
    def conditional(self) -> FloatArray:
        """[examples]: log p(labels | input)."""
        # Both are -inf where nothing is possible at all.
        below = np.where(np.isneginf(self.input), 0.0, self.input)
        return np.minimum(self.complete - below, 0.0)

    @property
    def joint(self) -> FloatArray | None:
        """[examples]: log p(labels, input); None where that is not defined."""
        return None if np.isposinf(self.everything) else self.complete - self.everything

    @property
    def marginal(self) -> FloatArray | None:
        """[examples]: log p(input); None where that is not defined."""
        return None if np.isposinf(self.everything) else self.input - self.everything
