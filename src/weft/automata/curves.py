"""How the arcs of a drawn lattice run, and where their words stand.

An arc is straight where no state is in the way, and bent elsewhere: a quadratic Bézier curve with
one control point. A word stands along its arc, at the place where it covers the fewest states,
words and other arcs. Lengths are in pixels, and y grows downwards.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.automata.layout import StatePlaces

RADIUS = 8.0
"""Of a state's circle."""

FONT = 13.0
"""The height of the words."""

MARGIN = 40.0
"""Around the states."""

_COLUMN, _ROW, _STEEPER = 64.0, 62.0, 14.0
_BENDS = (0, 1, -1, 2, -2, 3, -3)
_PLACES = (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74, 0.2, 0.8)
_SPACING = 6.0
_AROUND = (-1, 0, 1)

Texts = Mapping[tuple[int, int], str]
"""What stands at the arcs from one state to another."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """An arc as it is drawn.

    Attributes:
        ends: The states that it connects.
        text: The words on it.
        points: Its start, control point and end. [3, 2]
    """

    ends: tuple[int, int]
    text: str
    points: FloatArray

    def at(self, places: FloatArray) -> FloatArray:
        """[places, 2]: the points at some places between 0, the start, and 1, the end."""
        start, control, end = self.points
        t = places[:, None]
        return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)

    def samples(self) -> FloatArray:
        """[points, 2]: points all along."""
        length = float(np.hypot(*(self.points[2] - self.points[0])))
        return self.at(np.linspace(0, 1, 2 + int(length / _SPACING)))


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """Words at an arc: the middle of their foot, and their slope in degrees."""

    text: str
    middle: tuple[float, float]
    slope: float


def width_of(text: str) -> float:
    """Return about how wide a text is, in a font that is not known.

    >>> width_of("ab") < width_of("abc") < width_of("語語語")
    True
    """
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return 0.56 * FONT * (len(text) - wide) + FONT * wide


def centres(layout: StatePlaces, texts: Texts) -> FloatArray:
    """[states, 2]: where the states stand, far enough from each other for the words."""
    columns, rows = np.array(layout.columns), np.array(layout.rows)
    gaps = np.full(max(layout.columns), _COLUMN)
    # Narrow spans first: a wide one needs no more room if these already gave it.
    for (one, other), text in sorted(texts.items(), key=lambda item: _span(layout, *item[0])):
        between = gaps[columns[one] : columns[other]]
        between += max(0.0, width_of(text) + 4 * RADIUS + 8 - between.sum()) / len(between)
    span = max([1, *(_span(layout, *ends) for ends in texts if rows[ends[0]] != rows[ends[1]])])
    x = MARGIN + np.concatenate([[0.0], np.cumsum(gaps)])
    y = MARGIN + rows * (_ROW + _STEEPER * (span - 1))
    return np.stack([x[columns], y], axis=1)


def curves(layout: StatePlaces, texts: Texts, centres: FloatArray) -> list[Curve]:
    """Return how all arcs run, the straight ones of the spine first."""
    made = [_curve(layout, centres, ends, text) for ends, text in texts.items()]
    spine = set(zip(layout.spine, layout.spine[1:], strict=False))
    return sorted(made, key=lambda curve: (curve.ends not in spine, _span(layout, *curve.ends)))


def labels(curves: Sequence[Curve], centres: FloatArray) -> Iterator[Label]:
    """Place the words, one after the other, each where it covers least."""
    lines = [_cells(curve.samples()) for curve in curves]
    crossed = Counter(cell for line in lines for cell in line)
    taken: set[tuple[int, int]] = set()

    def covered(label: Label, own: set[tuple[int, int]]) -> float:
        footprint = _footprint(label)
        cells = _cells(footprint)
        return (
            len(cells & taken)
            + _close(footprint, centres, RADIUS + 8)
            + 0.2 * sum(crossed[cell] > (cell in own) for cell in cells)
        )

    for curve, own in zip(curves, lines, strict=True):
        places = [_label(curve, place) for place in _PLACES]
        best = min(places, key=lambda label: covered(label, own))
        taken |= {
            (x + i, y + j) for x, y in _cells(_footprint(best)) for i in _AROUND for j in _AROUND
        }
        yield best


def _span(layout: StatePlaces, one: int, other: int) -> int:
    return layout.columns[other] - layout.columns[one]


def _curve(layout: StatePlaces, centres: FloatArray, ends: tuple[int, int], text: str) -> Curve:
    one, other = centres[ends[0]], centres[ends[1]]
    others = np.delete(centres, ends, axis=0)
    across = other - one
    # Upwards for positive bends, which the spine takes first and the rest last.
    normal = np.array([across[1], -across[0]])
    sign = 1 if layout.rows[ends[0]] == 0 else -1
    # Longer ones are bent more, so that several to one state do not cross on their way there.
    step = sign * (0.36 + 0.02 * _span(layout, *ends))
    for bend in _BENDS:
        curve = Curve(ends, text, np.stack([one, (one + other) / 2 + bend * step * normal, other]))
        if not _close(curve.samples(), others, 2 * RADIUS):
            break
    start, control, end = curve.points
    return Curve(ends, text, np.stack([_towards(start, control), control, _towards(end, control)]))


def _towards(centre: FloatArray, point: FloatArray) -> FloatArray:
    """Return where a circle is left in the direction of a point."""
    across = point - centre
    return np.asarray(centre + across * (RADIUS + 1) / np.hypot(*across))


def _label(curve: Curve, place: float) -> Label:
    before, middle, after = curve.at(np.array([place - 0.05, place, place + 0.05]))
    along = (after - before) / np.hypot(*(after - before))
    foot = middle + 5 * np.array([along[1], -along[0]])
    return Label(curve.text, (foot[0], foot[1]), math.degrees(math.atan2(along[1], along[0])))


def _footprint(label: Label) -> FloatArray:
    """[points, 2]: points that cover the words of a label."""
    slope = math.radians(label.slope)
    along, up = np.array([[math.cos(slope), math.sin(slope)], [math.sin(slope), -math.cos(slope)]])
    half = width_of(label.text) / 2
    steps = np.linspace(-half, half, 2 + int(half / 4))
    return np.asarray(label.middle + 0.35 * FONT * up + steps[:, None] * along)


def _cells(points: FloatArray) -> set[tuple[int, int]]:
    """Return the squares of a grid in which points lie: what is in the same one is close."""
    return {(int(x), int(y)) for x, y in np.floor(points / _SPACING).tolist()}


def _close(some: FloatArray, others: FloatArray, distance: float) -> int:
    """Return how many points are close to one of the others."""
    apart = np.hypot(*(some[:, None] - others[None]).transpose(2, 0, 1))
    return int((apart < distance).any(axis=1).sum())
