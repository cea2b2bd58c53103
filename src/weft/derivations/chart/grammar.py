"""Grammars laid out for charts: rules of any form as edges with at most two children.

Right sides are joined from the left, and what several rules begin with is made once:

    X → A B C D    is    (A B), (A B) C, and X from ((A B) C) and D,

where (A B) is the same *prefix* for all rules that begin with A B, whatever their heads. A rule's
weight sits on the edge that completes it and nowhere else, so that which edges there are does not
depend on weights, and how often that edge is expected is how often the rule is. Where symbols can
be empty, there are further edges that leave them out; they bear the weight of what is left out.

Reference: Stolcke (1995), "An efficient probabilistic context-free parsing algorithm that computes
prefix probabilities", Computational Linguistics 21(2), section 4, for sums over unary and empty
expansions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from weft.arrays import BoolArray, IndexArray, IntArray, flatten, offsets_of
from weft.derivations.feature_map import FeatureMap, from_columns, from_lists
from weft.inference.components import components
from weft.kernels import kernels
from weft.structures.grammar import Grammar


class ChartEdge(NamedTuple):
    """How a part of a tree is made of smaller ones.

    Attributes:
        left: A nonterminal, a terminal ``~t``, or the number of nonterminals plus a prefix; for an
            edge with one child, that child.
        right: The nonterminal or terminal to its right; None where there is one child.
        target: What is made, a nonterminal or a prefix.
        rule: The rule that is completed, or -1.
        empties: Nonterminals that are left out, in their order.
        leading: Whether these come before the child, and not after it.
    """

    left: int
    right: int | None
    target: int
    rule: int
    empties: tuple[int, ...] = ()
    leading: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ChartGrammar:
    """A grammar laid out for charts; made by :func:`chart_grammar`.

    Attributes:
        grammar: The grammar; its weights do not matter.
        topology: The same for the kernels.
        edges: In the order of the kernels: binary, scan, unary, lexical, and the empty sentence.
        bounds: Where each of these five begins, and where the last ends. [6]
        completed: From edges to rules: that which an edge completes, if any.
        left_out: From edges to nonterminals: those that an edge leaves out.
        entries: The lexical edges of each terminal, by number among them; given tags may leave
            some out.
        items: The number that the kernels give each nonterminal and prefix.
    """

    grammar: Grammar
    topology: kernels.ChartTopology
    edges: tuple[ChartEdge, ...]
    bounds: tuple[int, ...]
    completed: FeatureMap
    left_out: FeatureMap
    entries: tuple[tuple[int, ...], ...]
    layout: ChartLayout

    @property
    def edge_count(self) -> int:
        """How many edges there are."""
        return len(self.edges)

    def __reduce__(self) -> tuple[Callable[[Grammar], ChartGrammar], tuple[Grammar]]:
        return chart_grammar, (self.grammar,)  # what kernels take is made again


@dataclass(frozen=True, slots=True, eq=False)
class ChartLayout:
    """The arrays that ``native/chart.hpp`` takes, but for what arcs may be read as.

    Attributes:
        start: The start symbol.
        item_of: [nonterminals].
        row_of: [items], the nonterminal or -1.
        terminals: How many terminals there are.
        arrays: The others, in the order of the kernel's arguments.
        components: The cyclic components: the component of each item or -1, where each begins
            and where each ends.
    """

    start: int
    item_of: IndexArray
    row_of: IndexArray
    terminals: int
    arrays: tuple[IndexArray | IntArray, ...]
    components: tuple[IndexArray, IndexArray, IndexArray]

    def topology(self, entries: Sequence[Sequence[int]]) -> kernels.ChartTopology:
        """Return the grammar for the kernels, with these entries."""
        offsets, edges = flatten(entries)
        return kernels.chart_topology(
            self.start,
            self.item_of,
            self.row_of,
            self.terminals,
            *self.arrays,
            offsets,
            np.array(edges, np.int32),
            *self.components,
        )


def chart_grammar(grammar: Grammar) -> ChartGrammar:
    """Lay a grammar out for charts.

    >>> from weft.structures.grammar import Rule, Terminal
    >>> from weft.structures.grammar import grammar as made
    >>> longer = [Rule("S", ("S", "S", "S")), Rule("S", ("S", "S", "T"))]
    >>> laid_out = chart_grammar(made([*longer, Rule("S", (Terminal("a"),))]))
    >>> laid_out.bounds  # S S is made once; it goes with S and with T
    (0, 3, 3, 3, 4, 5)
    """
    builder = _PrefixBuilder(grammar, nullable(grammar))
    for number, (first, last) in enumerate(pairwise(grammar.body_offsets.tolist())):
        builder.take(number, grammar.bodies[first:last].tolist())
    return _laid_out(grammar, builder.edges(), builder.renumbered())


def nullable(grammar: Grammar) -> BoolArray:
    """[nonterminals]: whether each can be expanded to nothing.

    >>> from weft.structures.grammar import Rule
    >>> from weft.structures.grammar import grammar as made
    >>> nullable(made([Rule("S", ("T", "T")), Rule("T", ()), Rule("U", ("U",))]))
    array([ True,  True, False])
    """
    empty = np.zeros(len(grammar.nonterminals), bool)
    owners = np.repeat(np.arange(grammar.rule_count), np.diff(grammar.body_offsets))
    while True:
        filled = (grammar.bodies < 0) | ~empty[np.maximum(grammar.bodies, 0)]
        blocked = np.bincount(owners[filled], minlength=grammar.rule_count) > 0
        heads = grammar.heads[~blocked]
        if empty[heads].all():
            return empty
        empty[heads] = True


def unary_cycles(chart: ChartGrammar) -> list[tuple[str, ...]]:
    """Return a cycle of nonterminals for each component that unary expansions make.

    >>> from weft.structures.grammar import Rule
    >>> from weft.structures.grammar import grammar as made
    >>> unary_cycles(chart_grammar(made([Rule("S", ("T",)), Rule("T", ("S",))])))
    [('S', 'T')]
    """
    names, count = chart.grammar.nonterminals, len(chart.grammar.nonterminals)
    below: dict[int, list[int]] = {}
    for edge in chart.edges[chart.bounds[2] : chart.bounds[3]]:
        below.setdefault(edge.target, []).append(edge.left)
    component, first, _ = chart.layout.components
    item_of = chart.layout.item_of
    # A component of prefixes alone cannot be: what is longer is not made shorter.
    roots = [int(np.argmax(component[item_of] == place)) for place in range(len(first))]
    return [tuple(names[n] for n in _round(below, root) if n < count) for root in roots]


def _round(below: dict[int, list[int]], root: int) -> list[int]:
    """The shortest way from a symbol back to it, which there is."""
    before: dict[int, int] = {}
    queue = [root]
    for symbol in queue:
        for other in below.get(symbol, []):
            if other == root:
                path = [symbol]
                while path[-1] != root:
                    path.append(before[path[-1]])
                return path[::-1]
            if other not in before:
                before[other] = symbol
                queue.append(other)
    return [root]


@dataclass(slots=True)
class _Prefix:
    left: int
    right: int
    empties: tuple[int, ...] | None  # the symbols, where all of them can be empty
    rules: list[int] = field(default_factory=list)
    longer: bool = False


@dataclass(slots=True)
class _PrefixBuilder:
    """Prefixes as they are found: ``count`` plus a place in the list."""

    grammar: Grammar
    empty: BoolArray
    places: dict[tuple[int, int], int] = field(default_factory=dict)
    prefixes: list[_Prefix] = field(default_factory=list)
    single: list[ChartEdge] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.grammar.nonterminals)

    def take(self, rule: int, body: list[int]) -> None:
        head = int(self.grammar.heads[rule])
        if len(body) == 1:
            self.single.append(ChartEdge(body[0], None, head, rule))
        if len(body) < 2:
            return
        left = body[0]
        for right in body[1:]:
            if left >= self.count:
                self.prefixes[left - self.count].longer = True
            place = self.places.setdefault((left, right), len(self.prefixes))
            if place == len(self.prefixes):
                self.prefixes.append(_Prefix(left, right, self._together(left, right)))
            left = self.count + place
        self.prefixes[left - self.count].rules.append(rule)

    def _empties(self, symbol: int) -> tuple[int, ...] | None:
        if symbol >= self.count:
            return self.prefixes[symbol - self.count].empties
        return (symbol,) if symbol >= 0 and self.empty[symbol] else None

    def _together(self, left: int, right: int) -> tuple[int, ...] | None:
        first, second = self._empties(left), self._empties(right)
        return None if first is None or second is None else first + second

    def kept(self, prefix: _Prefix) -> bool:
        """Whether a prefix is an item of its own: otherwise its one rule's head is made at once."""
        return prefix.longer or len(prefix.rules) > 1

    def renumbered(self) -> dict[int, int]:
        """Prefixes that are items, numbered after the nonterminals."""
        kept = [place for place, prefix in enumerate(self.prefixes) if self.kept(prefix)]
        return {self.count + place: self.count + number for number, place in enumerate(kept)}

    def edges(self) -> list[ChartEdge]:
        """All edges but that of the empty sentence, with prefixes as they were found."""
        found = list(self.single)
        for place, prefix in enumerate(self.prefixes):
            if self.kept(prefix):
                target, rule = self.count + place, -1
                heads = self.grammar.heads[prefix.rules].tolist()
                pairs = zip(heads, prefix.rules, strict=True)
                found += [ChartEdge(target, None, head, number) for head, number in pairs]
            else:
                rule = prefix.rules[0]
                target = int(self.grammar.heads[rule])
            found.append(ChartEdge(prefix.left, prefix.right, target, rule))
            leading, trailing = self._empties(prefix.left), self._empties(prefix.right)
            if trailing is not None:
                found.append(ChartEdge(prefix.left, None, target, rule, trailing))
            if leading is not None:
                found.append(ChartEdge(prefix.right, None, target, rule, leading, leading=True))
        return found


