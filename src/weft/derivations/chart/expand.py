"""A chart written out as a forest: a vertex for every symbol and part of a rule over a span.

This is the specification of :class:`~weft.derivations.chart.chart.Chart`, for sentences small
enough to list and with finitely many trees; the contract tests compare the two. It takes rules as
they are, and knows nothing of how charts lay them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from weft.derivations.chart.chart import Chart
from weft.derivations.feature_map import from_columns
from weft.derivations.forest import Forest, Weighted
from weft.errors import DivergenceError, EvidenceError
from weft.structures.evidence import Evidence, Sentence
from weft.structures.grammar import Grammar, Rule, Terminal
from weft.structures.hypergraph import hypergraph
from weft.structures.lattice import Lattice, arcs_of


class SpanNode(NamedTuple):
    """A part of a tree between two states.

    Attributes:
        rule: A rule's number, of whose right side the first ``done`` symbols span; -1 for a symbol.
        done: How many symbols.
        name: The nonterminal that spans, where ``rule`` is -1; the root has none.
        start: The first state.
        end: The last state.
    """

    rule: int
    done: int
    name: str
    start: int
    end: int


_ROOT = SpanNode(-1, 0, "", 0, 0)
Way = tuple[tuple[SpanNode, ...], int]
"""The parts that a part is made of, and the rule that is completed or -1."""


def to_forest(chart: Chart) -> Forest:
    """Return the same members as explicit hypergraphs.

    Raises:
        DivergenceError: If a member has infinitely many trees.
        EvidenceError: If something is known of a member's tree.
    """
    members = [_member(chart.grammar, evidence) for evidence in chart.evidences]
    return Forest(members, chart.grammar.rule_count)


def _member(grammar: Grammar, evidence: Evidence) -> Weighted:
    if evidence.parse is not None or evidence.analysis is not None:
        raise EvidenceError("only sentences of whose trees nothing is known are written out")
    tokens = evidence.tokens
    lattice = Lattice.from_sentence(tokens.words) if isinstance(tokens, Sentence) else tokens
    if not isinstance(lattice, Lattice):
        raise EvidenceError(f"a chart needs the tokens of a sentence, or a lattice, not {tokens!r}")
    ways = _ways(grammar, lattice)
    known = _derivable(ways, _every(grammar, lattice))
    vertices = _ordered(ways, known)
    edges: list[tuple[int, list[int]]] = []
    rules: list[int] = []
    for node, number in vertices.items():
        for parts, rule in ways(node):
            if known.issuperset(parts):
                edges.append((number, [vertices[part] for part in parts]))
                rules.append(rule)
    matrix = from_columns(np.array(rules, np.int64), grammar.rule_count)
    return Weighted(hypergraph(len(vertices), edges), np.zeros(len(edges)), matrix)


def _every(grammar: Grammar, lattice: Lattice) -> list[SpanNode]:
    pairs = [(i, k) for i in range(lattice.state_count) for k in range(i, lattice.state_count)]
    parts = [
        SpanNode(number, done, "", i, k)
        for number, rule in enumerate(grammar.rules())
        for done in range(len(rule.body) + 1)
        for i, k in pairs
    ]
    return [
        *parts,
        *(SpanNode(-1, 0, name, i, k) for name in grammar.nonterminals for i, k in pairs),
    ]


def _ways(grammar: Grammar, lattice: Lattice) -> Callable[[SpanNode], Iterator[Way]]:
    """From a part to the ways to make it."""
    rules: tuple[Rule, ...] = grammar.rules()
    arcs = {(i, lattice.symbols[symbol], k) for i, symbol, k in arcs_of(lattice)}
    start = grammar.nonterminals[grammar.start]

    def ways(node: SpanNode) -> Iterator[Way]:
        if node == _ROOT:
            for end in np.flatnonzero(lattice.final).tolist():
                yield (SpanNode(-1, 0, start, 0, end),), -1
        elif node.rule < 0:
            for number, rule in enumerate(rules):
                if rule.head == node.name:
                    yield (SpanNode(number, len(rule.body), "", node.start, node.end),), number
        elif node.done == 0:
            if node.start == node.end:
                yield (), -1
        else:
            symbol = rules[node.rule].body[node.done - 1]
            for middle in range(node.start, node.end + 1):
                before = SpanNode(node.rule, node.done - 1, "", node.start, middle)
                if not isinstance(symbol, Terminal):
                    yield (before, SpanNode(-1, 0, symbol, middle, node.end)), -1
                elif (middle, symbol.text, node.end) in arcs:
                    yield (before,), -1

    return ways


def _derivable(ways: Callable[[SpanNode], Iterator[Way]], nodes: list[SpanNode]) -> set[SpanNode]:
    """The parts that can be made of arcs."""
    known: set[SpanNode] = set()
    while True:
        more = [
            node
            for node in nodes
            if node not in known and any(known.issuperset(parts) for parts, _ in ways(node))
        ]
        if not more:
            return known
        known.update(more)


def _ordered(
    ways: Callable[[SpanNode], Iterator[Way]], known: set[SpanNode]
) -> dict[SpanNode, int]:
    """Number what the root needs, each after all that it is made of."""

    def below(node: SpanNode) -> Iterator[SpanNode]:
        for parts, _ in ways(node):
            if known.issuperset(parts):
                yield from parts

    numbers: dict[SpanNode, int] = {}
    open_nodes = {_ROOT}
    path = [(_ROOT, below(_ROOT))]
    while path:
        node, rest = path[-1]
        following = next(rest, None)
        if following is None:
            path.pop()
            open_nodes.discard(node)
            numbers[node] = len(numbers)
        elif following in open_nodes:
            raise DivergenceError(
                f"there are infinitely many trees: {following.name or 'a symbol'} can be expanded "
                "to itself over the same words"
            )
        elif following not in numbers:
            open_nodes.add(following)
            path.append((following, below(following)))
    return numbers
