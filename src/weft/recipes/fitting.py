"""Estimating the model of a recipe; see :func:`weft.train.fit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.errors import OptionError
from weft.models.model import Trained
from weft.models.progress import Progress
from weft.recipes.table import Recipe
from weft.train import Term, fit


def fit_recipe(
    recipe: Recipe,
    corpus: Sequence[Any],
    *,
    raw: Sequence[Any] = (),
    development: Sequence[Any] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
    start: Trained | str | None = None,
) -> Any:
    """Estimate a recipe's model from a corpus; see :func:`weft.train.fit`.

    Args:
        recipe: The model, and how it is estimated.
        corpus: The examples.
        raw: Raw text to learn from beside them.
        development: Examples to watch training with.
        progress: Called after every iteration; True ends training.
        threads: How many threads to use, all by default; no result depends on it.
        notes: What to keep with the model about its making.
        start: A model of the same family to start from, or the name of a start.

    Raises:
        OptionError: If there is raw text that the recipe has no use for.
    """
    if raw and recipe.raw is None:
        raise OptionError(f"the recipe {recipe.name} takes no raw text beside its corpus")
    extra = [Term(recipe.raw.weight, raw, recipe.raw.criterion)] if raw and recipe.raw else []
    return fit(
        recipe.model,
        corpus,
        criterion=recipe.criterion,
        extra=extra,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        search=recipe.search,
        decoder=recipe.decoder,
        development=development,
        patience=recipe.patience if development else None,
        progress=progress,
        threads=threads,
        notes={"recipe": recipe.name, **(notes or {})},
        start=start,
    )
