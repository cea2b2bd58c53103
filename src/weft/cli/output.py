"""Where things are printed: results on the standard output, all else on the standard error."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from weft.commands import Found


def messages() -> Console:
    """Return the console of progress and messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print results one below the other, with a blank line between them.

    Text stays as it is, however wide, so that paths can be copied; all else fits the terminal.
    """
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    # Captured, since rich would answer a broken pipe by leaving with an exit code of its own.
    with console.capture() as capture:
        for number, part in enumerate(parts):
            if number:
                console.print()
            console.print(part, soft_wrap=isinstance(part, str))
    typer.echo(capture.get(), nl=False)


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
