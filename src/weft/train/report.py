"""What is kept of training: how it went, and the weights that held-out examples like best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.kernels import kernels
from weft.models.model import Judge
from weft.models.progress import Outlook, Progress
from weft.optimise.keeping import Snapshot
from weft.optimise.search import Climb
from weft.optimise.solution import Callback, Reason, Solution, Step
from weft.ranking import agree

HELD_OUT = "held-out examples became no likelier"
"""Why training ended that was watched by its criterion."""

SCORED = "the held-out score did not rise"
"""Why training ended that was watched by the score."""

NEITHER = "held-out examples became neither likelier nor better"
"""Why training ended that was watched by both."""

NOTHING = "none, as no held-out example says anything about the criterion"
"""What is noted of a patience that had nothing to look at."""

KEPT = "kept_iteration"
"""The note that says which weights were kept, if not those of the last iteration."""


class Watched(StrEnum):
    """What of held-out examples says which weights are kept, and when to stop."""

    AUTO = "auto"
    """Both, where labels are learnt from; the score where best analyses are compared."""

    CRITERION = "criterion"
    """The value of the criterion there."""

    SCORE = "score"
    """What is shown of them: accuracy, or F1 of chunks and brackets."""


class Report:
    """Told of every iteration.

    Args:
        judge: From weights to how good the model that would be saved is on held-out examples.
        watched: From weights to what is to end training: the criterion's value there, the judge
            itself, or both. The last weights by which any of these rose are kept.
        patience: After how many iterations without a gain of any of these training ends.
        progress: Told in turn; True ends training.
        most: How many iterations a climb has at most; None where that is not known.
        climbs: How many climbs there will be.
    """

    def __init__(
        self,
        judge: Judge | None,
        watched: Sequence[Judge] = (),
        patience: int | None = None,
        progress: Callable[[Outlook], bool | None] | None = None,
        most: int | None = None,
        climbs: int = 1,
    ) -> None:
        if patience is not None and patience < 1:
            raise OptionError(f"patience must be at least 1, not {patience}")
        self.trace: list[Progress] = []
        self._judge = judge
        self._watched = tuple(watched)
        self._patience = patience
        self._progress = progress
        self._most, self._climbs = most, climbs
        self._climb = self._first = 0
        self._best = np.full(len(self._watched), -np.inf)
        self._weights: FloatArray | None = None
        self._kept = self._since = 0

    def begin(self, climb: Climb) -> Climb:
        """Return a climb that tells of its beginning."""

        def begun(start: FloatArray, power: float, callback: Callback | None) -> Solution:
            self._climb += 1
            self._first = self.trace[-1].iteration + 1 if self.trace else 0
            return climb(start, power, callback)

        return begun

    def _outlook(self, step: Progress) -> Outlook:
        known = step.iteration, step.value, step.gradient_norm, step.seconds, step.accuracy
        most, climb = None, max(1, self._climb)
        if self._most is not None:
            most = self._first + self._most + max(0, self._climbs - climb) * (self._most + 1)
        return Outlook(*known, most, climb, max(climb, self._climbs))

    def __call__(self, step: Step, theta: FloatArray) -> bool | None:
        """Take down an iteration; True ends training."""
        if not step.iteration:  # all that is compiled is there, and what that took is free
            kernels.trim_memory()
        score = self._judge(theta) if self._judge else None
        self.trace.append(
            Progress(step.iteration, step.value, step.gradient_norm, step.seconds, score)
        )
        stop = self._progress(self._outlook(self.trace[-1])) if self._progress else None
        if self._watched:
            several = [score if each is self._judge else each(theta) for each in self._watched]
            values = np.array([-np.inf if each is None else each for each in several])
            self._since += 1
            same = agree(values, self._best)
            rises = bool((~same & (values > self._best)).any()) or self._weights is None
            if rises:
                self._best, self._since = np.maximum(self._best, values), 0
            # Of equal ones the last, which training has come the furthest with, if nothing else
            # tells them apart.
            if rises or (len(values) == 1 and same[0]):
                self._weights, self._kept = theta.copy(), step.iteration
        return stop or self._impatient

    def take(self) -> Snapshot:
        """Return all that was taken down, as it is kept."""
        rows = [
            (each.iteration, each.value, each.gradient_norm, each.seconds, each.accuracy)
            for each in self.trace
        ]
        trace = np.array(rows, np.float64).reshape(len(rows), 5)  # NaN for None
        arrays = {"trace": trace, "best": self._best}
        kept = {} if self._weights is None else {"weights": self._weights}
        return Snapshot({**arrays, **kept}, {"since": self._since, "kept": self._kept})

    def restore(self, kept: Snapshot) -> None:
        """Go on from what was kept."""
        self.trace = [
            Progress(int(row[0]), row[1], row[2], row[3], None if np.isnan(row[4]) else row[4])
            for row in kept.arrays["trace"].tolist()
        ]
        self._best = kept.arrays["best"]
        self._weights, self._since = kept.arrays.get("weights"), kept.facts["since"]
        self._kept = kept.facts.get("kept", 0)

    @property
    def _impatient(self) -> bool:
        return self._patience is not None and self._since >= self._patience

    def chosen(self, solution: Solution) -> FloatArray:
        """The weights to keep: those of the solution, or those that held-out examples like best."""
        return solution.weights if self._weights is None else self._weights

    def notes(self, solution: Solution) -> dict[str, str]:
        """Which weights were kept, where these are not the last ones; or why none were chosen."""
        if self._patience is not None and not self._watched:
            return {"patience": NOTHING}
        if self._weights is None or self._kept == solution.trace[-1].iteration:
            return {}
        return {KEPT: str(self._kept)}

    def reason(self, solution: Solution) -> str:
        """Why training ended."""
        if self._impatient and solution.reason is Reason.STOPPED:
            alone = SCORED if self._judge in self._watched else HELD_OUT
            gain = NEITHER if len(self._watched) > 1 else alone
            return f"{gain} for {self._patience} iterations"
        return str(solution.reason)

    def valued(
        self, trace: tuple[Progress, ...], solution: Solution, value: float
    ) -> tuple[Progress, ...]:
        """Return a trace in which the iteration whose weights are kept has their value."""
        last = solution.trace[-1].iteration
        kept = last if self._weights is None else self._kept
        return tuple(
            replace(each, value=value) if each.iteration == kept else each for each in trace
        )

    def of(self, solution: Solution) -> tuple[Progress, ...]:
        """The trace of the climbs that led to the weights that are kept."""
        kept = {step.iteration for step in solution.trace}
        if self._weights is not None and self._kept not in kept:
            return tuple(self.trace)
        return tuple(each for each in self.trace if each.iteration in kept)
