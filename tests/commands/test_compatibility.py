"""The table of models × criteria × data, and the same one in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.commands import compatibility
from weft.models.instances import instances
from weft.train.grid import Cell

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "criteria.md"


@pytest.mark.slow
def test_the_page_has_the_table_and_the_table_has_every_cell():
    table = compatibility()
    text = PAGE.read_text(encoding="utf-8")
    shown = text.partition("<!-- grid -->\n\n")[2].partition("\n<!-- end of grid -->")[0]
    assert shown == table.markdown()
    assert sorted(name for row in table.rows for name in row) == sorted(instances())
    for cell in table.cells:
        row = next(n for n, names in enumerate(table.rows) if cell.family in names)
        column = next(n for n, names in enumerate(table.columns) if cell.criterion in names)
        entry = table.entries[row][column]
        if cell.flat is None:
            assert entry == "yes"
        else:
            number = entry.removeprefix("value (").removesuffix(")")
            assert entry.startswith("value") == (cell.reason is None)
            assert table.reasons[int(number) - 1] == (cell.reason or cell.flat)


def test_entries_that_differ_by_data_are_three():
    cells = [
        Cell("a", "c", "complete", None, None),
        Cell("a", "c", "partial", "why", "why"),
        Cell("a", "c", "raw", None, "flat"),
        *(Cell("b", "c", data, None, None) for data in ("complete", "partial", "raw")),
    ]
    table = compatibility(cells)
    assert table.rows == (("a",), ("b",))
    assert table.entries == (("yes / 1 / value (2)",), ("yes",))
    assert table.as_json()["cells"][2] == {
        "model": "a",
        "criterion": "c",
        "data": "raw",
        "works": True,
        "gradient": False,
        "reason": "flat",
    }
