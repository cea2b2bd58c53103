"""What is drawn, whatever draws it: lines, grids, bars and spans.

Plots (:mod:`weft.plot`) and pages draw the same shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weft.arrays import FloatArray
from weft.structures.constituents import Span

Point = tuple[float, float | None]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis.

    Attributes:
        label: What it shows.
        names: What stands at 0, 1, 2 and so on, in place of numbers.
        log: Whether it is logarithmic.
    """

    label: str
    names: tuple[str, ...] = ()
    log: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """Curves in one plot.

    Attributes:
        title: What it is.
        across: The axis at the bottom.
        up: The axis at the left.
        lines: By name, points from left to right; None where there is none.
        bands: By name, where a line may be: (x, low, high), from left to right.
    """

    title: str
    across: Axis
    up: Axis
    lines: Mapping[str, Sequence[Point]]
    bands: Mapping[str, Sequence[tuple[float, float, float]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A table of shaded cells.

    Attributes:
        title: What it is.
        rows: The names of its rows.
        columns: Those of its columns.
        values: [rows, columns]: how dark cells are, from -1 to 1; below 0 in another colour.
        texts: What stands in cells, row by row; none where they are many.
        up: What rows are.
        across: What columns are.
        diagonal: Whether cells on the diagonal have a colour of their own.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: FloatArray
    texts: tuple[tuple[str, ...], ...] = ()
    up: str = ""
    across: str = ""
    diagonal: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Numbers with names, the first at the top.

    Attributes:
        title: What it is.
        label: What the numbers are.
        bars: The names and numbers.
    """

    title: str
    label: str
    bars: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Labels over spans of a sentence, with their probabilities.

    Attributes:
        title: What it is.
        words: The words.
        probs: How probable each label is over each span.
    """

    title: str
    words: tuple[str, ...]
    probs: Mapping[Span, float]


Shape = Lines | Grid | Bars | Spans
