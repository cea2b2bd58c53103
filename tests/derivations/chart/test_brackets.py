"""The best brackets are the best of all trees of brackets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings

from charts import grammars, sentences
from weft.derivations.chart.brackets import best_brackets
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.members import spans_of
from weft.errors import EvidenceError
from weft.structures.evidence import Evidence, sentence
from weft.structures.grammar import Rule, Terminal, grammar
from weft.structures.lattice import Lattice
from weft.structures.tree import Tree, leaves


def brackets(tree: Tree) -> list[tuple[str, int, int]]:
    found, position = [], 0
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Tree):
            waiting.append((node.label, position))
            waiting.extend(reversed(node.children))
        elif isinstance(node, str):
            position += 1
        else:
            found.append((node[0], node[1], position))
    return found


@pytest.mark.parametrize("charge", [0.0, 0.3])
@settings(max_examples=60)
@given(rules=grammars(), words=sentences(4).filter(bool))
def test_no_other_brackets_are_better(rules, words, charge):
    chart = Chart(rules, [Evidence(sentence(words))])
    assume(not np.isposinf(chart.log_partition(rules.weights)).any())
    values, [probs] = chart.span_posteriors(rules.weights)
    [tree] = best_brackets(chart, rules.weights, charge)
    if values[0] == -np.inf:
        assert tree is None
        return
    assert list(leaves(tree)) == words
    starts, ends = spans_of(len(words) + 1)
    numbers = {pair: n for n, pair in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))}
    names = rules.nonterminals
    value = sum(probs[numbers[i, k], names.index(label)] - charge for label, i, k in brackets(tree))
    root = numbers[0, len(words)]
    best = -np.inf
    spans = [pair for pair in numbers if pair != (0, len(words))]
    for size in range(min(len(spans), 2 * len(words) - 2) + 1):
        for chosen in itertools.combinations(spans, size):
            if any(a < c < b < d for a, b in chosen for c, d in chosen):
                continue
            gain = sum(probs[numbers[pair]].max() - charge for pair in chosen)
            best = max(best, gain + probs[root].max() - charge)
    np.testing.assert_allclose(value, best, rtol=1e-9, atol=1e-9)


def test_lattices_have_no_brackets():
    chart = Chart(grammar([Rule("S", (Terminal("a"),))]), [Evidence(Lattice.from_sentence(["a"]))])
    with pytest.raises(EvidenceError, match="not of a lattice"):
        best_brackets(chart, np.zeros(1))


@pytest.mark.parametrize("noise", [-1e-12, 0.0, 1e-12])
def test_a_bracket_as_probable_as_not_is_left_out_at_half(noise):
    a, b, c = map(Terminal, "abc")
    rules = grammar(
        [Rule("S", ("X", c)), Rule("S", (a, "Y")), Rule("X", (a, b)), Rule("Y", (b, c))]
    )
    chart = Chart(rules, [Evidence(sentence(list("abc")))])
    [tree] = best_brackets(chart, np.array([noise, 0.0, 0.0, 0.0]), charge=0.5)
    assert tree == Tree("S", ("a", "b", "c"))
