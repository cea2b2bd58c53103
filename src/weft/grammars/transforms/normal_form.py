"""Chomsky normal form: every rule has two nonterminals, or one terminal, on the right.

Long rules are cut, rules to nothing removed, then chains of unary rules. The first of these steps
keeps every tree and its weight, the others the sum of the weights of the trees of every string
(:mod:`weft.grammars.transforms.factor`, ``epsilons``, ``unaries``). Where the grammar has neither
empty nor unary rules, the trees of the new grammar are those of the old, by ``unbinarised``;
otherwise one tree stands for all those that differ in chains and in what is not heard.

References: J. Goodman (1999), "Semiring parsing", Computational Linguistics 25(4); M. Lange and
H. Leiß (2009), "To CNF or not to CNF?", Informatica Didactica 8, for the order of the steps.
"""

from __future__ import annotations

from weft.grammars.transforms.epsilons import without_epsilons
from weft.grammars.transforms.factor import factor_rules
from weft.grammars.transforms.unaries import without_unaries
from weft.structures.grammar import Grammar


def normal_form(grammar: Grammar) -> Grammar:
    """Return a grammar in Chomsky normal form that gives every string the same sum of weights.

    Only a new start symbol, ``S'`` for S, may have a rule to nothing, if the empty string has a
    tree.

    Args:
        grammar: The grammar; its rules of weight −inf are left out.

    Raises:
        DivergenceError: If the trees below some symbol to the empty string, or the chains of unary
            rules between two symbols, sum to infinity.
        LimitError: If the new grammar would be too large.

    >>> from weft.structures.grammar import Rule, Terminal, grammar as made_of, shown
    >>> lists = made_of([Rule("S", (Terminal("a"), "S", Terminal("b"))), Rule("S", (), -1.0)])
    >>> for rule in normal_form(lists).rules():
    ...     print(shown(rule), rule.weight)
    S' -> -1.0
    S' -> @'a~S @'b 0.0
    S -> @'a~S @'b 0.0
    @'a -> 'a' 0.0
    @'b -> 'b' 0.0
    @'a~S -> @'a S 0.0
    @'a~S -> 'a' -1.0
    """
    return without_unaries(without_epsilons(factor_rules(grammar)))
