"""``weft crossvalidate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli import options
from weft.cli import train_options as given
from weft.cli.compare import tests_table
from weft.cli.help import ESTIMATION, GRID, MODEL
from weft.cli.output import messages, print_json, print_parts
from weft.cli.train import pairs
from weft.files import check_read_again

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import Validation
    from weft.commands.request import Options
    from weft.models.forecast import Forecast

EXAMPLES = (
    "weft crossvalidate corpus.tagged",
    "weft crossvalidate corpus.tagged --recipe hmm --compare crf --folds 5",
    "weft crossvalidate corpus.tagged --grid 'penalty=gaussian:1|gaussian:10' --json",
    "weft crossvalidate wsj.mrg --recipe pcfg --work folds",
    "weft crossvalidate raw.txt --format text --recipe hmm-em --dictionary tags.txt",
    "weft crossvalidate parses.jsonl --penalty relative:0.7 --compare max-correct",
)


def crossvalidate(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Tagged or raw sentences, trees or parse sets; - is the standard input.",
        ),
    ],
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    partial: options.Partial = False,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    tag_map: options.TagMap = None,
    raw: given.Raw = None,
    dictionary: given.Dictionary = None,
    dictionary_from: given.DictionaryFrom = None,
    dilute: given.Dilute = None,
    open_tags: given.OpenTags = None,
    clean: given.Clean = None,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=MODEL,
            autocompletion=options.recipe_names,
            help="The model and how it is estimated; by default parse-selection for parse sets, "
            "and crf for others.",
        ),
    ] = None,
    settings: given.Settings = None,
    spelling: given.Spelling = False,
    template: given.Template = None,
    terminals: given.Terminals = None,
    grammar: given.Grammar = None,
    reference: given.Reference = None,
    universe: given.Universe = None,
    criterion: given.Criterion = None,
    neighbourhood: given.Neighbourhood = None,
    penalty: given.Penalty = None,
    optimiser: given.Optimiser = None,
    folds: Annotated[
        int, typer.Option(min=2, metavar="N", rich_help_panel=ESTIMATION, help="How many folds.")
    ] = 10,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            rich_help_panel=ESTIMATION,
            help="Deals sentences to folds at random.",
        ),
    ] = 0,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=V|V",
            rich_help_panel=GRID,
            help="Try each value of a setting, or of penalty, on the same folds; may be repeated, "
            "for all combinations.",
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=GRID,
            help="Another recipe to test against on the same folds.",
        ),
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            rich_help_panel=GRID,
            help="Where to keep what is found on each fold, so that it can go on.",
        ),
    ] = None,
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.NoProgress = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Say how good a recipe is on sentences that it has not seen.

    Sentences are dealt to folds; each fold is judged by a model of the others, and what is right
    is counted over all of them. Raw text is judged by its labels, where it has some that the
    criterion does not look at, or by its log-probability. In JSON, accuracies are fractions.

    With --work, the same command goes on where it was stopped.
    """
    from weft import commands
    from weft.cli.progress import watching_folds

    console = messages()
    console.quiet = quiet
    source = "-" if str(file) == "-" else file
    if compare or grid:
        check_read_again(source, "every recipe or point of a grid reads it")
    if compare and grid:
        message = "give one of the two: a grid has its own comparisons"
        raise typer.BadParameter(message, param_hint="--compare, --grid")
    asked: Options = {
        "layout": options.layout(format_name, column, inputs, partial, separator),
        "penalty": penalty,
        "criterion": criterion,
        "optimiser": optimiser,
        "settings": pairs(settings or []),
        "dictionary": dictionary,
        "dictionary_from": dictionary_from,
        "dilute": dilute,
        "open_tags": open_tags,
        "spelling": spelling,
        "neighbourhood": neighbourhood,
        "tag_map": tag_map,
        "raw": raw or (),
        "only": only,
        "skip_broken": skip_broken,
        "terminals": terminals,
        "clean": clean,
        "grammar": grammar,
        "reference": reference,
        "universe": universe,
        "encoding": encoding,
        "template": template,
        "recipe": recipe or commands.usual_recipe(source),
    }

    def foretold(forecast: Forecast) -> None:
        messages().print(f"{forecast}.", soft_wrap=True)

    requests = [asked]
    if compare is not None:
        requests.append(commands.for_other_recipe(asked, compare))
    with watching_folds(console) as told:
        if grid:
            several = commands.crossvalidate_grid(
                source,
                commands.read_grid(grid),
                folds=folds,
                seed=seed,
                threads=threads,
                told=told,
                foretold=foretold,
                folder=work,
                failed=lambda name, why: console.print(f"{name} failed: {why}", soft_wrap=True),
                **asked,
            )
        else:
            several = [
                commands.crossvalidate(
                    source,
                    folds=folds,
                    seed=seed,
                    threads=threads,
                    told=told,
                    foretold=foretold,
                    folder=None if work is None else work / each["recipe"],
                    **each,
                )
                for each in requests
            ]
    for problem in several[0].given.broken:
        console.print(f"left out: {problem}", soft_wrap=True)
    for message in dict.fromkeys(said for each in several for said in each.messages):
        console.print(message, soft_wrap=True, markup=False, highlight=False)
    if json:
        print_json(_json(several, compare is not None, seed))
    else:
        print_parts(_parts(several, compare, folds, seed))


def _json(several: Sequence[Validation], compared: bool, seed: int) -> dict[str, Any]:
    from weft import commands

    first, *others = several
    if not compared and not others:
        return first.as_json()
    if compared:
        tested = commands.compare_validations(first, others[0], seed)
        return {**first.as_json(), "compared": {**others[0].as_json(), **tested.as_json()}}
    best = commands.best_of(several)
    trials = [each.as_json() for each in several]
    return {"chosen": best.name, **best.as_json(), "trials": trials}


def _parts(
    several: Sequence[Validation], compare: str | None, folds: int, seed: int
) -> list[RenderableType]:
    from weft import commands
    from weft.report.tables import facts

    first, *others = several
    rows = {name: each for validation in several for name, each in validation.rows.items()}
    parts: list[RenderableType] = [
        _table(f"Cross-validation, {folds} folds", first, rows),
        facts({f"{each.name} over folds": _over_folds(each) for each in several}),
    ]
    if compare is not None:
        tested = commands.compare_validations(first, others[0], seed)
        parts.append(tests_table({f"{compare} against {first.name}": tested}))
    elif others:
        parts.append(f"The best is {commands.best_of(several).name}.")
    return parts


def _table(title: str, first: Validation, rows: Mapping[str, Mapping[str, Any]]) -> RenderableType:
    """A row an estimator; columns that none of them has are left out."""
    from weft.report.tables import figure_of, show_figure, table

    kept = [
        (key, *shown)
        for key, shown in first.task.columns.items()
        if any(figure_of(row, key) is not None for row in rows.values())
    ]
    cells = [
        [name, *(show_figure(figure_of(row, key), form) for key, _, form in kept)]
        for name, row in rows.items()
    ]
    return table(title, ["", *(header for _, header, _ in kept)], cells)


def _over_folds(validation: Validation) -> str:
    """The mean and the standard deviation of what models are compared by."""
    key, _ = validation.score
    header, form = validation.task.columns[key]
    mean, spread = validation.over_folds
    unit = "%" if form == "share" else ""
    factor = 100.0 if form == "share" else 1.0
    shown = "" if spread is None else f" ± {factor * spread:.2f}"
    return f"{header} {factor * mean:.2f}{shown} {unit}".strip()
