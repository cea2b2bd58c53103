"""What there is to choose from: recipes, their settings, and what templates are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from weft.criteria import input_only
from weft.recipes import RECIPES, Recipe, every_setting, find_recipe, settings_in
from weft.recipes.optimisers import name_of_optimiser
from weft.reprs import Brief

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


@dataclass(frozen=True, slots=True, repr=False)
class SettingRow(Brief):
    """Something that ``--set`` changes.

    Attributes:
        name: The setting's name.
        default: What it is if nothing is said, for each recipe that has it.
        help: What it does and which values there are.
    """

    name: str
    default: Mapping[str, str]
    help: str


@dataclass(frozen=True, slots=True, repr=False)
class Catalogue(Brief):
    """What there is to choose from.

    Attributes:
        recipes: The recipes' summaries by name.
        settings: What ``--set`` changes.
        functions: What templates are made of, with explanations.
    """

    recipes: Mapping[str, str]
    settings: tuple[SettingRow, ...]
    functions: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


def recipes() -> Catalogue:
    """Return what there is to choose from.

    >>> list(recipes().recipes)[0]
    'crf'
    """
    known = {name: settings_in(recipe) for name, recipe in RECIPES.items()}
    settings = (
        SettingRow(
            key, {name: has[key].shown for name, has in known.items() if key in has}, each.help
        )
        for key, each in every_setting().items()
    )
    summaries = {each.name: each.summary for each in RECIPES.values()}
    return Catalogue(summaries, tuple(settings), TEMPLATE_FUNCTIONS)


@dataclass(frozen=True, slots=True, repr=False)
class Value(Brief):
    """A setting of one recipe.

    Attributes:
        name: What ``--set`` calls it.
        default: What it is if nothing is said.
        help: What it does and which values there are.
    """

    name: str
    default: str
    help: str


@dataclass(frozen=True, slots=True, repr=False)
class Contents(Brief):
    """What a recipe has.

    Attributes:
        name: What ``--recipe`` calls it.
        summary: What it is, in a line.
        model: The class of its model's specification.
        criterion: What is compared; None where all is counted.
        penalty: What large weights cost, or what is added to counts; likewise.
        optimiser: How weights move; likewise.
        decoder: How answers are chosen; None where they are chosen by score alone.
        raw: What is compared on raw text beside the training corpus, if anything is.
        settings: What ``--set`` changes.
        example: A command that uses it.
    """

    name: str
    summary: str
    model: str
    criterion: str | None
    penalty: str | None
    optimiser: str | None
    decoder: str | None
    raw: str | None
    settings: tuple[Value, ...]
    example: str

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; what the recipe does not have is null."""
        return asdict(self)


def recipe(name: str) -> Contents:
    """Return what a recipe has.

    >>> recipe("hmm-em").criterion, recipe("hmm-em").optimiser
    ('marginal', 'em')

    Raises:
        OptionError: If there is none of that name.
    """
    found = find_recipe(name)
    return Contents(
        found.name,
        found.summary,
        type(found.model).__name__,
        None if found.criterion is None else found.criterion.name,
        found.penalty_shown,
        None if found.optimiser is None else name_of_optimiser(found.optimiser),
        next((str(each) for each in (found.decoder, *found.model.decoders) if each), None),
        None if found.raw is None else found.raw.criterion.name,
        tuple(Value(key, each.shown, each.help) for key, each in settings_in(found).items()),
        example_of(found),
    )


def example_of(recipe: Recipe) -> str:
    """Return a command that trains a model by a recipe.

    >>> example_of(find_recipe("pcfg"))
    'weft train model.weft --recipe pcfg --train trees.mrg'
    """
    blind = recipe.criterion is not None and recipe.criterion.numerator is input_only
    files = recipe.model.unlabelled_files if blind else recipe.model.files
    raw = " --raw raw.txt" if recipe.raw else ""
    return f"weft train model.weft --recipe {recipe.name} {files}{raw}"
