"""Where things are printed: results on the standard output, all else on the standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import typer

from weft.cli import streams

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from weft.commands import Found


_UNLIMITED = 100_000  # columns, more than any table has


def messages() -> Console:
    """Return the console of progress and messages."""
    return _console(stderr=True)


def _console(*, stderr: bool = False) -> Console:
    """A console as wide as its terminal; where there is none, nothing is wrapped.

    Colours are for terminals, and rich leaves them out where NO_COLOR is set.
    """
    file = streams.unguarded(sys.stderr if stderr else sys.stdout)
    console = _escaping()(file=file, highlight=False, markup=False, emoji=False)
    if not console.file.isatty():
        console.width = _UNLIMITED
    return console


@cache
def _escaping() -> type[Console]:
    """The class of consoles that escape control characters of what they draw on terminals."""
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class Escaping(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            at_terminal = self.file.isatty()
            for segment in super().render(renderable, options):
                if at_terminal and not segment.control:
                    segment = segment._replace(text=streams.escape_controls(segment.text))
                yield segment

    return Escaping


def print_error(text: str) -> None:
    """Print an error message, whose beginning is red where the standard error shows colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    mark = "weft: error:" if plain else typer.style("weft: error:", fg="red", bold=True)
    typer.echo(mark, file=streams.unguarded(sys.stderr), nl=False)
    typer.echo(f" {text}", err=True)


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print results one below the other, with a blank line between them.

    Text stays as it is, however wide, so that paths can be copied; all else fits the terminal, or
    is as wide as it has to be in a pipe or a file.
    """
    console = _console()
    # Captured, since rich would answer a broken pipe by leaving with an exit code of its own.
    with console.capture() as capture:
        for number, part in enumerate(parts):
            if number:
                console.print()
            console.print(part, soft_wrap=isinstance(part, str))
    shown = capture.get()
    if not console.is_terminal:  # cells are filled up with spaces
        shown = "\n".join(line.rstrip(" ") for line in shown.split("\n"))
    typer.echo(shown, file=streams.unguarded(sys.stdout), nl=False)


def plain_parts(found: Found) -> list[RenderableType]:
    """Return what a family found that has no tables of its own: every figure with its name."""
    from weft.report.tables import facts

    shown = found.as_json().items()
    return [
        facts(
            {k: v if isinstance(v, str | int | float | None) else json.dumps(v) for k, v in shown}
        )
    ]


def print_json(value: dict[str, Any]) -> None:
    """Print an object as JSON that every program can read."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))
