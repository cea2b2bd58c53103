"""``weft explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.output import print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import Explanation

EXAMPLES = (
    "weft explain ranker.weft parses.jsonl 17",
    "weft explain ranker.weft parses.jsonl 17 --against 3",
)


def explain(
    model: options.Model,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Parse sets; - is the standard input.")
    ],
    name: Annotated[str, typer.Argument(metavar="ID", help="The id of a sentence.")],
    against: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="The analysis to compare with, by its number from 0; by default the right one, "
            "or the next best if the choice is right.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many analyses and reasons to list.")
    ] = 10,
    json: options.Json = False,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Show how the analyses of a sentence are ranked, and what decided."""
    from weft import commands

    selector = options.opened(model, max_memory)
    found = commands.explain(selector, file, name, against=against, count=top)
    if json:
        print_json(found.as_json())
    else:
        print_parts(_parts(found, top))


def _parts(found: Explanation, top: int) -> list[RenderableType]:
    from weft.report.selection import reasons_table
    from weft.report.tables import table

    listed = table(
        "Analyses",
        ["rank", "analysis", "", "probability", "score"],
        [
            [
                each.rank,
                str(each.analysis),
                "right" if each.analysis in found.right else "",
                f"{each.probability:.4f}",
                f"{each.score:.3f}",
            ]
            for each in found.ranking
        ],
    )
    parts: list[RenderableType] = [f"{found.parse_set.id}: {found.parse_set.text}", listed]
    if found.other is None:
        return [*parts, "There is no other analysis to compare with."]
    for each in (found.chosen, found.other):
        derivation = found.derivation(each)
        if derivation is not None:
            parts.append(f"{each.analysis}: {derivation}")
    title = f"Why {found.chosen.analysis} (this) and not {found.other.analysis} (that)"
    return [*parts, reasons_table(title, found.reasons[:top])]
