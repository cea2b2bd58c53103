"""Trees from the edges of a chart's derivations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray
from weft.derivations.chart.grammar import ChartGrammar
from weft.derivations.chart.weights import EdgeWeights
from weft.errors import LimitError
from weft.structures.grammar import Grammar
from weft.structures.tree import Tree

Empty = Callable[[int], Tree]
"""From a nonterminal to an empty tree of it."""

MOST_NODES = 100_000
"""No empty tree is built that has more nodes than this."""

_Children = tuple[Tree | str, ...]


def tree_of(chart: ChartGrammar, edges: Sequence[int], empty: Empty) -> Tree:
    """Return the tree of a derivation.

    Args:
        chart: The grammar.
        edges: The derivation's edges, each before those of its children.
        empty: What to put in the place of a nonterminal that is left out.
    """
    names, texts = chart.grammar.nonterminals, chart.grammar.terminals
    every, count, last = chart.edges, len(names), chart.edge_count - 1
    made: list[_Children] = []
    for number in reversed(edges):
        left, right, target, _, empties, leading = every[number]
        if number == last:
            return empty(left)
        below: _Children = (texts[~left],) if left < 0 else made.pop()
        if right is not None:
            below = (*below, texts[~right]) if right < 0 else (*below, *made.pop())
        if empties:
            left_out = tuple(map(empty, empties))
            below = (*left_out, *below) if leading else (*below, *left_out)
        made.append((Tree(names[target], below),) if target < count else below)
    tree = made[0][0]
    if not isinstance(tree, Tree):
        raise TypeError("a derivation begins with the start symbol")
    return tree


def empties_of(chart: ChartGrammar, edges: Sequence[int]) -> list[int]:
    """Return the nonterminals that a derivation leaves out, as :func:`tree_of` asks for them."""
    every, last = chart.edges, chart.edge_count - 1
    if edges and edges[0] == last:
        return [every[last].left]
    return [symbol for number in reversed(edges) for symbol in every[number].empties]


def trees_of(
    chart: ChartGrammar, offsets: IntArray, edges: IndexArray, empty: Empty
) -> list[Tree | None]:
    """Return the trees of several derivations; None for one that has no edges."""
    bounds, numbers = offsets.tolist(), edges.tolist()
    return [
        tree_of(chart, numbers[first:last], empty) if first < last else None
        for first, last in pairwise(bounds)
    ]


def best_empty(weights: EdgeWeights) -> Empty:
    """Return the best empty trees, given weights by ``best_edge_weights``."""
    grammar = weights.rules.grammar
    best: dict[int, int] = {}
    # The first rule that attains the best score and whose children came before: no cycles.
    while True:
        ready = [
            number
            for number, head in enumerate(grammar.heads.tolist())
            if head not in best
            and weights.shares[number] == weights.empties[head] > -np.inf
            and all(child in best for child in grammar.body(number).tolist())
        ]
        if not ready:
            break
        for number in ready:
            best.setdefault(int(grammar.heads[number]), number)
    return _builder(weights, lambda symbol: best[symbol])


def random_empty(weights: EdgeWeights, rng: np.random.Generator) -> Empty:
    """Return random empty trees, given weights by ``edge_weights``."""
    grammar = weights.rules.grammar
    rules = {
        symbol: np.flatnonzero((grammar.heads == symbol) & (weights.shares > 0))
        for symbol in set(grammar.heads.tolist())
    }

    def draw(symbol: int) -> int:
        shares: FloatArray = weights.shares[rules[symbol]]
        return int(rng.choice(rules[symbol], p=shares / shares.sum()))

    return _builder(weights, draw)


def _builder(weights: EdgeWeights, choose: Callable[[int], int]) -> Empty:
    grammar = weights.rules.grammar

    def below(node: tuple[int, int]) -> list[tuple[int, int]]:
        return [(child, 0) for child in grammar.body(choose(node[0])).tolist()]

    return lambda root: built_empty(grammar, (root, 0), below)


def built_empty(
    grammar: Grammar,
    root: tuple[int, int],
    below: Callable[[tuple[int, int]], Sequence[tuple[int, int]]],
) -> Tree:
    """Build an empty tree from the root down, and without recursion.

    Args:
        grammar: The rules that can be empty.
        root: A nonterminal, and a number that says which of its trees.
        below: From such a pair to those of its children.

    Raises:
        LimitError: If it has too many nodes: n rules can make an empty tree of 2ⁿ of them.
    """
    nodes: list[tuple[int, int]] = []  # in preorder: a nonterminal and its number of children
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = below(node)
        nodes.append((node[0], len(children)))
        waiting.extend(reversed(children))
        if len(nodes) + len(waiting) > MOST_NODES:
            name = grammar.nonterminals[root[0]]
            raise LimitError(
                f"an empty tree of {name} has more than {MOST_NODES:,} nodes; make its expansion "
                "to nothing shorter"
            )
    made: list[Tree] = []
    for symbol, arity in reversed(nodes):
        made.append(Tree(grammar.nonterminals[symbol], tuple(made.pop() for _ in range(arity))))
    return made[0]
