"""Chains of nodes with one child each made one node, and back.

    (S (VP (VB go)))   →   (S+VP (VB go))

A grammar read off such trees has unary rules only below its root, if anywhere.
"""

from __future__ import annotations

from weft.grammars.transforms.labels import join_labels, part_label
from weft.grammars.transforms.rebuild import rebuilt
from weft.structures.tree import Tree, is_preterminal

_MARK = "+"


def collapse(tree: Tree, *, root: bool = False, tags: bool = False) -> Tree:
    """Return a tree without nodes that have one child, a tree.

    Args:
        tree: The tree.
        root: Whether its root is made one with what is below it; else it stays, as the start
            symbol of a grammar.
        tags: Whether a phrase is made one with the tag of its only word.

    >>> chain = Tree("TOP", (Tree("S", (Tree("VP", (Tree("VB", ("go",)),)),)),))
    >>> collapse(chain)
    Tree('(TOP (S+VP (VB go)))')
    >>> collapse(chain, root=True, tags=True)
    Tree('(TOP+S+VP+VB go)')
    """

    def make(node: Tree, children: tuple[Tree | str, ...]) -> Tree:
        label = join_labels([node.label], _MARK)
        only = children[0] if len(children) == 1 and (root or node is not tree) else None
        if isinstance(only, Tree) and (tags or not is_preterminal(only)):
            return Tree(label + _MARK + only.label, only.children)
        return Tree(label, children)

    return rebuilt(tree, make)


def uncollapse(tree: Tree) -> Tree:
    """Return the tree that was collapsed.

    >>> uncollapse(Tree("TOP", (Tree("S+VP", (Tree("VB", ("go",)),)),)))
    Tree('(TOP (S (VP (VB go))))')
    """
    return rebuilt(tree, _expanded)


def _expanded(node: Tree, children: tuple[Tree | str, ...]) -> Tree:
    names = part_label(node.label, _MARK)
    made = Tree(names[-1], children)
    for name in reversed(names[:-1]):
        made = Tree(name, (made,))
    return made
