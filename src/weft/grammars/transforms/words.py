"""Tags as the leaves of trees, in place of the words.

A grammar over tags has no rules for words: its strings are sequences of tags.

    (S (NP (DT the) (NN dog)) (VP (VBZ barks)))   →   (S (NP DT NN) (VP VBZ))
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.grammars.transforms.rebuild import rebuilt
from weft.structures.tree import Tree, is_preterminal, leaves


def without_words(tree: Tree) -> Tree:
    """Return a tree whose leaves are the tags of its words.

    Raises:
        ValueError: If a word has no tag of its own, or the tree is nothing but a tag with its word.

    >>> without_words(Tree("NP", (Tree("DT", ("the",)), Tree("NN", ("dog",)))))
    Tree('(NP DT NN)')
    """
    made = rebuilt(tree, _without_word)
    if isinstance(made, str):
        raise ValueError(f"{tree!r} is a tag alone: put a root over it before words are removed")
    return made


def _without_word(node: Tree, children: tuple[Tree | str, ...]) -> Tree | str:
    if is_preterminal(node):
        return node.label
    for child in node.children:
        if isinstance(child, str):
            raise ValueError(f"the word {child!r} has no tag of its own: write it as (TAG {child})")
    return Tree(node.label, children)


def with_words(tree: Tree, words: Iterable[str] | None = None) -> Tree:
    """Return a tree with words below its leaves, which are tags.

    Args:
        tree: The tree, whose leaves are tags.
        words: The words from left to right; by default each tag stands for its word, too.

    Raises:
        ValueError: If there are more or fewer words than leaves.

    >>> with_words(Tree("NP", ("DT", "NN")), ["the", "dog"])
    Tree('(NP (DT the) (NN dog))')
    """
    tags = list(leaves(tree))
    given = tags if words is None else list(words)
    if len(given) != len(tags):
        raise ValueError(f"{len(tags)} tags need as many words, not {len(given)}")
    remaining = iter(given)
    return rebuilt(tree, _same, lambda tag: Tree(tag, (next(remaining),)))


def with_leaves(tree: Tree, words: Iterable[str]) -> Tree:
    """Return a tree with other words as its leaves.

    Raises:
        ValueError: If there are more or fewer words than leaves.

    >>> with_leaves(Tree("NP", (Tree("DT", ("the",)), "dog")), ["a", "cat"])
    Tree('(NP (DT a) cat)')
    """
    given = list(words)
    count = sum(1 for _ in leaves(tree))
    if len(given) != count:
        raise ValueError(f"{count} leaves need as many words, not {len(given)}")
    remaining = iter(given)
    return rebuilt(tree, _same, lambda _: next(remaining))


def _same(node: Tree, children: tuple[Tree | str, ...]) -> Tree:
    return Tree(node.label, children)
