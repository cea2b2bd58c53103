"""Families of models from outside: what one brings, and how Weft comes to know it.

Weft's own families have a line in each of four tables: recipes (:mod:`weft.recipes.table`), kinds
of files (:mod:`weft.models.storage`), tasks (:mod:`weft.commands.tasks`) and small instances
(:mod:`weft.models.instances`). :func:`register` adds a family's lines to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from weft.commands.tasks import TASKS, Task
from weft.errors import OptionError
from weft.models.instances import MAKERS, Instance
from weft.models.packing import Storage
from weft.models.storage import STORAGES
from weft.recipes import RECIPES, Recipe
from weft.reprs import Brief


@dataclass(frozen=True, slots=True, repr=False)
class Family(Brief):
    """A family of models, with all that commands and laws ask of it.

    Attributes:
        task: What commands do with it.
        storage: How its models lie in files.
        recipes: Its recipes.
        instances: Makes small instances, which the table of models and criteria is asked of.
    """

    task: Task
    storage: Storage
    recipes: tuple[Recipe, ...] = ()
    instances: Callable[[], Sequence[Instance]] = tuple


def register(family: Family) -> None:
    """Make a family known to all commands, to ``weft.save`` and ``weft.load``.

    Raises:
        OptionError: If a recipe or a kind of file has a name that is taken.
    """
    names = {each.name for each in family.recipes}
    for name in (names & RECIPES.keys()) | ({family.storage.kind} & STORAGES.keys()):
        raise OptionError(f"there is a '{name}' already: give the family's another name")
    TASKS.append(family.task)
    STORAGES[family.storage.kind] = family.storage
    RECIPES.update({each.name: each for each in family.recipes})
    MAKERS.append(family.instances)


@contextmanager
def registered(family: Family) -> Iterator[None]:
    """Make a family known for a while, as tests do."""
    register(family)
    try:
        yield
    finally:
        TASKS.remove(family.task)
        del STORAGES[family.storage.kind]
        for each in family.recipes:
            del RECIPES[each.name]
        MAKERS.remove(family.instances)
