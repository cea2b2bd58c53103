"""Symbols and rules that no tree of a grammar uses.

A symbol is *undefined* if it has no rule, *unproductive* if no string can be derived from it, and
*unreachable* if no tree of the start symbol has room for it. A rule of weight 0 is impossible. A
rule is of use exactly if it is possible, its symbols are productive, and its head is reachable by
rules of use.

Reference: Hopcroft, Motwani and Ullman (2001), Introduction to Automata Theory, Languages, and
Computation, section 7.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, IntArray
from weft.grammars.sums.systems import System, productive, system_of
from weft.inference.components import components, reachable
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar


@dataclass(frozen=True, slots=True)
class Useless:
    """What could be left out of a grammar without losing a tree.

    Attributes:
        undefined: Symbols that occur in rules but have none.
        unproductive: Symbols with rules, from which no string can be derived.
        unreachable: Productive symbols that no tree of the start symbol holds.
        impossible: Rules of weight 0.
        rules: All rules that are in no tree, for whichever of these reasons.
    """

    undefined: tuple[str, ...]
    unproductive: tuple[str, ...]
    unreachable: tuple[str, ...]
    impossible: tuple[Rule, ...]
    rules: tuple[Rule, ...]


def useless(grammar: Grammar) -> Useless:
    r"""Return what no tree of a grammar uses.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> found = useless(parse_grammar("S -> 'a' | B S | C 'c'\nC -> C 'a'\nD -> 'd'"))
    >>> found.undefined, found.unproductive, found.unreachable
    (('B',), ('C',), ('D',))
    """
    system = system_of(grammar)
    some = productive(system, grammar.weights)
    kept = useful_rules(grammar)
    count = system.count
    defined = np.bincount(system.heads, minlength=count) > 0
    reached = np.bincount(system.heads[kept], minlength=count) > 0

    def names(mask: BoolArray) -> tuple[str, ...]:
        return tuple(grammar.nonterminals[number] for number in np.flatnonzero(mask).tolist())

    return Useless(
        names(~defined),
        names(defined & ~some),
        names(some & ~reached),
        tuple(grammar.rule(n) for n in np.flatnonzero(grammar.weights == -np.inf).tolist()),
        tuple(grammar.rule(n) for n in np.flatnonzero(~kept).tolist()),
    )


def useful_rules(grammar: Grammar) -> BoolArray:
    r"""Return which rules some tree of the start symbol uses [rules].

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> useful_rules(parse_grammar("S -> 'a' | B S [0.5]\nD -> 'd'"))
    array([ True, False, False])
    """
    system = system_of(grammar)
    some = productive(system, grammar.weights)
    possible = grammar.weights > -np.inf
    possible[system.owners[~some[system.factors]]] = False
    reached = _reached(system, possible, grammar.start)
    mask: BoolArray = possible & reached[system.heads]
    return mask


def reachable_rules(grammar: Grammar) -> BoolArray:
    r"""Return which possible rules can be reached from the start symbol, productive or not [rules].

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> reachable_rules(parse_grammar("S -> 'a' | B S [0.5]\nD -> 'd'"))
    array([ True,  True, False])
    """
    system = system_of(grammar)
    possible = grammar.weights > -np.inf
    mask: BoolArray = possible & _reached(system, possible, grammar.start)[system.heads]
    return mask


def _reached(system: System, possible: BoolArray, start: int) -> BoolArray:
    live = possible[system.owners]
    heads, factors = system.heads[system.owners[live]], system.factors[live]
    return reachable(system.count, heads, factors, np.array([start]))


def trim_grammar(grammar_: Grammar) -> Grammar:
    r"""Return a grammar of the rules that some tree uses, in their order.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> short = trim_grammar(parse_grammar("S -> 'a' | B S [0.5]\nD -> 'd'"))
    >>> short.rule_count, short.nonterminals
    (1, ('S',))

    Args:
        grammar_: The grammar.

    Returns:
        The grammar without the others; it has no rule where there is no tree.
    """
    kept = np.flatnonzero(useful_rules(grammar_)).tolist()
    start = grammar_.nonterminals[grammar_.start]
    return grammar((grammar_.rule(number) for number in kept), start)


def ambiguous_cycle(grammar: Grammar) -> tuple[str, ...]:
    r"""Return a cycle by which some string has infinitely many trees, empty where there is none.

    In such a cycle each symbol can become the next alone, the rest of the rule becoming nothing.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> ambiguous_cycle(parse_grammar("S -> S A | 'a'\nA -> 'a' | "))
    ('S',)
    >>> ambiguous_cycle(parse_grammar("S -> S A | 'a'\nA -> 'a'"))
    ()
    """
    found = _cycle(len(grammar.nonterminals), *_passing(grammar, useful_rules(grammar)))
    return tuple(grammar.nonterminals[each] for each in found)


def merge_cycles(grammar_: Grammar) -> Grammar:
    r"""Return a grammar with one symbol in place of those that can become each other alone.

    A tree with one of these is one of infinitely many trees of its string, and stays so. So every
    string keeps its number of trees, and large cycles become small.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> merged = merge_cycles(parse_grammar("S -> A 'x'\nA -> B | 'a'\nB -> A | 'b'"))
    >>> merged.nonterminals, merged.rule_count
    (('S', 'A'), 4)

    Args:
        grammar_: The grammar, all of whose rules are in some tree (:func:`trim_grammar`).
    """
    count = len(grammar_.nonterminals)
    every = np.ones(grammar_.rule_count, np.bool_)
    found = components(count, *_passing(grammar_, every))
    _, first, places = np.unique(found.numbers, return_index=True, return_inverse=True)
    names = [grammar_.nonterminals[number] for number in first[places].tolist()]
    stands = dict(zip(grammar_.nonterminals, names, strict=True))
    rules = {
        (stands[rule.head], tuple([_stand(symbol, stands) for symbol in rule.body])): rule.weight
        for rule in grammar_.rules()
    }
    return grammar([Rule(*key, weight) for key, weight in rules.items()], names[grammar_.start])


def _stand(symbol: Symbol, stands: Mapping[str, str]) -> Symbol:
    return symbol if isinstance(symbol, Terminal) else stands[symbol]


def _passing(grammar: Grammar, rules: BoolArray) -> tuple[IntArray, IntArray]:
    """Symbols and what each can become alone by some rules, the rest becoming nothing."""
    empty = _nullable(grammar, rules)
    owners = np.repeat(np.arange(grammar.rule_count), np.diff(grammar.body_offsets))
    bodies = grammar.bodies.astype(np.int64)
    solid = (bodies < 0) | ~empty[np.maximum(bodies, 0)]
    solid_counts = np.bincount(owners[solid], minlength=grammar.rule_count)
    # A symbol is left alone if all others of its rule can be empty.
    alone = rules[owners] & (bodies >= 0) & (solid_counts[owners] - solid == 0)
    return grammar.heads[owners[alone]].astype(np.int64), bodies[alone]


def _nullable(grammar: Grammar, rules: BoolArray) -> BoolArray:
    """[nonterminals]: those from which nothing at all can be derived."""
    owners = np.repeat(np.arange(grammar.rule_count), np.diff(grammar.body_offsets))
    silent = rules.copy()
    silent[owners[grammar.bodies < 0]] = False
    return productive(system_of(grammar), np.where(silent, 0.0, -np.inf))


def _cycle(count: int, sources: IntArray, targets: IntArray) -> list[int]:
    """Nodes of some cycle, empty where there is none."""
    found = components(count, sources, targets)
    inside = found.numbers[sources] == found.numbers[targets]
    inside &= found.cyclic[found.numbers[sources]]
    following = dict(zip(sources[inside].tolist(), targets[inside].tolist(), strict=True))
    if not following:
        return []
    node, path = min(following), dict[int, int]()
    while node not in path:
        path[node] = len(path)
        node = following[node]
    return list(path)[path[node] :]
