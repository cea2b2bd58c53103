"""What commands do that depends on the family of a model: one task per family, in one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from weft.commands.files.inputs import open_model
from weft.commands.request import Request, plan_of
from weft.commands.tasks.parsers import ParserTask
from weft.commands.tasks.reading import OWN
from weft.commands.tasks.selectors import SelectorTask
from weft.commands.tasks.stack import StackTask
from weft.commands.tasks.taggers import TableTask, TaggerTask
from weft.commands.tasks.task import LAYOUT, Materials, Question, Task
from weft.errors import OptionError
from weft.models.model import Trained
from weft.optimise.search import Search
from weft.recipes import Recipe
from weft.train import Term
from weft.train.streams import check_streamed

TASKS: list[Task] = [TaggerTask(), TableTask(), ParserTask(), StackTask(), SelectorTask()]
"""The tasks of all families. A family that is added has a line here."""

__all__ = [
    "TASKS",
    "Materials",
    "Question",
    "Task",
    "plan_request",
    "read_materials",
    "task_of",
    "used",
]


def task_of(thing: Any) -> Task:
    """Return the task of a specification, of a recipe, or of a model with its weights.

    >>> from weft import Cfg
    >>> task_of(Cfg()).name
    'parser'

    Raises:
        OptionError: If it is of no family.
    """
    kind = getattr(thing, "model", thing)
    for task in TASKS:
        if isinstance(kind, task.kinds):
            return task
    name = type(kind).__name__
    raise OptionError(f"no command knows a {name}: register its family with weft.register")


def used(trained: Trained, command: str, options: Iterable[str]) -> Task:
    """Return what a command does with a model.

    Raises:
        OptionError: If one of the options that were given is of no use with it.
    """
    task = task_of(trained)
    task.check(command, options, TASKS)
    return task


def plan_request(request: Request) -> Recipe:
    """Return the recipe that is meant, before its files are read.

    Raises:
        OptionError: If a name, a setting or a value does not exist, or an option is for another
            family.
    """
    plan = plan_of(request)
    task = task_of(plan.model)
    for name, shown in OWN.items():
        if getattr(request, name) and name not in task.takes["train"]:
            raise OptionError(f"the recipe {plan.name} takes no {shown}")
    if request.layout.options and not task.takes["predict"] & LAYOUT:
        raise OptionError(f"the recipe {plan.name} takes no {request.layout.options[0]}")
    plan = task.plan(request, plan)
    if request.stream:
        _check_stream(request, plan)
    return plan


def _check_stream(request: Request, plan: Recipe) -> None:
    """Refuse at once what would be refused after the files are read."""
    if plan.criterion is None:
        raise OptionError(f"the recipe {plan.name} counts in memory: leave --stream out")
    terms = [Term(1.0, (), plan.criterion)] * (1 if plan.raw is None else 2)
    search = plan.search or Search()
    check_streamed(plan.model, terms, plan.optimiser, search, request.start is not None)
    if plan.tuned and plan.penalised:
        raise OptionError(
            "the scale of the penalty is chosen by parts of a corpus that is in memory: name it, "
            f"such as --penalty {plan.penalty}"
        )


def read_materials(request: Request, plan: Recipe | None = None) -> Materials:
    """Read all files of a request; see :meth:`Task.read`.

    Args:
        request: The request.
        plan: What :func:`plan_request` gives, where that is known.
    """
    plan = plan or plan_request(request)
    given = task_of(plan.model).read(request, plan)
    if request.start is None:
        return given
    if request.start_name is not None:
        return replace(given, start=request.start_name)
    notes = {**given.notes, "start_file": Path(request.start).name}
    return replace(given, start=open_model(request.start), notes=notes)
