"""Tables for the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from weft.models.progress import Progress
from weft.report.features import KindSummary, NamedWeight

Cell = str | int | float | None
"""What stands in a table: a count, a number, a text, or nothing."""

_NUMBER = re.compile(r"[+-]?[0-9][0-9.,]*( %)?|—")


def percent(fraction: float | None) -> str:
    """Return a fraction in per cent.

    >>> percent(0.94444), percent(None)
    ('94.44 %', '—')
    """
    return "—" if fraction is None else f"{100 * fraction:.2f} %"


def figure_of(row: Mapping[str, Any], key: str) -> Any:
    """Return a figure by its name, such as ``accuracy``, or ``top.2`` of several; None without.

    >>> figure_of({"top": {"2": 0.5}}, "top.2")
    0.5
    """
    name, _, part = key.partition(".")
    value = row.get(name)
    return value[part] if part and value is not None else value


def show_figure(value: Any, form: str) -> str:
    """Return a figure as people read it: a ``share``, ``count``, ``number`` or ``long`` number.

    >>> show_figure(0.5, "share"), show_figure(1234, "count"), show_figure(None, "long")
    ('50.00 %', '1,234', '—')
    """
    forms = {"count": "{:,}", "number": "{:,.1f}", "long": "{:,.4f}"}
    if value is None or form == "share":
        return percent(value)
    return forms[form].format(value)


def table(title: str, headers: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Table:
    """Return a table; columns of numbers are set to the right.

    >>> table("Tags", ["tag", "count"], [["NN", 1200]]).row_count
    1
    """
    listed = [list(row) for row in rows]
    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="cyan",
        min_width=len(title),
        box=box.SIMPLE_HEAD,
        show_edge=False,
    )
    for header, *cells in zip(headers, *listed, strict=True):
        numeric = bool(cells) and all(_NUMBER.fullmatch(_text(cell).plain) for cell in cells)
        made.add_column(header, justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        made.add_row(*map(_text, row))
    return made


def facts(pairs: Mapping[str, Cell]) -> Table:
    """Return a list of names with their values.

    >>> facts({"recipe": "crf"}).row_count
    1
    """
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in pairs.items():
        made.add_row(Text(name), _text(value))
    return made


def weights_table(title: str, weights: Sequence[NamedWeight]) -> Table:
    """Return a table of features with their weights."""
    return table(title, ["feature", "weight"], [[w.name, f"{w.weight:+.3f}"] for w in weights])


def kinds_table(kinds: Sequence[KindSummary]) -> Table:
    """Return a table of the kinds of features."""
    return table(
        "Features by kind",
        ["kind", "features", "norm", "largest"],
        [[kind.name, kind.features, kind.norm, kind.largest] for kind in kinds],
    )


def trace_table(trace: Sequence[Progress], rows: int = 10) -> Table:
    """Return a table of the first, the last and some iterations between them."""
    columns: dict[str, Callable[[Progress], Cell]] = {
        "iteration": lambda step: step.iteration,
        "value": lambda step: step.value,
        "gradient": lambda step: step.gradient_norm,
    }
    if any(step.seconds is not None for step in trace):
        columns["seconds"] = lambda step: step.seconds
    if any(step.accuracy is not None for step in trace):
        columns["held-out accuracy"] = lambda step: percent(step.accuracy)
    steps = spread(trace, rows)
    cells = [[of(step) for of in columns.values()] for step in steps]
    return table("Training", list(columns), cells)


def spread(trace: Sequence[Progress], count: int) -> list[Progress]:
    """Return at most this many steps, as evenly spread as can be, the first and the last too."""
    if len(trace) <= count:
        return list(trace)
    return [trace[round(k * (len(trace) - 1) / (count - 1))] for k in range(count)]


def _text(cell: Cell) -> Text:
    # Text objects, since tags and words may look like markup.
    if isinstance(cell, float):
        return Text(f"{cell:,.3f}")
    return Text("—" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell)
