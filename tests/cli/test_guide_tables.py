"""What the tables of the command-line guide say is what recipes and figures are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.conftest import Weft
from weft.recipes import RECIPES
from weft.train.usual import PATIENCE

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "command-line.md").read_text("utf-8")
FAMILIES = {
    "For chain models": ("crf", "memm", "hmm", "hmm-em", "mrf"),
    "Of tables": ("hmm-mealy", "johnson-4", "johnson-7"),
    "Of [grammars]": ("pcfg", "pcfg-em", "pcfg-mcle", "wcfg-crf"),
    "Of [shift-reduce parsers]": (
        "shift-reduce-joint",
        "shift-reduce-conditional",
        "shift-reduce-maxent",
        "shift-reduce-global",
    ),
    "Of parse selection": ("parse-selection", "max-correct"),
}


def rows_after(text: str) -> list[list[str]]:
    """The cells of the first table below a text."""
    below = GUIDE.partition(f"\n{text}")[2].partition("\n|---")[2].partition("\n\n")[0]
    lines = below.splitlines()[1:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def default_of(cell: str, recipe: str) -> str:
    """What a cell such as `a`; `b` for `hmm` and `mrf` says of a recipe."""
    first, *others = cell.split("; ")
    for other in others:
        value, *named = re.findall(r"`([^`]*)`", other)
        if recipe in named:
            return value
    return first.strip("`")


def test_all_recipes_are_listed() -> None:
    assert {row[0].strip("`") for row in rows_after("Without a name, it lists")} == set(RECIPES)


@pytest.mark.parametrize("family", FAMILIES)
def test_defaults_are_those_of_recipes(weft: Weft, family: str) -> None:
    rows = {name.strip("`"): default for name, default, _ in rows_after(family)}
    compared = set()
    for recipe in FAMILIES[family]:
        found = json.loads(weft("recipes", recipe, "--json").stdout)["settings"]
        real = {each["name"]: each["default"] for each in found}
        told = {name: cell for name, cell in rows.items() if cell.startswith("`")}
        for name in told.keys() & real.keys():
            assert default_of(told[name], recipe) == real[name], (recipe, name)
            compared.add(name)
    assert len(compared) > len(rows) / 2


def test_keys_of_an_evaluation_are_listed(weft: Weft, tagger: Path) -> None:
    found = json.loads(weft("evaluate", tagger, "train.tagged", "--json").stdout)
    listed = GUIDE.partition("\nThe keys of `--json`: `tokens`")[2].partition("\n\n")[0]
    named = {"tokens", *re.findall(r"`(\w+)`", listed)} - {"macro", "weighted", "null"}
    assert named == set(found)


def test_the_usual_patience_is_said_alike(weft: Weft) -> None:
    shown = " ".join(weft("train", "--help").stdout.split())
    assert f"last gain: {PATIENCE} by default where labels are learnt from" in shown
    assert f"By default N is {PATIENCE} where labels are learnt from" in GUIDE
