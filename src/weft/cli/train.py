"""``weft train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.output import messages, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from weft.commands import Training


EXAMPLES = (
    "weft train pos.weft --train train.conllu --dev dev.conllu --column xpos",
    "weft train chunks.weft --train train.txt --format columns --set scheme=chunks",
    "weft train pos.weft --train train.tagged --penalty gaussian:2.0,bigram=10",
    'weft train pos.weft --train train.tagged --set "templates=word[0] suffix3[0]"',
)


def _recipes() -> list[str]:
    from weft.recipes import RECIPES

    return list(RECIPES)


def _settings() -> list[str]:
    from weft.recipes import SETTINGS

    return [f"{name}=" for name in SETTINGS]


def train(
    out: Annotated[Path, typer.Argument(metavar="OUT.weft", help="Where the model is saved.")],
    files: Annotated[
        list[Path],
        typer.Option(
            "--train",
            metavar="FILE",
            help="The training corpus; may be repeated, for files of other formats too.",
        ),
    ],
    recipe: Annotated[
        str, typer.Option(metavar="NAME", autocompletion=_recipes, help="See `weft recipes`.")
    ] = "crf",
    dev: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A corpus whose accuracy is shown while training."),
    ] = None,
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    partial: options.Partial = False,
    penalty: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What large weights cost: gaussian:VARIANCE, gaussian:1.0,bigram=10 or none; "
            "what is added to counts: dirichlet:COUNT.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            autocompletion=_settings,
            help="Change a setting of the recipe; may be repeated; see `weft recipes`.",
        ),
    ] = None,
    dictionary: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The tags that words may have: word<TAB>TAG TAG ..."),
    ] = None,
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Train a model on tagged sentences and save it.

    Ctrl-C ends training; the best weights so far are saved.
    """
    from weft import commands
    from weft.cli.progress import watching

    console = messages()
    console.quiet = quiet
    chosen = _pairs(settings or [])
    with watching(console) as watch:
        training = commands.train(
            out,
            files,
            recipe=recipe,
            development=dev,
            layout=options.layout(format_name, column, inputs, partial),
            penalty=penalty,
            settings=chosen,
            dictionary=dictionary,
            threads=threads,
            watch=watch,
        )
    _summarise(console, training, dev)
    if json:
        print_json(training.as_json())


def _pairs(settings: list[str]) -> dict[str, str]:
    pairs = [setting.partition("=") for setting in settings]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise typer.BadParameter(
                f"'{key}' is not KEY=VALUE, such as order=2", param_hint="--set"
            )
    return {key.strip(): value for key, _, value in pairs}


def _summarise(console: Console, training: Training, dev: Path | None) -> None:
    from weft.report.tables import percent

    tagger, last = training.tagger, training.last
    size = f"{training.sentences:,} sentences ({training.tokens:,} tokens)"
    if tagger.trace:
        lines = [
            f"Trained on {size}: {len(tagger.model.tags)} tags, {len(tagger.weights):,} features.",
            f"Stopped after {last.iteration} iterations, {last.seconds:.1f} s: {training.stopped}.",
        ]
    else:
        lines = [f"Counted {size}: {len(tagger.model.tags)} tags."]
    if training.accuracy is not None and dev is not None:
        lines.append(f"Accuracy on {dev.name}: {percent(training.accuracy)}")
    best = "Interrupted: the best weights so far are saved" if training.interrupted else "Saved"
    console.print("\n".join([*lines, f"{best} in {training.path}"]), soft_wrap=True)
