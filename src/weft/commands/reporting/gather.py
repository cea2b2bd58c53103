"""What a report says of models on a test file, whatever shows it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

from weft.arrays import IntArray
from weft.commands.files.inputs import UNSAID, FileLayout, StrPath, finite, open_model
from weft.commands.pictures import weight_bars
from weft.commands.questions import read_questions
from weft.commands.reporting.mistakes import Mistake, surest_mistakes
from weft.commands.reporting.recall import recall_command
from weft.commands.selecting import Chosen
from weft.commands.tasks import Task, used
from weft.commands.tasks.tallies import score_of
from weft.errors import OptionError, WeftError
from weft.evaluate.calibration import Calibration, calibrate
from weft.evaluate.confusion import Confusion
from weft.evaluate.significance import PairedTest, Statistic, compare, interval
from weft.files import Source, encoded, name_of
from weft.report.shapes import Bars
from weft.train.crossvalidation import BASELINE, ESTIMATED

FoundT = TypeVar("FoundT")

Told = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much."""


@dataclass(frozen=True, slots=True, eq=False)
class ReportedModel:
    """What a report says of one model.

    Attributes:
        name: What the model is called.
        path: Its file.
        digest: The SHA-256 of the file.
        task: Its family.
        trained: The model.
        contents: How large it is.
        figures: Every figure, by name.
        baseline: Those of a baseline; None where there is none.
        score: The figure by which models are compared.
        low: Where its 95 % interval begins.
        high: Where it ends.
        counts: What it is a statistic of, [sentences, ...].
        statistic: Which statistic that is.
        confusion: Which labels are taken for which others; or why that is not known.
        calibration: Whether probabilities are right; or why that is not known.
        features: The strongest features; or why there are none.
        mistakes: Sentences with wrong answers, the surest first.
        wrong: How many sentences have wrong answers.
        command: What trained it; None where that is not known.
    """

    name: str
    path: str
    digest: str
    task: Task
    trained: Any
    contents: str
    figures: Mapping[str, Any]
    baseline: Mapping[str, Any] | None
    score: float
    low: float
    high: float
    counts: IntArray
    statistic: Statistic
    confusion: Confusion | str
    calibration: Calibration | str
    features: Bars | str
    mistakes: tuple[Mistake, ...]
    wrong: int
    command: str | None

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        sure = self.calibration
        return {
            "name": self.name,
            "model": self.path,
            "sha256": self.digest,
            "score": self.score,
            "low": self.low,
            "high": self.high,
            "figures": dict(self.figures),
            "baseline": None if self.baseline is None else dict(self.baseline),
            "calibration": None
            if isinstance(sure, str)
            else {"error": sure.error, "brier": sure.brier, "bins": sure.columns()},
            "confusion": None if isinstance(self.confusion, str) else self.confusion.columns(),
            "wrong_sentences": self.wrong,
            "notes": dict(self.trained.notes),
            "command": self.command,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Reported:
    """What a report says.

    Attributes:
        test: The name of the test file.
        digest: Its SHA-256; None where it cannot be read again.
        sentences: How many of its sentences say what is right.
        extent: How large it is beside that.
        models: The models.
        tests: Paired tests of two models each, by their places.
        version: The version of Weft.
        command: What made the report.
    """

    test: str
    digest: str | None
    sentences: int
    extent: str
    models: tuple[ReportedModel, ...]
    tests: Mapping[tuple[int, int], PairedTest]
    version: str
    command: str

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        return {
            "test": self.test,
            "sha256": self.digest,
            "sentences": self.sentences,
            "measure": self.models[0].task.measure,
            "models": [each.as_json() for each in self.models],
            "comparisons": [
                {
                    "models": [self.models[one].name, self.models[other].name],
                    "difference": tested.difference,
                    **{key: finite(value) for key, value in asdict(tested).items()},
                }
                for (one, other), tested in self.tests.items()
            ],
            "weft": self.version,
            "command": self.command,
        }


def report_models(
    models: Sequence[StrPath],
    test: Source,
    *,
    layout: FileLayout = UNSAID,
    chosen: Chosen | None = None,
    encoding: str | None = None,
    given: Sequence[str] = (),
    errors: int = 10,
    seed: int = 0,
    threads: int | None = None,
    max_bytes: int | None = None,
    told: Told | None = None,
    command: str = "",
) -> Reported:
    """Say all there is to say of models on a test file, and which of them is better.

    Args:
        models: The files of models, the first of which others are compared with.
        test: Tagged sentences, trees, or parse sets with their right analyses.
        layout: What is said about the test file's format.
        chosen: Which parse sets are taken.
        encoding: The test file's encoding, if that is not UTF-8.
        given: The options that were given, of which some may be of no use with a model.
        errors: How many wrong answers to list of each model.
        seed: Of the random numbers of tests and intervals.
        threads: How many threads to use, all by default; no result depends on it.
        max_bytes: How much memory a model may take.
        told: Told of every model that is done.
        command: What made the report, for its readers.

    Raises:
        OptionError: If models have no score in common, or the file says of no sentence what is
            right.
        FormatError: If a file cannot be read.
    """
    if len({os.fspath(each) for each in models}) < len(models):
        raise OptionError("a model is given twice: a report compares different ones")
    found: list[ReportedModel] = []
    sentences, extent = 0, ""
    for number, path in enumerate(models, 1):
        trained: Any = open_model(path, max_bytes=max_bytes)
        task = used(trained, "explain", given)
        if found and task.measure != found[0].task.measure:
            raise OptionError(
                f"a {found[0].task.name} and a {task.name} have no score in common: "
                f"leave {os.fspath(path)} out"
            )
        questions = read_questions(trained, encoded(test, encoding), layout, chosen)
        name = _name(path, models)
        each = _one(name, path, trained, task, questions, errors, seed, threads)
        if found and each.counts.shape != found[0].counts.shape:
            raise OptionError(
                f"{found[0].path} and {each.path} do not read the same sentences in "
                f"{name_of(test)}, and cannot be compared"
            )
        found.append(each)
        if number == 1:
            sentences = len(questions)
            extent = task.extent(trained, [question.example for question in questions])
        if told is not None:
            told(f"{name} is judged", number, len(models))
    tests = {
        (one, other): compare(
            found[one].counts, found[other].counts, found[one].statistic, seed=seed
        )
        for one, other in combinations(range(len(found)), 2)
    }
    return Reported(
        name_of(test),
        _digest(name_of(test)),
        sentences,
        extent,
        tuple(found),
        tests,
        version("weft"),
        command,
    )


def _name(path: StrPath, models: Sequence[StrPath]) -> str:
    stems = [Path(each).stem for each in models]
    return Path(path).stem if len(set(stems)) == len(stems) else os.fspath(path)


def _one(
    name: str,
    path: StrPath,
    trained: Any,
    task: Task,
    questions: Sequence[Any],
    errors: int,
    seed: int,
    threads: int | None,
) -> ReportedModel:
    examples = [question.example for question in questions]
    judged = task.judge(trained, (), examples, None).judged
    columns = judged[ESTIMATED]
    figures = task.figures(columns)
    counts, statistic = task.counts(columns)
    if not counts.any():
        raise OptionError("the sentences of the test file leave nothing to choose: give others")
    low, high = interval(counts, statistic, seed=seed)
    wrong, mistakes = surest_mistakes(trained, questions, errors, threads)
    return ReportedModel(
        name,
        os.fspath(path),
        _digest(path) or "",
        task,
        trained,
        task.contents(trained),
        figures,
        task.figures(judged[BASELINE]) if BASELINE in judged else None,
        score_of(figures, task.main)[1],
        low,
        high,
        counts,
        statistic,
        _or_why(lambda: task.looks.confuse(trained, examples, threads)),
        _or_why(lambda: calibrate(*task.looks.judge(trained, examples, threads))),
        _or_why(lambda: weight_bars(trained)),
        mistakes,
        wrong,
        recall_command(os.fspath(path), trained.notes),
    )


def _or_why(find: Callable[[], FoundT]) -> FoundT | str:
    """What is found, or why it is not there."""
    try:
        return find()
    except WeftError as error:
        return str(error)


def _digest(path: StrPath) -> str | None:
    """The SHA-256 of a file; None of what is no file."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
