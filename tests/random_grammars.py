"""Random small grammars, and sums over their trees that only add up trees of bounded size."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar
from weft.structures.tree import Tree, leaves

_SYMBOLS: list[Symbol] = ["S", "A", "B", "C", Terminal("a"), Terminal("b")]


def weighted(text_rules: list[tuple[str, str, float]], start: str | None = None) -> Grammar:
    """Rules such as ("S", "S a", 0.5), names in lower case being terminals."""
    return grammar(
        (
            Rule(
                head,
                tuple(Terminal(each) if each.islower() else each for each in body.split()),
                math.log(weight) if weight > 0 else -math.inf,
            )
            for head, body, weight in text_rules
        ),
        start,
    )


@st.composite
def small_grammars(
    draw: st.DrawFn, heaviest: int = 32, lightest: int = -192, most_symbols: int = 3
) -> Grammar:
    """Grammars with cycles, empty right sides, useless rules and impossible ones.

    Weights are exp(k / 64) for k between ``lightest`` and ``heaviest``.
    """
    weights = st.one_of(*[st.integers(lightest, heaviest).map(lambda k: k / 64)] * 5)
    weights = st.one_of(weights, weights, weights, st.just(-math.inf))
    bodies = st.lists(st.sampled_from(_SYMBOLS), max_size=most_symbols).map(tuple)
    heads = st.sampled_from(["S", "A", "B"])
    drawn = draw(st.lists(st.tuples(heads, bodies), min_size=1, max_size=7, unique=True))
    # Most symbols have an end, or few grammars would have a tree.
    ends = st.sampled_from([(), (Terminal("a"),), (Terminal("b"),), (Terminal("a"),)])
    keys = dict.fromkeys(drawn)
    for head in ("S", "A", "B"):
        if draw(st.integers(0, 3)):
            keys.setdefault((head, draw(ends)))
    return grammar([Rule(head, body, draw(weights)) for head, body in keys], "S")


def sums_by_size(rules: Grammar, most: int) -> np.ndarray:
    """The weight of all trees below each symbol that use exactly this many rules.

    Returns:
        [nonterminals, most + 1]
    """
    sums = np.zeros((len(rules.nonterminals), most + 1))
    for size in range(1, most + 1):
        for number in range(rules.rule_count):
            product = np.zeros(size)
            product[0] = math.exp(rules.weights[number])
            for symbol in rules.body(number).tolist():
                if symbol >= 0:
                    product = np.convolve(product, sums[symbol, :size])[:size]
            sums[rules.heads[number], size] += product[size - 1]
    return sums


def trees_below(rules: Grammar, symbol: int, most: int) -> Iterator[tuple[Tree, tuple[int, ...]]]:
    """Every tree below a symbol of at most this many rules, with the rules in pre-order."""
    if most < 1:
        return
    for number in np.flatnonzero((rules.heads == symbol) & (rules.weights > -np.inf)).tolist():
        body = rules.body(number).tolist()
        for children, used in _rows(rules, body, most - 1):
            yield Tree(rules.nonterminals[symbol], children), (number, *used)


def _rows(
    rules: Grammar, body: list[int], most: int
) -> Iterator[tuple[tuple[Tree | str, ...], tuple[int, ...]]]:
    if not body:
        yield (), ()
        return
    if body[0] < 0:
        for rest, used in _rows(rules, body[1:], most):
            yield (rules.terminals[~body[0]], *rest), used
        return
    later = sum(each >= 0 for each in body[1:])
    for tree, used in trees_below(rules, body[0], most - later):
        for rest, more in _rows(rules, body[1:], most - len(used)):
            yield (tree, *rest), (*used, *more)


def string_sums(rules: Grammar, most: int) -> dict[tuple[str, ...], float]:
    """The weight of the trees of each string, of trees with at most this many rules."""
    sums: dict[tuple[str, ...], float] = {}
    for tree, used in trees_below(rules, rules.start, most):
        words = tuple(leaves(tree))
        sums[words] = sums.get(words, 0.0) + math.exp(math.fsum(rules.weights[list(used)]))
    return sums


def propagated(rules: Grammar, rounds: int = 20000) -> np.ndarray:
    """Z of each symbol by repeating the equations: +inf where they grow beyond all bounds."""
    values = np.zeros(len(rules.nonterminals))
    coefficients = np.exp(rules.weights)
    bodies = [
        [each for each in rules.body(n).tolist() if each >= 0] for n in range(rules.rule_count)
    ]
    for _ in range(rounds):
        new = np.zeros_like(values)
        for number, body in enumerate(bodies):
            factor = math.prod(values[each] for each in body) if coefficients[number] else 0.0
            new[rules.heads[number]] += coefficients[number] * factor if factor else 0.0
        new[new > 1e60] = math.inf
        if np.allclose(new, values, rtol=1e-15, atol=0):
            break
        values = new
    return values


def all_strings(words: str, longest: int) -> Iterator[tuple[str, ...]]:
    for length in range(longest + 1):
        yield from itertools.product(words, repeat=length)
