"""From a recipe and what is to be different to the recipe that is meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from weft.criteria import Dirichlet, Penalty, read_penalty
from weft.errors import OptionError
from weft.optimise.em import EM
from weft.optimise.variational import VariationalBayes
from weft.recipes.optimisers import name_of_optimiser
from weft.recipes.settings import with_settings
from weft.recipes.table import Recipe, find_recipe
from weft.train.penalty_scale import check_scalable
from weft.train.usual import usual_penalty


def plan_recipe(
    recipe: str | Recipe,
    penalty: str | Penalty | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Recipe:
    """Return a recipe with another penalty and other settings, and what these bring with them.

    >>> plan = plan_recipe("hmm", settings={"criterion": "conditional"})
    >>> type(plan.optimiser).__name__, str(plan.penalty)
    ('LBFGS', 'gaussian:10')

    Args:
        recipe: The recipe, or its name.
        penalty: What large weights cost, or its name; with ``auto``, its scale is chosen by
            cross-validation. None for what suits the recipe.
        settings: As :func:`~weft.recipes.settings.with_settings` takes them.

    Raises:
        OptionError: If a name, a setting or a value does not exist.
    """
    plan = find_recipe(recipe) if isinstance(recipe, str) else recipe
    known = settings or {}
    if penalty is not None and penalty != "auto":
        # First, since a criterion's optimiser depends on it.
        named = read_penalty(penalty) if isinstance(penalty, str) else penalty
        return with_settings(replace(plan, penalty=named, tuned=False), known)
    plan = with_settings(plan, known)
    plan = replace(plan, penalty=_suited_penalty(plan, known))
    return _tuned(plan) if penalty == "auto" else plan


def _tuned(plan: Recipe) -> Recipe:
    check_scalable(plan.penalty)
    if not plan.penalised:
        name = name_of_optimiser(plan.optimiser)
        raise OptionError(f"the optimiser {name} takes no penalty: leave --penalty auto out")
    return replace(plan, tuned=True)


def _suited_penalty(plan: Recipe, settings: Mapping[str, Any]) -> Penalty | None:
    """The penalty that suits the criterion and the optimiser, where none is named."""
    penalty = plan.penalty
    if isinstance(penalty, Dirichlet) and not isinstance(plan.optimiser, EM | VariationalBayes):
        penalty = read_penalty(plan.model.penalties.weights)  # of weights, not of counts
    elif "criterion" not in settings:
        return penalty
    return None if penalty is None else usual_penalty(plan.criterion, penalty)
