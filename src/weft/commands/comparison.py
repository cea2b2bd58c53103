"""Models on one test file: how good each is, and which of two is better."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from weft.commands.files.inputs import UNSAID, FileLayout, StrPath, open_model
from weft.commands.questions import read_questions
from weft.commands.selecting import Chosen
from weft.commands.tasks import Question, Task, used
from weft.commands.tasks.tallies import Headline
from weft.errors import FormatError, OptionError, abbreviate
from weft.evaluate import significance
from weft.evaluate.significance import PairedTest
from weft.files import Source, check_read_again, encoded, name_of
from weft.frames import Tabular
from weft.models.storage import is_model
from weft.reprs import Brief
from weft.train.crossvalidation import BASELINE, ESTIMATED

Told = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much."""

Tests = Mapping[tuple[int, int], PairedTest]
"""Paired tests of two models each, by their places."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparedModel(Brief):
    """How good one model is.

    Attributes:
        name: What the model is called.
        path: Its file.
        task: Its family.
        trained: The model.
        figures: Every figure, by name.
        baseline: Those of a baseline; None where there is none.
        headline: By what models are compared.
        score: The figure that this is about.
        low: Where its 95 % interval begins.
        high: Where it ends.
    """

    name: str
    path: str
    task: Task
    trained: Any
    figures: Mapping[str, Any]
    baseline: Mapping[str, Any] | None
    headline: Headline
    score: float
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        return {
            "name": self.name,
            "model": self.path,
            "score": self.score,
            "low": self.low,
            "high": self.high,
            "figures": dict(self.figures),
            "baseline": None if self.baseline is None else dict(self.baseline),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Brief, Tabular):
    """Models on one test file.

    Attributes:
        test: The name of the test file.
        sentences: How many of its sentences say what is right.
        models: The models.
        tests: Paired tests of two models each, by their places.
        broken: What was wrong with parse sets that were left out.
    """

    test: str
    sentences: int
    models: tuple[ComparedModel, ...]
    tests: Tests
    broken: tuple[str, ...]

    @property
    def measure(self) -> str:
        """By what models are compared."""
        return self.models[0].headline.measure

    def columns(self) -> dict[str, list[Any]]:
        """Return the scores with their intervals, a row per model."""
        names = ("name", "score", "low", "high")
        return {name: [getattr(each, name) for each in self.models] for name in names}

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        return {
            "test": self.test,
            "sentences": self.sentences,
            "measure": self.measure,
            "models": [each.as_json() for each in self.models],
            "comparisons": [
                {
                    "models": [self.models[one].name, self.models[other].name],
                    **tested.as_json(),
                }
                for (one, other), tested in self.tests.items()
            ],
            "broken": list(self.broken),
        }


def compare_models(
    models: Sequence[StrPath],
    test: Source,
    *,
    layout: FileLayout = UNSAID,
    chosen: Chosen | None = None,
    encoding: str | None = None,
    given: Sequence[str] = (),
    seed: int = 0,
    max_bytes: int | None = None,
    told: Told | None = None,
) -> Comparison:
    """Say how good models are on a test file, and which of two is better, or was lucky.

    Args:
        models: The files of two models or more, of families that have a score in common.
        test: Tagged sentences, trees, or parse sets with their right analyses.
        layout: What is said about the test file's format.
        chosen: Which parse sets are taken.
        encoding: The test file's encoding, if that is not UTF-8.
        given: The options that were given, of which some may be of no use with a model.
        seed: Of the random numbers of tests and intervals.
        max_bytes: How much memory a model may take.
        told: Told of every model that is done.

    Raises:
        OptionError: If there are not two models, or they have no score in common, or do not
            read the same answers in the file; or if it says of no sentence what is right, or
            can be read only once.
        FormatError: If a file cannot be read.
    """
    if len(models) < 2:
        raise OptionError("nothing to compare: give two models or more")
    chosen = chosen or Chosen()
    judged = judge_models(
        models,
        test,
        layout=layout,
        chosen=chosen,
        encoding=encoding,
        given=given,
        seed=seed,
        max_bytes=max_bytes,
        told=told,
    )
    pairs = [(model, len(questions)) for model, questions in judged]
    found = tuple(model for model, _ in pairs)
    tests = paired_tests(found, seed)
    return Comparison(name_of(test), pairs[0][1], found, tests, chosen.left_out)


def judge_models(
    models: Sequence[StrPath],
    test: Source,
    *,
    layout: FileLayout = UNSAID,
    chosen: Chosen | None = None,
    encoding: str | None = None,
    given: Sequence[str] = (),
    seed: int = 0,
    max_bytes: int | None = None,
    told: Told | None = None,
) -> Iterator[tuple[ComparedModel, list[Question]]]:
    """Yield each model with the sentences that it was judged by.

    See :func:`compare_models` for the arguments, and for what is refused. One model will do here.
    """
    _check_files(models, test)
    opened = [(path, _opened(path, max_bytes, given)) for path in models]
    _check_families(opened)
    first: tuple[ComparedModel, list[Any]] | None = None
    for number, (path, (trained, task)) in enumerate(opened, 1):
        questions = read_questions(trained, encoded(test, encoding), layout, chosen)
        gold = [task.gold(question.example) for question in questions]
        if first is not None:
            _check_gold(first[0].path, os.fspath(path), first[1], gold, name_of(test))
        if len(models) > 1:
            task.check_labels(trained, [each.example for each in questions], os.fspath(path))
        each = _judge(_name(path, models), path, trained, task, questions, seed)
        first = first or (each, gold)
        if told is not None:
            told(f"{each.name} is judged", number, len(models))
        yield each, questions


def paired_tests(models: Sequence[ComparedModel], seed: int = 0) -> Tests:
    """Test all pairs of models that were judged by the same sentences."""
    return {
        (one, other): compare_headlines(models[one].headline, models[other].headline, seed)
        for one, other in combinations(range(len(models)), 2)
    }


def compare_headlines(first: Headline, second: Headline, seed: int = 0) -> PairedTest:
    """Test whether the second is better than the first, or was lucky.

    Raises:
        OptionError: If they go by different figures.
    """
    if first.key != second.key:
        raise OptionError(
            f"one is judged by {first.measure} and the other by {second.measure}, since the "
            "answers of only one of them are chunks: they cannot be compared"
        )
    return significance.compare(first.counts, second.counts, first.statistic, seed=seed)


def check_common_score(first: Task, second: Task, cure: str) -> None:
    """Refuse families that have no score in common, and say what to do.

    Raises:
        OptionError: If they have none.
    """
    if (first.measure, first.main) != (second.measure, second.main):
        raise OptionError(f"a {first.name} and a {second.name} have no score in common: {cure}")


def _check_files(models: Sequence[StrPath], test: Source) -> None:
    if not models:
        raise OptionError("give a model, or several")
    if len({os.path.realpath(each) for each in models}) < len(models):
        raise OptionError("a model is given twice: different ones are compared")
    if isinstance(test, str | os.PathLike) and _is_model(test):
        raise FormatError(
            "this is a model, and here the file to test on is expected: MODEL TEST OTHER ...",
            path=name_of(test),
        )
    if len(models) > 1:
        check_read_again(test, "models read it in turns")


def _is_model(path: StrPath) -> bool:
    # What a pipe has can be read once, and not for this.
    return os.path.isfile(path) and is_model(path)


def _opened(path: StrPath, max_bytes: int | None, given: Sequence[str]) -> tuple[Any, Task]:
    trained: Any = open_model(path, max_bytes=max_bytes)
    return trained, used(trained, "explain", given)


def _check_families(opened: Sequence[tuple[StrPath, tuple[Any, Task]]]) -> None:
    _, (_, first) = opened[0]
    for path, (_, task) in opened:
        check_common_score(first, task, f"leave {os.fspath(path)} out")


def _check_gold(first: str, second: str, mine: list[Any], theirs: list[Any], test: str) -> None:
    """Refuse models that do not read the same answers, since equal scores would mean nothing."""
    if mine == theirs:
        return
    pairs = enumerate(zip(mine, theirs, strict=False))
    place = next((place for place, (one, other) in pairs if one != other), None)
    place = min(len(mine), len(theirs)) if place is None else place
    shown = [_shown(each[place]) if place < len(each) else "nothing" for each in (mine, theirs)]
    raise OptionError(
        f"{first} and {second} do not read the same answers in {test}, and cannot be compared: in "
        f"sentence {place + 1} the first reads {shown[0]}, the second {shown[1]}; train both with "
        "the same --column, --tag-map or --clean"
    )


def _shown(gold: Any) -> str:
    text = " ".join(map(str, gold)) if isinstance(gold, list | tuple) else str(gold)
    return f"'{abbreviate(text)}'"


def _judge(
    name: str, path: StrPath, trained: Any, task: Task, questions: Sequence[Question], seed: int
) -> ComparedModel:
    examples = [question.example for question in questions]
    judged = task.judge(trained, (), examples, None).judged
    columns = judged[ESTIMATED]
    head = task.headline(columns)
    if not head.counts.any():
        raise OptionError("the sentences of the test file leave nothing to choose: give others")
    return ComparedModel(
        name,
        os.fspath(path),
        task,
        trained,
        task.figures(columns),
        task.figures(judged[BASELINE]) if BASELINE in judged else None,
        head,
        task.scored(columns)[1],
        *significance.interval(head.counts, head.statistic, seed=seed),
    )


def _name(path: StrPath, models: Sequence[StrPath]) -> str:
    stems = [Path(each).stem for each in models]
    return Path(path).stem if len(set(stems)) == len(stems) else os.fspath(path)
