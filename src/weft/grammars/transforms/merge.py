"""Grammars from rules of which several may be the same: their weights add up."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from weft.errors import LimitError
from weft.structures.grammar import Grammar, Rule, Symbol, grammar

MOST_RULES = 5_000_000
"""No transform makes a grammar of more rules."""


def merge_rules(rules: Iterable[Rule], start: str) -> Grammar:
    """Return the grammar of these rules, in the order in which they come first.

    Rules of weight −inf are left out.

    >>> rules = [Rule("S", (), -1.0), Rule("S", (), -1.0), Rule("S", ("S",), -np.inf)]
    >>> twice = merge_rules(rules, "S")
    >>> [(rule.body, round(rule.weight, 3)) for rule in twice.rules()]
    [((), -0.307)]

    Raises:
        LimitError: If there are more than ``MOST_RULES`` different rules.
    """
    weights: dict[tuple[str, tuple[Symbol, ...]], float] = {}
    for rule in rules:
        if rule.weight > -np.inf:
            key = rule.head, rule.body
            before = weights.get(key)
            weights[key] = (
                rule.weight if before is None else float(np.logaddexp(before, rule.weight))
            )
            if len(weights) > MOST_RULES:
                raise LimitError(f"the transformed grammar would have over {MOST_RULES:,} rules")
    return grammar([Rule(head, body, weight) for (head, body), weight in weights.items()], start)


def possible_rules(grammar: Grammar) -> list[Rule]:
    """Return the rules whose weight is not −inf.

    >>> merged = merge_rules([Rule("S", ()), Rule("A", (), -np.inf)], "S")
    >>> [rule.head for rule in possible_rules(merged)]
    ['S']
    """
    return [rule for rule in grammar.rules() if rule.weight > -np.inf]
