"""``weft unify marks``: do marks of meant analyses single out one each?"""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from weft.cli import options


def marks(
    grammar: Annotated[Path, typer.Argument(metavar="GRAMMAR", help="A grammar, .lfg.")],
    marks: Annotated[
        Path,
        typer.Argument(metavar="MARKS", help="Sentences with brackets and facts; - is stdin."),
    ],
    every: Annotated[
        int, typer.Option(min=1, metavar="N", help="Check only one of N sentences.")
    ] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the analyses of all sentences there, the meant ones as right, for `weft "
            "train --recipe parse-selection`.",
        ),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Check that marks of meant analyses fit one analysis each.

    Every mark that fits none or several is shown; the exit code is 1 if there is one. With --json
    there is an object per sentence and line. With --output nothing is shown, and the first such
    mark ends it.
    """
    from weft.commands import check_output
    from weft.commands.unification.marks import check_marks, export_marked, summarise_marks

    if output is not None:
        if json:
            raise typer.BadParameter("nothing is shown with --output", param_hint="--json")
        check_output(output, [grammar, marks], force=force)
        count = export_marked(grammar, marks, output, every)
        typer.echo(f"weft: analyses of {count:,} sentences, with the right one of each", err=True)
        return
    results = []
    for each in check_marks(grammar, marks, every):
        results.append(each)
        if json:
            typer.echo(json_module.dumps(each.as_json(), ensure_ascii=False))
        elif not each.is_good:
            typer.echo(each.problem())
    summary = summarise_marks(results)
    if not json:
        typer.echo("\n".join(summary.lines()))
    if summary.good < summary.sentences:
        raise typer.Exit(1)
