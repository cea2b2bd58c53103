"""The grid: every model with every criterion, and why where one does not exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from weft.criteria import CRITERIA
from weft.papers.experiment import Part, PartFound, PartOptions
from weft.papers.families import families
from weft.papers.grid import CLEARLY, COUNTED, missing_cells, rows
from weft.papers.results import Finding, Result, ResultTable, make_table


def fill_grid(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Train a family by every criterion that it has, and say why it does not have the others."""
    [family] = [
        each
        for each in families(arguments["sentences"], options.seed)
        if each.name == arguments["family"]
    ]
    criteria = list(CRITERIA.values())
    made = list(rows([family], criteria, arguments["iterations"], arguments["steps"], options.seed))
    return {
        "rows": [{**asdict(row), "seconds": None, "verdict": row.verdict} for row in made],
        "reasons": missing_cells(family, criteria, {row.criterion for row in made}),
    }


def combine_grid(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    """Return the table of models and criteria, and the reasons of what is not in it."""
    found = {part.arguments["family"]: each for part, each in parts}
    cells = [row for each in found.values() for row in each["rows"]]
    every = [reason for each in found.values() for reason in each["reasons"].values()]
    numbers = {reason: f"[{number}]" for number, reason in enumerate(dict.fromkeys(every), 1)}
    counted = {row["family"] for row in cells if row["criterion"] == COUNTED}
    climbed = {name: each for name, each in found.items() if name not in counted}
    tables: list[ResultTable] = [_climbed_table(climbed, numbers)] if climbed else []
    if counted:
        tables.append(_counted_table({name: found[name] for name in counted}, numbers))
    reasons = [(number, reason) for reason, number in numbers.items()]
    if reasons:
        tables.append(make_table("Why a cell has no figure", {"": "", "reason": ""}, reasons))
    notes = (
        "Right answers on other sentences, in per cent: tags, whole trees, or choices. Where the "
        "criterion looks at words alone, chains have a dictionary. A number in brackets is that of "
        "the reason why a model is not trained by a criterion, as `weft recipes --grid` gives it. "
        "There are few sentences: this shows that the cells exist, not which of them is best.",
    )
    return Result(tuple(tables), findings=(_trained(cells),), notes=notes)


def _climbed_table(found: Mapping[str, PartFound], numbers: Mapping[str, str]) -> ResultTable:
    columns = {"criterion": "", **dict.fromkeys(found, "%")}
    untrained = [each["rows"][0]["baseline"] if each["rows"] else None for each in found.values()]
    listed: list[tuple[Any, ...]] = [("untrained", *untrained)]
    for criterion in CRITERIA:
        shown = [_show_cell(each, criterion, numbers) for each in found.values()]
        listed.append((criterion, *shown))
    return make_table("Models (columns) and criteria (rows)", columns, listed)


def _show_cell(found: PartFound, criterion: str, numbers: Mapping[str, str]) -> float | str | None:
    for row in found["rows"]:
        if row["criterion"] == criterion:
            right: float = row["right"]
            return right
    reason = found["reasons"].get(criterion)
    return None if reason is None else numbers[reason]


def _counted_table(found: Mapping[str, PartFound], numbers: Mapping[str, str]) -> ResultTable:
    columns = {"model": "", "untrained": "%", COUNTED: "%", "not by a criterion": ""}
    listed = []
    for name, each in sorted(found.items()):
        [row] = each["rows"]
        reasons = dict.fromkeys(numbers[reason] for reason in each["reasons"].values())
        listed.append((name, row["baseline"], row["right"], " ".join(reasons)))
    return make_table("Models whose weights are counted", columns, listed)


def _trained(cells: Sequence[Mapping[str, Any]]) -> Finding:
    worse = [
        f"{row['family']} × {row['criterion']}"
        for row in cells
        if row["right"] <= row["baseline"] + CLEARLY
    ]
    better = len(cells) - len(worse)
    return Finding(
        "The estimation procedure is orthogonal to the model class (Smith and Johnson 2007, §5): "
        "every defined cell can be trained, and is clearly better than no training",
        "bundled corpora",
        "",
        f"{better} of {len(cells)}" + (f"; not: {', '.join(worse)}" if worse else ""),
        holds=not worse,
    )
