"""What there is to choose from: recipes, their settings, and what templates are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft.criteria import Criterion
from weft.recipes import OPTIMISERS, RECIPES, SETTINGS

TEMPLATE_FUNCTIONS: Mapping[str, str] = {
    "word": "the word itself",
    "lower": "the word in lower case",
    "shape": "its character classes: McDonald's is XxXx'x",
    "capital": "there if it starts with a capital letter",
    "digit": "there if it has a digit",
    "hyphen": "there if it has a hyphen",
    "prefix1": "its first character; so on up to prefix20",
    "suffix1": "its last character; so on up to suffix20",
    "column2": "the second column; column2.lower is a function of it",
}
"""What templates are made of, and what that is."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that ``--set`` changes.

    Attributes:
        name: The setting's name.
        default: What it is if nothing is said, for each recipe that has it.
        help: What it does and which values there are.
    """

    name: str
    default: Mapping[str, str]
    help: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What there is to choose from.

    Attributes:
        recipes: The recipes' summaries by name.
        settings: What ``--set`` changes.
        functions: What templates are made of, with explanations.
    """

    recipes: Mapping[str, str]
    settings: tuple[Choice, ...]
    functions: Mapping[str, str]


def recipes() -> Catalogue:
    """Return what there is to choose from.

    >>> list(recipes().recipes)[0]
    'crf'
    """
    settings = (Choice(name, _defaults(name), setting.help) for name, setting in SETTINGS.items())
    summaries = {each.name: each.summary for each in RECIPES.values()}
    return Catalogue(summaries, tuple(settings), TEMPLATE_FUNCTIONS)


def _defaults(name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for recipe in RECIPES.values():
        try:
            value = SETTINGS[name].value_in(recipe)
            found[recipe.name] = _unsaid(name) if value is None else _shown(value)
        except AttributeError:  # this recipe has no such setting
            continue
    return found


def _unsaid(name: str) -> str:
    """What it means that nothing is said."""
    return "by the columns" if name == "templates" else "all"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Criterion):
        return value.name
    for name, kind in OPTIMISERS.items():
        if isinstance(value, kind):
            return name
    if isinstance(value, frozenset):  # of transitions
        return " ".join(sorted(f"{a or ''}>{b or ''}" for a, b in value)) or "none"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
