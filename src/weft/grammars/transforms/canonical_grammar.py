"""The grammar of canonical trees: what a grammar of binary trees says of those alone.

Which trees head binarisation makes is decided by a deterministic automaton from below
(:class:`~weft.grammars.transforms.canonical.CanonicalTrees`), which has states at made nodes. Here
its product with a grammar is written out: a made nonterminal becomes several, one for each state
that the rules above tell apart. Every canonical tree is one tree of the product, and others are
none, so that sums over the product are sums over canonical trees.

Where labels are annotated with their ancestors, all children of a phrase must name the same ones,
and the phrase must be the first of them. A state also holds what the children so far name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weft.arrays import IntArray, flatten
from weft.grammars.heads.rules import HeadRules
from weft.grammars.transforms.annotate import ancestors_of, plain_label
from weft.grammars.transforms.canonical import NEVER, PLAIN, CanonicalTrees
from weft.grammars.transforms.labels import unprotect
from weft.structures.grammar import Grammar

_MARK = "\0"  # between a made label and the number of its state


class _Node(NamedTuple):
    """A symbol, its state, and the ancestors that its children name, where any does."""

    symbol: int
    state: int = PLAIN
    named: tuple[str, ...] = ()


class CanonicalGrammar(NamedTuple):
    """A grammar whose trees are the canonical ones of another.

    Attributes:
        grammar: The product; its first nonterminals are those of the other grammar.
        origins: [rules], the rule of the other grammar that each is made of.
        owners: [nonterminals], the nonterminal that each is made of.
    """

    grammar: Grammar
    origins: IntArray
    owners: IntArray

    def label(self, label: str) -> str:
        """Return the other grammar's label for one of the product."""
        return label.partition(_MARK)[0]


class _Step(NamedTuple):
    """A rule over a made child: its number, its head, the plain child, and whether that is left."""

    rule: int
    head: int
    other: int
    left: bool


def canonical_grammar(grammar: Grammar, heads: HeadRules, parents: int = 0) -> CanonicalGrammar:
    """Return the grammar of the canonical trees of a grammar.

    >>> from weft.structures.grammar import Rule, Terminal
    >>> from weft.structures.grammar import grammar as made
    >>> words = [Rule(label, (Terminal(label.lower()),)) for label in ("V", "N")]
    >>> below = [Rule("@V-2", ("V", "N")), Rule("@N-2", ("N", "N"))]
    >>> both = made([Rule("S", ("@V-2", "N")), Rule("S", ("@N-2", "N")), *below, *words])
    >>> from weft.grammars.heads import HeadSearch
    >>> found = canonical_grammar(both, HeadRules({"*": (HeadSearch("left", ("V", "N")),)}))
    >>> [found.grammar.rule(number).body for number in np.flatnonzero(found.origins < 2)]
    [('@V-2', 'N'), ('@N-2', 'N')]

    Args:
        grammar: The rules of trees that head binarisation made, of at most two children each.
        heads: The head rules by which it did.
        parents: With how many ancestors labels are annotated; head rules know labels without them.
    """
    product = _Product(grammar, heads, parents)
    product.explore()
    return product.written()


