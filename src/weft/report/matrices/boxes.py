"""Pictures put together from boxes, each drawn from its own upper left corner.

A box has links, the places in it that have a tag, so that lines can be drawn between two of them
after all has been put in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.report.trees import FONT, escaped, text_width

LINE = 20.0
"""How high a line of text is."""

_SMALL = 0.75  # tags, as a share of the font's size
_SLACK = 1.06  # some fonts are wider than others
_PAD, _WING, _GAP = 4.0, 5.0, 6.0


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where in a box something with a tag is: a node of a tree, or a matrix.

    Attributes:
        tag: The tag.
        x: How far from the left.
        y: How far from the top.
        node: Whether it is a node of a tree.
        way: How a line comes to a matrix from the left and crosses no text: at which heights, and
            how far to the right at each, as pairs of x and y.
    """

    tag: str
    x: float
    y: float
    node: bool = False
    way: tuple[tuple[float, float], ...] = ()

    def moved(self, x: float, y: float) -> Anchor:
        """Return it at another place."""
        way = tuple((one + x, other + y) for one, other in self.way)
        return Anchor(self.tag, self.x + x, self.y + y, self.node, way)


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a picture.

    Attributes:
        width: Its width.
        height: Its height.
        marks: What is drawn, as SVG.
        middle: Where a line from above meets it.
        anchors: What in it has a tag.
    """

    width: float
    height: float
    marks: str
    middle: float
    anchors: tuple[Anchor, ...] = ()


def place_all(
    width: float,
    height: float,
    parts: Sequence[tuple[Box, float, float]],
    marks: str = "",
    middle: float | None = None,
) -> Box:
    """Return a box of others, each at its place, and of marks of its own."""
    drawn = [
        f'<g transform="translate({x:.1f} {y:.1f})">{part.marks}</g>' if x or y else part.marks
        for part, x, y in parts
    ]
    anchors = tuple(each.moved(x, y) for part, x, y in parts for each in part.anchors)
    middle = width / 2 if middle is None else middle
    return Box(width, height, "".join(drawn) + marks, middle, anchors)


def text_box(text: str, kind: str) -> Box:
    """Return a line of text of a class: ``label`` for what is a name, else a value."""
    width = _SLACK * text_width(text)
    colour = ' fill="#1d5f9e"' if kind == "label" else ""
    style = ' font-style="italic"' if kind == "value" else ""
    mark = f'<text class="{kind}"{colour}{style} x="0" y="{FONT:.0f}">{escaped(text)}</text>'
    return Box(width, LINE, mark, width / 2)


def tag_box(tag: str) -> Box:
    """Return a tag in a frame of its own."""
    width = max(text_width(tag) * _SMALL + 6, FONT)
    mark = (
        f'<rect class="tag" x="0.5" y="2.5" width="{width:.1f}" height="{FONT:.0f}" '
        f'fill="none" stroke="currentColor"/><text class="tag" font-size="{FONT * _SMALL:.1f}" '
        f'text-anchor="middle" x="{0.5 + width / 2:.1f}" y="13.5">{escaped(tag)}</text>'
    )
    return Box(width + 1, LINE, mark, width / 2)


def beside(boxes: Sequence[Box], gap: float = _GAP) -> Box:
    """Return boxes from left to right, their middles at one height."""
    height = max((box.height for box in boxes), default=LINE)
    parts, x = [], 0.0
    for box in boxes:
        parts.append((box, x, (height - box.height) / 2))
        x += box.width + gap
    return place_all(max(0.0, x - gap), height, parts)


def above(boxes: Sequence[Box], gap: float = 0.0) -> Box:
    """Return boxes from top to bottom, their left sides on one line."""
    parts, y = [], 0.0
    for box in boxes:
        parts.append((box, 0.0, y))
        y += box.height + gap
    width = max((box.width for box in boxes), default=0.0)
    return place_all(width, max(LINE, y - gap), parts)


def enclose(box: Box, brackets: str) -> Box:
    """Return a box between brackets of its height."""
    height, inner = box.height + 2, _WING + _PAD
    width = box.width + 2 * inner
    left, right = (_bracket(each, height) for each in brackets)
    marks = (
        f'<path class="bracket" fill="none" stroke="currentColor" d="{left}"/>'
        f'<g transform="translate({width:.1f} 0)">'
        f'<path class="bracket" fill="none" stroke="currentColor" d="{right}"/></g>'
    )
    return place_all(width, height, [(box, inner, 1.0)], marks)


def _bracket(bracket: str, height: float) -> str:
    """The path of a left bracket; of a right one, to the left of where it ends."""
    side = 1 if bracket in "[{(⟨" else -1
    wing, near, half = side * _WING, side * 0.5, height / 2
    bend = min(half, _WING)
    if bracket in "[]":
        return f"M{wing} 0.5H{near}V{height - 0.5:.1f}H{wing}"
    if bracket in "⟨⟩":
        return f"M{wing} 0.5L{near} {half:.1f}L{wing} {height - 0.5:.1f}"
    if bracket in "()":
        return f"M{wing} 0.5Q{-wing * 0.4:.1f} {half:.1f} {wing} {height - 0.5:.1f}"
    stem = side * _WING / 2
    return (
        f"M{wing} 0.5Q{stem} 0.5 {stem} {bend:.1f}V{half - bend:.1f}"
        f"Q{stem} {half:.1f} {near} {half:.1f}Q{stem} {half:.1f} {stem} {half + bend:.1f}"
        f"V{height - bend:.1f}Q{stem} {height - 0.5:.1f} {wing} {height - 0.5:.1f}"
    )
