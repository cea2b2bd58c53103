"""Trials of a grid: one training each, in a process of its own, and what it is worth.

A trial is told all it needs as a line of JSON, leaves its model in a file and answers with a line
of JSON: nothing else passes between processes.
"""

from __future__ import annotations

import json
import math
import multiprocessing
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from weft.commands.files.inputs import FileLayout, finite
from weft.commands.processes import attend_parent, receive_answer
from weft.commands.request import Request
from weft.commands.tasks import Materials, read_materials, task_of
from weft.commands.training import train_on, training_of
from weft.criteria import complete, contrast
from weft.errors import OptionError, StuckError, WeftError, abbreviate
from weft.files import remove_leftovers
from weft.models.storage import load_model
from weft.reprs import Brief
from weft.train.problem import too_large


class Choose(StrEnum):
    """What the trials of a grid are compared by."""

    CRITERION = "criterion"
    """The criterion itself on the development corpus, which may be raw text where it looks at
    words alone."""

    ACCURACY = "accuracy"
    """The accuracy on the development corpus."""

    ORACLE = "oracle"
    """The accuracy on the labels of the training corpus: what no one who has none could choose
    by, and a bound of what choosing can win."""


@dataclass(frozen=True, slots=True, repr=False)
class Trial(Brief):
    """One training of a grid, and how it went.

    Attributes:
        number: Its place in the grid, from 1.
        point: The values that are tried.
        score: What it is worth; None if that is no number, or not above −inf.
        value: The objective in the end.
        iterations: How many there were.
        seconds: How long they took.
        accuracy: On the development corpus; None where there is none, or no labels.
        stopped: Why the optimiser stopped; of a trial that failed, why.
        choose: What the score is.
    """

    number: int
    point: Mapping[str, str]
    score: float | None
    value: float | None
    iterations: int
    seconds: float
    accuracy: float | None
    stopped: str
    choose: Choose = Choose.CRITERION

    @property
    def failed(self) -> bool:
        """Whether there is no model, since training did not move."""
        return self.value is None and not self.iterations and not self.seconds

    @property
    def name(self) -> str:
        """The values that are tried, in a line."""
        return " ".join(f"{key}={value}" for key, value in self.point.items())


def read_trial(found: dict[str, Any]) -> Trial:
    """Return a trial as a ledger has it.

    Raises:
        ValueError: If something in it is not what it should be.
    """
    found = {"choose": str(Choose.CRITERION), **found}
    names = [each.name for each in fields(Trial)]
    if sorted(found) != sorted(names):
        raise ValueError(f"a trial has {', '.join(names)}")
    for name, check in _CHECKS.items():
        if not check(found[name]):
            raise ValueError(f"a trial's {name} cannot be {abbreviate(json.dumps(found[name]))}")
    return Trial(**{**found, "choose": Choose(found["choose"])})


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 2**63 and math.isfinite(value)


def _may_be_number(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and -math.inf < value < math.inf)


def _is_point(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "number": lambda value: _is_count(value) and value > 0,
    "point": _is_point,
    "score": _may_be_number,
    "value": _may_be_number,
    "iterations": _is_count,
    "seconds": lambda value: _is_number(value) and value >= 0,
    "accuracy": _may_be_number,
    "stopped": lambda value: isinstance(value, str),
    "choose": lambda value: value in tuple(Choose),
}


@dataclass(frozen=True, slots=True, repr=False)
class Job(Brief):
    """What a trial is told.

    Attributes:
        number: Its place in the grid, from 1.
        point: The values that are tried.
        model: Where its model is saved.
        choose: What it is compared by.
        request: What training is asked for, with those values; its files are paths.
        trained: Whether the model is there already, and only has to be compared.
    """

    number: int
    point: Mapping[str, str]
    model: str
    choose: Choose
    request: Request
    trained: bool = False

    def text(self) -> str:
        """Return the job as a line of JSON."""
        return json.dumps({**asdict(self), "request": self.request.as_json()})


def read_job(text: str) -> Job:
    """Return the job that a line of JSON says."""
    found = json.loads(text)
    layout = FileLayout(**found["request"]["layout"])
    if layout.inputs is not None:
        layout = replace(layout, inputs=tuple(layout.inputs))
    request = Request(**{**found["request"], "layout": layout})
    return Job(**{**found, "choose": Choose(found["choose"]), "request": request})


