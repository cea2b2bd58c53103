"""Tables in the documentation that programs write, whole or line by line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def cells_of(line: str) -> list[str]:
    """Return the cells of a line of a table in Markdown.

    >>> cells_of("| a | b, c |")
    ['a', 'b, c']
    """
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def lines_of(page: Path, mark: str) -> list[str]:
    """Return the lines of the table after a mark, without its header."""
    after = page.read_text(encoding="utf-8").partition(mark)[2]
    return [line for line in after.splitlines() if line.startswith("|")][2:]


def merge_lines(old: Sequence[str], new: Sequence[str], key: int) -> list[str]:
    """Return old lines with new ones in the places of those that have the same first cells.

    >>> merge_lines(["| a | 1 |", "| b | 2 |"], ["| b | 3 |", "| c | 4 |"], 1)
    ['| a | 1 |', '| b | 3 |', '| c | 4 |']
    """
    found = {tuple(cells_of(line)[:key]): line for line in old}
    return list((found | {tuple(cells_of(line)[:key]): line for line in new}).values())


def write_lines(page: Path, mark: str, header: Sequence[str], lines: Sequence[str]) -> None:
    """Put a table into a page, after a mark."""
    before = page.read_text(encoding="utf-8").partition(mark)[0]
    page.write_text(f"{before}{mark}\n\n" + "\n".join([*header, *lines]) + "\n", encoding="utf-8")
