"""``weft report``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.compare import Seed, Test, comparison_parts
from weft.cli.help import OUTPUT
from weft.cli.output import messages, print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands.reporting import Reported

EXAMPLES = (
    "weft report pos.weft test.tagged",
    "weft report crf.weft test.conllu hmm.weft --out comparison.html",
    "weft report parser.weft test.mrg --errors 20",
    "weft report ranker.weft parses.jsonl --json | jq '.models[0].score'",
)


def report(
    context: typer.Context,
    model: options.Model,
    test: Test,
    others: Annotated[
        list[Path] | None,
        typer.Argument(metavar="OTHER", help="Models to compare with the first."),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            rich_help_panel=OUTPUT,
            help="Where the page is written; - is the standard output.",
        ),
    ] = Path("report.html"),
    errors: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many wrong answers to list of each model.")
    ] = 10,
    seed: Seed = 0,
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    threads: options.Threads = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.NoProgress = False,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Write one page about models on a test file.

    It has the data, scores with intervals, paired tests between models, calibration, confusions,
    the most telling features, errors in context, training curves, and how to make it again. The
    page needs no other file and no network, and can be printed.
    """
    from weft import commands
    from weft.cli.progress import watching_parts
    from weft.commands.reporting import report_models, report_page
    from weft.files import write_text

    if json and str(out) == "-":
        raise typer.BadParameter("with --json, name a file", param_hint="--out")
    models = [model, *(others or ())]
    commands.check_output(out, [*models, test], force=force)
    console = messages()
    console.quiet = quiet
    with watching_parts(console, "judging the first model") as told:
        found = report_models(
            models,
            test,
            layout=options.layout(format_name, column, inputs, separator=separator),
            chosen=commands.Chosen(only, skip_broken),
            encoding=encoding,
            given=options.given(context),
            errors=errors,
            seed=seed,
            threads=threads,
            max_bytes=options.max_bytes(max_memory),
            told=told,
            command=_command(context),
        )
    with write_text(out) as stream:
        stream.write(report_page(found))
    if str(out) == "-":  # which is the page's
        return
    if json:
        print_json({**found.as_json(), "page": str(out)})
    else:
        print_parts(_parts(found, out))


def _command(context: typer.Context) -> str:
    """The command as it was given, for people who want the same again."""
    words = ["weft", "report"]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.param_type_name == "argument":
            words += [str(each) for each in (value if isinstance(value, list) else [value]) if each]
    named = options.given(context)
    for parameter in context.command.params:
        for name in set(parameter.opts) & set(named):
            value = context.params.get(parameter.name or "")
            words += [name] if value is True else [name, str(value)]
    return shlex.join(words)


def _parts(found: Reported, out: Path) -> list[RenderableType]:
    # The last line is the path alone, so that the shell can use it.
    return [*comparison_parts(found), f"The report is\n{out}"]
