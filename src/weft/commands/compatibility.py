"""Which model goes with which criterion on which data, as a table that people can read.

The entries are those of :func:`weft.train.grid.cells`. Models that agree in all of them share a
row, and criteria that do share a column.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from weft.models.instances import DATA
from weft.reprs import Brief
from weft.train.grid import Cell, cells

WORKS, FLAT = "yes", "value"
"""What stands where a criterion can be climbed, and where it has a value but no gradient."""


@dataclass(frozen=True, slots=True, repr=False)
class Compatibility(Brief):
    """The table of models × criteria × data.

    Attributes:
        cells: All entries.
        rows: The models of each row.
        columns: The criteria of each column.
        entries: [rows, columns]: for complete, partial and raw data ``yes``, ``value`` (no
            gradient) or the number of a reason, from 1; one of them where all three are the same.
        reasons: Why a criterion does not exist, or has no gradient.
    """

    cells: tuple[Cell, ...]
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, ...], ...]
    entries: tuple[tuple[str, ...], ...]
    reasons: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return all entries, ready for JSON."""
        return {
            "cells": [
                {
                    "model": each.family,
                    "criterion": each.criterion,
                    "data": each.data,
                    "works": each.reason is None,
                    "gradient": each.flat is None,
                    "reason": each.reason or each.flat,
                }
                for each in self.cells
            ]
        }

    def markdown(self) -> str:
        """Return the table as the documentation has it, with criteria and reasons below it."""
        letters = ascii_uppercase[: len(self.columns)]
        rows = [["model", *letters], ["---"] * (1 + len(letters))]
        rows += [[_shortly(r), *e] for r, e in zip(self.rows, self.entries, strict=True)]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        named = [", ".join(f"`{name}`" for name in each) for each in self.columns]
        told = [f"- {letter}: {each}" for letter, each in zip(letters, named, strict=True)]
        notes = [f"{number}. {each}" for number, each in enumerate(self.reasons, 1)]
        return "\n".join([*lines, "", *told, "", "Reasons:", "", *notes, ""])


def compatibility(several: Iterable[Cell] | None = None) -> Compatibility:
    """Return the table of models × criteria × data; by default of all there are.

    >>> from weft.criteria import CRITERIA
    >>> from weft.models.instances import instances
    >>> few = cells([instances()["selection, packed"]], [CRITERIA["margin"], CRITERIA["joint"]])
    >>> compatibility(few).entries
    (('yes', '1'),)
    """
    found = tuple(cells() if several is None else several)
    reasons = tuple(dict.fromkeys(each.reason or each.flat or "" for each in found))
    reasons = tuple(filter(None, reasons))
    entry = {(e.family, e.criterion, e.data): _entry(e, reasons) for e in found}
    models = list(dict.fromkeys(each.family for each in found))
    criteria = list(dict.fromkeys(each.criterion for each in found))
    rows = _alike(models, lambda model: tuple(entry[model, c, d] for c in criteria for d in DATA))
    columns = _alike(criteria, lambda name: tuple(entry[m, name, d] for m in models for d in DATA))
    table = tuple(
        tuple(_joined([entry[row[0], column[0], each] for each in DATA]) for column in columns)
        for row in rows
    )
    return Compatibility(found, rows, columns, table, reasons)


def _shortly(names: Sequence[str]) -> str:
    """Names whose first parts are the same, as one: *chain; chain, a* is *chain (also: a)*."""
    variants: dict[str, list[str]] = {}
    for name in names:
        stem, _, variant = name.partition(", ")
        variants.setdefault(stem, []).append(variant)
    return "; ".join(_with_variants(stem, each) for stem, each in variants.items())


def _with_variants(stem: str, variants: Sequence[str]) -> str:
    others = "; ".join(filter(None, variants))
    if not others:
        return stem
    return f"{stem} (also: {others})" if "" in variants else f"{stem} ({others})"


def _entry(cell: Cell, reasons: Sequence[str]) -> str:
    if cell.reason is None and cell.flat is None:
        return WORKS
    number = str(reasons.index(cell.reason or cell.flat or "") + 1)
    return number if cell.reason is not None else f"{FLAT} ({number})"


def _joined(entries: Sequence[str]) -> str:
    return entries[0] if len(set(entries)) == 1 else " / ".join(entries)


def _alike(names: Iterable[str], key: Callable[[str], Hashable]) -> tuple[tuple[str, ...], ...]:
    """Names by what is the same of them, in the order of the first of each."""
    groups: dict[Hashable, list[str]] = {}
    for name in names:
        groups.setdefault(key(name), []).append(name)
    return tuple(tuple(group) for group in groups.values())
