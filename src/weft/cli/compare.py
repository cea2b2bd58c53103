"""``weft compare``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.output import messages, print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import Comparison
    from weft.evaluate.significance import PairedTest

EXAMPLES = (
    "weft compare crf.weft test.conllu hmm.weft",
    "weft compare pcfg.weft test.mrg wcfg.weft shift-reduce.weft",
    "weft compare chunks.weft test.txt others.weft --json | jq '.comparisons[0].p_value'",
)

Test = Annotated[
    Path,
    typer.Argument(
        metavar="TEST", help="Tagged sentences, trees or parse sets that say what is right."
    ),
]
Seed = Annotated[
    int, typer.Option(min=0, metavar="N", help="Of the random numbers of tests and intervals.")
]


def compare(
    context: typer.Context,
    model: options.Model,
    test: Test,
    others: Annotated[
        list[Path], typer.Argument(metavar="OTHER", help="Models to compare with the first.")
    ],
    seed: Seed = 0,
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    json: options.Json = False,
    quiet: options.NoProgress = False,
    max_memory: options.MaxMemory = None,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Say which of two models is better on a test file, or whether that may be luck.

    Each model has its score with a 95 % interval: accuracy; of chunks, names and trees F1; of
    parse sets the share of right choices. For each pair there is a paired test on the same
    sentences: the difference in points with its 95 % interval, by the bootstrap, and p, by
    approximate randomisation. A small p says that luck alone would seldom make such a difference;
    below 0.05 one model is called better or worse.

    `weft report` shows the same on a page, with errors and pictures. To compare recipes rather
    than models: `weft crossvalidate --compare`.
    """
    from weft import commands
    from weft.cli.progress import watching_parts

    console = messages()
    console.quiet = quiet
    with watching_parts(console, "judging the first model") as told:
        found = commands.compare_models(
            [model, *others],
            test,
            layout=options.layout(format_name, column, inputs, separator=separator),
            chosen=commands.Chosen(only, skip_broken),
            encoding=encoding,
            given=options.given(context),
            seed=seed,
            max_bytes=options.max_bytes(max_memory),
            told=told,
        )
    if json:
        print_json(found.as_json())
    else:
        print_parts(comparison_parts(found))


def comparison_parts(found: Comparison) -> list[RenderableType]:
    """Return the scores of models, and what paired tests say of them."""
    from weft.report.tables import percent, table
    from weft.reprs import count_things

    rows = [
        [each.name, percent(each.score), f"{percent(each.low)} to {percent(each.high)}"]
        for each in found.models
    ]
    title = f"{Path(found.test).name}, {count_things(found.sentences, 'sentence')}"
    parts: list[RenderableType] = [table(title, ["", found.measure, "95 % interval"], rows)]
    if found.tests:
        names = [each.name for each in found.models]
        parts.append(
            tests_table(
                {
                    f"{names[other]} against {names[one]}": tested
                    for (one, other), tested in found.tests.items()
                }
            )
        )
    return [*parts, *(f"left out: {problem}" for problem in found.broken)]


def tests_table(tests: Mapping[str, PairedTest]) -> RenderableType:
    """Return what paired tests say, by the names of what they compare."""
    from weft.report.tables import table

    return table(
        "",
        ["", "points", "95 % interval", "p", ""],
        [
            [
                name,
                f"{100 * each.difference:+.2f}",
                f"{100 * each.low:+.2f} to {100 * each.high:+.2f}",
                f"{each.p_value:.4f}",
                each.verdict,
            ]
            for name, each in tests.items()
        ],
    )
