"""Progress of training: a live line on a terminal, now and then a line elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from weft.models.tagger import Progress
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
    return "  ".join([*parts, f"{step.seconds:.1f} s"])


@contextmanager
def watching(console: Console) -> Iterator[Callable[[Progress], None]]:
    """Show progress while the block runs, and give what must be told of it."""
    if not console.is_interactive:
        yield lambda step: _print_some(console, step)
        return
    with console.status("reading") as status:
        yield lambda step: status.update(progress_line(step))


def _print_some(console: Console, step: Progress) -> None:
    if step.iteration % _EVERY == 0:
        console.print(progress_line(step), soft_wrap=True)
