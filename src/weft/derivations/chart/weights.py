"""The weights of a chart's edges from those of its rules, and back from edges to rules.

An edge weighs what the rule that it completes weighs, times the sum of all empty trees of each
nonterminal that it leaves out,

    e_X = Σ_{X → Y…Z} w ∏ e_Y,

the partition function of the rules that can be empty. Backwards, the expected number of an edge is
that of its rule, and of as many empty trees; the rules of these follow from Chi's weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, flatten
from weft.derivations.chart.grammar import ChartGrammar, nullable
from weft.derivations.feature_map import FeatureMap
from weft.errors import DivergenceError
from weft.grammars.sums.partition import partition, rule_shares, shown_cycle
from weft.structures.grammar import Grammar, reweight


@dataclass(frozen=True, slots=True, eq=False)
class EmptyRules:
    """The rules that can be expanded to nothing.

    Attributes:
        grammar: These rules alone, with all nonterminals.
        numbers: The rule of the whole grammar that each is. [empty rules]
    """

    grammar: Grammar
    numbers: IntArray


def empty_rules(grammar: Grammar) -> EmptyRules:
    """Return the rules whose right sides can be empty.

    >>> from weft.structures.grammar import Rule, Terminal
    >>> from weft.structures.grammar import grammar as made
    >>> rules = made([Rule("S", ("T", "T")), Rule("S", (Terminal("a"),)), Rule("T", ())])
    >>> empty_rules(rules).numbers
    array([0, 2])
    """
    empty = nullable(grammar)
    bodies = [grammar.body(number) for number in range(grammar.rule_count)]
    chosen = [n for n, body in enumerate(bodies) if (body >= 0).all() and empty[body].all()]
    offsets, symbols = flatten([bodies[number].tolist() for number in chosen])
    return EmptyRules(
        Grammar(
            grammar.nonterminals,
            grammar.terminals,
            grammar.start,
            grammar.heads[chosen],
            offsets,
            np.array(symbols, np.int32),
            np.zeros(len(chosen)),
        ),
        np.array(chosen, np.int64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class EdgeWeights:
    """The log-weights of edges at one θ, made by :func:`edge_weights`.

    Attributes:
        edges: The log-weight of each edge. [edges]
        empties: log e_X. [nonterminals]
        rules: The rules that can be empty, with their weights.
        shares: The probability of each of them in a random empty tree. [empty rules]
    """

    edges: FloatArray
    empties: FloatArray
    rules: EmptyRules
    shares: FloatArray


def edge_weights(chart: ChartGrammar, empty: EmptyRules, theta: FloatArray) -> EdgeWeights:
    """Return the weights of all edges.

    Args:
        chart: The grammar.
        empty: Its rules that can be empty.
        theta: The log-weights of its rules. [rules]

    Raises:
        DivergenceError: If the sum over empty trees is infinite.
    """
    if not len(empty.numbers):
        empties = np.full(len(chart.grammar.nonterminals), -np.inf)
        return EdgeWeights(scores_of_edges(chart, theta, empties), empties, empty, np.zeros(0))
    weighted = reweight(empty.grammar, theta[empty.numbers])
    sums = partition(weighted)
    if np.isposinf(sums.log_values).any():
        infinite = np.flatnonzero(np.isposinf(sums.log_values)).tolist()
        names = shown_cycle(sums.cycle) if sums.cycle else chart.grammar.nonterminals[infinite[0]]
        raise DivergenceError(
            f"the sum over empty trees is infinite: the cycle {names} of expansions to nothing "
            "gains more weight in each round than it loses; lower its rules' weights"
        )
    shares = rule_shares(weighted, sums)
    return EdgeWeights(
        scores_of_edges(chart, theta, sums.log_values),
        sums.log_values,
        EmptyRules(weighted, empty.numbers),
        shares,
    )


def best_edge_weights(chart: ChartGrammar, empty: EmptyRules, theta: FloatArray) -> EdgeWeights:
    """Return the weights of all edges where the best empty tree is left out, not their sum.

    Raises:
        DivergenceError: If there is no best, because a cycle gains weight.
    """
    grammar = empty.grammar
    bodies = FeatureMap(grammar.body_offsets, grammar.bodies, None, len(grammar.nonterminals))
    weights = theta[empty.numbers]
    values = np.full(len(grammar.nonterminals), -np.inf)
    for _ in range(len(values) + 1):
        scores = bodies.scores(values, weights)
        better = values.copy()
        np.maximum.at(better, grammar.heads, scores)
        if (better == values).all():
            edges = scores_of_edges(chart, theta, values)
            return EdgeWeights(
                edges, values, EmptyRules(reweight(grammar, weights), empty.numbers), scores
            )
        values = better
    name = chart.grammar.nonterminals[int(np.flatnonzero(better > values)[:1].sum())]
    raise DivergenceError(
        f"there is no best tree: an expansion of {name} to nothing gains weight in each round of a "
        "cycle; lower its rules' weights"
    )


def fewest_edge_weights(
    chart: ChartGrammar, empty: EmptyRules, broken: FloatArray, theta: FloatArray
) -> tuple[FloatArray, EdgeWeights]:
    """Return how many rules edges break [edges], and their weights, with the best empty trees.

    These break as few rules as can be, and are the best of those that do.

    Args:
        chart: The grammar.
        empty: Its rules that can be empty.
        broken: How many rules each rule of the grammar breaks, as a number up to 0. [rules]
        theta: The log-weights of its rules. [rules]

    Raises:
        DivergenceError: If there is no best, because a cycle gains weight.
    """
    counts = best_edge_weights(chart, empty, broken)
    kept = theta.copy()
    kept[empty.numbers[counts.shares < counts.empties[empty.grammar.heads]]] = -np.inf
    found = best_edge_weights(chart, empty, kept)
    return counts.edges, replace(found, edges=scores_of_edges(chart, theta, found.empties))


def scores_of_edges(chart: ChartGrammar, rules: FloatArray, empties: FloatArray) -> FloatArray:
    """[edges]: the sums of what edges complete and leave out, given the scores of both.

    Args:
        chart: The grammar.
        rules: [rules].
        empties: [nonterminals], not +inf.
    """
    return chart.left_out.scores(empties, chart.completed.scores(rules))


def rule_expectations(chart: ChartGrammar, weights: EdgeWeights, totals: FloatArray) -> FloatArray:
    """[rules]: the expected number of each rule, given that of each edge [edges]."""
    counts = chart.completed.gradient(totals)
    if not len(weights.shares):
        return counts
    symbols = expected_empties(weights, chart.left_out.gradient(totals))
    np.add.at(counts, weights.rules.numbers, weights.shares * symbols[weights.rules.grammar.heads])
    return counts


def expected_empties(weights: EdgeWeights, roots: FloatArray) -> FloatArray:
    """How many nodes of empty trees each nonterminal labels, given how many are roots."""
    matrix, symbols = _children(weights)
    found = np.zeros(len(roots))
    found[symbols] = np.linalg.solve(np.eye(len(symbols)) - matrix.T, roots[symbols])
    return found


def empty_scores(weights: EdgeWeights) -> FloatArray:
    """[nonterminals]: the expected log-weight of a random empty tree; 0 where there is none."""
    matrix, symbols = _children(weights)
    grammar = weights.rules.grammar
    used = weights.shares > 0
    own = np.bincount(
        grammar.heads[used],
        weights.shares[used] * grammar.weights[used],
        minlength=len(grammar.nonterminals),
    )
    found = np.zeros(len(grammar.nonterminals))
    found[symbols] = np.linalg.solve(np.eye(len(symbols)) - matrix, own[symbols])
    return found


def _children(weights: EdgeWeights) -> tuple[FloatArray, IntArray]:
    """How many children of each kind an empty node has, among nonterminals that can be empty."""
    grammar = weights.rules.grammar
    symbols = np.flatnonzero(weights.empties > -np.inf)
    place = np.zeros(len(grammar.nonterminals), np.int64)
    place[symbols] = np.arange(len(symbols))
    owners = np.repeat(np.arange(grammar.rule_count), np.diff(grammar.body_offsets))
    used: BoolArray = weights.shares[owners] > 0
    matrix = np.zeros((len(symbols), len(symbols)))
    rows, columns = place[grammar.heads[owners[used]]], place[grammar.bodies[used]]
    np.add.at(matrix, (rows, columns), weights.shares[owners[used]])
    return matrix, symbols
