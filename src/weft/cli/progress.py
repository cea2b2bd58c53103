"""Progress of training: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn
from rich.progress import Progress as Bars

from weft.commands.files.inputs import finite
from weft.commands.trials import Trial
from weft.models.progress import Outlook, Progress
from weft.report.tables import percent

_EVERY = 10

Bar = Callable[[str, int, int | None], None]
"""Shows a line, how much is done, and how much there is; None where that is not known."""


def progress_line(step: Progress) -> str:
    """Return what there is to say of an iteration.

    >>> progress_line(Progress(12, -3456.789, 12.5, 1.23, 0.9321))
    'iteration 12  value -3,456.79  gradient 12.5  held-out 93.21 %  1.2 s'
    """
    parts = [
        f"iteration {step.iteration}",
        f"value {step.value:,.2f}",
        f"gradient {step.gradient_norm:.4g}",
    ]
    if step.accuracy is not None:
        parts.append(f"held-out {percent(step.accuracy)}")
    return "  ".join([*parts, f"{step.seconds or 0.0:.1f} s"])


def outlook_line(step: Outlook) -> str:
    """Return what a bar says of an iteration: less, but how long it may still take.

    >>> outlook_line(Outlook(12, -3456.789, 12.5, 6.0, 0.9321, 100, 2, 3))
    'start 2 of 3  iteration 12 of 100  value -3,456.79  held-out 93.21 %  0:06, at most 0:44 left'
    """
    most = "" if step.most is None else f" of {step.most}"
    parts = [] if step.starts == 1 else [f"start {step.start} of {step.starts}"]
    parts += [f"iteration {step.iteration}{most}", f"value {step.value:,.2f}"]
    if step.accuracy is not None:
        parts.append(f"held-out {percent(step.accuracy)}")
    left = step.seconds_left
    limit = "" if left is None else f", at most {_clock(left)} left"
    return "  ".join([*parts, f"{_clock(step.seconds or 0.0)}{limit}"])


def _clock(seconds: float) -> str:
    """Write seconds as a clock does.

    >>> _clock(44.2), _clock(3725.0)
    ('0:44', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def progress_json(step: Progress) -> str:
    """Return the same as a JSON object.

    >>> progress_json(Progress(12, -3456.5, 12.5, 1.25))
    '{"iteration": 12, "value": -3456.5, "gradient_norm": 12.5, "seconds": 1.25, "accuracy": null}'
    """
    known = {
        name: finite(value) if isinstance(value, float) else value
        for name, value in asdict(step).items()
    }
    return json.dumps(known)


@contextmanager
def watching(console: Console, shown: str = "text") -> Iterator[Callable[[Outlook], None]]:
    """Show progress while the block runs, and give what must be told of it.

    Args:
        console: Where it is shown.
        shown: ``text``; or ``json`` for an object per iteration.
    """
    if shown == "json":
        yield lambda step: console.out(progress_json(step), highlight=False)
        return
    if not console.is_interactive:
        yield lambda step: _print_some(console, step)
        return
    with _bar(console, "reading") as show:
        yield lambda step: show(outlook_line(step), step.iteration, step.most)


@contextmanager
def _bar(console: Console, before: str) -> Iterator[Bar]:
    """A bar that goes when the block ends."""
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(12)
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task(before, total=None)
        yield lambda text, done, total: bars.update(
            task, description=text, completed=done, total=total
        )


def _print_some(console: Console, step: Progress) -> None:
    if step.iteration % _EVERY == 0:
        console.print(progress_line(step), soft_wrap=True)


@contextmanager
def watching_parts(console: Console, before: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show how many of several parts are done while the block runs; elsewhere, a line for each.

    Args:
        console: Where it is shown.
        before: What is said before the first is done.
    """
    if not console.is_interactive:
        yield lambda text, _, __: console.print(text, soft_wrap=True)
        return
    clock = _PartsClock()
    with _bar(console, before) as show:
        yield lambda text, done, total: show(
            f"{text}  about {_clock(clock.left(done, total))} left", done, total
        )


class _PartsClock:
    """How long the parts that are left will take, if they are as long as those that are done."""

    def __init__(self) -> None:
        self._began = self._then = time.perf_counter()
        self._known = self._last = 0

    def left(self, done: int, total: int) -> float:
        """Return the seconds that are left."""
        if done <= self._last:  # they are counted anew, of another recipe
            self._began, self._last = self._then, 0
        if not self._last:
            self._known = done - 1  # those that were known before took no time
        self._last, self._then = done, time.perf_counter()
        return (self._then - self._began) / (done - self._known) * (total - done)


def folds_line(done: int, total: int) -> str:
    """Return what there is to say of cross-validation.

    >>> folds_line(3, 10)
    '3 of 10 folds'
    """
    return f"{done} of {total} folds"


def trials_line(done: Sequence[Trial], total: int) -> str:
    """Return what there is to say of a grid.

    >>> trial = Trial(1, {"order": "2"}, -5.25, -900.0, 12, 3.0, None, "converged")
    >>> trials_line([trial], 4)
    '1 of 4 trials  last order=2  -5.25  12 iterations'
    """
    last = done[-1]
    score = "no score" if last.score is None else f"{last.score:.6g}"
    return f"{len(done)} of {total} trials  last {last.name}  {score}  {last.iterations} iterations"


@contextmanager
def watching_trials(console: Console) -> Iterator[Callable[[Sequence[Trial], int], None]]:
    """Show the progress of a grid while the block runs, and give what must be told of it."""
    with watching_parts(console, "the first trials are running") as tell:
        yield lambda done, total: tell(trials_line(done, total), len(done), total)


@contextmanager
def watching_folds(console: Console) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of cross-validation while the block runs."""
    with watching_parts(console, "the first folds are running") as tell:
        yield lambda done, total: tell(folds_line(done, total), done, total)
