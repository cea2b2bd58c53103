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
    "weft explain pos.weft test.tagged 3",
    "echo 'Time flies' | weft explain pos.weft - --format text --json",
    "weft explain parser.weft dev.mrg 12 --top 20",
    "weft explain ranker.weft parses.jsonl s17 --against 3",
)


def explain(
    context: typer.Context,
    model: options.Model,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Sentences, trees or parse sets; - is the standard input."
        ),
    ],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="The number of a sentence in the file, from 1, or the id of a parse set; the "
            "first by default.",
        ),
    ] = None,
    against: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="The answer to compare with, by its number from 0; by default the right one, "
            "or the next best if the first is right.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many answers and reasons to list.")
    ] = 10,
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    json: options.Json = False,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Show how the answers to a sentence are ranked, and what decided.

    The most probable answer is compared with the right one, where the file says what is right and
    the two differ, or else with the next best. Listed are the features that they do not share,
    with their weights; the log-odds add up to the difference of the scores.
    """
    from weft import commands
    from weft.files import encoded

    loaded = options.opened(model, max_memory)
    options.used(context, loaded)
    chosen = commands.Chosen(only, skip_broken)
    found = commands.explain(
        loaded,
        encoded(file, encoding),
        name,
        against=against,
        count=top,
        layout=options.layout(format_name, column, inputs, separator=separator),
        chosen=chosen,
    )
    options.tell_left_out(chosen)
    if json:
        print_json(found.as_json())
    else:
        print_parts(_parts(found, top))


def _parts(explanation: Explanation, top: int) -> list[RenderableType]:
    from weft.report.selection import reasons_table
    from weft.report.tables import table

    question, found = explanation.question, explanation.found
    listed = table(
        "Answers",
        ["rank", "answer", "", "probability", "score"],
        [
            [
                each.rank,
                str(each.number),
                "right" if each.right else "",
                f"{each.probability:.4f}",
                f"{each.score:.3f}",
            ]
            for each in found.ranking
        ],
    )
    parts: list[RenderableType] = [f"{question.id}: {question.text}", listed]
    if found.other is None:
        return [*parts, "There is no other answer to compare with."]
    if found.note:
        parts.append(f"Note: {found.note}.")
    for each in (found.chosen, found.other):
        shown = question.shown(each.answer)
        if shown is not None:
            parts.append(f"{each.number}: {shown}")
    title = f"Why {found.chosen.number} (this) and not {found.other.number} (that)"
    total = found.chosen.score - found.other.score
    together = f"All {len(found.reasons):,} features together: {total:+.3f}"
    return [*parts, reasons_table(title, found.reasons[:top]), together]
