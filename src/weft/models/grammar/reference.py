"""Parsers as reference distributions: the log-weight of a derivation is a sum over its rules.

A rule's weight is known from a node with its children, and with what is above it where labels are
annotated: so packed forests have it on their edges. Features of phrases look at the words of a
phrase, which a node of a forest does not say: with them, whole trees are scored.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft.errors import EvidenceError
from weft.features.derived import entity
from weft.features.properties import Node
from weft.features.reference import Reference, Scored
from weft.grammars.transforms import is_made, without_words
from weft.grammars.transforms.rebuild import relabel
from weft.structures.evidence import Evidence, sentence
from weft.structures.tree import Tree, leaves

if TYPE_CHECKING:
    from weft.models.grammar.parser import Parser

_Key = tuple[str, tuple[str | tuple[str], ...]]

_PHRASES = "the reference has features of phrases, which look at words that a node does not say"
_TOP, _STUB = "^", Tree("*", ("*",))


def parser_reference(parser: Parser) -> Reference:
    """Return a parser as a reference distribution over derivations."""
    if parser.model.tables:
        return Reference(of_trees=_TreeScores(parser).of_trees, why_listed=_PHRASES)
    scores = _RuleScores(parser)
    return Reference(of_node=scores.of_node, above=max(1, parser.model.shaping.parents))


class _RuleScores:
    """The log-weights of rules, found by what a node of a derivation looks like."""

    def __init__(self, parser: Parser) -> None:
        self._model = parser.model
        self._weights = parser.model.rule_weights(parser.weights)
        self._least = float(self._weights[np.isfinite(self._weights)].min(initial=0.0))
        self._start = _start_of(parser)
        self._over_tags = parser.model.shaping.over_tags
        self._known: dict[Node, Scored] = {}

    def of_node(self, node: Node) -> Scored:
        """Return the log-weight of the rules of a node; what is not a rule is counted."""
        if node not in self._known:
            self._known[node] = self._score(node)
        return self._known[node]

    def _score(self, node: Node) -> Scored:
        found = [self._weight(key) for key in self._rules(node)]
        known = [weight for weight in found if weight > -math.inf]
        unknown = len(found) - len(known)
        return Scored(sum(known) + unknown * self._least, unknown)

    def _weight(self, key: _Key) -> float:
        number = self._model.index.numbers.get(key)
        return -math.inf if number is None else float(self._weights[number])

    def _rules(self, node: Node) -> Iterator[_Key]:
        """The rules of a node, and at the root the one that leads there."""
        above, tree = self._spine(node), self._tree(node)
        for label in above:
            tree = Tree(label, (tree,))
        shaped: Tree = self._model.shaping(tree)
        for depth in range(len(above)):
            if depth == len(above) - 1 and node.above[0] == _TOP:
                yield _key(shaped)
            [shaped] = (child for child in shaped.children if isinstance(child, Tree))
        if node.children or not self._over_tags:
            yield from self._made(shaped)

    def _spine(self, node: Node) -> list[str]:
        """The labels above, the start symbol at last if there is no other node above."""
        real = list(itertools.takewhile(lambda label: label != _TOP, node.above))
        top = real[-1] if real else entity(node.label)
        return real + [self._start] * (len(real) < len(node.above) and top != self._start)

    def _tree(self, node: Node) -> Tree:
        """A node as a tree, with something below its children that is not looked at."""
        label = entity(node.label)
        if not node.children:
            return Tree(label, self._model.terminals(node.words))
        below = [
            Tree(name, (_STUB,))
            if kind is None
            else name
            if self._over_tags
            else Tree(name, ("*",))
            for name, kind in zip(node.children, node.types, strict=True)
        ]
        return Tree(label, tuple(below))

    def _made(self, tree: Tree) -> Iterator[_Key]:
        """The rule of a node, and those of nodes below that only make trees binary."""
        label, body = _key(tree)
        if body == (label,) and self._weight((label, body)) == -math.inf:
            return  # a label over nothing but the same label is one node in treebanks
        yield label, body
        for child in tree.children:
            if isinstance(child, Tree) and is_made(child.label):
                yield from self._made(child)


def _key(tree: Tree) -> _Key:
    body = (child.label if isinstance(child, Tree) else (child,) for child in tree.children)
    return tree.label, tuple(body)


class _TreeScores:
    """The log-weights of whole trees."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    def of_trees(self, trees: Sequence[Tree]) -> list[Scored]:
        """Return the log-weights of trees; -inf of one with a rule that the grammar has not."""
        return [self._score(tree) for tree in trees]

    def _score(self, tree: Tree) -> Scored:
        model, start = self._parser.model, _start_of(self._parser)
        tree = relabel(tree, entity)
        tree = tree if tree.label == start else Tree(start, (tree,))
        try:
            tree = without_words(tree) if model.shaping.over_tags else tree
            alone = model.trees([Evidence(sentence(tuple(leaves(tree))), parse=tree)])
            score = float(alone.log_partition(self._parser.weights)[0])
        except (EvidenceError, ValueError):  # a rule, or an entry of several words
            score = -math.inf
        return Scored(score, int(score == -math.inf))


def _start_of(parser: Parser) -> str:
    grammar = parser.model.grammar
    return grammar.nonterminals[grammar.start]
