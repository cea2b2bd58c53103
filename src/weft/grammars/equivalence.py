"""Whether two weightings of the same rules mean the same.

Let d_r be the difference of a rule's log-weights. They define the same distribution of *trees*
exactly if Σ_r d_r is the same for all trees. It suffices to look at one tree per rule: the smallest
tree of the grammar in which the rule occurs, within the smallest tree around it.

They define the same distribution of trees *given strings* if Σ_r d_r depends on the string alone.
It does if there are numbers g_X of nonterminals and λ_a of terminals with

    d_{X → α} = g_X - Σ_{Y in α} g_Y + Σ_{a in α} λ_a,

and does not if two trees of one string show it. Beyond these two cases no algorithm can decide it
in general: it would also decide whether the languages of two grammars have a string in common.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.errors import EvidenceError, LimitError
from weft.grammars.sampling import built
from weft.grammars.sums.smallest import smallest_rules
from weft.grammars.trim import useful_rules
from weft.structures.grammar import Grammar, reweight
from weft.structures.tree import Tree, leaves

_TOLERANCE = 1e-9
_MOST_TREES = 20_000
_MOST_NUMBERS = 50_000_000


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What is known of two weightings of the same rules.

    Attributes:
        same: Whether they mean the same; None where neither a proof nor a counter-example was
            found.
        trees: Where they do not, two trees whose ratio differs; of one string, if the question is
            about trees given strings.
        ratios: The log of the ratio of these trees' weights, by the first and by the second
            weighting.
        trees_tried: How many trees were looked at for a counter-example.
    """

    same: bool | None
    trees: tuple[Tree, ...] = ()
    ratios: tuple[float, ...] = ()
    trees_tried: int = 0


def same_trees(one: Grammar, other: Grammar, tolerance: float = _TOLERANCE) -> Equivalence:
    """Say whether two weightings of the same rules define the same distribution of trees.

    >>> from weft.grammars.normalise import normalise
    >>> from weft.grammars.forms.notation import parse_grammar
    >>> rules = parse_grammar("S -> S S [0.08] | 'a' [2] | 'b' [0.5]")
    >>> same_trees(rules, normalise(rules).grammar).same
    True
    >>> found = same_trees(rules, reweight(rules, np.log([0.08, 1, 0.5])))
    >>> found.same, found.trees
    (False, (Tree('(S a)'), Tree('(S (S a) (S a))')))

    Args:
        one: A grammar.
        other: A grammar with the same rules in the same order.
        tolerance: How much log-weights may differ by rounding.

    Raises:
        ValueError: If the rules are not the same.
        EvidenceError: If there is no tree.
    """
    change = _change(one, other)
    if isinstance(change, Equivalence):
        return change
    rules, _ = smallest_rules(one)
    around = _contexts(one)
    first = _spread(one, rules, [rules[one.start]])
    for rule in np.flatnonzero(useful_rules(one)).tolist():
        tree = _spread(one, rules, [*around[int(one.heads[rule])], rule])
        if abs(change[tree].sum() - change[first].sum()) > tolerance * _size(change, tree, first):
            return _counter_example(one, other, first, tree)
    return Equivalence(True)


def same_conditional(
    one: Grammar, other: Grammar, tolerance: float = _TOLERANCE, most_trees: int = _MOST_TREES
) -> Equivalence:
    r"""Say whether two weightings of the same rules define the same distribution given strings.

    >>> from weft.grammars.normalise import normalise_conditional
    >>> from weft.grammars.forms.notation import parse_grammar
    >>> every = parse_grammar("A -> A A | 'a'")
    >>> same_conditional(every, normalise_conditional(every).grammar).same
    True
    >>> rules = parse_grammar("S -> A | B\nA -> 'a'\nB -> 'a'")
    >>> same_conditional(rules, reweight(rules, np.log([1, 2, 1, 1]))).trees
    (Tree('(S (A a))'), Tree('(S (B a))'))

    Args:
        one: A grammar.
        other: A grammar with the same rules in the same order.
        tolerance: How much log-weights may differ by rounding.
        most_trees: How many trees, the smallest first, to look at for a counter-example.

    Raises:
        ValueError: If the rules are not the same.
        EvidenceError: If there is no tree.
        LimitError: If the grammar is too large to be compared.
    """
    change = _change(one, other)
    if isinstance(change, Equivalence):
        # A rule that only one of them has: it matters if a string has another tree as well.
        return _searched(one, other, tolerance, most_trees)
    if _explained(one, change, tolerance):
        return Equivalence(True)
    return _searched(one, other, tolerance, most_trees)


def _change(one: Grammar, other: Grammar) -> FloatArray | Equivalence:
    """d; or a tree that is possible by one weighting only, with one that is by both if any is."""
    same = (one.nonterminals, one.terminals, one.start) == (
        other.nonterminals,
        other.terminals,
        other.start,
    )
    if not same or not all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("heads", "body_offsets", "bodies")
    ):
        raise ValueError("the two grammars must have the same rules in the same order")
    useful, useful_other = useful_rules(one), useful_rules(other)
    if not useful.any() or not useful_other.any():
        raise EvidenceError(
            "a grammar without trees defines no distribution that could be compared"
        )
    for mine, theirs, grammar in ((useful, useful_other, one), (useful_other, useful, other)):
        for rule in np.flatnonzero(mine & ~theirs).tolist():
            rules, _ = smallest_rules(grammar)
            tree = _spread(grammar, rules, [*_contexts(grammar)[int(grammar.heads[rule])], rule])
            first = _spread(grammar, rules, [rules[grammar.start]])
            return _counter_example(one, other, first, tree)
    change = np.zeros(one.rule_count)
    change[useful] = one.weights[useful] - other.weights[useful]
    return change


