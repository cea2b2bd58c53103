"""Model selection: training at every point of a grid, and keeping the best model.

Trials run in processes of their own. What is finished is kept in a work folder, a model file a
trial and a ledger of what was asked and found, so that a grid that was stopped goes on where it
was: the same arguments continue it, and others are refused.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Unpack

from weft.commands.inputs import StrPath, check_writable
from weft.commands.ledger import read_ledger
from weft.commands.request import Options, Request, plan_of
from weft.commands.training import Training
from weft.commands.trials import Choose, Job, Trial, model_file, run_trials
from weft.corpora import TAG_MAPS
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES
from weft.derivations.threads import thread_count
from weft.errors import LONGEST_VALUE, FormatError, OptionError, abbreviated
from weft.files import Source, name_of, write_text
from weft.models.options import option
from weft.models.storage import load_tagger, save_tagger

MOST_TRIALS = 1000
"""A larger grid is refused: it is a mistake."""

_LEDGER = "ledger.json"


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
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
                f"--grid {abbreviated(text)}: expected KEY=VALUE|VALUE|..., such as "
                "'penalty=gaussian:1|none'"
            )
        if key in found or len(set(values)) < len(values):
            raise OptionError(f"--grid {abbreviated(text)}: a key or a value comes twice")
        found[key] = values
    return found


def train_grid(
    path: StrPath,
    sources: Sequence[Source],
    grid: Mapping[str, Sequence[str]],
    *,
    choose: Choose | str = Choose.CRITERION,
    folder: StrPath | None = None,
    processes: int | None = None,
    finished: Finished | None = None,
    **options: Unpack[Options],
) -> Grid:
    """Train at every point of a grid, and save the best model.

    Args:
        path: Where the best model is saved, whole or not at all.
        sources: The files of the training corpus; they are read by every trial.
        grid: The values to try of ``penalty`` and of settings; all combinations are.
        choose: What trials are compared by; of equals the first is kept.
        folder: Where models and ledger of the grid are kept; the path with ``.grid`` added by
            default. What is finished there is not done again.
        processes: How many trials run at a time, a core each by default; no result depends on it.
        finished: Told of every finished trial.
        options: All that :func:`~weft.commands.training.train` takes.

    Raises:
        OptionError: If an option, a setting or its value does not exist; or if the folder holds a
            grid that was asked for otherwise.
        FormatError: If a file cannot be read or written.
        WeftError: If a trial fails.
    """
    choose = option(Choose, choose)
    request = Request(sources, **options)
    _check_files(request)
    if choose is not Choose.ORACLE and request.development is None:
        raise OptionError(f"choosing by {choose} needs a development corpus: give --dev FILE")
    check_writable(path)
    work = Path(os.fspath(path) + ".grid" if folder is None else folder)
    jobs = _jobs(request, grid, choose, work)
    ledger = _Ledger.open(work, _arguments(request, grid, choose))
    numbers = {job.number for job in jobs}
    done = [
        trial
        for trial in ledger.trials
        if trial.number in numbers and model_file(work, trial.number).is_file()
    ]
    if finished and done:
        finished(done, len(jobs))
    known = {trial.number for trial in done}
    left = [job for job in jobs if job.number not in known]
    for trial in run_trials(left, processes or thread_count(None)):
        done.append(trial)
        ledger.write(done)
        if finished:
            finished(done, len(jobs))
    trials = tuple(sorted(done, key=lambda trial: trial.number))
    return Grid(_keep(path, trials, choose, work), trials, _best(trials).number, choose, str(work))


def _check_files(request: Request) -> None:
    """Every trial reads the files again, so that they must be files."""
    for source in _files(request):
        if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):
            message = "a grid reads its files again for every trial; give a plain file"
            raise FormatError(message, path=name_of(source))


def _files(request: Request) -> list[Source]:
    several: list[Source | None] = [*request.sources, *request.raw]
    several += [request.development, request.dictionary, request.dictionary_from]
    if request.tag_map is not None and os.fspath(request.tag_map) not in (*TAG_MAPS, "none"):
        several.append(request.tag_map)
    if request.neighbourhood is not None and request.neighbourhood not in NEIGHBOURHOOD_NAMES:
        several.append(request.neighbourhood)
    return [each for each in several if each is not None]


def _jobs(
    request: Request, grid: Mapping[str, Sequence[str]], choose: Choose, work: Path
) -> list[Job]:
    """The jobs of all points, each of which is checked before the first is run."""
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
    jobs = []
    for number, values in enumerate(itertools.product(*grid.values()), 1):
        point = dict(zip(grid, values, strict=True))
        settings = {key: value for key, value in point.items() if key != "penalty"}
        asked = replace(
            request,
            penalty=point.get("penalty", request.penalty),
            settings={**request.settings, **settings},
        )
        plan_of(asked)
        jobs.append(Job(number, point, str(model_file(work, number)), choose, asked))
    return jobs


def _arguments(
    request: Request, grid: Mapping[str, Sequence[str]], choose: Choose
) -> dict[str, Any]:
    """What a grid was asked for, the contents of its files included."""
    digests = {}
    for source in _files(request):
        with Path(name_of(source)).open("rb") as stream:
            digests[name_of(source)] = hashlib.file_digest(stream, "sha256").hexdigest()
    asked = json.loads(Job(0, {}, "", choose, request).text())
    return {
        **asked["request"],
        "grid": {key: list(values) for key, values in grid.items()},
        "choose": str(choose),
        "contents of files": digests,
        "version of weft": version("weft"),
    }


class _Ledger:
    """What was asked for and found, in a file that is replaced as a whole."""

    def __init__(self, path: Path, arguments: Mapping[str, Any], trials: list[Trial]) -> None:
        self.path = path
        self.arguments = arguments
        self.trials = trials

    @classmethod
    def open(cls, folder: Path, arguments: Mapping[str, Any]) -> _Ledger:
        path = folder / _LEDGER
        if not path.exists():
            if folder.exists() and not _is_empty(folder):
                message = "there is something else here; remove it, or name another with --work"
                raise FormatError(message, path=str(folder))
            folder.mkdir(exist_ok=True)
            made = cls(path, arguments, [])
            made.write([])
            return made
        before, trials = read_ledger(path)
        for key in {**arguments, **before}:
            if before.get(key) != arguments.get(key):
                raise OptionError(
                    f"{folder} holds a grid that was asked for otherwise: {key} was "
                    f"{_shown(before.get(key))}, and is {_shown(arguments.get(key))}; remove the "
                    "folder, or name another with --work"
                )
        return cls(path, arguments, trials)

    def write(self, trials: Sequence[Trial]) -> None:
        found = [asdict(trial) for trial in sorted(trials, key=lambda trial: trial.number)]
        text = json.dumps({"arguments": self.arguments, "trials": found}, indent=2)
        with write_text(self.path) as stream:
            stream.write(text + "\n")


def _is_empty(folder: Path) -> bool:
    """Whether there is nothing in a folder, but for what a write that was cut short leaves."""
    return folder.is_dir() and all(each.name.startswith(".") for each in folder.iterdir())


def _shown(value: object) -> str:
    return abbreviated(json.dumps(value, ensure_ascii=False), 2 * LONGEST_VALUE)


def _best(trials: Sequence[Trial]) -> Trial:
    scored = [trial for trial in trials if trial.score is not None]
    if not scored:
        raise OptionError(
            "no trial has a score: the development corpus is impossible for every model, perhaps "
            "because it has a tag that training did not see, or that a dictionary or a forbidden "
            "transition excludes; choose by accuracy"
        )
    return max(scored, key=lambda trial: (trial.score, -trial.number))


def _keep(path: StrPath, trials: Sequence[Trial], choose: Choose, work: Path) -> Training:
    """Save the best trial's model under its own name."""
    best = _best(trials)
    # It was made here a moment ago, and needs what its training needed.
    tagger = load_tagger(model_file(work, best.number), max_bytes=sys.maxsize)
    note = f"{best.name}; the best of {len(trials)} trials by {choose}"
    tagger = replace(tagger, notes={**tagger.notes, "grid": note})
    save_tagger(path, tagger)
    if tagger.trace:  # files do not hold times
        ending = replace(tagger.trace[-1], seconds=best.seconds)
        tagger = replace(tagger, trace=(*tagger.trace[:-1], ending))
    counts = [int(tagger.notes[name]) for name in ("sentences", "tokens")]
    return Training(tagger, os.fspath(path), counts[0], counts[1], best.accuracy)
