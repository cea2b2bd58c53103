"""The k best trees of a chart, where parts of them are empty.

A derivation leaves out nonterminals that become nothing, and has the score of their best empty
trees. Other trees of the same derivation have another empty tree in some places, and a lower
score. So the k best trees are among those of the k best derivations, and are found by merging:
from the best of each derivation, one place at a time goes on to its next empty tree.

The k best empty trees of a nonterminal are made of those of its children, component by component;
within one, until nothing changes. Every cycle loses weight, and so this comes to an end.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from weft.arrays import IntArray
from weft.derivations.chart.grammar import ChartGrammar
from weft.derivations.chart.trees import built_empty, empties_of, tree_of
from weft.derivations.chart.weights import EdgeWeights
from weft.inference.components import components
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree

Ranks = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RankedEmpty:
    """An empty tree: its score, its rule, and the ranks of the rule's children."""

    score: float
    rule: int
    ranks: Ranks


@dataclass(frozen=True, slots=True, eq=False)
class RankedEmpties:
    """The best empty trees of each nonterminal, best ones first.

    Attributes:
        grammar: The rules that can be empty.
        lists: Of each nonterminal. [nonterminals]
    """

    grammar: Grammar
    lists: tuple[tuple[RankedEmpty, ...], ...]

    def tree(self, symbol: int, rank: int) -> Tree:
        """Return the empty tree of a rank."""

        def choose(node: tuple[int, int]) -> list[tuple[int, int]]:
            found = self.lists[node[0]][node[1]]
            return list(zip(self.grammar.body(found.rule).tolist(), found.ranks, strict=True))

        return built_empty(self.grammar, (symbol, rank), choose)


def ranked_empties(weights: EdgeWeights, count: int) -> RankedEmpties:
    """Return the ``count`` best empty trees of each nonterminal.

    Args:
        weights: As ``best_edge_weights`` gives them; no cycle keeps its weight.
        count: How many.
    """
    grammar = weights.rules.grammar
    rules = [number for number in range(grammar.rule_count) if weights.shares[number] > -np.inf]
    by_head: dict[int, list[int]] = {}
    users: dict[int, set[int]] = {}
    for rule in rules:
        head = int(grammar.heads[rule])
        by_head.setdefault(head, []).append(rule)
        for child in grammar.body(rule).tolist():
            users.setdefault(child, set()).add(head)
    lists: list[tuple[RankedEmpty, ...]] = [()] * len(grammar.nonterminals)
    numbers = _component_numbers(grammar, rules)
    for head in sorted(by_head, key=lambda each: int(numbers[each])):
        waiting = deque([head])
        while waiting:
            symbol = waiting.popleft()
            found = _best(grammar, by_head[symbol], lists, count)
            if found != lists[symbol]:
                lists[symbol] = found
                again = (each for each in users.get(symbol, ()) if numbers[each] == numbers[head])
                waiting.extend(each for each in sorted(again) if each not in waiting)
    return RankedEmpties(grammar, tuple(lists))


def _component_numbers(grammar: Grammar, rules: list[int]) -> IntArray:
    """[nonterminals]: what a symbol depends on comes first, and what depends on it as well."""
    owners = np.repeat(np.arange(grammar.rule_count), np.diff(grammar.body_offsets))
    live = np.isin(owners, rules)
    sources = grammar.heads[owners[live]].astype(np.int64)
    found = components(len(grammar.nonterminals), sources, grammar.bodies[live].astype(np.int64))
    return found.numbers


def _best(
    grammar: Grammar, rules: list[int], lists: list[tuple[RankedEmpty, ...]], count: int
) -> tuple[RankedEmpty, ...]:
    groups = [
        (float(grammar.weights[rule]), [_scores(lists[c]) for c in grammar.body(rule).tolist()])
        for rule in rules
    ]
    found = islice(_choices(groups), count)
    return tuple(RankedEmpty(score, rules[group], ranks) for score, group, ranks in found)


def _scores(found: Sequence[RankedEmpty]) -> list[float]:
    return [each.score for each in found]


def _choices(
    groups: Sequence[tuple[float, Sequence[Sequence[float]]]],
) -> Iterator[tuple[float, int, Ranks]]:
    """Choose a rank from every list of a group, the best choices of all groups first.

    Args:
        groups: A score of each, and lists of scores in descending order, which are added to it.

    Yields:
        The score, the group, and the ranks.
    """

    def score(group: int, ranks: Ranks) -> float:
        base, lists = groups[group]
        # Always in the same order: equal choices have equal scores, to the last bit.
        return sum((each[rank] for each, rank in zip(lists, ranks, strict=True)), base)

    # The last place that has gone on comes along, so that no choice is reached in two ways.
    heap = [
        (-score(group, (0,) * len(lists)), group, (0,) * len(lists), 0)
        for group, (_, lists) in enumerate(groups)
        if all(lists)
    ]
    heapq.heapify(heap)
    while heap:
        lost, group, ranks, last = heapq.heappop(heap)
        yield -lost, group, ranks
        lists = groups[group][1]
        for place in range(last, len(ranks)):
            if ranks[place] + 1 < len(lists[place]):
                further = (*ranks[:place], ranks[place] + 1, *ranks[place + 1 :])
                heapq.heappush(heap, (-score(group, further), group, further, place))


def best_trees(
    chart: ChartGrammar,
    empties: RankedEmpties,
    derivations: Sequence[tuple[float, Sequence[int]]],
    count: int,
) -> list[tuple[float, Tree]]:
    """Return the ``count`` best trees of some derivations, with their scores, best ones first.

    Args:
        chart: The grammar.
        empties: The ``count`` best empty trees of each nonterminal.
        derivations: The scores and edges of the best derivations, ``count`` of them if there are.
        count: How many trees.
    """
    places = [empties_of(chart, edges) for _, edges in derivations]
    losses = [
        [each.score - found[0].score for each in found] if found else [] for found in empties.lists
    ]
    groups = [
        (score, [losses[symbol] for symbol in symbols])
        for (score, _), symbols in zip(derivations, places, strict=True)
    ]
    return [
        (score, _tree(chart, derivations[group][1], places[group], empties, ranks))
        for score, group, ranks in islice(_choices(groups), count)
    ]


def _tree(
    chart: ChartGrammar,
    edges: Sequence[int],
    symbols: Sequence[int],
    empties: RankedEmpties,
    ranks: Ranks,
) -> Tree:
    parts = iter(zip(symbols, ranks, strict=True))
    return tree_of(chart, edges, lambda _: empties.tree(*next(parts)))
