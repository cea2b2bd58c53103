"""Settings: what ``--set`` changes about a recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from weft.criteria import (
    criterion_named,
)
from weft.errors import OptionError, abbreviated
from weft.features.properties import properties
from weft.features.templates import templates
from weft.models import Extent, Normalisation, Scheme
from weft.models.cfg import Shape, phrase_features
from weft.models.chain import transitions
from weft.optimise.annealing import Annealing
from weft.optimise.conjugate_gradient import ConjugateGradient
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Choice
from weft.optimise.variational import VariationalBayes
from weft.recipes.table import Recipe


def _flag(text: str) -> bool:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if text.lower() not in known:
        raise ValueError(text)
    return known[text.lower()]


def _number_or_all(text: str) -> int | None:
    return None if text == "all" else int(text)


OPTIMISERS: Mapping[str, Any] = {
    "lbfgs": LBFGS,
    "conjugate-gradient": ConjugateGradient,
    "annealing": Annealing,
    "em": EM,
    "variational-bayes": VariationalBayes,
}
"""All optimisers by name."""


def optimiser_named(name: str) -> Any:
    """Return an optimiser with its defaults.

    >>> optimiser_named("conjugate-gradient").max_iterations
    1000
    """
    if name not in OPTIMISERS:
        raise OptionError(
            f"there is no optimiser '{abbreviated(name)}'; there are {', '.join(OPTIMISERS)}"
        )
    return OPTIMISERS[name]()


@dataclass(frozen=True, slots=True)
class Setting:
    """Something about a recipe that ``--set`` changes.

    Attributes:
        part: The field of the recipe that it is part of; empty for a field of the recipe itself.
        name: The field of that part.
        read: From text to the value.
        help: What it does and which values there are.
    """

    part: str
    name: str
    read: Callable[[str], Any]
    help: str

    def value_in(self, recipe: Recipe) -> Any:
        """Return what it is in a recipe; raise AttributeError where there is no such thing."""
        if self.part:
            return getattr(getattr(recipe, self.part), self.name)
        value = getattr(recipe, self.name)
        if value is None:
            raise AttributeError(self.name)
        return value


SETTINGS: Mapping[str, Setting] = {
    "order": Setting(
        "chain",
        "order",
        _number_or_all,
        "the number of earlier tags that a tag depends on, 1 or 2; or of children that the new "
        "nodes of binary trees are named after, which may be all",
    ),
    "templates": Setting(
        "chain", "templates", templates, "attributes that go with a tag, as 'word[0] suffix3[0] …'"
    ),
    "pair_templates": Setting(
        "chain", "pair_templates", templates, "attributes that go with a pair of tags, likewise"
    ),
    "attributes": Setting(
        "chain", "attributes", Extent, "which tags go with an attribute, observed or all (dense)"
    ),
    "ngrams": Setting(
        "chain", "ngrams", Extent, "which tag n-grams have a weight, observed or all"
    ),
    "minimum_count": Setting(
        "chain", "minimum_count", int, "the number of times a feature with an attribute must occur"
    ),
    "boundaries": Setting(
        "chain", "boundaries", _flag, "whether tag n-grams include sentence boundaries, yes or no"
    ),
    "scheme": Setting(
        "chain", "scheme", Scheme, "which tag pairs are forbidden, none or chunks (BIO, BIOES)"
    ),
    "forbidden": Setting(
        "chain", "forbidden", transitions, "tag pairs that never follow each other, as 'DT>VB DT>'"
    ),
    "normalisation": Setting(
        "chain",
        "normalisation",
        Normalisation,
        "none, joint (an HMM or a PCFG) or conditional (a MEMM)",
    ),
    "rare": Setting(
        "chain", "rare", int, "how often words occur, at most, that unknown words are like"
    ),
    "suffix": Setting(
        "chain", "suffix", int, "the length of the suffixes that tell a table's unknown words apart"
    ),
    "enough": Setting(
        "chain", "enough", int, "how many rare words make a class of a table's unknown words"
    ),
    "word_backoff": Setting(
        "chain", "word_backoff", float, "how often a table's word counts with the tags of its class"
    ),
    "class_backoff": Setting(
        "chain", "class_backoff", float, "how often a class counts with the tags around it"
    ),
    "parts": Setting(
        "chain", "parts", int, "into how many parts deleted interpolation divides a corpus"
    ),
    "binarise": Setting(
        "chain", "binarise", Shape, "how trees are made binary: none, left, right or head"
    ),
    "parents": Setting(
        "chain", "parents", int, "with how many ancestors' labels those of phrases are annotated"
    ),
    "features": Setting(
        "chain",
        "features",
        phrase_features,
        "what goes with a phrase's label: head length first last",
    ),
    "symbols": Setting(
        "chain", "symbols", int, "how many symbols a grammar of all rules has, for raw text"
    ),
    "properties": Setting(
        "chain", "properties", properties, "what analyses are told apart by, as 'rules entries …'"
    ),
    "relevance": Setting(
        "chain", "relevance", int, "in how many sentences a feature must tell analyses apart"
    ),
    "criterion": Setting("", "criterion", criterion_named, "which two sums are compared"),
    "optimiser": Setting(
        "", "optimiser", optimiser_named, f"how weights move: {', '.join(OPTIMISERS)}"
    ),
    "l1": Setting("optimiser", "l1", float, "what each unit of a weight costs, beside the penalty"),
    "steps": Setting("optimiser", "steps", int, "how many changes simulated annealing tries"),
    "hot": Setting("optimiser", "hot", float, "the temperature that it begins with"),
    "cold": Setting("optimiser", "cold", float, "the temperature that it ends with"),
    "memory": Setting("optimiser", "memory", int, "the number of iterations that L-BFGS remembers"),
    "iterations": Setting("optimiser", "max_iterations", int, "the largest number of iterations"),
    "tolerance": Setting(
        "optimiser", "tolerance", float, "the relative gain over a period below which training ends"
    ),
    "restarts": Setting(
        "search", "restarts", int, "from how many random starts to climb, beside the plain one"
    ),
    "spread": Setting(
        "search", "spread", float, "the standard deviation of the weights of random starts"
    ),
    "seed": Setting("search", "seed", int, "the seed of random starts and of annealing"),
    "choose": Setting(
        "search", "choose", Choice, "which solution is kept: the highest value, or entropy"
    ),
    "anneal": Setting(
        "search", "anneal", float, "the power that annealing begins with, below 1; 1 is none"
    ),
    "growth": Setting("search", "growth", float, "the factor by which that power grows"),
    "raw_weight": Setting(
        "raw", "weight", float, "how much raw text counts beside labelled text, which counts 1"
    ),
    "period": Setting("optimiser", "period", int, "the number of iterations of that period"),
}


def with_settings(recipe: Recipe, settings: Mapping[str, str]) -> Recipe:
    """Return a recipe with some settings changed.

    >>> from weft.recipes import recipe_named
    >>> with_settings(recipe_named("crf"), {"order": "2"}).chain.order
    2

    Raises:
        OptionError: For a setting or a value that does not exist.
    """
    for key, text in settings.items():
        if key not in SETTINGS:
            raise OptionError(
                f"there is no setting '{abbreviated(key)}'; there are {', '.join(SETTINGS)}"
            )
        setting = SETTINGS[key]
        try:
            setting.value_in(recipe)
        except AttributeError:
            message = f"the recipe {recipe.name} has no such setting"
            raise OptionError(f"--set {key}={abbreviated(text)}: {message}") from None
        whole: Any = getattr(recipe, setting.part) if setting.part else recipe
        try:
            part = replace(whole, **{setting.name: setting.read(text)})
        except OptionError as error:
            raise OptionError(f"--set {key}={abbreviated(text)}: {error}") from None
        except ValueError:
            kind = "a whole number: " if setting.read in (int, _number_or_all) else ""
            raise OptionError(
                f"--set {key}={abbreviated(text)}: expected {kind}{setting.help}"
            ) from None
        recipe = replace(recipe, **{setting.part: part}) if setting.part else part
    return recipe
