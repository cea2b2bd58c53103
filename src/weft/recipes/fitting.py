"""Estimating the model of a recipe, of each kind; see :func:`weft.train.fit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from weft.errors import OptionError
from weft.models.cfg import Cfg
from weft.models.parser import Parser
from weft.models.selection import Selection
from weft.models.selector import Selector
from weft.models.tagger import Progress, Tagger
from weft.optimise.annealing import Annealing
from weft.optimise.em import EM
from weft.optimise.variational import VariationalBayes
from weft.recipes.table import Recipe
from weft.structures.alternatives import Selected
from weft.structures.evidence import Example
from weft.structures.parse_set import ParseSet
from weft.train import Term, fit


def fit_recipe(
    recipe: Recipe,
    corpus: Sequence[Example],
    *,
    raw: Sequence[Example] = (),
    development: Sequence[Example] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Tagger:
    """Estimate a recipe's model from a corpus; see :func:`weft.train.fit`.

    Raises:
        OptionError: If there is raw text that the recipe has no use for.
    """
    if isinstance(recipe.chain, Selection) or isinstance(recipe.optimiser, Annealing):
        raise OptionError(f"the recipe {recipe.name} is for parse sets: use fit_selector")
    if isinstance(recipe.chain, Cfg):
        raise OptionError(f"the recipe {recipe.name} is for trees: use fit_grammar")
    if raw and recipe.raw is None:
        raise OptionError(f"the recipe {recipe.name} takes no raw text beside its corpus")
    extra = [Term(recipe.raw.weight, raw, recipe.raw.criterion)] if raw and recipe.raw else []
    return fit(
        recipe.chain,
        corpus,
        criterion=recipe.criterion,
        extra=extra,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        search=recipe.search,
        decoder=recipe.decoder,
        development=development,
        progress=progress,
        threads=threads,
        notes={"recipe": recipe.name, **(notes or {})},
    )


def fit_grammar(
    recipe: Recipe,
    corpus: Sequence[Example],
    *,
    development: Sequence[Example] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Parser:
    """Estimate the parser of a recipe for trees; see :func:`weft.train.fit`.

    Raises:
        OptionError: If the recipe is for other corpora, or its optimiser for other models.
    """
    if not isinstance(recipe.chain, Cfg):
        raise OptionError(f"the recipe {recipe.name} is not for trees: use pcfg")
    if isinstance(recipe.optimiser, Annealing | VariationalBayes):
        raise OptionError("a grammar's weights move by lbfgs, conjugate-gradient or em")
    return fit(
        recipe.chain,
        corpus,
        criterion=recipe.criterion,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        search=recipe.search,
        development=development,
        progress=progress,
        threads=threads,
        notes={"recipe": recipe.name, **(notes or {})},
    )


def fit_selector(
    recipe: Recipe,
    corpus: Sequence[ParseSet | Selected],
    *,
    development: Sequence[ParseSet | Selected] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Selector:
    """Estimate the model of a recipe for parse sets; see :func:`weft.train.fit`.

    Raises:
        OptionError: If the recipe is for other corpora, or its optimiser for other models.
    """
    if not isinstance(recipe.chain, Selection):
        raise OptionError(f"the recipe {recipe.name} is not for parse sets: use parse-selection")
    if isinstance(recipe.optimiser, EM | VariationalBayes):
        raise OptionError("EM is for models whose weights are probabilities: use lbfgs")
    return fit(
        recipe.chain,
        corpus,
        criterion=recipe.criterion,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        search=recipe.search,
        development=development,
        progress=progress,
        threads=threads,
        notes={"recipe": recipe.name, **(notes or {})},
    )
