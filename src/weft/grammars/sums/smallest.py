"""The smallest tree and the shortest string below each symbol.

Knuth's generalisation of Dijkstra's algorithm: a rule's size is more than that of any symbol in it,
so that symbols settle in the order of their sizes.

Reference: Knuth (1977), "A generalization of Dijkstra's algorithm", Information Processing Letters
6(1).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from weft.errors import EvidenceError
from weft.grammars.sums.partition import terminal_counts
from weft.grammars.sums.systems import system_of
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree

NONE = -1
"""The number of the rule, or the size, where there is no tree."""


def smallest_rules(grammar: Grammar) -> tuple[list[int], list[int]]:
    r"""Return the rule that begins the smallest tree below each symbol, and the tree's size.

    Size is the number of rules in the tree; of equally small ones the first rule's is taken.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> smallest_rules(parse_grammar("S -> S S | A A\nA -> 'a' | A\nB -> B"))
    ([1, 2, -1], [3, 1, -1])
    """
    return _settled(grammar, [1] * grammar.rule_count)


def smallest_lengths(grammar: Grammar) -> list[int]:
    r"""Return the length of the shortest string below each symbol, -1 where there is none.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> smallest_lengths(parse_grammar("S -> S S | A A\nA -> 'a' | A\nB -> B"))
    [2, 1, -1]
    """
    return _settled(grammar, terminal_counts(grammar).astype(int).tolist())[1]


def smallest_tree(grammar: Grammar, symbol: int, first: int | None = None) -> Tree:
    r"""Return the smallest tree below a symbol, or below it when expanded by a given rule first.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> smallest_tree(parse_grammar("S -> S S | A A\nA -> 'a' | A"), 0)
    Tree('(S (A a) (A a))')

    Raises:
        EvidenceError: If there is none.
    """
    rules, _ = smallest_rules(grammar)
    return tree_of(grammar, rules, symbol, rules[symbol] if first is None else first)


def tree_of(grammar: Grammar, rules: Sequence[int], symbol: int, first: int) -> Tree:
    """Return the tree in which each symbol but the first is expanded by its one rule."""
    made: dict[int, Tree] = {}
    waiting = [(symbol, first)]
    while waiting:
        head, rule = waiting[-1]
        if rule == NONE:
            raise EvidenceError(f"there is no tree below {grammar.nonterminals[head]}")
        body = grammar.body(rule).tolist()
        if missing := [(each, rules[each]) for each in body if each >= 0 and each not in made]:
            waiting += missing
            continue
        children = (made[each] if each >= 0 else grammar.terminals[~each] for each in body)
        tree = Tree(grammar.nonterminals[head], tuple(children))
        waiting.pop()
        if not waiting:
            return tree
        made[head] = tree
    raise AssertionError("a tree has a root")


def _settled(grammar: Grammar, costs: list[int]) -> tuple[list[int], list[int]]:
    """The rule and the cost of the cheapest tree of each symbol, rules costing 0 or more."""
    system = system_of(grammar)
    missing = np.bincount(system.owners, minlength=grammar.rule_count).tolist()
    uses: list[list[int]] = [[] for _ in range(system.count)]
    for owner, factor in zip(system.owners.tolist(), system.factors.tolist(), strict=True):
        uses[factor].append(owner)
    totals, heads = list(costs), grammar.heads.tolist()
    possible = (grammar.weights > -np.inf).tolist()
    rules, sizes = [NONE] * system.count, [NONE] * system.count
    # The height comes second, so that equal costs never go round a cycle.
    heights = [0] * grammar.rule_count
    waiting = [
        (totals[rule], 0, rule)
        for rule in range(grammar.rule_count)
        if possible[rule] and not missing[rule]
    ]
    heapq.heapify(waiting)
    while waiting:
        size, height, rule = heapq.heappop(waiting)
        head = heads[rule]
        if rules[head] != NONE:
            continue
        rules[head], sizes[head] = rule, size
        for other in uses[head]:
            missing[other] -= 1
            totals[other] += size
            heights[other] = max(heights[other], height + 1)
            if not missing[other] and possible[other]:
                heapq.heappush(waiting, (totals[other], heights[other], other))
    return rules, sizes
