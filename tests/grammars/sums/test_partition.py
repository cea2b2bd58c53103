"""Partition functions: against sums over all small trees, finite differences and known answers."""

import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from random_grammars import propagated, small_grammars, sums_by_size, weighted
from strategies import quick
from weft.corpora.trees.brackets import read_trees
from weft.errors import DivergenceError, EvidenceError, LimitError
from weft.grammars.sums.partition import (
    entropy,
    expected_counts,
    expected_length,
    expected_symbols,
    partition,
    rule_shares,
)
from weft.grammars.sums.systems import depending, first_values, productive, system_of
from weft.grammars.trim import reachable_rules, useful_rules
from weft.structures.grammar import Grammar, Rule, Terminal, grammar, reweight
from weft.structures.tree import Tree, is_preterminal, subtrees


def branching(twice: float, end: float) -> Grammar:
    return weighted([("S", "S S", twice), ("S", "a", end)])


@quick
@given(small_grammars())
def test_sums_are_those_of_the_equations_repeated(rules: Grammar) -> None:
    sums = partition(rules)
    expected = propagated(rules)
    for value, wanted, radius in zip(sums.log_values, expected, sums.radii, strict=True):
        if math.isinf(wanted):
            assert value == math.inf
        elif radius < 0.999:  # otherwise repeating has not come close
            assert math.exp(value) == pytest.approx(wanted, rel=1e-9)


@quick
@given(small_grammars(heaviest=-48))
def test_sums_are_those_of_all_trees(rules: Grammar) -> None:
    sums = partition(rules)
    listed = sums_by_size(rules, 150)
    for value, row in zip(sums.log_values, listed, strict=True):
        assert math.exp(min(value, 700.0)) >= row.sum() * (1 - 1e-12)
        if row[-1] <= 1e-13 * row.sum():
            assert math.exp(value) == pytest.approx(row.sum(), rel=1e-8)


@quick
@given(small_grammars(heaviest=-32))
def test_expected_counts_are_the_gradient(rules: Grammar) -> None:
    sums = partition(rules)
    if not np.isfinite(sums.log_value) or sums.radii[np.isfinite(sums.radii)].max() > 0.99:
        return
    counts = expected_counts(rules, sums)
    for number in np.flatnonzero(rules.weights > -np.inf):
        moved = [rules.weights.copy() for _ in range(2)]
        moved[0][number] += 1e-5
        moved[1][number] -= 1e-5
        above, below = (partition(reweight(rules, weights)).log_value for weights in moved)
        assert counts[number] == pytest.approx((above - below) / 2e-5, rel=1e-5, abs=1e-6)
    assert not counts[rules.weights == -np.inf].any()


@quick
@given(small_grammars(heaviest=-32))
def test_entropy_is_a_derivative_too(rules: Grammar) -> None:
    sums = partition(rules)
    if not np.isfinite(sums.log_value) or sums.radii[np.isfinite(sums.radii)].max() > 0.9:
        return
    # Of p ∝ w^β at β = 1, the entropy is log Z - β d log Z / dβ.
    above, below = (
        partition(reweight(rules, rules.weights * beta)).log_value for beta in (1.00001, 0.99999)
    )
    assert entropy(rules, sums) == pytest.approx(
        sums.log_value - (above - below) / 2e-5, rel=1e-5, abs=1e-6
    )


@pytest.mark.parametrize("gap", [0.2, 1e-2, 1e-4, 1e-6, 1e-7, 1e-9, 0.0, -1e-8, -1e-6, -0.1])
def test_error_is_within_what_is_reported(gap: float) -> None:
    """S -> S S with probability p has Z = min(1, (1 - p) / p) and radius 2 min(p, 1 - p)."""
    p = 0.5 + gap
    sums = partition(branching(p, 1 - p))
    error = abs(sums.log_value - min(0.0, math.log1p(-p) - math.log(p)))
    assert error <= sums.error
    radius = 2 * min(p, 1 - p)
    # Not much worse than can be had.
    assert sums.error <= max(200 * 2.2e-16 / max(1 - radius, 1e-30), 0.0) or sums.error < 1e-6
    assert sums.radii[0] == pytest.approx(radius, abs=1e-7)
    assert sums.certain == (abs(gap) >= 1e-7)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 40, 150])
def test_criticality_is_not_taken_for_divergence(size: int) -> None:
    """A ring of symbols, each with one offspring on average: Z = 1, at a radius of 1."""
    names = [f"X{number}" for number in range(size)]
    rules = [Rule(name, (names[n - 1],) * 2, math.log(0.5)) for n, name in enumerate(names)]
    rules += [Rule(name, (Terminal("a"),), math.log(0.5)) for name in names]
    sums = partition(grammar(rules))
    assert sums.convergent
    assert not sums.certain
    assert (abs(sums.log_values) <= sums.errors).all()
    assert sums.error < 1e-5


