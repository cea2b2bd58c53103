"""Trees to look at: as indented text, and as a picture.

On one line a tree is written by :func:`weft.structures.tree.write_brackets`. In a picture every
node has a box as wide as its label and as all boxes below it, side by side, so that nothing
overlaps, and stands in the middle of it. The picture needs no program but one that shows SVG.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from weft.errors import LimitError
from weft.grammars.transforms.rebuild import rebuilt
from weft.structures.tree import Tree, write_brackets

MOST_DRAWN = 5_000
"""A picture of more nodes and words would show nothing."""

FONT = 14.0
"""The size of letters in a picture."""

_MOST_INDENTS = 100  # else the text of a deep tree would grow with the square of its depth
_LEVEL, _GAP, _MARGIN = 44.0, 16.0, 12.0
_WIDTHS = {"thin": 0.3, "plain": 0.56, "capital": 0.72, "wide": 1.0}  # shares of the font's size
_THIN = frozenset("iIjlt.,:;'`|!()[]{}- ")
_LONGEST_TEXT = 40
_LABEL_COLOUR, _WORD_COLOUR, _LINE_COLOUR = "#1d5f9e", "#111", "#888"

# What XML 1.0 has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class _Sized:
    """A tree and how many characters it takes on one line."""

    tree: Tree
    width: int
    children: tuple[_Sized | str, ...]


def indent_tree(tree: Tree, width: int = 80) -> str:
    """Write a tree in brackets over as many lines as it needs.

    What fits into a line stays in one. What is written is read as the same tree.

    Args:
        tree: The tree.
        width: How many characters a line may have, if it can be helped: brackets that close at
            the end of a line, and words that are longer, may go beyond it.

    Raises:
        ValueError: If a label or a word could not be read back.

    >>> noun_phrase = Tree("NP", (Tree("DT", ("the",)), Tree("NN", ("dog",))))
    >>> verb_phrase = Tree("VP", (Tree("VBZ", ("barks",)),))
    >>> print(indent_tree(Tree("S", (noun_phrase, verb_phrase)), width=24))
    (S
      (NP (DT the) (NN dog))
      (VP (VBZ barks)))
    """
    write_brackets(tree)  # refuses what could not be read back
    lines: list[str] = []
    waiting: list[tuple[_Sized | str, int, int]] = [(rebuilt(tree, _sized, _written), 0, 0)]
    while waiting:
        item, depth, closing = waiting.pop()
        indent, end = "  " * min(depth, _MOST_INDENTS), ")" * closing
        if isinstance(item, str):
            lines.append(indent + item + end)
        elif len(indent) + item.width <= width or not _has_trees(item):
            lines.append(indent + write_brackets(item.tree) + end)
        else:
            lines.append(f"{indent}({item.tree.label}")
            last = len(item.children) - 1
            waiting.extend(
                (item.children[place], depth + 1, closing + 1 if place == last else 0)
                for place in range(last, -1, -1)
            )
    return "\n".join(lines)


def _has_trees(item: _Sized) -> bool:
    return any(isinstance(child, _Sized) for child in item.children)


def _written(word: str) -> str:
    return word.replace("(", "-LRB-").replace(")", "-RRB-")


def _sized(node: Tree, children: tuple[_Sized | str, ...]) -> _Sized:
    widths = [len(child) if isinstance(child, str) else child.width for child in children]
    return _Sized(node, 2 + len(node.label) + len(widths) + sum(widths), children)


@dataclass(frozen=True, slots=True)
class _Box:
    """A node or a word of a picture, with what is below it."""

    text: str
    is_word: bool
    width: float
    children: tuple[_Box, ...]


def tree_svg(tree: Tree, title: str = "") -> str:
    """Return a picture of a tree as a self-contained SVG file.

    Args:
        tree: The tree.
        title: What the picture is called by programs that read it out.

    Raises:
        LimitError: If there are more than ``MOST_DRAWN`` nodes and words.

    >>> picture = tree_svg(Tree("NP", (Tree("NNP", ("R&D",)),)), title="a noun phrase")
    >>> "<title>a noun phrase</title>" in picture, "R&amp;D" in picture
    (True, True)
    """
    count = 0

    def box(text: str, is_word: bool, children: tuple[_Box, ...]) -> _Box:
        nonlocal count
        count += 1
        if count > MOST_DRAWN:
            message = f"a picture of over {MOST_DRAWN:,} nodes and words would show nothing"
            raise LimitError(f"{message}; draw a part of the tree")
        below = sum(child.width for child in children)
        return _Box(text, is_word, max(text_width(_shortened(text)) + _GAP, below), children)

    def make(node: Tree, children: tuple[_Box | str, ...]) -> _Box:
        below = tuple([child for child in children if isinstance(child, _Box)])
        return box(node.label, False, below)

    whole = rebuilt(tree, make, lambda word: box(word, True, ()))
    return "\n".join(_svg(whole, title)) + "\n"


def _svg(whole: _Box, title: str) -> Iterator[str]:
    lines, texts, levels = _drawn(whole)
    width = whole.width + 2 * _MARGIN
    height = levels * _LEVEL - (_LEVEL - FONT) + 2 * _MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="sans-serif" font-size="{FONT:.0f}" text-anchor="middle">'
    )
    yield f"<title>{escaped(title)}</title>"
    yield f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>'
    if lines:
        yield f'<path d="{"".join(lines)}" fill="none" stroke="{_LINE_COLOUR}"/>'
    yield from texts
    yield "</svg>"


def _drawn(whole: _Box) -> tuple[list[str], list[str], int]:
    """The lines and the texts of a picture, and how many levels it has."""
    lines: list[str] = []
    texts: list[str] = []
    levels = 0
    waiting = [(whole, _MARGIN, 0)]
    while waiting:
        box, left, level = waiting.pop()
        levels = max(levels, level + 1)
        x, y = left + box.width / 2, _MARGIN + level * _LEVEL
        colour, kind = (_WORD_COLOUR, "word") if box.is_word else (_LABEL_COLOUR, "label")
        text = escaped(_shortened(box.text))
        place = f'x="{x:.1f}" y="{y + FONT - 2:.1f}"'
        texts.append(f'<text class="{kind}" {place} fill="{colour}">{text}</text>')
        inner = left + (box.width - sum(child.width for child in box.children)) / 2
        for child in box.children:
            foot = inner + child.width / 2
            lines.append(f"M{x:.1f} {y + FONT + 3:.1f}L{foot:.1f} {y + _LEVEL - 3:.1f}")
            waiting.append((child, inner, level + 1))
            inner += child.width
    return lines, texts, levels


def text_width(text: str) -> float:
    """Return about how wide a text is in a picture."""
    return FONT * sum(_WIDTHS[_width_of(character)] for character in text)


def _width_of(character: str) -> str:
    if character in _THIN:
        return "thin"
    if unicodedata.east_asian_width(character) in "WF":
        return "wide"
    return "capital" if character.isupper() or character in "@%&mwMW<>=+~" else "plain"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def escaped(text: str) -> str:
    """Return a text as XML and HTML write it, also between quotes."""
    return html.escape(_UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text))
