"""``weft train``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli import options
from weft.cli.output import messages, print_json

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from weft.commands import Grid, ParserTraining, SelectorTraining, Training, Trial
    from weft.commands.request import Options


EXAMPLES = (
    "weft train pos.weft --train train.conllu --dev dev.conllu --column xpos",
    "weft train chunks.weft --train train.txt --format columns --set scheme=chunks",
    "weft train pos.weft --train train.tagged --penalty gaussian:2.0,bigram=10",
    'weft train pos.weft --train train.tagged --set "templates=word[0] suffix3[0]"',
    "weft train pos.weft --recipe hmm-em --train raw.txt --format text --dictionary tags.txt",
    "weft train pos.weft --recipe semi-supervised --train small.tagged --raw raw.txt",
    "weft train parser.weft --recipe pcfg --train wsj.mrg --dev dev.mrg",
    "weft train ranker.weft --recipe parse-selection --train parses.jsonl",
    "weft train pos.weft --train train.tagged --dev dev.tagged --grid 'penalty=gaussian:1|none'",
)


def _recipes() -> list[str]:
    from weft.recipes import RECIPES

    return list(RECIPES)


def _neighbourhoods() -> list[str]:
    from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES

    return list(NEIGHBOURHOOD_NAMES)


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
    raw: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Raw text to learn from, too, a sentence a line; for the recipe semi-supervised; "
            "may be repeated.",
        ),
    ] = None,
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    partial: options.Partial = False,
    penalty: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What large weights cost: gaussian:VARIANCE, gaussian:1.0,bigram=10, "
            "relative:MULTIPLE (of a feature's largest value) or none; what is added to counts: "
            "dirichlet:COUNT.",
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
    dictionary_from: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A tagged corpus; its words with their tags are the dictionary."
        ),
    ] = None,
    dilute: Annotated[
        str | None,
        typer.Option(
            metavar="K",
            help="Leave words out of the dictionary: 500, those unseen in 500 sentences; "
            "'count<3', those seen less often.",
        ),
    ] = None,
    open_tags: Annotated[
        str | None,
        typer.Option(
            metavar="TAG,TAG",
            help="The tags of words outside the dictionary; or how many different words a tag "
            "must have there to be one. Any tag by default.",
        ),
    ] = None,
    spelling: Annotated[
        bool,
        typer.Option(
            "--spelling", help="Look at suffixes, capitals, hyphens and digits, beside words."
        ),
    ] = False,
    neighbourhood: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            autocompletion=_neighbourhoods,
            help="What raw sentences are told from: del1word, trans1, delortrans1, "
            "del1subseq, length or corpus; or a transducer's file, as `weft neighbours` takes it.",
        ),
    ] = None,
    tag_map: options.TagMap = None,
    terminals: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="What a grammar's sentences are made of: words (default) or tags."
        ),
    ] = None,
    clean: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="Clean-ups of trees: historical,traces,functions,repeats,top (default); also "
            "empties, punctuation, root, codes, gaps, lemmas and text.",
        ),
    ] = None,
    grammar: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A grammar's rules, where they are not read off trees."),
    ] = None,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=V|V",
            help="Train with each value of a setting, or of penalty, and keep the best model; "
            "may be repeated, for all combinations.",
        ),
    ] = None,
    choose: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What a grid chooses by: criterion (on --dev, which may be raw), accuracy (on "
            "--dev) or oracle (accuracy on the training labels).",
        ),
    ] = "criterion",
    work: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where a grid keeps its trials, so that it can go on; OUT.weft.grid by default.",
        ),
    ] = None,
    force: options.Force = False,
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Train a model and save it.

    Taggers learn from tagged sentences, or from raw ones with a dictionary; parsers (pcfg,
    wcfg-crf) from trees; the recipes parse-selection and max-correct learn to choose among the
    analyses of a grammar.

    Ctrl-C ends training; the best weights so far are saved. A grid goes on where it was.
    """
    from weft import commands
    from weft.cli.progress import watching, watching_trials

    console = messages()
    console.quiet = quiet
    asked: Options = {
        "recipe": recipe,
        "development": dev,
        "layout": options.layout(format_name, column, inputs, partial),
        "penalty": penalty,
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
    }
    if not grid and (work is not None or choose != "criterion"):
        message = "they are for grids: give --grid KEY=V|V, too"
        raise typer.BadParameter(message, param_hint="--choose, --work")
    if grid:
        points = commands.read_grid(grid)
        with watching_trials(console) as finished:
            result = commands.train_grid(
                out,
                files,
                points,
                choose=choose,
                folder=work,
                processes=threads,
                finished=finished,
                force=force,
                **asked,
            )
        console.print(_trials_table(result))
        _summarise(console, result.training, dev)
    else:
        with watching(console) as watch:
            training = commands.train(
                out, files, threads=threads, watch=watch, force=force, **asked
            )
        _SUMMARIES[type(training).__name__](console, training, dev)
    if json:
        print_json(result.as_json() if grid else training.as_json())


