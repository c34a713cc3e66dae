"""Synthetic feeds with the statistics of the published data set."""

from afresh.lab.population.generate import START, generate, readme
from afresh.lab.population.recipe import CLASS_SHARES, RECIPES, Recipe, recipe_named

__all__ = ["CLASS_SHARES", "RECIPES", "START", "Recipe", "generate", "readme", "recipe_named"]
