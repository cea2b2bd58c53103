"""Recipes: named combinations of model, criterion, penalty and optimiser, and their settings."""

from weft.recipes.fitting import fit_recipe
from weft.recipes.optimisers import OPTIMISERS, find_optimiser
from weft.recipes.planning import plan_recipe
from weft.recipes.settings import Setting, every_setting, settings_in, with_settings
from weft.recipes.table import ONE_WORD, RECIPES, Raw, Recipe, find_recipe, is_patience

__all__ = [
    "ONE_WORD",
    "OPTIMISERS",
    "RECIPES",
    "Raw",
    "Recipe",
    "Setting",
    "every_setting",
    "find_optimiser",
    "find_recipe",
    "fit_recipe",
    "is_patience",
    "plan_recipe",
    "settings_in",
    "with_settings",
]