def _trials_table(grid: Grid) -> RenderableType:
    from weft.report.tables import percent, table

    def score(trial: Trial) -> str:
        if grid.choose == "criterion":
            return "—" if trial.score is None else f"{trial.score:,.4f}"
        return percent(trial.score)

    return table(
        f"Trials, chosen by {grid.choose}",
        ["", "trial", str(grid.choose), "held-out", "iterations", "seconds"],
        [
            [
                "*" if trial.number == grid.chosen else "",
                trial.name,
                score(trial),
                percent(trial.accuracy),
                trial.iterations,
                f"{trial.seconds:.1f}",
            ]
            for trial in grid.trials
        ],
    )


def pairs(settings: list[str]) -> dict[str, str]:
    """Return what ``--set`` says.

    Raises:
        typer.BadParameter: If something is not KEY=VALUE.
    """
    parts = [setting.partition("=") for setting in settings]
    for key, equals, _ in parts:
        if not key or not equals:
            raise typer.BadParameter(
                f"'{key}' is not KEY=VALUE, such as order=2", param_hint="--set"
            )
    return {key.strip(): value for key, _, value in parts}


def _summarise_selector(console: Console, training: SelectorTraining, dev: Path | None) -> None:
    from weft.report.tables import percent

    selector, last, scores = training.selector, training.last, training.training
    for problem in training.broken:
        console.print(f"left out: {problem}", soft_wrap=True)
    lines = [
        f"Trained on {training.sentences:,} sentences ({scores.ambiguous:,} ambiguous, "
        f"{training.analyses:,} analyses or edges): {len(selector.weights):,} features.",
        f"Stopped after {last.iteration} iterations, {training.seconds:.1f} s: {training.stopped}.",
        f"Right choices on the training corpus: {percent(scores.accuracy)} of the ambiguous "
        "sentences",
    ]
    if training.development is not None and dev is not None:
        lines.append(f"Right choices on {dev.name}: {percent(training.development.accuracy)}")
    console.print("\n".join([*lines, _saved(training)]), soft_wrap=True)


def _summarise_parser(console: Console, training: ParserTraining, dev: Path | None) -> None:
    from weft.report.tables import percent

    parser, last = training.parser, training.last
    for message in training.messages:
        console.print(message, soft_wrap=True, markup=False, highlight=False)
    rules = parser.model.grammar.rule_count
    lines = [
        f"Trained on {training.sentences:,} sentences ({training.tokens:,} tokens): {rules:,} "
        f"rules, {len(parser.weights):,} features.",
        f"Stopped after {last.iteration} iterations, {training.seconds:.1f} s: {training.stopped}.",
    ]
    if training.development is not None and dev is not None:
        lines.append(f"F1 on {dev.name}: {percent(training.development.overall.f1)}")
    console.print("\n".join([*lines, _saved(training)]), soft_wrap=True)


def _saved(training: Training | ParserTraining | SelectorTraining) -> str:
    best = "Interrupted: the best weights so far are saved" if training.interrupted else "Saved"
    return f"{best} in {training.path}"


def _summarise(console: Console, training: Training, dev: Path | None) -> None:
    from weft.report.tables import percent

    tagger, last = training.tagger, training.last
    size = f"{training.sentences:,} sentences ({training.tokens:,} tokens)"
    if tagger.trace:
        lines = [
            f"Trained on {size}: {len(tagger.model.tags)} tags, {len(tagger.weights):,} features.",
            f"Stopped after {last.iteration} iterations, {training.seconds:.1f} s: "
            f"{training.stopped}.",
        ]
    else:
        lines = [f"Counted {size}: {len(tagger.model.tags)} tags."]
    if training.accuracy is not None and dev is not None:
        lines.append(f"Accuracy on {dev.name}: {percent(training.accuracy)}")
    console.print("\n".join([*lines, _saved(training)]), soft_wrap=True)


_SUMMARIES: dict[str, Callable[[Console, Any, Path | None], None]] = {
    "Training": _summarise,
    "ParserTraining": _summarise_parser,
    "SelectorTraining": _summarise_selector,
}
"""What is said of training, by the type of what it gives."""
