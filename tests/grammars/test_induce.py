"""Grammars read off trees, against plain recursion and figures counted by other means."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trees import TREES, deep, tree
from weft.errors import EvidenceError
from weft.grammars.induce import (
    grammar_of,
    relative_frequencies,
    rule_counts,
    rule_index,
    rule_numbers,
)
from weft.grammars.transforms import add_root
from weft.structures.grammar import Rule, Terminal, grammar
from weft.structures.tree import Tree


def rules_of(node: Tree) -> list[Rule]:
    """The rules of a tree in pre-order, by recursion."""
    body = tuple(Terminal(c) if isinstance(c, str) else c.label for c in node.children)
    below = [rule for c in node.children if isinstance(c, Tree) for rule in rules_of(c)]
    return [Rule(node.label, body), *below]


@given(trees=st.lists(TREES, min_size=1, max_size=4))
def test_rules_and_counts_are_those_of_recursion(trees: list[Tree]) -> None:
    trees = [add_root(each, "the root") for each in trees]
    found, counts = grammar_of(trees)
    expected = Counter(rule for each in trees for rule in rules_of(each))
    unweighted = [rule._replace(weight=0.0) for rule in found.rules()]
    assert unweighted == list(expected), "in the order in which they come"
    assert dict(zip(unweighted, counts.tolist(), strict=True)) == expected
    assert found.nonterminals[found.start] == "the root"
    index = rule_index(found)
    for each in trees:
        assert [unweighted[number] for number in rule_numbers(index, each)] == rules_of(each)
        assert (rule_numbers(index, each) == rule_numbers(found, each)).all()
    np.testing.assert_array_equal(rule_counts(found, trees), counts)
    np.testing.assert_array_equal(rule_counts(index, trees[:1]), rule_counts(found, trees[:1]))


@given(trees=st.lists(TREES, min_size=1, max_size=4), pseudocount=st.sampled_from([0.0, 0.5, 2.0]))
def test_frequencies_are_ratios(trees: list[Tree], pseudocount: float) -> None:
    found, counts = grammar_of(map(add_root, trees), pseudocount=pseudocount)
    heads = found.heads.tolist()
    for number, head in enumerate(heads):
        same = [count for other, count in zip(heads, counts, strict=True) if other == head]
        ratio = (counts[number] + pseudocount) / (sum(same) + pseudocount * len(same))
        assert np.exp(found.weights[number]) == pytest.approx(ratio, rel=1e-12)


def test_a_terminal_is_no_nonterminal_of_the_same_name() -> None:
    found, counts = grammar_of([tree("(S (S S) S)")])
    assert [rule.body for rule in found.rules()] == [("S", Terminal("S")), (Terminal("S"),)]
    assert counts.tolist() == [1.0, 1.0]


def test_heads_that_are_never_used() -> None:
    two = grammar([Rule("S", ("A",)), Rule("A", ()), Rule("A", ("A", "A"))])
    weights = relative_frequencies(two, np.array([3.0, 0.0, 0.0])).weights
    assert weights.tolist() == [0.0, -np.inf, -np.inf]
    smoothed = relative_frequencies(two, np.array([3.0, 0.0, 0.0]), 1.0).weights
    np.testing.assert_allclose(np.exp(smoothed), [1.0, 0.5, 0.5])


@pytest.mark.parametrize(
    ("counts", "pseudocount"), [([-1.0, 2.0], 0.0), ([np.inf, 1.0], 0.0), ([1.0, 1.0], -0.5)]
)
def test_counts_that_are_none(counts: list[float], pseudocount: float) -> None:
    coin = grammar([Rule("S", ("A",)), Rule("S", ("B",))])
    with pytest.raises(ValueError, match="must be finite and ≥ 0"):
        relative_frequencies(coin, np.array(counts), pseudocount)
    with pytest.raises(ValueError, match="2 rules need as many counts"):
        relative_frequencies(coin, np.ones(3))


def test_roots() -> None:
    trees = [tree("(S (A a))"), tree("(FRAG (A a))"), tree("(X (A a))"), tree("(Y (A a))")]
    with pytest.raises(ValueError, match=r"have 4 labels, among them FRAG, S, X: put one root"):
        grammar_of(trees)
    found, _ = grammar_of(trees, start="X")
    assert found.nonterminals[found.start] == "X"
    with pytest.raises(ValueError, match="there is no tree"):
        grammar_of([])


def test_rules_that_are_not_there() -> None:
    found, _ = grammar_of([tree("(S (A a))")])
    with pytest.raises(EvidenceError, match=r"the grammar has no rule A -> 'b', which"):
        rule_numbers(found, tree("(S (A b))"))
    with pytest.raises(EvidenceError, match=r"no rule S -> 'A', which"):
        rule_counts(found, [tree("(S A)")])


def test_deep_trees() -> None:
    _, counts = grammar_of([deep(5_000)])
    assert counts.sum() == 5_000 + 2_500 + 1, "the chain, every second word, the first"
