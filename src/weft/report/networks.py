"""Graphical models as pictures: variables on a grid, and which of them depends on which."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from weft.report.trees import escaped

Place = tuple[int, int]
"""The column and the row of a variable, from the top left."""

_RADIUS, _ACROSS, _DOWN, _MARGIN, _HEAD = 16.0, 80.0, 70.0, 29.0, 8.0


def network_svg(
    title: str,
    variables: Mapping[str, Place],
    arcs: Sequence[tuple[str, str]],
    *,
    seen: Collection[str] = (),
    arrows: bool = True,
) -> str:
    """Return a graphical model as the text of an SVG file.

    Args:
        title: What programs that read it out call it.
        variables: Where each variable stands.
        arcs: Pairs of variables, the second depending on the first.
        seen: The variables that are shaded.
        arrows: Whether arcs have heads.

    >>> picture = network_svg("t → w", {"t": (0, 0), "w": (0, 1)}, [("t", "w")], seen="w")
    >>> picture.count("<circle"), picture.count("<polygon")
    (2, 1)
    """
    width, height = (
        round(2 * _MARGIN + 2 * _RADIUS + step * max(each[axis] for each in variables.values()))
        for axis, step in ((0, _ACROSS), (1, _DOWN))
    )
    places = {name: _centre(place) for name, place in variables.items()}
    marks = [mark for one, other in arcs for mark in _arc(places[one], places[other], arrows)]
    for name, (x, y) in places.items():
        ground = "#1d5f9e" if name in seen else "none"
        marks.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS:g}" fill="{ground}" fill-opacity="0.18" '
            'stroke="currentColor"/>'
        )
        marks.append(f'<text x="{x:g}" y="{y + 5:g}">{escaped(name)}</text>')
    lines = "\n".join(marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="plot" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="14" text-anchor="middle" fill="currentColor">\n'
        f"<title>{escaped(title)}</title>\n{lines}\n</svg>\n"
    )


def _centre(place: Place) -> tuple[float, float]:
    column, row = place
    first = _MARGIN + _RADIUS
    return first + _ACROSS * column, first + _DOWN * row


def _arc(start: tuple[float, float], end: tuple[float, float], arrow: bool) -> Iterator[str]:
    """A line from the rim of one circle to that of another, with its head."""
    (x, y), (u, v) = start, end
    length = math.hypot(u - x, v - y)
    dx, dy = (u - x) / length, (v - y) / length
    rim = _RADIUS + 1
    x, y, u, v = x + rim * dx, y + rim * dy, u - rim * dx, v - rim * dy
    yield f'<path d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke="currentColor"/>'
    if arrow:
        back = (u - _HEAD * dx, v - _HEAD * dy)
        corners = [
            (u, v),
            (back[0] - 4 * dy, back[1] + 4 * dx),
            (back[0] + 4 * dy, back[1] - 4 * dx),
        ]
        yield f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}"/>'
