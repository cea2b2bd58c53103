"""``weft recipes``."""

from __future__ import annotations

from dataclasses import asdict

from weft.cli import options
from weft.cli.output import print_json, print_parts

EXAMPLES = (
    "weft recipes",
    "weft train model.weft --train train.tagged --set order=2 --set minimum_count=2",
)


def recipes(
    json: options.Json = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """List recipes, their settings and template functions."""
    from weft import commands
    from weft.report.tables import table

    found = commands.recipes()
    if json:
        print_json(asdict(found))
        return
    settings = [
        (each.name, " / ".join(dict.fromkeys(each.default.values())), each.help)
        for each in found.settings
    ]
    print_parts(
        [
            table("Recipes", ["--recipe", "model and training"], found.recipes.items()),
            table("Settings", ["--set", "default", "meaning"], settings),
            table("Templates", ["function", "attribute"], found.functions.items()),
            "A template is a function at an offset from the token, such as word[-1], or several,\n"
            "such as word[-1]|suffix2[0], or bias, which every token has.",
        ]
    )
