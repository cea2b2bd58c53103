"""Numbers of trees: against listed trees, and infinite exactly where they are."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from random_grammars import all_strings, small_grammars, trees_below, weighted
from strategies import quick
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.counts import counts
from weft.grammars.intersection import intersect
from weft.grammars.sums.counting import TreeCounter, count_trees
from weft.grammars.sums.partition import partition
from weft.grammars.trim import ambiguous_cycle, merge_cycles, trim_grammar
from weft.structures.evidence import Evidence, sentence
from weft.structures.grammar import Grammar, reweight
from weft.structures.lattice import Lattice
from weft.structures.tree import leaves


@quick
@given(small_grammars())
def test_counts_are_sums_of_trees_that_all_weigh_one(rules: Grammar) -> None:
    counter = TreeCounter(rules)
    for words in all_strings("ab", 3):
        product = intersect(rules, Lattice.from_sentence(words))
        total = partition(reweight(product, np.zeros(product.rule_count))).log_value
        found = counter.count(words)
        assert (found == math.inf) == bool(ambiguous_cycle(product)) == (total == math.inf)
        if found < math.inf:
            assert found == pytest.approx(math.exp(total), abs=1e-9)


@quick
@given(small_grammars())
def test_strings_of_small_trees_are_counted(rules: Grammar) -> None:
    counter = TreeCounter(rules)
    listed = Counter(tuple(leaves(tree)) for tree, _ in trees_below(rules, rules.start, 5))
    for words, number in listed.items():
        assert counter.count(words) >= number


def test_known_numbers() -> None:
    binary = TreeCounter(weighted([("A", "A A", 1.0), ("A", "a", 1.0)]))
    for length in range(1, 30):
        assert binary.count(["a"] * length) == math.comb(2 * length - 2, length - 1) // length
    assert binary.count([]) == 0
    empty = [("A", "", 1.0), ("A", "a", 1.0), ("B", "A", 1.0), ("B", "A A", 1.0)]
    two = weighted([("S", "A B", 1.0), *empty])
    assert count_trees(two, []) == 2
    assert count_trees(two, ["a"]) == 5
    assert count_trees(weighted([("S", "S S", 1.0), ("S", "", 1.0)]), []) == math.inf
    beside = weighted([("S", "A", 1.0), ("S", "b", 1.0), ("A", "A", 1.0), ("A", "a", 1.0)])
    assert count_trees(beside, ["b"]) == 1
    assert count_trees(beside, ["a"]) == math.inf
    assert count_trees(weighted([("S", "a", 0.0), ("S", "b", 1.0)]), ["a"]) == 0


@pytest.mark.parametrize("words", [["a"], ["a", "c"], []])
def test_unknown_words_have_no_trees(words: list[str]) -> None:
    assert count_trees(weighted([("S", "b", 1.0)]), words) == 0


@quick
@given(small_grammars())
def test_charts_count_the_same(rules: Grammar) -> None:
    counter, short = TreeCounter(rules), trim_grammar(rules)
    strings = list(all_strings("ab", 3))
    for same in (short, merge_cycles(short)):
        chart = Chart(same, [Evidence(sentence(words)) for words in strings], threads=1)
        assert counts(chart) == [counter.count(words) for words in strings]


def test_large_cycles_become_small() -> None:
    ring = [(f"A{place}", f"A{(place + 1) % 50}", 1.0) for place in range(50)]
    rules = weighted(
        [("S", "A7 b", 1.0), *ring, ("A0", "a", 1.0), ("A9", "A3 E", 1.0), ("E", "", 1.0)]
    )
    merged = merge_cycles(rules)
    assert len(merged.nonterminals) == 3
    assert ambiguous_cycle(merged)
    assert merged.rule_count == 5
