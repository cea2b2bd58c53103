"""Trees of constituents: a label over children, each of them a tree or a word.

The leaves are the words. A *preterminal* is a tree with one child, which is a word; its label is
the word's tag. In brackets a tree is written

    tree  = "(", label, { child }, ")"
    child = tree | word

with white space where two names would touch.

Reference: M. Marcus, B. Santorini and M. Marcinkiewicz (1993), "Building a large annotated corpus
of English: the Penn Treebank", Computational Linguistics 19(2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weft.errors import FormatError, quote
from weft.reprs import Pictured, bracketed, shorten

_RESERVED = frozenset("() \t\n")
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree(Pictured):
    """A label over trees and words.

    Trees that are written alike are equal. They may be deeper than Python can recurse, and so
    nothing here does; equal subtrees may be one object.

    Attributes:
        label: The category, with its functions, such as ``NP-SBJ``; empty where a treebank has
            none.
        children: From left to right; none where a grammar expands the label to nothing.

    >>> Tree("NP", (Tree("DT", ("the",)), Tree("NN", ("dog",))))
    Tree('(NP (DT the) (NN dog))')
    """

    label: str
    children: tuple[Tree | str, ...]

    def __post_init__(self) -> None:
        if type(self.children) is not tuple:
            raise ValueError(
                f"the children of {self.label!r} must be a tuple of trees and words, "
                f"not {self.children!r}"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self is other or _shape(self) == _shape(other)

    def __lt__(self, other: Tree) -> bool:
        return _shape(self) < _shape(other)

    def __hash__(self) -> int:
        return hash(_shape(self))

    def __repr__(self) -> str:
        return f"Tree({shorten(bracketed(self, _look))!r})"


def is_preterminal(tree: Tree) -> bool:
    """Say whether a tree is a tag over a word.

    >>> is_preterminal(Tree("NN", ("dog",))), is_preterminal(Tree("NP", ("the", "dog")))
    (True, False)
    """
    return len(tree.children) == 1 and isinstance(tree.children[0], str)


def subtrees(tree: Tree) -> Iterator[Tree]:
    """Return the tree and all trees below it, each before its children, from left to right.

    >>> noun = Tree("NN", ("dog",))
    >>> [each.label for each in subtrees(Tree("S", (Tree("NP", (noun,)), Tree("VP", (noun,)))))]
    ['S', 'NP', 'NN', 'VP', 'NN']
    """
    return (node for node in _nodes(tree) if isinstance(node, Tree))


def placed_subtrees(tree: Tree) -> Iterator[tuple[Tree, int, int]]:
    """Return the tree and all trees below it, each after its children, with their places.

    These are the positions before the first word and after the last, from 0.

    >>> tree = Tree("S", (Tree("NP", ("time",)), "flies"))
    >>> [(each.label, start, end) for each, start, end in placed_subtrees(tree)]
    [('NP', 0, 1), ('S', 0, 2)]
    """
    position = 0
    waiting: list[tuple[Tree, int] | Tree | str] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            position += 1
        elif isinstance(node, Tree):
            waiting.append((node, position))
            waiting.extend(reversed(node.children))
        else:
            yield *node, position


def preterminals(tree: Tree) -> Iterator[Tree]:
    """Return the tags with their words, from left to right.

    >>> noun, verb = Tree("NN", ("time",)), Tree("VBZ", ("flies",))
    >>> [each.label for each in preterminals(Tree("S", (Tree("NP", (noun,)), verb)))]
    ['NN', 'VBZ']
    """
    return (each for each in subtrees(tree) if is_preterminal(each))


def leaves(tree: Tree) -> Iterator[str]:
    """Return the words, from left to right.

    >>> list(leaves(Tree("S", (Tree("NP", ("time",)), "flies"))))
    ['time', 'flies']
    """
    return (node for node in _nodes(tree) if isinstance(node, str))


def write_brackets(tree: Tree) -> str:
    """Write a tree in brackets, on one line.

    Round brackets within words are written ``-LRB-`` and ``-RRB-``, as the Penn Treebank does.

    Raises:
        FormatError: If a label or a word could not be read back: it has white space, or is a
            label with brackets, or is empty; only the label of a root over trees may be.

    >>> write_brackets(Tree("NP", (Tree("-LRB-", ("(",)), Tree("NN", ("sic",)))))
    '(NP (-LRB- -LRB-) (NN sic))'
    """
    for node in _nodes(tree):
        text = node.label if isinstance(node, Tree) else node.translate(_ESCAPES)
        nameless = node is tree and isinstance(next(iter(tree.children), None), Tree)
        if not _RESERVED.isdisjoint(text) or not (text or nameless):
            kind = "label" if isinstance(node, Tree) else "word"
            raise FormatError(f"the {kind} {quote(text)} cannot be written in brackets")
    return "".join(bracketed(tree, _look_escaped))


def _look(node: Tree | str) -> tuple[str, tuple[Tree | str, ...] | None]:
    return (node.label, node.children) if isinstance(node, Tree) else (node, None)


def _look_escaped(node: Tree | str) -> tuple[str, tuple[Tree | str, ...] | None]:
    text, below = _look(node)
    return (text.translate(_ESCAPES) if below is None else text), below


def _nodes(tree: Tree) -> Iterator[Tree | str]:
    waiting: list[Tree | str] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Tree):
            waiting.extend(reversed(node.children))


def _shape(tree: Tree) -> tuple[tuple[str, int], ...]:
    """Return labels with numbers of children, and words with -1, in pre-order: this is the tree."""
    return tuple(
        (node.label, len(node.children)) if isinstance(node, Tree) else (node, -1)
        for node in _nodes(tree)
    )
