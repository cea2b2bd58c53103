"""Trees of feature grammars: a structure at each node, and the rule that it was made by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.reprs import Pictured, bracketed, shorten
from weft.structures.tree import Tree
from weft.unification.evaluate import evaluate
from weft.unification.grammar import FeatureGrammar, FeatureRule, category_of
from weft.unification.structure import FeatureStructure
from weft.unification.unify import Graph


@dataclass(frozen=True, slots=True, repr=False)
class FeatureTree(Pictured):
    """A constituent with its parts.

    Attributes:
        label: Its structure as NLTK gives it: what its parts say of it, not what it is part of.
        children: Trees and words, from left to right.
        rule: The rule that it was made by.
    """

    label: FeatureStructure
    children: tuple[FeatureTree | str, ...]
    rule: FeatureRule

    def __str__(self) -> str:
        return "".join(bracketed(self, _look))

    def __repr__(self) -> str:
        return f"FeatureTree({shorten(bracketed(self, _look))!r})"


def _look(node: FeatureTree | str) -> tuple[str, Sequence[FeatureTree | str] | None]:
    return (node, None) if isinstance(node, str) else (str(node.label), node.children)


def subtrees(tree: FeatureTree) -> Iterator[FeatureTree]:
    """Yield a tree and all trees below it, each before its children."""
    waiting: list[FeatureTree | str] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, FeatureTree):
            yield node
            waiting.extend(reversed(node.children))


def plain_tree(tree: FeatureTree, features: bool = False) -> Tree:
    """Return a tree with categories, or whole structures, as labels."""
    label = str(tree.label) if features else category_of(tree.label, 0) or ""
    below = (
        child if isinstance(child, str) else plain_tree(child, features) for child in tree.children
    )
    return Tree(label, tuple(below))


def make_label(
    grammar: FeatureGrammar, rule: FeatureRule, below: Sequence[FeatureStructure]
) -> FeatureStructure:
    """Return what a rule says of its left side over parts of these structures.

    Raises:
        ValueError: If they do not unify with its right side.
    """
    graph = Graph(rule.structure.nodes)
    left, *right = rule.sides
    sides = (side for side, word in zip(right, rule.words, strict=True) if word is None)
    for side, label in zip(sides, below, strict=True):
        if not graph.unify(side, graph.add(label.nodes), grammar.defaults):
            raise ValueError(f"{rule} does not apply over {label}")
    return evaluate(graph.structure(left, dict(rule.structure.names)))


def resolve(grammar: FeatureGrammar, tree: FeatureTree) -> FeatureTree:
    r"""Return a tree in which every structure says all that the whole tree says of it.

    >>> import io
    >>> from weft.unification import FeatureParser, read_fcfg
    >>> rules = "S -> NP[NUM=?n] VP[NUM=?n]\nNP[NUM=sg] -> 'Kim'\nVP[NUM=?n] -> 'saw'"
    >>> parser = FeatureParser(read_fcfg(io.BytesIO(rules.encode())))
    >>> [tree] = parser.parse("Kim saw")
    >>> print(tree)
    (S[] (NP[NUM='sg'] Kim) (VP[NUM=?a] saw))
    >>> print(resolve(parser.grammar, tree))
    (S[] (NP[NUM='sg'] Kim) (VP[NUM='sg'] saw))
    """
    graph = Graph()
    names: dict[int, str] = {}
    places: list[int] = []

    def add(node: FeatureTree) -> int:
        """The node of a tree's left side; trees are numbered as they are met, tops first."""
        base = graph.add(node.rule.structure.nodes)
        names.update((base + place, name) for place, name in node.rule.structure.names)
        left, *right = (base + side for side in node.rule.sides)
        places.append(left)
        for side, child in zip(right, node.children, strict=True):
            if isinstance(child, FeatureTree):
                graph.unify(side, add(child), grammar.defaults)
        return left

    graph.unify(add(tree), graph.add(grammar.start.nodes), grammar.defaults)
    labels = iter([evaluate(graph.structure(place, names)) for place in places])
    return _relabelled(tree, labels)


def _relabelled(tree: FeatureTree, labels: Iterator[FeatureStructure]) -> FeatureTree:
    label = next(labels)
    below = (
        child if isinstance(child, str) else _relabelled(child, labels) for child in tree.children
    )
    return FeatureTree(label, tuple(below), tree.rule)
