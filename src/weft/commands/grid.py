"""Model selection: training at every point of a grid, and keeping the best model.

Trials run in processes of their own. What is finished is kept in a work folder, a model file a
trial and a ledger of what was asked and found, so that a grid that was stopped goes on where it
was: the same arguments continue it, and others are refused, but for what trials are compared by.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack, cast

from weft.commands.files.inputs import StrPath
from weft.commands.files.ledger import Ledger, contents
from weft.commands.files.opening import as_files
from weft.commands.files.outputs import check_output
from weft.commands.request import Options, Request
from weft.commands.tasks import plan_request, read_materials
from weft.commands.training import Training, forecast_of, training_of
from weft.commands.trials import Choose, Job, Trial, model_file, read_trial, run_trials
from weft.derivations.threads import thread_count
from weft.errors import FormatError, OptionError, StuckError, abbreviate
from weft.files import Source, check_read_again, name_of
from weft.models.forecast import Forecast
from weft.models.options import option
from weft.models.storage import load_model, save_model
from weft.ranking import by_value
from weft.recipes import with_settings
from weft.reprs import Brief

MOST_TRIALS = 1000
"""A larger grid is refused: it is a mistake."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grid(Brief):
    """How a grid went.

    Attributes:
        training: The chosen model's training.
        trials: All trials, in the order of the grid.
        chosen: The number of the chosen one.
        choose: What they were compared by.
        folder: Where all models are.
    """

    training: Training
    trials: tuple[Trial, ...]
    chosen: int
    choose: Choose
    folder: str

    def as_json(self) -> dict[str, Any]:
        """Return what a program may want to know, ready for JSON."""
        trials = [{**asdict(trial), "point": dict(trial.point)} for trial in self.trials]
        grid = {"choose": str(self.choose), "chosen": self.chosen, "folder": self.folder}
        return {**self.training.as_json(), "grid": {**grid, "trials": trials}}


Finished = Callable[[Sequence[Trial], int], None]
"""Told of the trials that are finished, in the order in which they were, and of how many there are
in all."""