def run_trial(job: Job) -> Trial:
    """Train, save, and say what the model is worth; on one thread, as others run beside it."""
    given = read_materials(job.request)
    check_choice(given, job.choose)
    if job.trained:
        training = training_of(load_model(job.model), job.model, given, threads=1)
    else:
        training = train_on(job.model, given, threads=1)
    return Trial(
        job.number,
        dict(job.point),
        _number(score_of(training.trained, given, job.choose)),
        finite(training.kept.value),
        training.last.iteration,
        training.seconds,
        training.score,
        training.stopped,
        job.choose,
    )


def _number(score: float | None) -> float | None:
    return None if score is None else finite(score)


def score_of(trained: Any, given: Materials, choose: Choose) -> float | None:
    """Return what a model is worth: a mean over tokens, the higher the better.

    A criterion's is over the sentences whose derivations can be kept; None where there are none.

    Raises:
        OptionError: If what it would be compared by is not there.
    """
    corpus, criterion = check_choice(given, choose), given.plan.criterion
    if choose is not Choose.CRITERION or criterion is None:
        task = task_of(trained)
        return task.score(task.assess(trained, corpus, threads=1))
    large = too_large(given.plan.model, trained.model, corpus, criterion, 1)
    corpus = corpus if large is None else large.kept()
    values = contrast(trained.model, corpus, criterion, 1).per_example(trained.weights)
    tokens = sum(len(example.tokens) for example in corpus)
    return math.fsum(values.tolist()) / tokens if tokens else None


def check_choice(given: Materials, choose: Choose) -> Sequence[Any]:
    """Return the corpus that models are compared on; to be asked for before any is trained.

    Raises:
        OptionError: If what they would be compared by is not there.
    """
    if choose is Choose.ORACLE:
        return _labelled(given, given.corpus, "the training corpus")
    if given.held_out is None:
        raise OptionError(f"choosing by {choose} needs a development corpus: give --dev FILE")
    if choose is Choose.ACCURACY:
        return _labelled(given, given.held_out, "the development corpus")
    criterion = given.plan.criterion
    if criterion is None:
        raise OptionError(f"the recipe {given.plan.name} is counted: choose by accuracy")
    if criterion.numerator is complete and not _has_labels(given, given.held_out):
        raise OptionError(
            f"the criterion {criterion.name} looks at labels, and the development corpus has none"
        )
    return given.held_out


def _labelled(given: Materials, corpus: Sequence[Any], name: str) -> Sequence[Any]:
    if not _has_labels(given, corpus):
        raise OptionError(f"{name} has no labels to choose by; choose by the criterion")
    return corpus


def _has_labels(given: Materials, corpus: Sequence[Any]) -> bool:
    return any(map(task_of(given.plan.model).is_labelled, corpus))


def run_trials(jobs: Sequence[Job], processes: int) -> Generator[Trial]:
    """Run trials, this many at a time, and yield each as soon as it is done.

    Raises:
        WeftError: If one of them fails; those that run are ended.
    """
    context = multiprocessing.get_context("spawn")
    waiting, running = list(reversed(jobs)), dict[Connection, tuple[SpawnProcess, Job]]()
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                job = waiting.pop()
                mine, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, job.text()), daemon=True)
                process.start()
                theirs.close()
                running[mine] = process, job
            ready = wait(list(running))
            for connection in [each for each in running if each in ready]:
                process, job = running.pop(connection)
                answer = receive_answer(connection)
                connection.close()
                process.join()
                yield _trial(answer, job)
    finally:
        for process, job in running.values():
            process.terminate()
            process.join()
            remove_leftovers(job.model)


def _trial(answer: dict[str, Any], job: Job) -> Trial:
    if "error" in answer:
        point = " ".join(f"{key}={value}" for key, value in job.point.items())
        kind = OptionError if answer.get("option") else WeftError
        raise kind(f"trial {job.number} ({point}): {answer['error']}")
    return Trial(**answer)


def _work(connection: Connection, text: str) -> None:
    """What the process of a trial does."""
    attend_parent()
    try:
        job = read_job(text)
        answer = asdict(run_trial(job))
    except StuckError as error:  # others may fare better
        choose, point = job.choose, dict(job.point)
        failed = Trial(job.number, point, None, None, 0, 0.0, None, str(error), choose)
        answer = asdict(failed)
    except (WeftError, OSError, MemoryError) as error:
        answer = {"error": str(error) or "out of memory", "option": isinstance(error, OptionError)}
    connection.send_bytes(json.dumps(answer, allow_nan=False).encode())
    connection.close()


def model_file(folder: Path, number: int) -> Path:
    """Return where a trial's model is kept."""
    return folder / f"{number:03}.weft"
