"""Settings: what ``--set`` changes about a recipe.

They are the fields of the recipe's parts that explain themselves (:mod:`weft.settings`): of the
recipe itself, its model, its optimiser, its search and what it makes of raw text. A part of a new
kind brings its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from weft.criteria import Criterion
from weft.criteria.guides import has_closed_form
from weft.errors import OptionError, WeftError, abbreviate, likely_meant, no_such
from weft.models.options import option
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.variational import VariationalBayes
from weft.recipes.optimisers import OPTIMISERS, name_of_optimiser
from weft.recipes.table import RECIPES, Recipe
from weft.settings import settings_of
from weft.train.usual import usual_optimiser

PARTS = ("model", "", "optimiser", "search", "raw")
"""The fields of a recipe that have settings; the empty one is the recipe itself."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something about a recipe that ``--set`` changes.

    Attributes:
        key: What it is called.
        part: The field of the recipe that it is part of; empty for a field of the recipe itself.
        name: The field of that part.
        help: What it does and which values there are.
        read: From text to the value.
        value: What it is in the recipe.
        unsaid: What stands for None, where the value may be None.
    """

    key: str
    part: str
    name: str
    help: str
    read: Callable[[str], Any]
    value: Any
    unsaid: str | None = None

    @property
    def shown(self) -> str:
        """The value as it is written after ``--set``."""
        return self.unsaid or "none" if self.value is None else _shown(self.value)

    def value_of(self, text: str) -> Any:
        """Return the value that is written so.

        Raises:
            ValueError: If there is none; or an OptionError, which says why.
        """
        return None if text.strip() == self.unsaid else self.read(text)


def settings_in(recipe: Recipe) -> dict[str, Setting]:
    """Return the settings that a recipe has, by name.

    >>> [name for name, each in settings_in(RECIPES["johnson-4"]).items() if each.value == 10]
    ['parts']
    """
    found: dict[str, Setting] = {}
    for part in PARTS:
        whole: Any = getattr(recipe, part) if part else recipe
        if whole is recipe and recipe.criterion is None:
            continue  # what is counted has no criterion, no optimiser and no iterations
        for each in _of_part(part, whole):
            if each.key != "adapt" or recipe.model.adapts:
                found.setdefault(each.key, each)
    return found


def _of_part(part: str, record: Any) -> Iterator[Setting]:
    for each in settings_of(record):
        value = getattr(record, each.name)
        read = each.read or _reader(value)
        yield Setting(each.key, part, each.name, each.help, read, value, each.unsaid)


def _reader(value: Any) -> Callable[[str], Any]:
    """How a value of the same kind is read."""
    if isinstance(value, StrEnum):
        kind = type(value)
        return lambda text: option(kind, text)
    return _flag if isinstance(value, bool) else type(value)


def _flag(text: str) -> bool:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if text.lower() not in known:
        raise ValueError(text)
    return known[text.lower()]


def every_setting() -> dict[str, Setting]:
    """Return all settings that some recipe has, by name, with any optimiser.

    Those of one name have all their helps; their values are those of the first that has it.
    """
    found: dict[str, Setting] = {}
    plans = list(RECIPES.values())
    plans += [replace(plans[0], optimiser=kind()) for kind in OPTIMISERS.values()]
    for plan in plans:
        for key, each in settings_in(plan).items():
            known = found.setdefault(key, each)
            if each.help not in known.help:
                found[key] = replace(known, help=f"{known.help}; or {each.help}")
    return found


def with_settings(recipe: Recipe, settings: Mapping[str, Any]) -> Recipe:
    """Return a recipe with some settings changed.

    >>> from weft.recipes import find_recipe
    >>> with_settings(find_recipe("crf"), {"order": "2"}).model.order
    2
    >>> with_settings(find_recipe("crf"), {"order": 2, "boundaries": False}).model
    Chain(order=2, boundaries=False)

    Args:
        recipe: The recipe.
        settings: By name, values as ``--set`` has them, or as Python does: numbers, yes and no,
            None, sequences, or whole criteria and optimisers.

    Raises:
        OptionError: For a setting or a value that does not exist.
    """
    # A criterion comes first, since it may bring an optimiser, and that settings of its own. What
    # adapts is asked for before templates are named, which then refuse it.
    first = {"criterion": 0, "optimiser": 1, "adapt": 1}
    for key, value in sorted(settings.items(), key=lambda item: first.get(item[0], 2)):
        known, text = settings_in(recipe), _text_of(value)
        if key not in known:
            raise OptionError(_absent(recipe, key, text, known))
        setting = known[key]
        # Those of the recipe itself have options of their own, too.
        said = f"{'--set ' if setting.part else ''}{key}={abbreviate(text)}"
        whole: Any = getattr(recipe, setting.part) if setting.part else recipe
        try:
            given = value if _is_whole(value) else setting.value_of(text)
            part = replace(whole, **{setting.name: given})
        except WeftError as error:  # of a file that is named, too
            raise OptionError(f"{said}: {error}") from None
        except ValueError:
            kind = "a whole number: " if setting.read is int else ""
            raise OptionError(f"{said}: expected {kind}{setting.help}") from None
        recipe = replace(recipe, **{setting.part: part}) if setting.part else part
        if key == "criterion" and "optimiser" not in settings:
            recipe = replace(recipe, optimiser=_suited(recipe))
    return recipe


def _suited(recipe: Recipe) -> Any:
    """The optimiser that suits a criterion: the recipe's own, if that can climb it."""
    criterion, counted = recipe.criterion, isinstance(recipe.optimiser, EM | VariationalBayes)
    # What is added to counts goes with EM alone; others have the family's own penalty.
    penalty = None if counted else recipe.penalty
    usual = usual_optimiser(recipe.model, criterion, penalty)
    if usual is None and counted and criterion is not None and not has_closed_form(criterion):
        return LBFGS()
    return recipe.optimiser if usual is None else usual


def _absent(recipe: Recipe, key: str, text: str, known: Mapping[str, Setting]) -> str:
    """Why there is no such setting: in this recipe, or anywhere."""
    every = every_setting()
    if key not in every:
        # What this recipe has is likelier meant than what others have.
        meant = known if likely_meant(key, known) else every
        return no_such("setting", key, meant)
    message = f"the recipe {recipe.name} has no such setting"
    if every[key].part == "optimiser" and recipe.optimiser is not None:
        kinds = OPTIMISERS.items()
        owners = [name for name, kind in kinds if key in {each.key for each in settings_of(kind)}]
        message += f" with {name_of_optimiser(recipe.optimiser)}: it is for {', '.join(owners)}"
    return f"--set {key}={abbreviate(text)}: {message}"


def _is_whole(value: Any) -> bool:
    """Whether a value needs no reading: None, or a record such as a criterion."""
    return value is None or is_dataclass(value)


def _text_of(value: Any) -> str:
    """A value as it is written after ``--set``."""
    return " ".join(map(str, value)) if isinstance(value, list) else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Criterion):
        return value.name
    if isinstance(value, tuple(OPTIMISERS.values())):
        return name_of_optimiser(value)
    if isinstance(value, frozenset):  # of transitions
        return " ".join(sorted(f"{a or ''}>{b or ''}" for a, b in value)) or "none"
    return (" ".join(map(str, value)) or "none") if isinstance(value, tuple) else str(value)
