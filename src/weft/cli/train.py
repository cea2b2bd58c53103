"""``weft train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from weft.cli import options
from weft.cli import train_options as given
from weft.cli.output import messages, print_json
from weft.cli.train_options import Shown

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from weft.commands import Grid, Training, Trial
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
    "weft train pos.weft --train train.tagged --criterion margin --dev dev.tagged --patience 5",
    "weft train pos2.weft --train more.tagged --start pos.weft",
    "weft train pos.weft --train big.tagged --stream --optimiser sgd --set iterations=5",
    "weft train pos.weft --train big.tagged --cluster tcp://10.0.0.5:8786",
    "weft train pos.weft --train train.tagged --dev dev.tagged --grid 'penalty=gaussian:1|none'",
)


def train(
    out: given.Out,
    files: given.Train,
    dev: given.Dev = None,
    raw: given.Raw = None,
    stream: given.Stream = False,
    buffer: given.Buffer = None,
    format_name: options.FormatName = None,
    column: options.Column = None,
    inputs: options.Inputs = None,
    partial: options.Partial = False,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    tag_map: options.TagMap = None,
    dictionary: given.Dictionary = None,
    dictionary_from: given.DictionaryFrom = None,
    dilute: given.Dilute = None,
    open_tags: given.OpenTags = None,
    clean: given.Clean = None,
    only: options.Only = None,
    skip_broken: options.SkipBroken = False,
    recipe: given.Recipe = "crf",
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
    patience: given.Patience = None,
    start: given.Start = None,
    checkpoint: given.Checkpoint = None,
    threads: options.Threads = None,
    cluster: given.Cluster = None,
    grid: given.Grid = None,
    choose: given.Choose = "criterion",
    work: given.Work = None,
    force: options.Force = False,
    json: options.Json = False,
    progress: given.Progress = Shown.TEXT,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Train a model and save it.

    Taggers learn from tagged sentences, or from raw ones with a dictionary; parsers (pcfg,
    wcfg-crf) from trees, or from raw sentences with a grammar; the recipes parse-selection and
    max-correct learn to rank the analyses of a grammar.

    Ctrl-C ends training; the best weights so far are saved. A grid goes on where it was.
    """
    from weft import commands
    from weft.cli.progress import watching, watching_trials

    console = messages()
    console.quiet = quiet
    asked: Options = {
        "recipe": recipe,
        "development": dev,
        "layout": options.layout(format_name, column, inputs, partial, separator),
        "penalty": penalty,
        "criterion": criterion,
        "optimiser": optimiser,
        "patience": patience,
        "start": start,
        "settings": pairs(settings or []),
        "dictionary": dictionary,
        "dictionary_from": dictionary_from,
        "dilute": dilute,
        "open_tags": open_tags,
        "spelling": spelling,
        "neighbourhood": neighbourhood,
        "tag_map": tag_map,
        "raw": raw or (),
        "stream": stream,
        "buffer": buffer,
        "only": only,
        "skip_broken": skip_broken,
        "terminals": terminals,
        "clean": clean,
        "grammar": grammar,
        "reference": reference,
        "universe": universe,
        "encoding": encoding,
        "template": template,
    }
    if not grid and (work is not None or choose != "criterion"):
        message = "they are for grids: give --grid KEY=V|V, too"
        raise typer.BadParameter(message, param_hint="--choose, --work")
    if grid and checkpoint is not None:
        message = "a grid keeps its trials in --work, and goes on by itself: leave this out"
        raise typer.BadParameter(message, param_hint="--checkpoint")
    if grid and cluster is not None:
        message = "a grid trains a model per core of this machine: leave this out"
        raise typer.BadParameter(message, param_hint="--cluster")
    if grid:
        points = commands.read_grid(grid)
        warned = messages()
        with watching_trials(console) as finished:
            result = commands.train_grid(
                out,
                files,
                points,
                choose=choose,
                folder=work,
                processes=threads,
                finished=finished,
                foretold=lambda forecast: warned.print(f"{forecast}.", soft_wrap=True),
                force=force,
                **asked,
            )
        console.print(_trials_table(result))
        for trial in result.trials:
            if trial.failed:
                console.print(f"{trial.name} failed: {trial.stopped}", soft_wrap=True)
        _summarise(console, result.training, dev)
    else:
        if checkpoint is not None and checkpoint.exists():
            console.print(f"Going on from {checkpoint}", soft_wrap=True)
        warned = messages() if quiet else console  # beside the bar, where there is one
        with watching(console, progress) as watch:
            training = commands.train(
                out,
                files,
                threads=threads,
                watch=watch,
                force=force,
                checkpoint=checkpoint,
                cluster=cluster,
                foretold=lambda forecast: warned.print(f"{forecast}.", soft_wrap=True),
                **asked,
            )
        _summarise(console, training, dev)
    if json:
        print_json(result.as_json() if grid else training.as_json())


