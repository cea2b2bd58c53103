"""Progress of training: a live line on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from rich.console import Console

from weft.commands.files.inputs import finite
from weft.commands.trials import Trial
from weft.models.progress import Progress
from weft.report.tables import percent

_EVERY = 10


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
def watching(console: Console, shown: str = "text") -> Iterator[Callable[[Progress], None]]:
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
    with console.status("reading") as status:
        yield lambda step: status.update(progress_line(step))


def _print_some(console: Console, step: Progress) -> None:
    if step.iteration % _EVERY == 0:
        console.print(progress_line(step), soft_wrap=True)


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
    if not console.is_interactive:
        yield lambda done, total: console.print(trials_line(done, total), soft_wrap=True)
        return
    with console.status("the first trials are running") as status:
        yield lambda done, total: status.update(trials_line(done, total))
