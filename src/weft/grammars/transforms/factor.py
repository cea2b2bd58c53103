"""Grammars whose rules have at most two symbols on the right, tree by tree the same.

A rule of n > 2 symbols becomes n − 1 rules of two, through new symbols that are named after what
they join, from the left; right sides that begin alike share them:

    NP → DT JJ NN      NP → @DT~JJ NN,   @DT~JJ → DT JJ

A terminal beside other symbols becomes a new symbol over it, ``@'dog`` → dog. New rules have
weight 1, so that every tree of the old grammar is one tree of the new, of the same weight, and
:func:`weft.grammars.transforms.binarise.unbinarise` turns that into the old one.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.grammars.transforms.labels import join_labels, made, protect
from weft.grammars.transforms.merge import merge_rules, possible_rules
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal

_MARK = "~"


def factor_rules(grammar: Grammar, *, terminals: bool = True) -> Grammar:
    """Return a grammar with at most two symbols on the right of its rules.

    Args:
        grammar: The grammar; its rules of weight −inf are left out.
        terminals: Whether terminals beside other symbols become new symbols.

    Raises:
        LimitError: If a rule is so long that new names would be too long.

    >>> from weft.structures.grammar import grammar as made_of, shown
    >>> noun_phrase = made_of([Rule("NP", ("DT", "JJ", Terminal("dog")), -1.0)])
    >>> for rule in factor_rules(noun_phrase).rules():
    ...     print(shown(rule), rule.weight)
    NP -> @DT~JJ @'dog -1.0
    @'dog -> 'dog' 0.0
    @DT~JJ -> DT JJ 0.0
    """
    made_rules: dict[Rule, None] = {}
    for rule in possible_rules(grammar):
        made_rules.update(dict.fromkeys(_rules(rule, terminals)))
    return merge_rules(made_rules, protect(grammar.nonterminals[grammar.start]))


def _rules(rule: Rule, terminals: bool) -> Iterator[Rule]:
    """The rule of the old head first, then those of new symbols."""
    names = [_name(symbol) for symbol in rule.body]
    body: list[Symbol] = [
        symbol if isinstance(symbol, Terminal) else protect(symbol) for symbol in rule.body
    ]
    below: list[Rule] = []
    if terminals and len(body) > 1:
        for place, symbol in enumerate(body):
            if isinstance(symbol, Terminal):
                body[place] = made(join_labels([names[place]], _MARK))
                below.append(Rule(made(join_labels([names[place]], _MARK)), (symbol,)))
    for end in range(2, len(names)):
        prefix = made(join_labels(names[:end], _MARK))
        below.append(Rule(prefix, (body[0], body[end - 1])))
        body[0] = prefix
    if len(names) > 2:
        body = [body[0], body[-1]]
    yield Rule(protect(rule.head), tuple(body), rule.weight)
    yield from below


def _name(symbol: Symbol) -> str:
    if isinstance(symbol, Terminal):
        return f"'{symbol.text}"
    return protect(symbol, "'")