def _laid_out(grammar: Grammar, found: list[ChartEdge], numbers: dict[int, int]) -> ChartGrammar:
    """Order items so that unary edges lead upwards, and edges by their left children."""
    count, terminals = len(grammar.nonterminals), len(grammar.terminals)
    total = count + len(numbers)

    def item(symbol: int) -> int:
        return symbol if symbol < count else numbers[symbol]

    unary = [edge for edge in found if edge.right is None and edge.left >= 0]
    sources = np.array([item(edge.left) for edge in unary], np.int64)
    targets = np.array([item(edge.target) for edge in unary], np.int64)
    cycles = components(total, sources, targets)
    # Prefixes that end in a terminal are never rows of numbers: those that are stand together.
    scanned = np.zeros(len(cycles.levels), bool)
    scans = np.array([item(e.target) for e in found if e.right is not None and e.right < 0], int)
    scanned[cycles.numbers[scans]] = True
    order = np.lexsort((cycles.numbers, scanned[cycles.numbers], -cycles.levels[cycles.numbers]))
    rank = np.empty(total, np.int64)
    rank[order] = np.arange(total)
    ranks = rank.tolist()

    def key(edge: ChartEdge) -> tuple[int, int, int, int]:
        left = total + ~edge.left if edge.left < 0 else ranks[item(edge.left)]
        right = -1 if edge.right is None else edge.right if edge.right >= 0 else ~edge.right
        return left, right, ranks[item(edge.target)], edge.rule

    binary = sorted((e for e in found if e.right is not None and e.right >= 0), key=key)
    scan = sorted((e for e in found if e.right is not None and e.right < 0), key=key)
    unary = sorted(unary, key=key)
    lexical = sorted((e for e in found if e.right is None and e.left < 0), key=key)
    start = grammar.start
    edges = (*binary, *scan, *unary, *lexical, ChartEdge(start, None, start, -1, (start,)))
    bounds = offsets_of([len(binary), len(scan), len(unary), len(lexical), 1])
    keys = [
        np.array([key(edge) for edge in each], np.int64).reshape(-1, 4)
        for each in (binary, scan, unary)
    ]
    arrays = (
        offsets_of(np.bincount(keys[0][:, 0], minlength=total + terminals)),
        keys[0][:, 1].astype(np.int32),
        keys[0][:, 2].astype(np.int32),
        offsets_of(np.bincount(keys[1][:, 0], minlength=total + terminals)),
        keys[1][:, 1].astype(np.int32),
        keys[1][:, 2].astype(np.int32),
        offsets_of(np.bincount(keys[2][:, 0], minlength=total)),
        keys[2][:, 2].astype(np.int32),
        np.array([ranks[item(edge.target)] for edge in lexical], np.int32),
    )
    entries: list[list[int]] = [[] for _ in range(terminals)]
    for number, edge in enumerate(lexical):
        entries[~edge.left].append(number)
    row_of = np.where(order < count, order, -1).astype(np.int32)
    layout = ChartLayout(
        start,
        rank[:count].astype(np.int32),
        row_of,
        terminals,
        arrays,
        _runs(cycles.numbers[order], cycles.cyclic),
    )
    return ChartGrammar(
        grammar,
        layout.topology(entries),
        edges,
        tuple(bounds.tolist()),
        from_columns(np.array([edge.rule for edge in edges]), grammar.rule_count),
        from_lists([edge.empties for edge in edges], count),
        tuple(map(tuple, entries)),
        layout,
    )


def _runs(numbers: IntArray, cyclic: BoolArray) -> tuple[IndexArray, IndexArray, IndexArray]:
    """The cyclic components: of each item, and where each begins and ends."""
    inside = cyclic[numbers] if len(numbers) else np.zeros(0, bool)
    first = np.flatnonzero(np.diff(numbers, prepend=-1) != 0)
    last = np.append(first[1:], len(numbers))
    chosen = np.flatnonzero(inside[first]) if len(first) else np.zeros(0, np.int64)
    component = np.full(len(numbers), -1, np.int32)
    for place, run in enumerate(chosen.tolist()):
        component[first[run] : last[run]] = place
    return component, first[chosen].astype(np.int32), last[chosen].astype(np.int32)
