"""Estimating the model of a recipe; see :func:`weft.train.fit`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from weft.criteria import Gaussian, complete, conditional
from weft.errors import OptionError
from weft.models.model import Trained
from weft.models.progress import Outlook
from weft.models.selection.spec import Forward, Selection
from weft.optimise.em import EM
from weft.recipes.table import Recipe
from weft.structures.evidence import Example
from weft.structures.tree import Tree
from weft.train import JOHNSON, Term, fit
from weft.train.checkpoints import Checkpoint
from weft.train.penalty_scale import ChosenPenalty, check_scalable, choose_penalty
from weft.train.report import Watched
from weft.train.selection.choosing import Chosen, choose_forward


def fit_recipe(
    recipe: Recipe,
    corpus: Sequence[Any],
    *,
    raw: Sequence[Any] = (),
    development: Sequence[Any] | None = None,
    progress: Callable[[Outlook], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
    start: Trained | str | None = None,
    checkpoint: Checkpoint | None = None,
    cluster: Any = None,
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
        checkpoint: Where the state of training is kept.
        cluster: Where sums over examples are made: the address of a Dask scheduler, or a client.

    Raises:
        OptionError: If there is raw text that the recipe has no use for.
    """
    if raw and recipe.raw is None:
        raise OptionError(f"the recipe {recipe.name} takes no raw text beside its corpus")
    if recipe.patience and development and _is_counted(recipe, corpus):
        raise OptionError(
            f"the recipe {recipe.name} counts labels, and there are no iterations to wait for: "
            "leave --patience out"
        )
    extra = [Term(recipe.raw.weight, raw, recipe.raw.criterion)] if raw and recipe.raw else []
    if recipe.adapt:
        given = None if isinstance(start, str) else start
        model, chosen_for = recipe.model.adapted(corpus, given)
        recipe = replace(recipe, model=model)
        notes = {**({"adapted": chosen_for} if chosen_for else {}), **(notes or {})}
    if isinstance(recipe.model, Selection) and recipe.model.forward is not Forward.NONE:
        found = _choose(recipe, corpus, threads)
        recipe = replace(recipe, model=found.selection)
        notes = {"forward": str(found), **(notes or {})}
    if recipe.tuned and recipe.penalised:
        chosen = _tune(recipe, corpus, raw, threads)
        recipe = replace(recipe, penalty=chosen.penalty, tuned=False)
        notes = {"penalty_chosen": str(chosen), **(notes or {})}
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
        adapt=False,  # which it was
        watched=recipe.watched if development else Watched.AUTO,
        progress=progress,
        threads=threads,
        notes={"recipe": recipe.name, **(notes or {})},
        start=start,
        checkpoint=checkpoint,
        cluster=cluster,
    )


def _is_counted(recipe: Recipe, corpus: Sequence[Any]) -> bool:
    """Whether labels are all that there is to count, so that one step of EM is the last."""
    criterion = recipe.criterion
    if not isinstance(recipe.optimiser, EM) or criterion is None:
        return False
    return criterion.numerator is complete and all(map(_is_certain, corpus))


def _is_certain(example: Example) -> bool:
    """Whether an example has a tree, or one label for each token."""
    labels = example.analysis or (None,)
    return isinstance(example.parse, Tree) or all(isinstance(each, str) for each in labels)


def _choose(recipe: Recipe, corpus: Sequence[Any], threads: int | None) -> Chosen:
    """Choose what a selector looks at, with the penalty that suits all of it."""
    selection = cast(Selection, recipe.model)
    examples = selection.compile(corpus)
    all_of_it = replace(recipe, model=replace(selection, forward=Forward.NONE))
    if recipe.tuned and recipe.penalised:
        penalty = _tune(all_of_it, examples, (), threads).penalty
    else:
        named = recipe.penalty
        usable = isinstance(named, Gaussian) and math.isfinite(named.variance)
        penalty = cast(Gaussian, named) if usable else JOHNSON
    return choose_forward(selection, examples, penalty, seed=_seed(recipe), threads=threads)


def _seed(recipe: Recipe) -> int:
    return recipe.search.seed if recipe.search else 0


def _tune(
    recipe: Recipe, corpus: Sequence[Any], raw: Sequence[Any], threads: int | None
) -> ChosenPenalty:
    """Choose the scale of a recipe's penalty, from one random start at most.

    Where a search starts says little about how large weights should be, and folds are many.
    """
    search = recipe.search and replace(recipe.search, restarts=min(recipe.search.restarts, 1))

    def estimate(penalty: Gaussian, seen: Sequence[Any], leaving: Callable[[], bool]) -> Trained:
        plan = replace(recipe, penalty=penalty, search=search, tuned=False)
        found: Trained = fit_recipe(plan, seen, raw=raw, progress=lambda _: leaving(), threads=1)
        return found

    return choose_penalty(
        recipe.model,
        corpus,
        recipe.criterion or conditional,
        check_scalable(recipe.penalty),
        estimate,
        seed=_seed(recipe),
        threads=threads,
    )
