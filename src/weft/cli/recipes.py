"""``weft recipes``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli import options
from weft.cli.output import print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.commands import Catalogue, Compatibility, Contents

EXAMPLES = (
    "weft recipes",
    "weft recipes pcfg-em",
    "weft recipes --grid",
    "weft train model.weft --train train.tagged --set order=2 --set minimum_count=2",
)


def recipes(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            autocompletion=options.recipe_names,
            help="Show what this recipe has: its parts, every setting, an example.",
        ),
    ] = None,
    grid: Annotated[
        bool,
        typer.Option(
            "--grid", help="Show which model goes with which criterion, and why not if it does not."
        ),
    ] = False,
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """List recipes, their settings and template functions; or show what one recipe has."""
    from weft import commands

    if grid and name is not None:
        raise typer.BadParameter("it is of all models: give no recipe", param_hint="--grid")
    found: Catalogue | Contents | Compatibility
    if grid:
        found = commands.compatibility()
        parts = _grid_parts(found)
    elif name is not None:
        found = commands.recipe(name)
        parts = _recipe_parts(found)
    else:
        found = commands.recipes()
        parts = _catalogue_parts(found)
    if json:
        print_json(found.as_json())
    else:
        print_parts(parts)


def _catalogue_parts(found: Catalogue) -> list[RenderableType]:
    from weft.report.tables import table

    settings = [
        (each.name, " / ".join(dict.fromkeys(each.default.values())), each.help)
        for each in found.settings
    ]
    return [
        table("Recipes", ["--recipe", "model and training"], found.recipes.items()),
        table("Settings", ["--set", "default", "meaning"], settings),
        table("Templates", ["function", "attribute"], found.functions.items()),
        "A template is a function at an offset from the token, such as word[-1], or several,\n"
        "such as word[-1]|suffix2[0], or bias, which every token has.",
        "weft recipes NAME shows what one recipe has; weft recipes --grid, what goes with what.",
    ]


def _recipe_parts(found: Contents) -> list[RenderableType]:
    from weft.report.tables import facts, table

    about = {
        "recipe": f"{found.name}: {found.summary}",
        "model": found.model,
        "criterion": found.criterion or "none: all is counted",
        "penalty": found.penalty,
        "optimiser": found.optimiser,
        "answers": found.decoder,
        "on raw text": found.raw,
    }
    settings = [(each.name, each.default, each.help) for each in found.settings]
    return [
        facts({key: value for key, value in about.items() if value is not None}),
        table("Settings", ["--set", "default", "meaning"], settings),
        f"Example: {found.example}",
    ]


def _grid_parts(found: Compatibility) -> list[RenderableType]:
    from weft.report.tables import facts, table

    letters = [chr(ord("a") + place) for place in range(len(found.columns))]
    rows = [
        ["; ".join(models), *entries]
        for models, entries in zip(found.rows, found.entries, strict=True)
    ]
    notes = {str(number): each for number, each in enumerate(found.reasons, 1)}
    return [
        table(
            "Models, criteria, and data that is complete, partial or raw",
            ["model", *letters],
            rows,
        ),
        facts(dict(zip(letters, map(", ".join, found.columns), strict=True))),
        "yes: it works. value: it has a value, but no gradient to climb. A number: it cannot be,\n"
        "for this reason. Three entries, if any, are for complete, partial and raw data.",
        facts(notes),
    ]
