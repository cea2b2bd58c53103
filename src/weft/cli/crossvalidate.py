"""``weft crossvalidate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.evaluate import scores_table
from weft.cli.output import messages, print_json, print_parts
from weft.cli.train import pairs

if TYPE_CHECKING:
    from rich.console import RenderableType

EXAMPLES = (
    "weft crossvalidate parses.jsonl",
    "weft crossvalidate parses.jsonl --recipe max-correct --folds 10 --json",
    "weft crossvalidate parses.jsonl --penalty relative:0.7 --compare max-correct",
)


def crossvalidate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Parse sets; - is the standard input.")
    ],
    recipe: Annotated[
        str, typer.Option(metavar="NAME", help="parse-selection or max-correct.")
    ] = "parse-selection",
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="How many folds.")] = 10,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Deals sentences to folds at random.")
    ] = 0,
    compare: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Another recipe to test against on the same folds."),
    ] = None,
    penalty: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What large weights cost, such as relative:0.7."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a setting of the recipe; may be repeated."
        ),
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where to keep what is found on each fold, so that it can go on.",
        ),
    ] = None,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Say how well a recipe chooses among analyses that it has not seen.

    Sentences are dealt to folds; each fold is judged by a model of the others, and scores are
    summed. In JSON, accuracies are fractions of the ambiguous sentences.

    With --work, the same command goes on where it was stopped.
    """
    from weft import commands
    from weft.report.tables import facts
    from weft.train.crossvalidation import compare_choices

    console = messages()
    console.quiet = quiet
    plain = "-" if str(file) == "-" else file
    if compare is not None and plain == "-":
        raise typer.BadParameter("the standard input is read once only", param_hint="--compare")

    def told(done: int, of: int) -> None:
        console.print(f"{done} of {of} folds", soft_wrap=True)

    def run(name: str, own: dict[str, str], cost: str | None) -> commands.Validation:
        return commands.crossvalidate(
            plain,
            recipe=name,
            folds=folds,
            seed=seed,
            penalty=cost,
            settings=own,
            chosen=commands.Chosen(only, skip_broken),
            threads=threads,
            told=told,
            folder=None if work is None else work / name,
        )

    asked = pairs(settings or [])
    found = run(recipe, asked, penalty)
    for problem in found.broken:
        console.print(f"left out: {problem}", soft_wrap=True)
    # The other recipe looks at the same features.
    shared = {key: text for key, text in asked.items() if key in ("properties", "relevance")}
    other = None if compare is None else run(compare, shared, None)
    tested = None
    if other is not None:
        tested = compare_choices(found.found.judgements, other.found.judgements, seed)
    if json:
        record = found.as_json()
        if other is not None and tested is not None:
            record["compared"] = {
                **other.as_json(),
                "difference": tested.difference,
                "p_value": tested.p_value,
            }
        print_json(record)
        return
    rows = {**found.rows, **(other.rows if other is not None else {})}
    parts: list[RenderableType] = [scores_table(f"Cross-validation, {folds} folds", rows)]
    if tested is not None:
        shown = (
            f"{100 * tested.difference:+.2f} points, "
            f"{100 * tested.low:.2f} to {100 * tested.high:.2f}; p = {tested.p_value:.4f}"
        )
        parts.append(facts({f"{compare} against {recipe}": shown}))
    print_parts(parts)
