"""Grammars without rules that expand a symbol to nothing, string by string the same.

Let e(X) be the sum of the weights of all trees from X to the empty string: the least solution of

    e(X) = Σ_{X → Y₁ … Yₙ, nonterminals all} w ∏ e(Yᵢ).

A rule X → α stays, and beside it stand all rules in which some nonterminals of α, but not all of
α, are left out, their weights multiplied by e of what was left out. Then X stands for its trees
with words alone, and every string from X but the empty one has the sum of weights that it had.
Several trees become one, so that trees cannot be turned back.

Reference: M. Nederhof and G. Satta (2008), "Computing partition functions of PCFGs", Research on
Language and Computation 6(2), for e(X).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from weft.errors import DivergenceError, LimitError
from weft.grammars.sums.partition import partition, shown_cycle, terminal_counts
from weft.grammars.transforms.merge import MOST_RULES, merge_rules, possible_rules
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, reweight


def empty_weights(grammar: Grammar) -> dict[str, float]:
    """Return log e(X) of each symbol from which there is a tree to the empty string.

    Raises:
        DivergenceError: If a sum is infinite.

    >>> from weft.structures.grammar import grammar as made_of
    >>> lists = made_of([Rule("S", ("A", "A")), Rule("A", (), -1.0), Rule("A", (Terminal("a"),))])
    >>> empty_weights(lists)
    {'S': -2.0, 'A': -1.0}
    """
    without_words = np.where(terminal_counts(grammar) > 0, -np.inf, grammar.weights)
    sums = partition(reweight(grammar, without_words))
    found = dict(zip(grammar.nonterminals, sums.log_values.tolist(), strict=True))
    for name, value in found.items():
        if value == np.inf:
            cycle = f"the cycle {shown_cycle(sums.cycle)}" if sums.cycle else "some cycle"
            raise DivergenceError(
                f"the trees from {name} to the empty string sum to infinity, through {cycle}; "
                "lower the weights of its rules"
            )
    return {name: value for name, value in found.items() if value > -np.inf}


def without_epsilons(grammar: Grammar) -> Grammar:
    """Return a grammar that expands no symbol to nothing, but perhaps a new start symbol.

    Where the empty string has a tree there is a new start symbol, ``S'`` for S, with the rules
    ``S' → S`` and ``S' →`` (nothing); no other rule uses it.

    Args:
        grammar: The grammar; its rules of weight −inf are left out.

    Raises:
        DivergenceError: If the trees of the empty string below some symbol sum to infinity.
        LimitError: If the new grammar would be too large: a rule of n different symbols that may
            all be left out becomes 2ⁿ − 1 rules. Apply ``factored`` before.

    >>> from weft.structures.grammar import grammar as made_of, shown
    >>> lists = made_of([Rule("S", ("A", "A")), Rule("A", (), -1.0), Rule("A", (Terminal("a"),))])
    >>> for rule in without_epsilons(lists).rules():
    ...     print(shown(rule), round(rule.weight, 3))
    S' -> S 0.0
    S' -> -2.0
    S -> A A 0.0
    S -> A -0.307
    A -> 'a' 0.0
    """
    empties = empty_weights(grammar)
    start = grammar.nonterminals[grammar.start]
    rules = [
        Rule(rule.head, body, weight)
        for rule in possible_rules(grammar)
        for body, weight in _kept(rule, empties)
    ]
    if start not in empties:
        return merge_rules(rules, start)
    new = f"{start}'"
    while new in grammar.nonterminals:
        new += "'"
    first = [Rule(new, (start,)), Rule(new, (), empties[start])]
    return merge_rules([*first, *rules], new)


def _kept(rule: Rule, empties: Mapping[str, float]) -> Iterator[tuple[tuple[Symbol, ...], float]]:
    """The right sides that are left of a rule's, but for nothing at all, and their weights."""
    ways: dict[tuple[Symbol, ...], float] = {(): rule.weight}
    for symbol in rule.body:
        empty = None if isinstance(symbol, Terminal) else empties.get(symbol)
        longer = {(*body, symbol): weight for body, weight in ways.items()}
        if empty is not None:
            for body, weight in ways.items():
                longer[body] = float(np.logaddexp(longer.get(body, -np.inf), weight + empty))
        ways = longer
        if len(ways) > MOST_RULES:
            raise LimitError(
                f"a rule of {rule.head} with {len(rule.body)} symbols would become over "
                f"{MOST_RULES:,}; apply factored before"
            )
    return ((body, weight) for body, weight in ways.items() if body)
