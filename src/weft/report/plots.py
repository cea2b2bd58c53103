"""Plots of lines as SVG that stands in a page: light or dark, on paper, without other programs.

Axes and texts take the colour of the text around them. Lines are told apart by colours that can be
seen on light and dark ground, by dashes and by marks, and have their names at the right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from weft.errors import WeftError
from weft.ranking import by_value
from weft.report.palette import COLOURS, DASHES
from weft.report.shapes import Axis, Lines
from weft.report.trees import escaped, text_width

__all__ = ["Axis", "line_plot", "lines_svg", "on_white"]

Point = tuple[float, float]

_WIDTH, _HEIGHT = 640.0, 340.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 130.0, 14.0, 48.0
_BESIDE = 26.0  # what is left and right of a name
_FONT = 13
_MOST_TICKS = 6


def line_plot(
    title: str, across: Axis, up: Axis, lines: Mapping[str, Sequence[tuple[float, float | None]]]
) -> str:
    """Return a plot of lines as the text of an SVG file.

    Args:
        title: What programs that read it out call it.
        across: The axis at the bottom.
        up: The axis at the left.
        lines: By name, points from left to right; None where there is none.

    Raises:
        WeftError: If there is no point.

    >>> picture = line_plot("Sizes", Axis("words"), Axis("right, %"), {"crf": [(1, 2.0), (2, 3.0)]})
    >>> picture.startswith("<svg"), "right, %" in picture
    (True, True)
    """
    known = {
        name: [(x, y) for x, y in points if y is not None and math.isfinite(y)]
        for name, points in lines.items()
    }
    if not any(known.values()):
        raise WeftError(f"there is nothing to plot in {title!r}")
    return "\n".join(_svg(title, across, up, known)) + "\n"


def lines_svg(drawn: Lines) -> str:
    """Return lines as the text of an SVG file; see :func:`line_plot`."""
    return line_plot(drawn.title, drawn.across, drawn.up, drawn.lines)


@dataclass(frozen=True, slots=True)
class _Scale:
    """From numbers to places on the page."""

    axis: Axis
    low: float
    high: float
    first: float
    last: float

    def place(self, value: float) -> float:
        share = (self._moved(value) - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def _moved(self, value: float) -> float:
        return math.log10(value) if self.axis.log else value

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Where there are numbers, and which."""
        if self.axis.names:
            yield from ((float(place), name) for place, name in enumerate(self.axis.names))
        elif self.axis.log:
            yield from self._powers()
        else:
            step = _step(self.high - self.low)
            count = math.floor(self.high / step + 1e-9)
            for number in range(math.ceil(self.low / step - 1e-9), count + 1):
                yield number * step, f"{number * step:g}"

    def _powers(self) -> Iterator[tuple[float, str]]:
        decades = self.high - self.low
        factors = (1, 2, 5) if decades < 3 else (1,)
        for power in range(math.floor(self.low), math.ceil(self.high) + 1):
            for factor in factors:
                value = factor * 10.0**power
                if self.low - 1e-9 <= math.log10(value) <= self.high + 1e-9:
                    yield value, f"{value:,g}" if value < 1e6 else f"{value:g}"


def _scale(axis: Axis, values: Sequence[float], first: float, last: float, room: float) -> _Scale:
    moved = [math.log10(each) if axis.log else each for each in values]
    low, high = (0.0, len(axis.names) - 1.0) if axis.names else (min(moved), max(moved))
    if low == high:
        low, high = low - 1, high + 1
    wider = room * (high - low)
    return _Scale(axis, low - wider, high + wider, first, last)


def _step(span: float) -> float:
    """A round number that divides a span into a few."""
    rough = span / _MOST_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def _svg(title: str, across: Axis, up: Axis, lines: Mapping[str, list[Point]]) -> Iterator[str]:
    every = [point for points in lines.values() for point in points]
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    width = right + max(_RIGHT, _BESIDE + max(map(text_width, lines)))
    xs = _scale(across, [x for x, _ in every], _LEFT, right, 0.03)
    ys = _scale(up, [y for _, y in every], bottom, _TOP, 0.05)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="plot" width="{width:g}" '
        f'height="{_HEIGHT:g}" viewBox="0 0 {width:g} {_HEIGHT:g}" font-family="sans-serif" '
        f'font-size="{_FONT}" fill="currentColor">'
    )
    yield f"<title>{escaped(title)}</title>"
    for value, name in xs.ticks():
        x = xs.place(value)
        yield _rule(x, _TOP, x, bottom)
        yield _text(x, bottom + 18, name, "middle")
    for value, name in ys.ticks():
        y = ys.place(value)
        yield _rule(_LEFT, y, right, y)
        yield _text(_LEFT - 6, y + 4, name, "end")
    yield _text((_LEFT + right) / 2, _HEIGHT - 8, across.label, "middle")
    middle = (_TOP + bottom) / 2
    yield (
        f'<text x="14" y="{middle:.1f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {middle:.1f})">{escaped(up.label)}</text>'
    )
    for number, points in enumerate(lines.values()):
        placed = [(xs.place(x), ys.place(y)) for x, y in points]
        yield from _line(placed, COLOURS[number % len(COLOURS)], number)
    yield from _names(lines, ys, right)
    yield "</svg>"


def _rule(x: float, y: float, other_x: float, other_y: float) -> str:
    return (
        f'<path d="M{x:.1f} {y:.1f}L{other_x:.1f} {other_y:.1f}" stroke="currentColor" '
        'stroke-opacity="0.18" fill="none"/>'
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(text)}</text>'


def _line(points: Sequence[Point], colour: str, number: int) -> Iterator[str]:
    if not points:
        return
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dash = DASHES[number // 2 % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    yield f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none"{dashed}/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'


def _names(lines: Mapping[str, Sequence[Point]], ys: _Scale, right: float) -> Iterator[str]:
    """The lines' names beside their ends, one below the other."""
    numbered = [(name, number, points) for number, (name, points) in enumerate(lines.items())]
    ends = by_value(
        [(ys.place(points[-1][1]), number, name) for name, number, points in numbered if points],
        lambda end: -end[0],
    )
    apart = _FONT + 2.0
    lowest = _HEIGHT - _BOTTOM - apart * (len(ends) - 1)
    at = -math.inf
    for place, (wanted, number, name) in enumerate(ends):
        at = max(at + apart, min(wanted, lowest + apart * place))
        colour = COLOURS[number % len(COLOURS)]
        yield f'<circle cx="{right + 12:.1f}" cy="{at:.1f}" r="4" fill="{colour}"/>'
        yield _text(right + 20, at + 4, name, "start")


def on_white(picture: str) -> str:
    r"""Return a picture with white ground, for a file that pages of any colour may show.

    >>> on_white('<svg width="9"><title>a</title><path/></svg>')
    '<svg width="9"><title>a</title>\n<rect width="100%" height="100%" fill="white"/><path/></svg>'
    """
    if 'fill="white"' in picture:
        return picture
    ground = '</title>\n<rect width="100%" height="100%" fill="white"/>'
    return picture.replace("</title>", ground, 1)
