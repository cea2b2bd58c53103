"""Grammars without rules from one nonterminal to another, string by string the same.

Let U(X, Y) be the weight of the rule X → Y, and

    C = I + U + U² + … = (I − U)⁻¹

the sum over all chains of such rules, of any length, cycles included. In their place every X gets
the rules of the symbols that it reaches: X → β has the weight Σ_Y C(X, Y) w(Y → β). Every string
from X has the sum of weights that it had. Chains become one with what is below them, so that
trees cannot be turned back; :func:`weft.grammars.transforms.collapse.collapse` has an inverse.

Reference: J. Goodman (1999), "Semiring parsing", Computational Linguistics 25(4), section 2.5,
for sums over cycles.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.errors import DivergenceError
from weft.grammars.sums.partition import partition, shown_cycle
from weft.grammars.transforms.merge import merge_rules, possible_rules
from weft.structures.grammar import Grammar, Rule, grammar, reweight

Closure = dict[str, dict[str, float]]
"""By the symbol at the top of chains and the one at their foot, the log of their sum."""


def unary_closure(rules: Grammar) -> Closure:
    """Sum the chains of unary rules, of any length, from each symbol to each, itself included.

    Args:
        rules: The grammar, of which only rules from one nonterminal to another count.

    Returns:
        log C(X, Y) of all X and Y between which there is a chain, be it of no rule at all.

    Raises:
        DivergenceError: If a sum is infinite, with a cycle.

    >>> half = np.log(0.5)
    >>> chains = grammar([Rule("S", ("A",), half), Rule("A", ("A",), half), Rule("A", ())])
    >>> round(float(np.exp(unary_closure(chains)["A"]["A"])), 12)
    2.0
    """
    chains = [rule for rule in possible_rules(rules) if _is_unary(rule)]
    involved = dict.fromkeys(name for rule in chains for name in (rule.head, *rule.body))
    closure: Closure = {name: {name: 0.0} for name in rules.nonterminals}
    if not chains:
        return closure
    # With an ending at one foot alone, the trees below each symbol are the chains to that foot.
    ends = [Rule(str(name), (), -np.inf) for name in involved]
    ended = grammar([*chains, *ends])
    for place, rule in enumerate(ends):
        weights = ended.weights.copy()
        weights[len(chains) + place] = 0.0
        sums = partition(reweight(ended, weights))
        for top, value in zip(ended.nonterminals, sums.log_values.tolist(), strict=True):
            if value == np.inf:
                cycle = f"the cycle {shown_cycle(sums.cycle)}" if sums.cycle else "some cycle"
                raise DivergenceError(
                    f"the chains of unary rules from {top} to {rule.head} sum to infinity, "
                    f"through {cycle}; lower the weights of its rules"
                )
            if value > -np.inf:
                closure[top][rule.head] = value
    return closure


def without_unaries(rules: Grammar) -> Grammar:
    """Return a grammar without rules from one nonterminal to another.

    Args:
        rules: The grammar; its rules of weight −inf are left out.

    Raises:
        DivergenceError: If the chains between two symbols sum to infinity.
        LimitError: If the new grammar would be too large.

    >>> from weft.structures.grammar import Terminal, shown
    >>> half = np.log(0.5)
    >>> cycle = [Rule("S", ("A",), half), Rule("A", ("S",), half)]
    >>> for rule in without_unaries(grammar([*cycle, Rule("A", (Terminal("a"),), half)])).rules():
    ...     print(shown(rule), round(np.exp(rule.weight), 3))
    S -> 'a' 0.333
    A -> 'a' 0.667
    """
    return merge_rules(_rules(rules), rules.nonterminals[rules.start])


def _rules(rules: Grammar) -> Iterator[Rule]:
    several: dict[str, list[Rule]] = {}
    for rule in possible_rules(rules):
        if not _is_unary(rule):
            several.setdefault(rule.head, []).append(rule)
    for top, feet in unary_closure(rules).items():
        for foot, weight in feet.items():
            for rule in several.get(foot, ()):
                yield Rule(top, rule.body, rule.weight + weight)


def _is_unary(rule: Rule) -> bool:
    return len(rule.body) == 1 and isinstance(rule.body[0], str)
