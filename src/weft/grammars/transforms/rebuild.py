"""Functions of whole trees from functions of their nodes, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from weft.structures.tree import Tree

MadeT = TypeVar("MadeT")


def rebuilt(
    tree: Tree,
    make: Callable[[Tree, tuple[MadeT | str, ...]], MadeT],
    leaf: Callable[[str], MadeT | str] = str,
    enter: Callable[[Tree], object] | None = None,
) -> MadeT:
    """Return what is made of a tree, from its words upwards.

    Trees may be deeper than Python can recurse, and so this does not.

    Args:
        tree: The tree.
        make: From a node, and what was made of its children, to what is made of the node.
        leaf: From a word to what is made of it, called from left to right; words stay as they
            are by default.
        enter: Called with each node before its children, if given.

    >>> noun = Tree("NN", ("dog",))
    >>> rebuilt(Tree("NP", (Tree("DT", ("the",)), noun)), lambda node, below: len(below))
    2
    """
    open_nodes: list[tuple[Tree, Iterator[Tree | str], list[MadeT | str]]] = []
    new: Tree | None = tree
    while True:
        if new is not None:
            if enter is not None:
                enter(new)
            open_nodes.append((new, iter(new.children), []))
        node, remaining, below = open_nodes[-1]
        for child in remaining:
            if not isinstance(child, str):
                new = child
                break
            below.append(leaf(child))
        else:
            new = None
            open_nodes.pop()
            made = make(node, tuple(below))
            if not open_nodes:
                return made
            open_nodes[-1][2].append(made)


def relabel(tree: Tree, label: Callable[[str], str]) -> Tree:
    """Return a tree with other labels, the words being as they were.

    >>> relabel(Tree("np", (Tree("nn", ("dog",)),)), str.upper)
    Tree('(NP (NN dog))')
    """
    return rebuilt(tree, lambda node, children: Tree(label(node.label), children))
