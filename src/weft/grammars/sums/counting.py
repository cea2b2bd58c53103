"""How many trees a string has, exactly.

Counts are integers of any size, made from the shortest parts of the string to the longest. Where a
symbol can become itself again, the rest of the rules becoming nothing, they are infinite.

This is the plain form, which needs no chart; :func:`weft.derivations.chart.counts.counts` gives the
same numbers for long sentences and large grammars much sooner.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

import numpy as np

from weft.arrays import IntArray
from weft.grammars.binary import Pieces, pieces
from weft.grammars.sums.systems import first_values, useful_terms
from weft.grammars.trim import trim_grammar
from weft.inference.components import components
from weft.structures.grammar import Grammar

Counts = dict[int, int]  # of symbols; those without trees are left out
ENDLESS = -1
"""Infinitely many, among counts."""


class TreeCounter:
    """A grammar prepared to count the trees of strings.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> binary = TreeCounter(parse_grammar("A -> A A | 'a'"))
    >>> binary.count(["a"] * 5), binary.count(["a"] * 50), binary.count(["b"])
    (14, 509552245179617138054608572, 0)

    Args:
        grammar: The grammar; rules of weight 0 have no trees, other weights do not matter.
    """

    def __init__(self, grammar: Grammar) -> None:
        rules = trim_grammar(grammar)
        self._start = rules.start
        self._cut = pieces(rules)
        first = self._cut.nonterminals
        self._words = {word: first + number for number, word in enumerate(rules.terminals)}
        self._by_left: dict[int, dict[int, list[int]]] = {}
        for head, left, right in _rows(self._cut, self._cut.pairs):
            self._by_left.setdefault(left, {}).setdefault(right, []).append(head)
        self._above: list[list[tuple[int, int]]] = [[] for _ in range(self._cut.count)]
        self._order = [0] * self._cut.count
        self._cycles: dict[int, list[int]] = {}
        self._empty = _empty_counts(self._cut)
        self._note_passing()

    def count(self, words: Sequence[str]) -> int | float:
        """Return how many trees a string has: an integer, or ``math.inf``."""
        cells: dict[tuple[int, int], Counts] = {}
        for end in range(1, len(words) + 1):
            for start in range(end - 1, -1, -1):
                found: Counts = {}
                if start == end - 1 and words[start] in self._words:
                    found[self._words[words[start]]] = 1
                for middle in range(start + 1, end):
                    self._join(cells[start, middle], cells[middle, end], found)
                cells[start, end] = self._closed(found)
        counts = cells[0, len(words)] if words else self._empty
        number = counts.get(self._start, 0)
        return math.inf if number == ENDLESS else number

    def _join(self, lefts: Counts, rights: Counts, found: Counts) -> None:
        for left, number in lefts.items():
            heads_by_right = self._by_left.get(left)
            if heads_by_right is None:
                continue
            shorter = heads_by_right if len(heads_by_right) < len(rights) else rights
            for right in shorter:
                if right in heads_by_right and right in rights:
                    ways = _times(number, rights[right])
                    for head in heads_by_right[right]:
                        found[head] = _plus(found.get(head, 0), ways)

    def _closed(self, found: Counts) -> Counts:
        """Add what has its words from one of its symbols, all others becoming nothing."""
        closed: Counts = {}
        members: dict[int, list[int]] = {}
        for symbol in found:
            members.setdefault(self._order[symbol], []).append(symbol)
        waiting = list(members)
        heapq.heapify(waiting)
        while waiting:  # each component after all that it can pass its words on to
            component = heapq.heappop(waiting)
            endless = self._cycles.get(component)
            for symbol in endless or members[component]:
                closed[symbol] = ENDLESS if endless else found[symbol]
                for head, ways in self._above[symbol]:
                    if (place := self._order[head]) != component:
                        if place not in members:
                            members[place] = []
                            heapq.heappush(waiting, place)
                        if head not in found:
                            members[place].append(head)
                        found[head] = _plus(found.get(head, 0), _times(closed[symbol], ways))
        return closed

    def _note_passing(self) -> None:
        """Note which symbol can pass its words on to which, and in how many ways."""
        edges: dict[tuple[int, int], int] = {}
        for head, left, right in _rows(self._cut, np.flatnonzero(self._cut.lefts >= 0)):
            options = [(left, 1)]
            if right >= 0:
                options = [(left, self._empty.get(right, 0)), (right, self._empty.get(left, 0))]
            for symbol, ways in options:
                if ways:
                    edges[head, symbol] = _plus(edges.get((head, symbol), 0), ways)
        keys = np.array(list(edges), np.int64).reshape(-1, 2)
        found = components(self._cut.count, keys[:, 0], keys[:, 1])
        self._order = found.numbers.tolist()
        for symbol in np.flatnonzero(found.cyclic[found.numbers]).tolist():
            self._cycles.setdefault(self._order[symbol], []).append(symbol)
        for (head, symbol), ways in edges.items():
            self._above[symbol].append((head, ways))


def count_trees(grammar: Grammar, words: Sequence[str]) -> int | float:
    """Return how many trees a string has: an integer, or ``math.inf``.

    For many strings, :class:`TreeCounter` prepares the grammar once.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> count_trees(parse_grammar("S -> S S | 'a' | "), ["a"])
    inf
    """
    return TreeCounter(grammar).count(words)


def _empty_counts(cut: Pieces) -> Counts:
    """The numbers of trees without a word below each symbol."""
    system = cut.system()
    weights = np.zeros(len(cut.heads))
    useful = useful_terms(system, weights, first_values(system, weights))
    live = useful[system.owners]
    heads, factors = system.heads[system.owners[live]], system.factors[live]
    found = components(cut.count, heads, factors)
    by_head: dict[int, list[tuple[int, int]]] = {}
    for head, left, right in _rows(cut, np.flatnonzero(useful)):
        by_head.setdefault(head, []).append((left, right))
    counts: Counts = {}
    for symbol in sorted(by_head, key=lambda each: int(found.numbers[each])):
        if found.cyclic[found.numbers[symbol]]:
            counts[symbol] = ENDLESS
            continue
        for left, right in by_head[symbol]:
            ways = 1 if left < 0 else counts[left]
            ways = ways if right < 0 else _times(ways, counts[right])
            counts[symbol] = _plus(counts.get(symbol, 0), ways)
    return counts


def _rows(cut: Pieces, numbers: IntArray) -> Iterator[tuple[int, int, int]]:
    rows = (column[numbers].tolist() for column in (cut.heads, cut.lefts, cut.rights))
    return zip(*rows, strict=True)


def _plus(one: int, other: int) -> int:
    return ENDLESS if ENDLESS in (one, other) else one + other


def _times(one: int, other: int) -> int:
    """The product of two counts that are not 0."""
    return ENDLESS if ENDLESS in (one, other) else one * other