def _size(change: FloatArray, *trees: list[int]) -> float:
    return 1.0 + sum(float(abs(change[tree]).sum()) for tree in trees)


def _contexts(grammar: Grammar) -> dict[int, list[int]]:
    """Ways from the start symbol down to each other: of each rule but the last, a symbol follows.

    A way is a list of rules, each at the first symbol of the one before that leads on.
    """
    useful = useful_rules(grammar)
    by_head: dict[int, list[int]] = {}
    for rule in np.flatnonzero(useful).tolist():
        by_head.setdefault(int(grammar.heads[rule]), []).append(rule)
    ways: dict[int, list[int]] = {grammar.start: []}
    waiting = [grammar.start]
    for symbol in waiting:
        for rule in by_head.get(symbol, []):
            for child in grammar.body(rule).tolist():
                if child >= 0 and child not in ways:
                    ways[child] = [*ways[symbol], rule]
                    waiting.append(child)
    return ways


def _spread(grammar: Grammar, rules: list[int], way: list[int]) -> list[int]:
    """The rules, in pre-order, of the smallest tree that goes a way from the start symbol down."""
    heads = [int(grammar.heads[rule]) for rule in way]
    used: list[int] = []
    # A symbol with its place on the way, or None off the way.
    waiting: list[tuple[int, int | None]] = [(grammar.start, 0)]
    while waiting:
        symbol, place = waiting.pop()
        rule = rules[symbol] if place is None else way[place]
        used.append(rule)
        goal = heads[place + 1] if place is not None and place + 1 < len(way) else None
        children: list[tuple[int, int | None]] = []
        for child in grammar.body(rule).tolist():
            if child >= 0 and child == goal:
                children.append((child, None if place is None else place + 1))
                goal = None
            elif child >= 0:
                children.append((child, None))
        waiting += reversed(children)
    return used


def _counter_example(
    one: Grammar, other: Grammar, first: list[int], second: list[int]
) -> Equivalence:
    def ratio(weights: FloatArray) -> float:
        with np.errstate(invalid="ignore"):
            difference = weights[first].sum() - weights[second].sum()
        return float(difference)

    return Equivalence(
        False,
        (built(one, first), built(one, second)),
        (ratio(one.weights), ratio(other.weights)),
    )


def _explained(grammar: Grammar, change: FloatArray, tolerance: float) -> bool:
    """Whether there are g and λ as above."""
    rules = np.flatnonzero(useful_rules(grammar))
    width = len(grammar.nonterminals)
    size = len(rules) * (width + len(grammar.terminals))
    if size > _MOST_NUMBERS:
        raise LimitError(
            f"comparing {len(rules):,} rules would take {size:,} numbers, more than "
            f"{_MOST_NUMBERS:,}; compare smaller grammars"
        )
    table = np.zeros((len(rules), width + len(grammar.terminals)))
    for row, rule in enumerate(rules.tolist()):
        table[row, grammar.heads[rule]] += 1.0
        for symbol in grammar.body(rule).tolist():
            table[row, symbol if symbol >= 0 else width + ~symbol] += -1.0 if symbol >= 0 else 1.0
    found = np.linalg.lstsq(table, change[rules], rcond=None)[0]
    rest = abs(table @ found - change[rules])
    return bool((rest <= tolerance * (1.0 + abs(change[rules]).max())).all())


def _searched(one: Grammar, other: Grammar, tolerance: float, most_trees: int) -> Equivalence:
    seen: dict[tuple[str, ...], list[int]] = {}
    both = reweight(one, np.maximum(one.weights, other.weights))
    number = 0
    for number, used in enumerate(itertools.islice(_by_size(both), most_trees), 1):
        words = tuple(leaves(built(one, used)))
        first = seen.setdefault(words, used)
        sums = [(g.weights[first].sum(), g.weights[used].sum()) for g in (one, other)]
        with np.errstate(invalid="ignore"):
            mine, theirs = (high - low for high, low in sums)
        gap = abs(mine - theirs)
        size = tolerance * (1.0 + abs(mine) + abs(theirs)) if np.isfinite(mine - theirs) else 0.0
        if first is not used and not gap <= size and not (np.isnan(mine) and np.isnan(theirs)):
            found = _counter_example(one, other, first, used)
            return Equivalence(False, found.trees, found.ratios, number)
    return Equivalence(None, trees_tried=number)


def _by_size(grammar: Grammar) -> Iterator[list[int]]:
    """The trees of a grammar as their rules in pre-order, the smallest first."""
    useful = np.flatnonzero(useful_rules(grammar)).tolist()
    made: dict[tuple[int, int], list[list[int]]] = {}
    bodies = {rule: [s for s in grammar.body(rule).tolist() if s >= 0] for rule in useful}
    by_head: dict[int, list[int]] = {}
    for rule in useful:
        by_head.setdefault(int(grammar.heads[rule]), []).append(rule)

    def rows(body: list[int], size: int) -> Iterator[list[int]]:
        if not body:
            if size == 0:
                yield []
            return
        for part in range(1, size - len(body) + 2):
            for rest in rows(body[1:], size - part):
                for first in made.get((body[0], part), ()):
                    yield first + rest

    total = 0
    for size in itertools.count(1):
        for symbol, rules in by_head.items():
            every = ([r, *row] for r in rules for row in rows(bodies[r], size - 1))
            found = list(itertools.islice(every, _MOST_TREES * 10 - total + 1))
            if found:
                made[symbol, size] = found
            total += len(found)
        yield from made.get((grammar.start, size), ())
        if total > _MOST_TREES * 10 or size > 60:
            return