@pytest.mark.parametrize("excess", [1.0, 1e-3, 1e-6, 1e-9, 1e-12])
def test_divergence_is_decided(excess: float) -> None:
    sums = partition(branching(0.5 + excess, 0.5))  # discriminant -2 × excess
    assert sums.log_value == math.inf
    assert sums.certain
    assert not sums.convergent
    assert sums.cycle == ("S",)
    below = partition(branching(0.5 - excess / 3, 0.5))
    assert below.convergent


@pytest.mark.parametrize("numbers", [(0.91, 1.03, 0.84), (1.28, 0.99, 0.95)])
def test_last_digits_choose_no_cycle(numbers: tuple[float, float, float]) -> None:
    """Both ways round weigh the product of the same three numbers."""
    x, y, z = numbers
    rules = [("S", "A", x), ("S", "B", z), ("S", "s", 1.0)]
    rules += [("A", "A2", y), ("A2", "S", z), ("B", "B2", x), ("B2", "S", y)]
    assert partition(weighted(rules)).cycle == ("A2", "S", "A")


def test_linear_cycles() -> None:
    rules = [("S", "A", 1.0), ("A", "B", 0.5), ("B", "A", 1.0), ("B", "b", 0.25)]
    assert math.exp(partition(weighted(rules)).log_value) == pytest.approx(0.25)
    rules[1] = ("A", "B", 1.0)
    sums = partition(weighted(rules))
    assert sums.log_value == math.inf
    assert set(sums.cycle) == {"A", "B"}
    rules[1] = ("A", "B", 1.5)
    assert partition(weighted(rules)).certain
    rules[1] = ("A", "B", 1 - 1e-9)
    sums = partition(weighted(rules))
    assert math.exp(sums.log_value) == pytest.approx(0.25e9, rel=sums.error)


def test_divergence_of_what_is_not_reached_is_no_divergence() -> None:
    rules = weighted([("S", "a", 0.5), ("A", "A A", 1.0), ("A", "a", 1.0)])
    sums = partition(rules)
    assert sums.convergent
    assert sums.cycle == ()
    assert sums.log_values[rules.nonterminals.index("A")] == math.inf
    assert expected_counts(rules, sums).tolist() == [1.0, 0.0, 0.0]


def test_weights_beyond_the_range_of_numbers() -> None:
    rules = weighted([("S", "A B", 1e300), ("A", "A", 0.5), ("A", "a", 1e300), ("B", "b", 1e300)])
    sums = partition(rules)
    assert sums.log_value == pytest.approx(900 * math.log(10) + math.log(2), abs=sums.error)
    assert partition(branching(1e-300, 1e-300)).log_value == pytest.approx(-300 * math.log(10))
    assert partition(branching(1e300, 1e-300)).log_value == math.inf
    # x = 10^300 x² + 10^-301: x = 10^-300 (1 - √(1 - 0.4)) / 2.
    value = partition(branching(1e300, 1e-301)).log_value
    assert value == pytest.approx(math.log((1 - math.sqrt(0.6)) / 2) - 300 * math.log(10))
    far = weighted([("X", "Y", 1e-300), ("X", "a", 1e-300), ("Y", "X", 0.5), ("Y", "b", 1e300)])
    assert partition(far).log_values.tolist() == pytest.approx([0.0, 300 * math.log(10)], abs=1e-9)


def test_a_grammar_without_trees() -> None:
    rules = weighted([("S", "S a", 1.0), ("S", "B", 1.0), ("S", "a", 0.0)])
    sums = partition(rules)
    assert sums.log_value == -math.inf
    assert sums.convergent
    with pytest.raises(EvidenceError, match="no tree at all: every expansion of S"):
        expected_counts(rules, sums)


def test_no_expectations_where_there_are_none() -> None:
    with pytest.raises(DivergenceError, match="cycle S -> S gains"):
        expected_counts(branching(1.0, 1.0), partition(branching(1.0, 1.0)))
    critical = branching(0.5, 0.5)
    with pytest.raises(DivergenceError, match="no finite expected size"):
        expected_length(critical, partition(critical))


def test_many_symbols_in_one_component() -> None:
    """A ring of 600 symbols, each ending with probability 1/2: the elimination's sparse path."""
    size = 600
    rules = [Rule(f"X{n}", (f"X{(n + 1) % size}", f"Y{n}"), math.log(0.5)) for n in range(size)]
    rules += [Rule(f"X{n}", (Terminal("a"),), math.log(0.25)) for n in range(size)]
    rules += [Rule(f"Y{n}", (Terminal("b"),), 0.0) for n in range(size)]
    ring = grammar(rules)
    sums = partition(ring)
    assert math.exp(sums.log_value) == pytest.approx(0.5, abs=1e-12)
    assert sums.radii[0] == pytest.approx(0.5, abs=1e-9)
    # The number of X's is 1 + ½ + ¼ + …, every round 2^-600 of the one before.
    nodes = expected_symbols(ring, sums)
    assert nodes[:4].tolist() == pytest.approx([1.0, 0.5, 0.25, 0.125])
    assert expected_length(ring, sums) == pytest.approx(2.0)


