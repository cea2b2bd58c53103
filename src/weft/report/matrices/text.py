"""A tree and a matrix side by side as text, with equal tags at a node and what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from weft.structures.avm import Avm, AvmTree, draw_avm, width_of

_APART = 4


def linked_text(tree: AvmTree, value: Avm) -> str:
    """Return a tree, a line for each node, with a matrix at its right.

    >>> from weft.structures.avm import Leaf, Matrix
    >>> tree = AvmTree(Leaf("S"), (AvmTree(Leaf("VP"), ("rains",), link="1"),), link="1")
    >>> features = (("PRED", Leaf("'rain'")), ("TENSE", Leaf("past")))
    >>> print(linked_text(tree, Matrix(features, tag="1")))
    S (1)            (1)⎡PRED   'rain'⎤
      VP (1)  rains     ⎣TENSE  past  ⎦
    """
    left, right = list(_lines(tree, 0)), draw_avm(value).splitlines()
    width = max(map(width_of, left)) + _APART
    rows = zip_longest(left, right, fillvalue="")
    return "\n".join((one + " " * (width - width_of(one)) + other).rstrip() for one, other in rows)


def _lines(tree: AvmTree, depth: int) -> Iterator[str]:
    words = " ".join(child for child in tree.children if isinstance(child, str))
    link = f" ({tree.link})" if tree.link else ""
    label = draw_avm(tree.label).splitlines()
    yield "  " * depth + label[0] + link + (f"  {words}" if words else "")
    yield from ("  " * depth + line for line in label[1:])
    for child in tree.children:
        if isinstance(child, AvmTree):
            yield from _lines(child, depth + 1)
