"""What a report says of models on a test file, whatever shows it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any, TypeVar

from weft import DISTRIBUTION
from weft.commands.comparison import (
    ComparedModel,
    Comparison,
    Told,
    judge_models,
    paired_tests,
)
from weft.commands.files.inputs import UNSAID, FileLayout, StrPath
from weft.commands.files.opening import as_files
from weft.commands.pictures import weight_bars
from weft.commands.reporting.mistakes import Mistake, surest_mistakes
from weft.commands.reporting.recall import recall_command
from weft.commands.selecting import Chosen
from weft.commands.tasks import Question
from weft.errors import WeftError
from weft.evaluate.calibration import Calibration, calibrate
from weft.evaluate.confusion import Confusion
from weft.files import Source, name_of
from weft.report.shapes import Bars

FoundT = TypeVar("FoundT")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReportedModel(ComparedModel):
    """What a report says of one model, beside how good it is.

    Attributes:
        digest: The SHA-256 of its file.
        contents: How large it is.
        confusion: Which labels are taken for which others; or why that is not known.
        calibration: Whether probabilities are right; or why that is not known.
        features: The strongest features; or why there are none.
        mistakes: Sentences with wrong answers, the surest first.
        wrong: How many sentences have wrong answers.
        command: What trained it; None where that is not known.
    """

    digest: str
    contents: str
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
            **ComparedModel.as_json(self),
            "sha256": self.digest,
            "calibration": None
            if isinstance(sure, str)
            else {"error": sure.error, "brier": sure.brier, "bins": sure.columns()},
            "confusion": None if isinstance(self.confusion, str) else self.confusion.columns(),
            "wrong_sentences": self.wrong,
            "notes": dict(self.trained.notes),
            "command": self.command,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reported(Comparison):
    """What a report says, beside how good models are.

    Attributes:
        models: The models.
        digest: The SHA-256 of the test file; None where it cannot be read again.
        extent: How large it is beside its number of sentences.
        version: The version of Weft.
        command: What made the report.
    """

    models: tuple[ReportedModel, ...]
    digest: str | None
    extent: str
    version: str
    command: str

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        return {
            **Comparison.as_json(self),
            "sha256": self.digest,
            "weft": self.version,
            "command": self.command,
        }


def report_models(
    models: StrPath | Sequence[StrPath],
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
        models: The file or files of models, the first of which others are compared with.
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
        OptionError: If models have no score in common, or do not read the same answers in the
            file; or if it says of no sentence what is right.
        FormatError: If a file cannot be read.
    """
    chosen = chosen or Chosen()
    judged = judge_models(
        as_files(models),
        test,
        layout=layout,
        chosen=chosen,
        encoding=encoding,
        given=given,
        seed=seed,
        max_bytes=max_bytes,
        told=told,
    )
    found: list[ReportedModel] = []
    sentences, extent = 0, ""
    for model, questions in judged:
        if not found:
            sentences = len(questions)
            extent = model.task.extent(model.trained, [each.example for each in questions])
        found.append(_reported(model, questions, errors, threads))
    return Reported(
        name_of(test),
        sentences,
        tuple(found),
        paired_tests(found, seed),
        chosen.left_out,
        _digest(name_of(test)),
        extent,
        version(DISTRIBUTION),
        command,
    )


def _reported(
    model: ComparedModel, questions: Sequence[Question], errors: int, threads: int | None
) -> ReportedModel:
    task, trained = model.task, model.trained
    examples = [question.example for question in questions]
    wrong, mistakes = surest_mistakes(trained, questions, errors, threads)
    return ReportedModel(
        **{each.name: getattr(model, each.name) for each in fields(ComparedModel)},
        digest=_digest(model.path) or "",
        contents=task.contents(trained),
        confusion=_or_why(lambda: task.looks.confuse(trained, examples, threads)),
        calibration=_or_why(lambda: calibrate(*task.looks.judge(trained, examples, threads))),
        features=_or_why(lambda: weight_bars(trained)),
        mistakes=mistakes,
        wrong=wrong,
        command=recall_command(model.path, trained.notes),
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
