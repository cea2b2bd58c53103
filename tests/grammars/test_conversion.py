"""Conversions of grammars whose weights differ by many orders of magnitude, checked."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

from random_grammars import trees_below, weighted
from weft.errors import LimitError
from weft.grammars.conversion import convert_grammar
from weft.grammars.equivalence import same_conditional, same_trees
from weft.grammars.normalise import Scale, normalise, normalise_conditional, normalise_to_length
from weft.grammars.sums.growth import growth, scale_weights
from weft.grammars.sums.lengths import endless_cycle
from weft.grammars.sums.partition import expected_length, partition
from weft.grammars.sums.tightness import tightness
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar
from weft.structures.tree import leaves

FOUND = weighted(
    [
        ("S", "B a A", 7.34559e-5),
        ("A", "A a", 0.0567215),
        ("A", "B", 3.04109e-10),
        ("B", "a", 2.78817e-6),
        ("B", "S", 9.85796e-5),
        ("B", "A", 2.36883e-7),
    ]
)


def uneven_grammars(rng: np.random.Generator, count: int) -> list[Grammar]:
    """Grammars with unary cycles, weights being log-uniform from 1e-20 to 1."""
    found: list[Grammar] = []
    while len(found) < count:
        rules = _uneven(rng)
        if not endless_cycle(rules):
            found.append(rules)
    return found


def _uneven(rng: np.random.Generator) -> Grammar:
    names = ["S", "A", "B"]
    symbols: list[Symbol] = [*names, Terminal("a"), Terminal("b")]
    drawn: dict[tuple[str, tuple[Symbol, ...]], None] = {}
    for place, head in enumerate(names):
        drawn[head, (Terminal("a"),)] = None
        if rng.random() < 0.7:
            drawn[head, (names[(place + rng.integers(1, 3)) % 3],)] = None
        for _ in range(rng.integers(0, 3)):
            body = tuple(symbols[each] for each in rng.integers(0, 5, rng.integers(1, 4)))
            if body != (head,):
                drawn[head, body] = None
    weights = math.log(10) * rng.uniform(-20, 0, len(drawn))
    return grammar([Rule(*key, float(w)) for key, w in zip(drawn, weights, strict=True)], "S")


def log_odds_differ(one: Grammar, other: Grammar) -> float:
    """The largest difference of log-odds between two trees of a string, of six rules at most."""
    groups: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    for tree, used in trees_below(one, one.start, 6):
        rules = list(used)
        groups[tuple(leaves(tree))].append(math.fsum(one.weights[rules] - other.weights[rules]))
    return max(max(each) - min(each) for each in groups.values())


def assert_right(rules: Grammar, found: Grammar) -> None:
    assert log_odds_differ(rules, found) < 1e-8
    assert same_conditional(rules, found).same
    sums = partition(found)
    assert sums.certain
    assert abs(sums.log_value) < 1e-8
    assert tightness(found).proper


@pytest.mark.slow
def test_the_least_scale_keeps_the_distribution(rng: np.random.Generator) -> None:
    for rules in [FOUND, *uneven_grammars(rng, 60)]:
        found = normalise_conditional(rules)
        assert_right(rules, found.grammar)
        assert found.sums.certain
        assert found.error <= 1e-8
        assert found.log_rate is None or bool(found.raised) == (found.log_scale > found.log_rate)


def test_other_scales_keep_the_distribution(rng: np.random.Generator) -> None:
    for rules in [FOUND, *uneven_grammars(rng, 12)]:
        assert_right(rules, normalise_conditional(rules, Scale.PAPER).grammar)
        rate = growth(rules).log_rate
        if np.isfinite(rate):
            assert_right(rules, normalise_conditional(rules, math.exp(rate + 0.01)).grammar)


def test_trees_keep_their_distribution_or_are_refused(rng: np.random.Generator) -> None:
    """At the growth rate: where sums are the least certain."""
    refused = 0
    for rules in [FOUND, *uneven_grammars(rng, 30)]:
        rate = growth(rules)
        critical = scale_weights(rules, rate.log_rate if np.isfinite(rate.log_rate) else 0.0)
        if not partition(critical).convergent:
            continue
        try:
            found = normalise(critical)
        except LimitError:
            refused += 1
            continue
        assert same_trees(critical, found.grammar).same
        assert abs(partition(found.grammar).log_value) < 1e-6
    assert refused > 0  # among them the one above


def test_a_mean_length_is_met_or_refused(rng: np.random.Generator) -> None:
    refused = 0
    for rules in uneven_grammars(rng, 12):
        if not np.isfinite(growth(rules).log_rate):
            continue
        try:
            found = normalise_to_length(rules, 7.0)
        except LimitError:
            refused += 1
            continue
        length = expected_length(found.grammar, partition(found.grammar))
        assert length == pytest.approx(7.0, rel=1e-3)
    assert refused > 0


def test_rules_that_are_next_to_impossible_are_kept() -> None:
    rules = weighted([("S", "A", 1.0), ("S", "a", 1.0), ("A", "a", 1e-300), ("A", "B B", 1e-300)])
    rules = grammar([*rules.rules(), Rule("B", (Terminal("a"),), -700.0)], "S")
    found = convert_grammar(rules)
    assert found.sure
    assert np.isfinite(found.grammar.weights).all()
    assert same_trees(rules, found.grammar).same


def test_a_critical_grammar_is_converted_as_well_as_it_can_be() -> None:
    rules = weighted([("S", "S S", 0.25), ("S", "a", 1.0)])
    found = normalise(rules)
    assert 1e-9 < found.error < 1e-6
    assert np.exp(found.grammar.weights) == pytest.approx([0.5, 0.5], abs=1e-6)
    assert same_trees(rules, found.grammar).same