def read_grid(several: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read ``KEY=VALUE|VALUE|…`` for each key, ``penalty`` or a setting's name.

    >>> read_grid(["penalty=gaussian:1,bigram=10|none", "order=1|2"])
    {'penalty': ('gaussian:1,bigram=10', 'none'), 'order': ('1', '2')}

    Raises:
        OptionError: If a key or a value is missing, or comes twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in several:
        key, equals, rest = text.partition("=")
        values = tuple(part.strip() for part in rest.split("|"))
        if not key or not equals or not all(values):
            raise OptionError(
                f"--grid {abbreviate(text)}: expected KEY=VALUE|VALUE|..., such as "
                "'penalty=gaussian:1|none'"
            )
        if key in found or len(set(values)) < len(values):
            raise OptionError(f"--grid {abbreviate(text)}: a key or a value comes twice")
        found[key] = values
    return found


def train_grid(
    path: StrPath,
    sources: Source | Sequence[Source],
    grid: Mapping[str, Sequence[str]],
    *,
    choose: Choose | str = Choose.CRITERION,
    folder: StrPath | None = None,
    processes: int | None = None,
    finished: Finished | None = None,
    foretold: Callable[[Forecast], None] | None = None,
    force: bool = False,
    **options: Unpack[Options],
) -> Grid:
    """Train at every point of a grid, and save the best model.

    Args:
        path: Where the best model is saved, whole or not at all.
        sources: The file or files of the training corpus; they are read by every trial.
        grid: The values to try of ``penalty`` and of settings; all combinations are.
        choose: What trials are compared by; of equals the first is kept.
        folder: Where models and ledger of the grid are kept; the path with ``.grid`` added by
            default. What is trained there is not trained again, also to choose otherwise.
        processes: How many trials run at a time, a core each by default; no result depends on it.
        finished: Told of every finished trial.
        foretold: Told what the longest trial will take, where it will take long.
        force: Replace whatever file is there, also one that is read.
        options: All that :func:`~weft.commands.training.train` takes.

    Raises:
        OptionError: If an option, a setting or its value does not exist; or if the folder holds a
            grid that was asked for otherwise.
        FormatError: If a file cannot be read or written.
        WeftError: If a trial fails, but for those that did not move: they have no score.
    """
    choose = option(Choose, choose)
    request = Request(as_files(sources), **options)
    _check_files(request)
    if choose is not Choose.ORACLE and request.development is None:
        raise OptionError(f"choosing by {choose} needs a development corpus: give --dev FILE")
    check_output(path, request.files, model=True, force=force)
    work = Path(os.fspath(path) + ".grid" if folder is None else folder)
    jobs = _jobs(request, grid, choose, work)
    ledger = _ledger(work, request, grid)
    points = {job.number: job.point for job in jobs}
    kept = {
        trial.number: trial
        for trial in ledger.open(read_trial)
        if trial.point == points.get(trial.number) and model_file(work, trial.number).is_file()
    }
    done = [trial for trial in kept.values() if trial.choose is choose]
    if finished and done:
        finished(done, len(jobs))
    known = {trial.number for trial in done}
    left = [replace(job, trained=job.number in kept) for job in jobs if job.number not in known]
    if foretold is not None and left and (forecast := _longest(left)) is not None:
        foretold(forecast)
    running = closing(run_trials(left, processes or thread_count(None)))
    with ledger.going_on(), running as several:
        for trial in several:
            done.append(trial)
            kept[trial.number] = trial
            ledger.write([asdict(kept[number]) for number in sorted(kept)])
            if finished:
                finished(done, len(jobs))
    trials = tuple(sorted(done, key=lambda trial: trial.number))
    return Grid(
        _keep(path, jobs, trials, choose, work), trials, _best(trials).number, choose, str(work)
    )


def _longest(jobs: Sequence[Job]) -> Forecast | None:
    """What the longest trial will take; None where none takes long."""
    given = read_materials(jobs[0].request)
    several = []
    for job in jobs:
        settings = {key: value for key, value in job.point.items() if key != "penalty"}
        several.append(forecast_of(replace(given, plan=with_settings(given.plan, settings))))
    known = [each for each in several if each is not None]
    return max(known, key=lambda each: each.seconds, default=None)


def _check_files(request: Request) -> None:
    """Every trial reads the files again, so that they must be files."""
    for source in request.files:
        check_read_again(source, "a grid reads its files for every trial")
        if not os.path.isfile(cast(StrPath, source)):
            raise FormatError("there is no such plain file; check the name", path=name_of(source))


def _jobs(
    request: Request, grid: Mapping[str, Sequence[str]], choose: Choose, work: Path
) -> list[Job]:
    """The jobs of all points, each of which is checked before the first is run."""
    jobs = []
    for number, (point, asked) in enumerate(points_of(request, grid), 1):
        plan_request(asked)
        jobs.append(Job(number, point, str(model_file(work, number)), choose, asked))
    return jobs


def points_of(
    request: Request, grid: Mapping[str, Sequence[str]]
) -> list[tuple[dict[str, str], Request]]:
    """Return the points of a grid, and what is asked for at each.

    Raises:
        OptionError: If there are none or too many, or a key has a value already.
    """
    if not grid:
        raise OptionError("a grid needs values to try, such as --grid 'penalty=gaussian:1|none'")
    taken = {*request.settings, *(["penalty"] if request.penalty is not None else [])}
    for key in grid:
        if key in taken:
            raise OptionError(f"--grid {key}: it has a value already; leave that out")
    size = 1
    for values in grid.values():
        size *= len(values)
    if not 0 < size <= MOST_TRIALS:
        raise OptionError(f"the grid has {size} trials; at most {MOST_TRIALS} are run")
    points = []
    for values in itertools.product(*grid.values()):
        point = dict(zip(grid, values, strict=True))
        settings = {key: value for key, value in point.items() if key != "penalty"}
        asked = replace(
            request,
            penalty=point.get("penalty", request.penalty),
            settings={**request.settings, **settings},
        )
        points.append((point, asked))
    return points


def _ledger(work: Path, request: Request, grid: Mapping[str, Sequence[str]]) -> Ledger:
    """The ledger of a grid; whatever trials are compared by, they are the same."""
    asked = json.loads(json.dumps(request.as_json()))
    points = {key: list(values) for key, values in grid.items()}
    arguments = {**asked, "grid": points, **contents(request.files)}
    return Ledger(work, "grid", "trials", arguments)


def _best(trials: Sequence[Trial]) -> Trial:
    scored = [trial for trial in trials if trial.score is not None]
    if trials and all(trial.failed for trial in trials):
        raise StuckError(f"all trials failed; the first: {trials[0].stopped}")
    if not scored:
        raise OptionError(
            "no trial has a score: the development corpus is impossible for every model, perhaps "
            "because it has a tag that training did not see, or that a dictionary or a forbidden "
            "transition excludes; give --choose accuracy, and the trials that are trained are "
            "compared by that"
        )
    by_number = sorted(scored, key=lambda trial: trial.number)
    return by_value(by_number, lambda trial: trial.score or 0.0)[0]


def _keep(
    path: StrPath, jobs: Sequence[Job], trials: Sequence[Trial], choose: Choose, work: Path
) -> Training:
    """Save the best trial's model under its own name."""
    best = _best(trials)
    [job] = [each for each in jobs if each.number == best.number]
    # It was made here a moment ago, and needs what its training needed.
    trained = load_model(model_file(work, best.number), max_bytes=sys.maxsize)
    note = f"{best.name}; the best of {len(trials)} trials by {choose}"
    trained = replace(trained, notes={**trained.notes, "grid": note})
    save_model(path, trained, force=True)
    if trained.trace:  # files do not hold times
        ending = replace(trained.trace[-1], seconds=best.seconds)
        trained = replace(trained, trace=(*trained.trace[:-1], ending))
    return training_of(trained, path, read_materials(job.request), threads=1)
