"""Find figures on the pages that a kept report had and a new one has not.

``python docs/stale_figures.py OLD.json NEW.json`` prints them, each with its page and line, and
ends with 1 if there are any. A number is found in a report as it is rounded on the page.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
"""Where figures are quoted; the report itself is among them, and left out."""

_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])|(?<![\w.,])\.\d+(?![\w])")
_FEWEST_DIGITS = 3  # less is found anywhere


def numbers_of(report: Any) -> set[float]:
    """Return all numbers of a report: those of tables, as shares and in per cent, and of texts."""
    found: set[float] = set()
    for experiment in report["experiments"]:
        result = experiment["result"] or {"tables": [], "findings": []}
        for table in result["tables"]:
            found |= {value for row in table["rows"] for cell in row for value in _values(cell)}
            found |= set(_values(table["title"]))
        for finding in result["findings"]:
            gain = (finding["gain"] or {}).values()
            texts = (finding["ours"], finding["paper"], *gain)
            found |= {value for each in texts for value in _values(each)}
    return found


def _values(cell: Any) -> Iterator[float]:
    if isinstance(cell, str):
        yield from (float(each.replace(",", "")) for each in _NUMBER.findall(cell))
    elif cell is not None:
        yield from (abs(cell), 100 * abs(cell))


def find_stale(text: str, old: Iterable[float], new: Iterable[float]) -> Iterator[tuple[int, str]]:
    r"""Yield the line and the text of each number that an old report has and a new one has not.

    >>> list(find_stale("It was 94.19,\nand is 1,234.", [0.94192, 94.192, 1234.0], [1234.4]))
    [(1, '94.19')]
    """
    before, after = sorted(set(old)), sorted(set(new))
    for line, words in enumerate(text.split("\n"), 1):
        for number in _NUMBER.findall(words):
            digits = number.replace(",", "").replace(".", "").lstrip("0")
            if len(digits) >= _FEWEST_DIGITS and _has(before, number) > _has(after, number):
                yield line, number


def _has(values: list[float], number: str) -> bool:
    exact = float(number.replace(",", ""))
    apart = 0.5001 * 10.0 ** -len(number.partition(".")[2])
    return any(abs(each - exact) <= apart for each in values)


def main() -> int:
    """Print the stale figures of all pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, help="the report that pages quote")
    parser.add_argument("new", type=Path, help="the report that takes its place")
    given = parser.parse_args()
    old, new = (
        numbers_of(json.loads(each.read_text(encoding="utf-8"))) for each in (given.old, given.new)
    )
    stale = [
        f"{page.relative_to(ROOT)}:{line}: {number}"
        for page in PAGES
        if page.parent.name != "results"
        for line, number in find_stale(page.read_text(encoding="utf-8"), old, new)
    ]
    sys.stdout.write("\n".join([*stale, f"{len(stale)} figures are stale"]) + "\n")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