def without_traces(tree: Tree) -> Tree | None:
    if is_preterminal(tree):
        return None if tree.label == "-NONE-" else tree
    parts = [without_traces(child) for child in tree.children if isinstance(child, Tree)]
    kept = tuple(part for part in parts if part is not None)
    return Tree(re.split("[-=|]", tree.label)[0], kept) if kept else None


def treebank_counts(folder: Path) -> Counter[tuple[str, tuple[str | Terminal, ...]]]:
    counts: Counter[tuple[str, tuple[str | Terminal, ...]]] = Counter()
    for path in sorted((folder / "wsj-sample" / "combined").glob("*.mrg"))[:40]:
        for record in read_trees(path):
            if (tree := without_traces(record.tree)) is None:
                continue
            counts["TOP", (tree.label,)] += 1
            for node in subtrees(tree):
                if not is_preterminal(node):
                    body = (
                        Terminal(child.label) if is_preterminal(child) else child.label
                        for child in node.children
                        if isinstance(child, Tree)
                    )
                    counts[node.label, tuple(body)] += 1
    return counts


def test_a_treebank_grammar_sums_to_one_and_expects_its_counts(data_folder: Path) -> None:
    counts = treebank_counts(data_folder)
    totals: Counter[str] = Counter()
    for (head, _), number in counts.items():
        totals[head] += number
    rules = grammar(
        (Rule(*key, math.log(number / totals[key[0]])) for key, number in counts.items()), "TOP"
    )
    sums = partition(rules)
    assert rules.rule_count > 500
    assert abs(sums.log_values).max() < 1e-11
    assert (abs(sums.log_values) <= sums.errors).all()
    assert 0.5 < sums.radii.max() < 1
    # Relative frequencies expect what was observed (Chi and Geman 1998).
    observed = np.array(list(counts.values())) / totals["TOP"]
    np.testing.assert_allclose(expected_counts(rules, sums), observed, rtol=1e-9)
    assert rule_shares(rules, sums) == pytest.approx(np.exp(rules.weights))


def doublings(count: int, weight: float) -> Grammar:
    """A grammar with one tree: of 2^count words, and as many rules."""
    rules = [Rule(f"X{n}", (f"X{n + 1}",) * 2, math.log(weight)) for n in range(count)]
    return grammar([*rules, Rule(f"X{count}", (Terminal("a"),), math.log(weight))])


def test_trees_of_more_nodes_than_numbers_hold() -> None:
    huge = doublings(1100, 1.0)
    sums = partition(huge)
    assert sums.log_value == 0.0
    for question in (expected_length, entropy):
        with pytest.raises(LimitError, match="more nodes than"):
            question(huge, sums)
    large = doublings(1000, 1.0)
    assert expected_length(large, partition(large)) == pytest.approx(2.0**1000)


@pytest.mark.parametrize("weight", [0.6, 2.0])
def test_a_sum_whose_logarithm_overflows_is_an_error(weight: float) -> None:
    with pytest.raises(LimitError, match="logarithm of a sum over trees is beyond"):
        partition(doublings(1100, weight))
    assert useful_rules(doublings(1100, weight)).all()  # which does not depend on weights
    assert partition(doublings(1000, weight)).log_value == pytest.approx(
        (2.0**1001 - 1) * math.log(weight)
    )


def test_a_sum_of_many_trees_may_overflow_where_one_tree_does_not() -> None:
    rules = [(f"X{n}", f"X{n + 1} X{n + 1}", 1.0) for n in range(1100)]
    pair = weighted([*rules, ("X1100", "a", 1.0), ("X1100", "b", 1.0)])
    with pytest.raises(LimitError, match="logarithm of a sum over trees is beyond"):
        partition(pair)


@quick
@given(small_grammars())
def test_symbols_are_found_as_by_their_plain_definitions(rules: Grammar) -> None:
    system = system_of(rules)
    below = [
        (int(head), system.factors[system.owners == term].tolist())
        for term, head in enumerate(system.heads)
    ]
    live = (rules.weights > -np.inf).tolist()
    values: dict[int, float] = {}
    while True:  # height by height
        found: dict[int, float] = {}
        for (head, factors), weight in zip(below, rules.weights.tolist(), strict=True):
            if weight > -np.inf and head not in values and values.keys() >= set(factors):
                value = weight + sum(values[each] for each in factors)
                found[head] = max(found.get(head, -np.inf), value)
        if not found:
            break
        values |= found
    first = first_values(system, rules.weights)
    assert first.tolist() == pytest.approx([values.get(n, -np.inf) for n in range(system.count)])
    assert productive(system, rules.weights).tolist() == [n in values for n in range(system.count)]
    for start in range(system.count):
        reached, on = {start}, {start}
        for _ in range(system.count):
            for (head, factors), possible in zip(below, live, strict=True):
                if possible and head in reached:
                    reached |= set(factors)
                if on & set(factors):
                    on.add(head)
        other = replace(rules, start=start)
        assert reachable_rules(other).tolist() == [
            possible and head in reached for (head, _), possible in zip(below, live, strict=True)
        ]
        given_one = np.arange(system.count) == start
        assert set(np.flatnonzero(depending(system, given_one)).tolist()) == on
