"""One label over every tree, so that a grammar of several trees has one start symbol."""

from __future__ import annotations

from weft.structures.tree import Tree

TOP = "TOP"
"""The usual label of a root that is over every tree."""


def add_root(tree: Tree, label: str = TOP) -> Tree:
    """Return a tree under a root.

    >>> add_root(Tree("S", (Tree("VP", ("go",)),)))
    Tree('(TOP (S (VP go)))')
    """
    return Tree(label, (tree,))


def remove_root(tree: Tree) -> Tree:
    """Return the tree under a root.

    Raises:
        ValueError: If the root has not one child, a tree.

    >>> remove_root(Tree("TOP", (Tree("S", (Tree("VP", ("go",)),)),)))
    Tree('(S (VP go))')
    """
    if len(tree.children) != 1 or isinstance(tree.children[0], str):
        raise ValueError(f"expected a root over one tree, not {tree.label!r} over {_shown(tree)}")
    return tree.children[0]


def _shown(tree: Tree) -> str:
    return f"the word {tree.children[0]!r}" if len(tree.children) == 1 else f"{len(tree.children)}"
