"""Probabilistic grammars made of weighted ones: Chi's conversion and theorem 1."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_grammars import small_grammars, trees_below, weighted
from strategies import quick
from weft.errors import DivergenceError, EvidenceError, OptionError
from weft.grammars.normalise import (
    Scale,
    normalise,
    normalise_conditional,
    normalise_to_length,
    paper_scale,
)
from weft.grammars.sums.lengths import endless_cycle
from weft.grammars.sums.partition import expected_length, partition
from weft.grammars.sums.smallest import smallest_lengths, smallest_rules, smallest_tree
from weft.grammars.trim import trim_grammar, useful_rules
from weft.structures.grammar import Grammar
from weft.structures.tree import leaves

EXAMPLE_1 = weighted([("A", "A A", 1.0), ("A", "a", 1.0)])
EXAMPLE_2 = weighted([("A", "A A", 1.0), ("A", "A", 1.0), ("A", "a", 1.0)])


def is_probabilistic(rules: Grammar) -> bool:
    totals = np.bincount(rules.heads, np.exp(rules.weights), len(rules.nonterminals))
    return bool((np.isclose(totals, 1.0) | (totals == 0.0)).all())


@quick
@given(small_grammars(heaviest=-24))
def test_trees_keep_their_probabilities(rules: Grammar) -> None:
    total = partition(rules).log_value
    if not np.isfinite(total):
        return
    found = normalise(rules)
    assert is_probabilistic(found.grammar)
    assert found.log_scale == 0.0
    for _, used in trees_below(rules, rules.start, 6):
        before = math.fsum(rules.weights[list(used)]) - total
        assert math.fsum(found.grammar.weights[list(used)]) == pytest.approx(before, abs=1e-7)
    assert (
        not np.isfinite(found.grammar.weights[~useful_rules(rules)]).any()
        or not (useful_rules(found.grammar) & ~useful_rules(rules)).any()
    )


@quick
@given(small_grammars(), st.sampled_from(list(Scale)))
def test_trees_keep_their_probabilities_given_strings(rules: Grammar, scale: Scale) -> None:
    short = trim_grammar(rules)
    if not short.terminals or endless_cycle(rules):
        return
    try:
        found = normalise_conditional(rules, scale)
    except DivergenceError:
        # Only what has no word is left: a critical recursion of empty trees.
        assert not partition(trim_grammar(rules)).certain
        return
    assert is_probabilistic(found.grammar)
    assert found.sums.convergent
    groups = defaultdict(list)
    for tree, used in trees_below(rules, rules.start, 6):
        before = math.fsum(rules.weights[list(used)])
        after = math.fsum(found.grammar.weights[list(used)])
        groups[tuple(leaves(tree))].append((before, after))
    for pairs in groups.values():
        for before, after in pairs:
            assert before - pairs[0][0] == pytest.approx(after - pairs[0][1], abs=1e-6)


def test_the_first_example_of_the_paper() -> None:
    with pytest.raises(DivergenceError, match="cycle A -> A gains"):
        normalise(EXAMPLE_1)
    assert math.exp(paper_scale(EXAMPLE_1)) == pytest.approx(8.0)
    least = normalise_conditional(EXAMPLE_1)
    assert math.exp(least.log_scale) == pytest.approx(4.0)
    assert math.exp(least.sums.log_value) == pytest.approx(0.5, abs=1e-6)
    # Every scale from 4 on gives uniform distributions of trees given strings.
    for scale in (4.5, 8.0, 1e6):
        found = normalise_conditional(EXAMPLE_1, scale)
        z = (1 - math.sqrt(1 - 4 / scale)) / 2
        assert math.exp(found.sums.log_value) == pytest.approx(z)
        assert np.exp(found.grammar.weights) == pytest.approx([z, 1 - z])
    with pytest.raises(DivergenceError):
        normalise_conditional(EXAMPLE_1, 3.9)


def test_the_second_example_is_refused() -> None:
    for attempt in (normalise_conditional, paper_scale, lambda g: normalise_to_length(g, 5.0)):
        with pytest.raises(DivergenceError, match="cycle A -> A can be gone round without a word"):
            attempt(EXAMPLE_2)


def test_the_constant_of_the_paper() -> None:
    """By hand: S → A B [2], A → a [3], B → C [0.5], C → c [4], C → D E F [0.25], D … F → d."""
    first = [("S", "A B", 2.0), ("A", "a", 3.0), ("B", "C", 0.5), ("C", "c", 4.0)]
    words = [(name, "d", 1.0) for name in "DEF"]
    rules = weighted([*first, ("C", "D E F", 0.25), *words])
    # Without unary rules: B → c [2], B → DE F [0.125], C → DE F [0.25], DE → D E [1].
    beta = 2.0 + 0.125 + 0.25 + 1.0
    upsilon = 3.0 + 4.0 + 2.0 + 3.0
    assert math.exp(paper_scale(rules)) == pytest.approx(8 * 3 * beta * upsilon)
    # Words beside other symbols get symbols of their own: S → aS b [2], aS → a S, S → c [3].
    beside = weighted([("S", "a S b", 2.0), ("S", "c", 3.0)])
    assert math.exp(paper_scale(beside)) == pytest.approx(8 * 3 * (2.0 + 1.0) * (3.0 + 2.0))
    with pytest.raises(EvidenceError, match="nothing to scale"):
        paper_scale(weighted([("S", "", 1.0)]))


@pytest.mark.parametrize("wanted", [1.5, 3.0, 24.0, 1000.0])
def test_mean_length(wanted: float) -> None:
    for rules in (EXAMPLE_1, weighted([("S", "a S", 0.5), ("S", "b", 2.0)])):
        found = normalise_to_length(rules, wanted)
        mean = expected_length(found.grammar, partition(found.grammar))
        assert mean == pytest.approx(wanted, rel=1e-6)


def test_mean_length_of_finite_languages() -> None:
    rules = weighted([("S", "a", 1.0), ("S", "a a a", 1.0)])
    assert np.exp(normalise_to_length(rules, 2.5).grammar.weights) == pytest.approx([0.25, 0.75])
    with pytest.raises(OptionError, match="shortest string has 1 words"):
        normalise_to_length(rules, 1.0)
    with pytest.raises(OptionError, match="all strings are shorter"):
        normalise_to_length(rules, 3.5)
    with pytest.raises(OptionError, match="positive number"):
        normalise_conditional(rules, -1.0)


@quick
@given(small_grammars())
def test_smallest_trees(rules: Grammar) -> None:
    chosen, sizes = smallest_rules(rules)
    lengths = smallest_lengths(rules)
    for symbol in range(len(rules.nonterminals)):
        listed = list(trees_below(rules, symbol, 7))
        if listed:
            assert sizes[symbol] == min(len(used) for _, used in listed)
            assert lengths[symbol] <= min(len(list(leaves(tree))) for tree, _ in listed)
            assert chosen[symbol] in {used[0] for _, used in listed}
            tree = smallest_tree(rules, symbol)
            assert tree in {other for other, _ in listed}
        else:
            assert sizes[symbol] == -1 or sizes[symbol] > 7
