"""Matrices, and trees with matrices, as pictures that need no program but one that shows SVG.

A matrix has its features from top to bottom, each beside the middle of its value. A tree has
matrices or categories at its nodes; or a matrix beside it, with lines from nodes to the parts of
the matrix that belong to them (:mod:`weft.report.matrices.routes`). The colours are those that the
reader's screen asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from weft.errors import LimitError
from weft.report.matrices.boxes import (
    LINE,
    Anchor,
    Box,
    above,
    beside,
    enclose,
    place_all,
    tag_box,
    text_box,
)
from weft.report.matrices.routes import LANE, draw_links, first_links
from weft.report.trees import FONT, MOST_DRAWN, escaped
from weft.structures.avm import Avm, AvmTree, Group, Leaf, Link, Matrix, parts_of

_MARGIN, _COLUMN, _STEP, _BETWEEN, _APART, _ROWS = 12.0, 12.0, 26.0, 18.0, 60.0, 2.0
_DEEPEST = 200

_STYLE = (
    "@media (prefers-color-scheme: dark) { svg { color: #e8e8e8; } .ground { fill: #16181c; } "
    ".label { fill: #7fb8ee; } }"
)


def avm_svg(value: Avm, title: str = "") -> str:
    """Return a picture of a value as a self-contained SVG file.

    Args:
        value: The value.
        title: What the picture is called by programs that read it out.

    Raises:
        LimitError: If there are too many values, or values in values, to see any.

    >>> picture = avm_svg(Matrix((("NUM", Leaf("sg")),), "NP"), title="a noun phrase")
    >>> "<title>a noun phrase</title>" in picture, "sg</text>" in picture
    (True, True)
    """
    check_drawn([value])
    return draw_file(avm_box(value), title)


def tree_of_avms_svg(tree: AvmTree, title: str = "") -> str:
    """Return a picture of a tree whose labels are matrices, or categories.

    Raises:
        LimitError: If there are too many nodes and values, or they are too deep, to see any.
    """
    check_drawn([tree])
    return draw_file(tree_box(tree), title)


def linked_svg(tree: AvmTree, value: Avm, title: str = "") -> str:
    """Return a picture of a tree with a matrix beside it, and lines from its nodes to their parts.

    Args:
        tree: The tree, whose links are tags of the matrix and of what is within it.
        value: The matrix.
        title: What the picture is called by programs that read it out.

    Raises:
        LimitError: If there are too many nodes and values, or they are too deep, to see any.
    """
    check_drawn([tree, value])
    return draw_file(linked_box(tree, value), title)


def draw_file(box: Box, title: str) -> str:
    """Return a box as a file of its own."""
    width, height = box.width + 2 * _MARGIN, box.height + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
        f'font-size="{FONT:.0f}" color="#111" fill="currentColor">\n'
        f"<title>{escaped(title)}</title>\n<style>{_STYLE}</style>\n"
        f'<rect class="ground" width="{width:.0f}" height="{height:.0f}" fill="white"/>\n'
        f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">{box.marks}</g>\n</svg>\n'
    )


def avm_box(value: Avm) -> Box:
    """Return a drawn value."""
    if isinstance(value, Link):
        return _marked(tag_box(value.tag), value.tag)
    box = _untagged(value)
    if not value.tag:
        return box
    tagged = beside([tag_box(value.tag), box], gap=3.0)
    anchor = Anchor(value.tag, 0.0, tagged.height / 2)
    return replace(_marked(tagged, value.tag), anchors=(anchor, *tagged.anchors))


def _marked(box: Box, tag: str) -> Box:
    return replace(box, marks=f'<g class="tagged" data-tag="{escaped(tag)}">{box.marks}</g>')


def _untagged(value: Leaf | Matrix | Group) -> Box:
    if isinstance(value, Leaf):
        return text_box(value.text, "value")
    return enclose(_rows(value), "[]") if isinstance(value, Matrix) else _group(value)


def _rows(matrix: Matrix) -> Box:
    names = [text_box(name, "label") for name, _ in matrix.features]
    values = [avm_box(value) for _, value in matrix.features]
    column = max((name.width for name in names), default=0.0) + _COLUMN
    rows = [text_box(matrix.heading, "heading")] if matrix.heading else []
    for name, value in zip(names, values, strict=True):
        height = max(LINE, value.height)
        parts = [(name, 0.0, (height - LINE) / 2), (value, column, (height - value.height) / 2)]
        rows.append(place_all(column + value.width, height, parts))
    whole = sum(row.height + _ROWS for row in rows) - _ROWS
    y = 0.0
    for place, row in enumerate(rows):
        # A line comes above or below the row, where it is farther from the tag of the whole.
        low = abs(y + row.height - whole / 2) > abs(y - whole / 2)
        height = row.height + _ROWS / 2 if low else -_ROWS / 2
        way = (column - _COLUMN / 2, height)
        anchors = tuple(replace(each, way=(way, *each.way)) for each in row.anchors)
        rows[place] = replace(row, anchors=anchors)
        y += row.height + _ROWS
    return above(rows, gap=_ROWS)


def _group(group: Group) -> Box:
    items = [avm_box(item) for item in group.items]
    if any(isinstance(item, Matrix | Group) for item in group.items):
        return enclose(above(items, gap=4.0), group.brackets)
    separator = group.separator.strip()
    drawn = [
        beside([item, text_box(separator, "value")], gap=1.0) if place < len(items) - 1 else item
        for place, item in enumerate(items)
    ]
    return enclose(beside(drawn), group.brackets)


def tree_box(tree: AvmTree | str) -> Box:
    """Return a drawn tree."""
    if isinstance(tree, str):
        return text_box(tree, "word")
    top = _label(tree)
    below = [tree_box(child) for child in tree.children]
    if not below:
        return top
    lefts, x = [], 0.0
    for box in below:
        lefts.append(x)
        x += box.width + _BETWEEN
    middles = [left + box.middle for left, box in zip(lefts, below, strict=True)]
    middle = (middles[0] + middles[-1]) / 2
    shift = max(0.0, top.middle - middle)
    middle += shift
    width = max(x - _BETWEEN + shift, middle - top.middle + top.width)
    y = top.height + _STEP
    lines = "".join(f"M{middle:.1f} {top.height + 2:.1f}L{m + shift:.1f} {y:.1f}" for m in middles)
    parts = [(top, middle - top.middle, 0.0)]
    parts += [(box, left + shift, y) for left, box in zip(lefts, below, strict=True)]
    marks = f'<path class="branch" fill="none" stroke="#888" d="{lines}"/>'
    return place_all(width, y + max(box.height for box in below), parts, marks, middle)


def _label(tree: AvmTree) -> Box:
    plain = isinstance(tree.label, Leaf) and not tree.label.tag
    box = text_box(tree.label.text, "label") if plain else avm_box(tree.label)  # type: ignore[union-attr]
    if not tree.link:
        return box
    tagged = beside([box, tag_box(tree.link)], gap=3.0)
    anchor = Anchor(tree.link, tagged.width, LINE / 2, node=True)
    return replace(_marked(tagged, tree.link), middle=box.middle, anchors=(anchor,))


def linked_box(tree: AvmTree, value: Avm) -> Box:
    """Return a tree with a matrix beside it, and lines from its nodes."""
    left, right = tree_box(tree), avm_box(value)
    count = len(first_links((*left.anchors, *right.anchors)))
    height = max(left.height, right.height)
    beginning = left.width + max(_APART, LANE * (count + 4))
    parts = [(left, 0.0, 0.0), (right, beginning, (height - right.height) / 2)]
    whole = place_all(beginning + right.width, height, parts)
    links = first_links(whole.anchors)
    if not links:
        return whole
    lines = draw_links(links, left.width)
    phi = f'<path class="phi" fill="none" stroke="#888" d="{lines}"/>'
    return replace(whole, marks=phi + whole.marks)


def check_drawn(drawn: list[Avm | AvmTree | str]) -> None:
    """Refuse what would be a picture of nothing.

    Raises:
        LimitError: If there are too many nodes and values, or they are too deep.
    """
    waiting = [(each, 1) for each in drawn]
    count = 0
    while waiting:
        each, depth = waiting.pop()
        count += 1
        if count > MOST_DRAWN:
            message = f"a picture of over {MOST_DRAWN:,} nodes and values would show nothing"
            raise LimitError(f"{message}; draw a part of it, or print it as text")
        if depth > _DEEPEST:
            message = f"a picture of over {_DEEPEST} levels would show nothing"
            raise LimitError(f"{message}; draw a part of it, or print it as text")
        waiting.extend((below, depth + 1) for below in _below(each))


def _below(each: Avm | AvmTree | str) -> Iterator[Avm | AvmTree | str]:
    if isinstance(each, AvmTree):
        yield each.label
        yield from each.children
    elif not isinstance(each, str):
        yield from parts_of(each)
