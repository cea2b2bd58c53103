"""Weighted context-free grammars: rules X → α with a weight each, and a start symbol.

A derivation of X is a tree whose root is X, each of whose nodes is expanded by a rule. Its score is
the sum of its rules' log-weights, a rule that is used twice counting twice. Right sides may be
empty, of any length, and of terminals and nonterminals mixed; rules may be recursive in any way.

Reference: Smith and Johnson (2007), "Weighted and Probabilistic Context-Free Grammars Are Equally
Expressive", section 2.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.arrays import (
    FloatArray,
    IndexArray,
    IntArray,
    are_offsets,
    flatten,
    freeze,
    integers,
)
from weft.reprs import Brief


@dataclass(frozen=True, slots=True, order=True)
class Terminal:
    """A symbol of the strings themselves; a plain string is a nonterminal.

    >>> Terminal("dog")
    Terminal(text='dog')
    """

    text: str


Symbol = str | Terminal
"""A nonterminal, by its name, or a terminal."""


class Rule(NamedTuple):
    """A rule: its head, its right side and its log-weight.

    Attributes:
        head: The nonterminal that is expanded.
        body: What it is expanded to, from left to right; empty for ε.
        weight: The logarithm of the rule's weight.

    >>> Rule("NP", ("DT", Terminal("dog")), -0.5).body
    ('DT', Terminal(text='dog'))
    """

    head: str
    body: tuple[Symbol, ...]
    weight: float = 0.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grammar(Brief):
    """Rules in flat arrays, with a start symbol.

    The arrays are copied, checked and read-only: kernels trust them. A nonterminal need not have
    rules, nor a symbol be reachable; a rule of weight −inf is impossible, but keeps its number.

    Attributes:
        nonterminals: The names of the nonterminals, each once.
        terminals: The terminals, each once.
        start: The number of the start symbol.
        heads: The nonterminal that each rule expands. [rules]
        body_offsets: Where the right side of each rule begins, and where the last ends. [rules + 1]
        bodies: The right sides, one after the other: n for nonterminal n, and −1 − t for terminal
            t (Python's ``~t``).
        weights: The log-weight of each rule, finite or −inf. [rules]

    Raises:
        ValueError: If the arrays do not describe such a grammar; the message names the rule.
    """

    nonterminals: tuple[str, ...]
    terminals: tuple[str, ...]
    start: int
    heads: IndexArray
    body_offsets: IntArray
    bodies: IndexArray
    weights: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "nonterminals", tuple(self.nonterminals))
        object.__setattr__(self, "terminals", tuple(self.terminals))
        object.__setattr__(self, "start", operator.index(self.start))
        for name, kind in (("heads", np.int32), ("body_offsets", np.int64), ("bodies", np.int32)):
            row = integers(name, getattr(self, name), kind, np.iinfo(kind).min)
            object.__setattr__(self, name, row)
        object.__setattr__(self, "weights", freeze(np.array(self.weights, np.float64)))
        _check_symbols(self)
        _check_rules(self)

    @property
    def rule_count(self) -> int:
        """How many rules there are."""
        return len(self.heads)

    def body(self, number: int) -> IndexArray:
        """[length]: the right side of a rule, as ``bodies`` has it."""
        return self.bodies[self.body_offsets[number] : self.body_offsets[number + 1]]

    def rule(self, number: int) -> Rule:
        """Return a rule.

        >>> grammar([Rule("S", ("S", Terminal("a"))), Rule("S", ())]).rule(0)
        Rule(head='S', body=('S', Terminal(text='a')), weight=0.0)
        """
        body = tuple(
            self.nonterminals[symbol] if symbol >= 0 else Terminal(self.terminals[~symbol])
            for symbol in self.body(number).tolist()
        )
        return Rule(self.nonterminals[self.heads[number]], body, float(self.weights[number]))

    def rules(self) -> tuple[Rule, ...]:
        """All rules, in the order of their numbers."""
        return tuple(self.rule(number) for number in range(self.rule_count))


def grammar(rules: Iterable[Rule], start: str | None = None) -> Grammar:
    """Make a grammar of its rules, which keep their order.

    >>> sentences = grammar([Rule("S", ("S", "S")), Rule("S", (Terminal("a"),))])
    >>> sentences.nonterminals, sentences.terminals, sentences.bodies
    (('S',), ('a',), array([ 0,  0, -1], dtype=int32))

    Args:
        rules: The rules, no two with the same head and right side.
        start: The start symbol; the head of the first rule by default.

    Returns:
        The grammar; nonterminals and terminals are numbered as they come, heads first.

    Raises:
        ValueError: If there is no rule, a weight is not one, or a rule comes twice.
    """
    rules = list(rules)
    if start is None:
        if not rules:
            raise ValueError("a grammar without rules needs a start symbol")
        start = rules[0].head
    heads = dict.fromkeys([start, *(rule.head for rule in rules)])
    nonterminals = {name: number for number, name in enumerate(heads)}
    terminals: dict[str, int] = {}

    def numbered(symbol: Symbol) -> int:
        if isinstance(symbol, Terminal):
            return ~terminals.setdefault(symbol.text, len(terminals))
        return nonterminals.setdefault(symbol, len(nonterminals))

    offsets, bodies = flatten([tuple(map(numbered, rule.body)) for rule in rules])
    return Grammar(
        tuple(nonterminals),
        tuple(terminals),
        nonterminals[start],
        np.array([nonterminals[rule.head] for rule in rules], np.int32),
        offsets,
        np.array(bodies, np.int32),
        np.array([rule.weight for rule in rules], np.float64),
    )


def reweight(grammar: Grammar, weights: FloatArray) -> Grammar:
    """Return the same rules with other log-weights.

    >>> loop = grammar([Rule("S", ("S",)), Rule("S", ())])
    >>> reweight(loop, np.array([-1.0, -2.0])).weights
    array([-1., -2.])
    """
    return Grammar(
        grammar.nonterminals,
        grammar.terminals,
        grammar.start,
        grammar.heads,
        grammar.body_offsets,
        grammar.bodies,
        weights,
    )


def shown(rule: Rule) -> str:
    """Write a rule as the grammar notation does, without its weight.

    >>> shown(Rule("NP", ("DT", Terminal("dog"))))
    "NP -> DT 'dog'"
    """
    body = (repr(symbol.text) if isinstance(symbol, Terminal) else symbol for symbol in rule.body)
    return " ".join([rule.head, "->", *body])


def _check_symbols(grammar: Grammar) -> None:
    for kind, names in (("nonterminal", grammar.nonterminals), ("terminal", grammar.terminals)):
        if len(set(names)) != len(names):
            twice, _ = Counter(names).most_common(1)[0]
            raise ValueError(f"the {kind} {twice!r} is listed twice")
    if not 0 <= grammar.start < len(grammar.nonterminals):
        raise ValueError(
            f"the start symbol {grammar.start} is none of {len(grammar.nonterminals)} nonterminals"
        )


def _check_rules(grammar: Grammar) -> None:
    count, offsets = grammar.rule_count, grammar.body_offsets
    if grammar.weights.shape != (count,) or offsets.shape != (count + 1,):
        raise ValueError(
            f"{count} heads need as many weights and one more offset, not "
            f"{grammar.weights.shape} and {offsets.shape}"
        )
    if not are_offsets(offsets, count, len(grammar.bodies)):
        raise ValueError("the offsets of right sides must ascend from 0 to their end")
    widest, deepest = len(grammar.nonterminals), len(grammar.terminals)
    for number in np.flatnonzero((grammar.heads < 0) | (grammar.heads >= widest)).tolist():
        raise ValueError(f"rule {number}: there is no nonterminal {grammar.heads[number]}")
    for place in np.flatnonzero((grammar.bodies >= widest) | (grammar.bodies < -deepest)).tolist():
        number = int(np.searchsorted(offsets, place, side="right")) - 1
        raise ValueError(f"rule {number}: there is no symbol {grammar.bodies[place]}")
    for number in np.flatnonzero(~(grammar.weights < math.inf)).tolist():
        raise ValueError(
            f"the log-weight of {shown(grammar.rule(number))} must be finite or -inf, not "
            f"{grammar.weights[number]}"
        )
    _check_distinct(grammar)


def _check_distinct(grammar: Grammar) -> None:
    seen: dict[tuple[int, bytes], int] = {}
    for number, head in enumerate(grammar.heads.tolist()):
        key = head, grammar.body(number).tobytes()
        if seen.setdefault(key, number) != number:
            raise ValueError(f"the rule {shown(grammar.rule(number))} comes twice")
