r"""Trees whose nodes have at most two children, and back.

A node with n > 2 children gets n − 2 new nodes below it, which join the children one by one:

    left           ((a b) c) d                from the left
    right          a (b (c d))                from the right
    head-outward   a ((H c) d), H the head    the head first with what is to its right, from the
                                              nearest on, then with what is to its left

A new node is named after what it joins, and after its parent: ``@NP~DT~JJ``. With order h it is
named after only h of the children, the last ones that were joined. A grammar read off such trees
takes the children of a phrase for a Markov chain: each depends on its parent and on h of its
sisters. Without an order it depends on all of them, and every tree has the probability it had.

In the head binarisation of Johnson (2001) a new node is named after the head alone, followed by
``-1`` if the head is in its right child, and by ``-2`` if it is in its left one.

One inverse, :func:`unbinarise`, undoes them all: it takes out the nodes whose label is a made
one (:mod:`weft.grammars.transforms.labels`) and never looks at what the label says.

References: Johnson (2001), "Joint and conditional estimation of tagging and parsing models",
section 4 and figure 3; D. Klein and C. Manning (2003), "Accurate unlexicalized parsing", ACL,
section 2, for orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

from weft.errors import OptionError
from weft.grammars.heads import HeadFinder
from weft.grammars.transforms.labels import (
    is_made,
    join_labels,
    made,
    name_of,
    protect,
    unprotect,
)
from weft.grammars.transforms.rebuild import rebuilt
from weft.structures.tree import Tree

_MARK = "~"

_Children = tuple[Tree | str, ...]
_Join = Callable[[Tree, _Children], _Children]


def binarise_left(tree: Tree, order: int | None = None, *, parent: bool = True) -> Tree:
    """Join children from the left.

    Args:
        tree: The tree.
        order: After how many of the children a new node is named; all by default.
        parent: Whether it is also named after their parent.

    Raises:
        OptionError: If the order is negative.
        LimitError: If a node is so wide that the name of a new one would be too long.

    >>> flat = Tree("NP", ("DT", "JJ", "JJ", "NN"))
    >>> binarise_left(flat)
    Tree("(NP (@NP~'DT~'JJ~'JJ (@NP~'DT~'JJ DT JJ) JJ) NN)")
    >>> binarise_left(flat, order=1)
    Tree("(NP (@NP~'JJ (@NP~'JJ DT JJ) JJ) NN)")
    """
    _check_order(order)

    def join(node: Tree, children: _Children) -> _Children:
        first, names = children[0], [name_of(child) for child in node.children]
        for place in range(1, len(children) - 1):
            label = _label(node, _last(names, 0, place + 1, order), parent)
            first = Tree(label, (first, children[place]))
        return first, children[-1]

    return _binarised(tree, join)


def binarise_right(tree: Tree, order: int | None = None, *, parent: bool = True) -> Tree:
    """Join children from the right; see :func:`binarise_left`.

    >>> binarise_right(Tree("NP", ("DT", "JJ", "JJ", "NN")), order=1)
    Tree("(NP DT (@NP~'JJ JJ (@NP~'JJ JJ NN)))")
    """
    _check_order(order)

    def join(node: Tree, children: _Children) -> _Children:
        last, names = children[-1], [name_of(child) for child in node.children]
        for place in range(len(children) - 2, 0, -1):
            label = _label(node, _first(names, place, len(names), order), parent)
            last = Tree(label, (children[place], last))
        return children[0], last

    return _binarised(tree, join)


def head_outward(
    tree: Tree, heads: HeadFinder, order: int | None = None, *, parent: bool = True
) -> Tree:
    """Join the head with what is to its right, and the result with what is to its left.

    New nodes are named after the head, the side (``>`` for the right) and the children.

    Args:
        tree: The tree.
        heads: Which of a node's children is its head.
        order: After how many of the children besides the head a new node is named: the last that
            were joined on the side that was last joined; all by default.
        parent: Whether it is also named after their parent.

    Raises:
        OptionError: If the order is negative.
        LimitError: If a node is so wide that the name of a new one would be too long.

    >>> head_outward(Tree("VP", ("RB", "VB", "NP", "PP")), lambda node: 1, order=1)
    Tree("(VP RB (@VP~'VB~>~'PP (@VP~'VB~>~'NP VB NP) PP))")
    """
    _check_order(order)

    def label(node: Tree, names: Sequence[str], head: int, left: int, right: int) -> str:
        known = ["<", *_first(names, left, head, order)] if left < head else []
        if left == head or order is None:
            known += [">", *_last(names, head + 1, right + 1, order)]
        return _label(node, [names[head], *known], parent)

    return _binarised(tree, _outward(heads, label))


def binarise_by_head(tree: Tree, heads: HeadFinder) -> Tree:
    """Binarise a tree as Johnson (2001, section 4) does.

    Args:
        tree: The tree.
        heads: Which of a node's children is its head.

    >>> binarise_by_head(Tree("VP", ("RB", "VB", "NP", "PP")), lambda node: 1)
    Tree('(VP RB (@VB-2 (@VB-2 VB NP) PP))')
    >>> binarise_by_head(Tree("NP", ("DT", "JJ", "NN")), lambda node: 2)
    Tree('(NP DT (@NN-1 JJ NN))')
    """

    def label(node: Tree, names: Sequence[str], head: int, left: int, right: int) -> str:  # noqa: ARG001
        child = node.children[head]
        name = child if isinstance(child, str) else child.label
        return made(f"{name}-{1 if left < head else 2}")

    return _binarised(tree, _outward(heads, label))


def unbinarise(tree: Tree) -> Tree:
    """Return the tree that was binarised, in any of these ways.

    Raises:
        ValueError: If the root is a new node: then this is only a part of a binarised tree.

    >>> unbinarise(binarise_left(Tree("NP", ("DT", "JJ", "JJ", "NN"))))
    Tree('(NP DT JJ JJ NN)')
    """
    if is_made(tree.label):
        raise ValueError(f"the root {tree.label!r} is a node that binarisation made")
    # Only of made nodes something else than a tree is made.
    return cast(Tree, rebuilt(tree, _taken_out))


# What is under new nodes, to be put below the next old one; nested, so that wide nodes cost no
# more than their children.
_Loose = list["Tree | str | _Loose"]


def _taken_out(node: Tree, children: tuple[Tree | str | _Loose, ...]) -> Tree | _Loose:
    if is_made(node.label):
        return list(children)
    return Tree(unprotect(node.label), tuple(_flat(children)))


def _flat(children: Sequence[Tree | str | _Loose]) -> Iterator[Tree | str]:
    waiting = list(reversed(children))
    while waiting:
        child = waiting.pop()
        if isinstance(child, list):
            waiting.extend(reversed(child))
        else:
            yield child


def _binarised(tree: Tree, join: _Join) -> Tree:
    def make(node: Tree, children: _Children) -> Tree:
        joined_children = join(node, children) if len(children) > 2 else children
        return Tree(protect(node.label), joined_children)

    return rebuilt(tree, make)


def _outward(
    heads: HeadFinder, label: Callable[[Tree, Sequence[str], int, int, int], str]
) -> _Join:
    """Join from the head outwards; a label is that of what covers children left to right."""

    def join(node: Tree, children: _Children) -> _Children:
        head, names = heads(node), [name_of(child) for child in node.children]
        if not 0 <= head < len(children):
            raise ValueError(f"{node.label!r} has {len(children)} children, but its head is {head}")
        left, right, covered = head, head, children[head]
        while (left, right) != (0, len(children) - 1):
            if right < len(children) - 1:
                right += 1
                pair = covered, children[right]
            else:
                left -= 1
                pair = children[left], covered
            if (left, right) == (0, len(children) - 1):
                return pair
            covered = Tree(label(node, names, head, left, right), pair)
        return children

    return join


def _label(node: Tree, names: Sequence[str], parent: bool) -> str:
    return made(join_labels([node.label, *names] if parent else names, _MARK))


def _first(names: Sequence[str], start: int, end: int, order: int | None) -> Sequence[str]:
    """The first names of a range, as many as the order says."""
    return names[start : end if order is None else min(end, start + order)]


def _last(names: Sequence[str], start: int, end: int, order: int | None) -> Sequence[str]:
    """The last names of a range, as many as the order says."""
    return names[start if order is None else max(start, end - order) : end]


def _check_order(order: int | None) -> None:
    if order is not None and order < 0:
        raise OptionError(f"an order is a number of children, 0 or more, or None, not {order}")
