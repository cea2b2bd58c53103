"""Recipes: named combinations of model, criterion, penalty and optimiser, and their settings."""

from weft.recipes.fitting import fit_recipe
from weft.recipes.optimisers import OPTIMISERS, optimiser_named
from weft.recipes.settings import Setting, every_setting, settings_in, with_settings
from weft.recipes.table import ONE_WORD, RECIPES, Raw, Recipe, recipe_named

__all__ = [
    "ONE_WORD",
    "OPTIMISERS",
    "RECIPES",
    "Raw",
    "Recipe",
    "Setting",
    "every_setting",
    "fit_recipe",
    "optimiser_named",
    "recipe_named",
    "settings_in",
    "with_settings",
]