def _trials_table(grid: Grid) -> RenderableType:
    from weft.report.tables import percent, table

    def score(trial: Trial) -> str:
        if grid.choose == "criterion":
            return "—" if trial.score is None else f"{trial.score:,.4f}"
        return percent(trial.score)

    head, held_out = str(grid.choose), grid.training.development
    if head == "accuracy" and held_out is not None:
        head = grid.training.task.measured(held_out)
    return table(
        f"Trials, chosen by {head}",
        ["", "trial", head, "held-out", "iterations", "seconds"],
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


def _summarise(console: Console, training: Training, dev: Path | None) -> None:
    from weft.report.tables import percent
    from weft.reprs import count_things

    task, trained, given = training.task, training.trained, training.given
    lines = [*given.messages, *(f"left out: {problem}" for problem in given.broken)]
    size = f"{count_things(training.sentences, 'sentence')} ({task.extent(trained, given.corpus)})"
    size += f": {task.contents(trained)}."
    if trained.trace:
        lines += [
            f"Trained on {size}",
            f"Stopped after {count_things(training.last.iteration, 'iteration')}, "
            f"{training.seconds:.1f} s: "
            f"{training.stopped}.",
        ]
        if training.kept != training.last:
            lines.append(f"Kept are the weights of iteration {training.kept.iteration}.")
    else:
        lines.append(f"Counted {size}")
    lines += task.remarks(trained, given.corpus)
    if training.score is not None and dev is not None:
        measure = task.measured(training.development)
        lines.append(f"{measure} on {dev.name}: {percent(training.score)}")
    notes = trained.notes
    if "left_out" in notes:
        lines.append(f"Left out: {notes['left_out']}.")
    if "held_out_left_out" in notes:
        lines.append(f"Held-out, without an answer: {notes['held_out_left_out']}.")
    for name, where in (("allowed_training", "in training"), ("allowed_held_out", "held out")):
        if name in notes:
            lines.append(f"Allowed {where}: {notes[name]}.")
    if "adapted" in notes:
        lines.append(f"Chosen: {notes['adapted']} (--set adapt=no for the usual ones).")
    if "patience" in notes:
        lines.append(f"Patience: {notes['patience']}.")
    if "penalty_chosen" in notes:
        lines.append(f"Penalty: {notes['penalty_chosen']}")
    if "universe" in notes:
        lines.append(f"Universe: {notes['universe']}")
    if "features" in notes:
        lines.append(f"Features are {notes['features']}.")
    if "start" in notes:
        file = f"{notes['start_file']}: " if "start_file" in notes else ""
        lines.append(f"Started from {file}{notes['start']}.")
    if "restarts" in notes:
        lines.append(f"Restarts: {notes['restarts']}.")
    best = "Interrupted: the best weights so far are saved" if training.interrupted else "Saved"
    console.print("\n".join([*lines, f"{best} in {training.path}"]), soft_wrap=True)