class _Product:
    def __init__(self, grammar: Grammar, heads: HeadRules, parents: int) -> None:
        self._grammar = grammar
        self._own = [
            ancestors_of(unprotect(each), parents) if parents else ((), ())
            for each in grammar.nonterminals
        ]
        self._count = len(grammar.nonterminals)
        pairs = np.diff(grammar.body_offsets) == 2
        used = grammar.bodies[np.repeat(pairs, np.diff(grammar.body_offsets))]
        leaves = {int(symbol): grammar.terminals[~symbol] for symbol in used if symbol < 0}
        labels = list(dict.fromkeys([*grammar.nonterminals, *leaves.values()]))
        numbers = {label: number for number, label in enumerate(labels)}
        self._labels = {symbol: numbers[text] for symbol, text in leaves.items()}
        self._labels |= {place: numbers[text] for place, text in enumerate(grammar.nonterminals)}
        terminals = frozenset(leaves.values())
        above = [
            (self._labels[head], self._labels[symbol])
            for _, head, body in self._bodies()
            for symbol in body
            if len(body) == 2
        ]
        self._trees = CanonicalTrees(labels, heads, terminals, plain_label, above)
        self._steps: dict[int, list[_Step]] = {}
        self._found: dict[_Node, list[tuple[int, _Node]]] = {}  # by made node, what it leads to

    def _made(self, symbol: int) -> bool:
        return symbol >= 0 and self._trees.sides[self._labels[symbol]] != 0

    def _bodies(self) -> Iterator[tuple[int, int, list[int]]]:
        """Rules with their heads and right sides."""
        grammar = self._grammar
        for rule, head in enumerate(grammar.heads.tolist()):
            yield rule, head, grammar.body(rule).tolist()

    def _over(self, head: int, left: _Node, right: _Node) -> _Node | None:
        """The node over two children; None if no canonical tree has it."""
        pairs = ((self._labels[symbol], state) for symbol, state, _ in (left, right))
        state = self._trees.over(self._labels[head], *pairs)
        named = {each for node in (left, right) if (each := self._named(node))}
        made = self._made(head)
        if state == NEVER or len(named) > 1 or not (made or named <= {self._own[head][1]}):
            return None
        return _Node(head, state, *named) if made else _Node(head)

    def _named(self, node: _Node) -> tuple[str, ...]:
        if node.symbol < 0 or self._made(node.symbol):
            return node.named
        return self._own[node.symbol][0]

    def explore(self) -> None:
        """Find all states of made nodes, from below."""
        self._kept: list[int] = []  # rules without a made child that stay as they are
        self._begun: list[tuple[int, _Node]] = []
        for rule, head, body in self._bodies():
            made = [self._made(symbol) for symbol in body]
            if len(body) != 2:
                if not any(made) and not self._made(head):
                    self._kept.append(rule)
            elif not any(made):
                node = self._over(head, _Node(body[0]), _Node(body[1]))
                if not self._made(head):
                    self._kept.append(rule)
                elif node is not None:
                    self._begun.append((rule, node))
            elif sum(made) == 1:
                child, other = body if made[0] else body[::-1]
                self._steps.setdefault(child, []).append(_Step(rule, head, other, made[1]))
        waiting = [node for _, node in self._begun]
        while waiting:
            node = waiting.pop()
            if node not in self._found:
                self._found[node] = list(self._onward(node))
                waiting += [above for _, above in self._found[node] if self._made(above.symbol)]

    def _onward(self, node: _Node) -> Iterator[tuple[int, _Node]]:
        for step in self._steps.get(node.symbol, []):
            other = _Node(step.other)
            above = self._over(step.head, *((other, node) if step.left else (node, other)))
            if above is not None:
                yield step.rule, above

    def _classes(self) -> dict[_Node, int]:
        """Numbers of made nodes; those that the rules above do not tell apart have the same."""
        classes = {node: node.symbol for node in self._found}
        while True:
            numbers: dict[object, int] = {}
            finer = {
                node: numbers.setdefault(
                    (
                        node.symbol,
                        tuple([(rule, classes.get(above, -1)) for rule, above in onward]),
                    ),
                    len(numbers),
                )
                for node, onward in self._found.items()
            }
            if len(numbers) == len(set(classes.values())):
                return finer
            classes = finer

    def written(self) -> CanonicalGrammar:
        """Return the product."""
        grammar, classes = self._grammar, self._classes()
        names, owners = list(grammar.nonterminals), list(range(self._count))
        symbols: dict[int, int] = {}
        taken: set[int] = set()
        for node, number in classes.items():
            if number in symbols:
                continue
            label = node.symbol
            # The first state of a label has the label's own place.
            symbols[number] = len(names) if label in taken else label
            if label in taken:
                names.append(f"{grammar.nonterminals[label]}{_MARK}{number}")
                owners.append(label)
            taken.add(label)
        rules = {(rule, head, tuple(grammar.body(rule).tolist())) for rule, head in self._plain()}
        rules |= {
            (rule, symbols[classes[node]], tuple(grammar.body(rule).tolist()))
            for rule, node in self._begun
        }
        for node, onward in self._found.items():
            own = symbols[classes[node]]
            for rule, above in onward:
                head = symbols[classes[above]] if above in classes else above.symbol
                body = [own if symbol == node.symbol else symbol for symbol in grammar.body(rule)]
                rules.add((rule, head, tuple(map(int, body))))
        ordered = sorted(rules)
        offsets, bodies = flatten([body for _, _, body in ordered])
        origins = np.array([rule for rule, _, _ in ordered], np.int64)
        product = Grammar(
            tuple(names),
            grammar.terminals,
            grammar.start,
            np.array([head for _, head, _ in ordered], np.int32),
            offsets,
            np.array(bodies, np.int32),
            grammar.weights[origins],
        )
        return CanonicalGrammar(product, origins, np.array(owners, np.int64))

    def _plain(self) -> Iterator[tuple[int, int]]:
        for rule in self._kept:
            yield rule, int(self._grammar.heads[rule])
