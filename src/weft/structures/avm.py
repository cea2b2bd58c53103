"""Attribute–value matrices as they are drawn, whatever they were made from.

A value is a text, a matrix of features with values, some values in brackets, or the tag of a value
that is drawn elsewhere: so re-entrancy is shown. The structures of feature grammars and of LFG are
made such values, and one program draws both (:mod:`weft.report.matrices`). As text:

>>> agreement = Matrix((("NUM", Leaf("sg")),), tag="1")
>>> print(draw_avm(Matrix((("AGR", agreement), ("SUBJ", Matrix((("AGR", Link("1")),)))), "S")))
⎡S                 ⎤
⎢AGR   (1)[NUM  sg]⎥
⎣SUBJ  [AGR  (1)]  ⎦
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is a text: an atom, a variable, a semantic form.

    Attributes:
        text: What is written.
        tag: What it is called where else it is a value; nothing if it is none.
    """

    text: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A value that is drawn elsewhere, under this tag."""

    tag: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """Features with their values.

    Attributes:
        features: From top to bottom; a name may come twice.
        heading: What stands above them, such as a category.
        tag: What it is called where else it is a value; nothing if it is none.
    """

    features: tuple[tuple[str, Avm], ...] = ()
    heading: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Values in brackets: a set, a list, a tuple.

    Attributes:
        items: The values.
        brackets: ``{}``, ``⟨⟩`` or ``()``.
        separator: What stands between two of them where they stand on one line.
        tag: What it is called where else it is a value; nothing if it is none.
    """

    items: tuple[Avm, ...] = ()
    brackets: str = "{}"
    separator: str = ", "
    tag: str = ""


Avm = Leaf | Link | Matrix | Group
"""A value."""


@dataclass(frozen=True, slots=True)
class AvmTree:
    """A node of a tree that is drawn with or beside matrices.

    Attributes:
        label: What is drawn at the node: a category as a :class:`Leaf`, or a whole matrix.
        children: Nodes and words, from left to right.
        link: The tag of the matrix that belongs to the node (its φ), where there is one.
    """

    label: Avm
    children: tuple[AvmTree | str, ...] = ()
    link: str = ""


def values_within(value: Avm) -> Iterator[Avm]:
    """Yield a value and all within it, each before what it holds.

    >>> [each.tag for each in values_within(Matrix((("A", Leaf("b", tag="1")), ("C", Link("1")))))]
    ['', '1', '1']
    """
    waiting = [value]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(parts_of(each)))


def parts_of(value: Avm) -> tuple[Avm, ...]:
    """Return the values right within a value."""
    if isinstance(value, Matrix):
        return tuple(below for _, below in value.features)
    return value.items if isinstance(value, Group) else ()


_TALL = {"[": "⎡⎢⎣", "]": "⎤⎥⎦", "{": "⎧⎨⎩", "}": "⎫⎬⎭", "(": "⎛⎜⎝", ")": "⎞⎟⎠"}
_TALL |= {"⟨": _TALL["("], "⟩": _TALL[")"]}  # there are no tall ones
_MIDDLE = {"{": "⎪", "}": "⎪"}


def draw_avm(value: Avm) -> str:
    """Draw a value as text, with tags in round brackets.

    >>> print(draw_avm(Matrix((("ADJ", Group((Matrix((("A", Leaf("b")),)), Matrix()))),))))
    ⎡ADJ  ⎧[A  b]⎫⎤
    ⎣     ⎩[]    ⎭⎦
    """
    return "\n".join(_lines(value))


def _lines(value: Avm) -> list[str]:
    if isinstance(value, Link):
        return [f"({value.tag})"]
    tag = f"({value.tag})" if value.tag else ""
    if isinstance(value, Leaf):
        return [tag + value.text]
    inside = _rows(value) if isinstance(value, Matrix) else _items(value)
    brackets = "[]" if isinstance(value, Matrix) else value.brackets
    first, *rest = _bracketed(inside, brackets)
    return [tag + first, *(" " * len(tag) + line for line in rest)]


def _rows(matrix: Matrix) -> list[str]:
    lines = [matrix.heading] if matrix.heading else []
    width = max((width_of(name) for name, _ in matrix.features), default=0)
    for name, value in matrix.features:
        first, *rest = _lines(value)
        lines.append(f"{_padded(name, width)}  {first}")
        lines.extend(f"{' ' * width}  {line}" for line in rest)
    return lines


def _items(group: Group) -> list[str]:
    drawn = [_lines(item) for item in group.items]
    if all(len(lines) == 1 for lines in drawn) and not _has_matrix(group):
        return [group.separator.join(lines[0] for lines in drawn)]
    return [line for lines in drawn for line in lines]


def _has_matrix(group: Group) -> bool:
    return any(isinstance(item, Matrix) for item in group.items)


def _bracketed(lines: list[str], brackets: str) -> list[str]:
    left, right = tuple(brackets)
    if len(lines) < 2:
        return [f"{left}{''.join(lines)}{right}"]
    width = max(map(width_of, lines))
    rows = zip(_tall(left, len(lines)), lines, _tall(right, len(lines)), strict=True)
    return [f"{one}{_padded(line, width)}{other}" for one, line, other in rows]


def _tall(bracket: str, height: int) -> str:
    top, middle, bottom = tuple(_TALL[bracket])
    between = [_MIDDLE.get(bracket, middle)] * (height - 2)
    if between:
        between[len(between) // 2] = middle
    return top + "".join(between) + bottom


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))
