"""Sums over charts are sums over trees, whatever the grammar."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from charts import Sums, TooManyError, all_trees, finite_trees, grammars, sentences
from oracles import finite_difference
from strategies import extreme_weights
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.counts import counts
from weft.derivations.chart.expand import to_forest
from weft.errors import DivergenceError
from weft.grammars.induce import rule_numbers
from weft.structures.evidence import Evidence, sentence
from weft.structures.grammar import Rule, Terminal, grammar
from weft.structures.lattice import Lattice
from weft.structures.lattice import lattice as make_lattice
from weft.structures.tree import leaves


@settings(max_examples=150)
@given(rules=grammars(), words=sentences())
def test_sums_equal_the_least_solution(rules, words):
    sums = Sums(rules, rules.weights, words)
    assume(sums.converged)
    chart = Chart(rules, [Evidence(sentence(words))])
    np.testing.assert_allclose(
        chart.log_partition(rules.weights), [sums.log_partition], rtol=1e-9, atol=1e-9
    )


@settings(max_examples=150)
@given(rules=grammars(), words=sentences())
def test_expectations_equal_finite_differences(rules, words):
    sums = Sums(rules, rules.weights, words)
    assume(sums.converged)
    chart = Chart(rules, [Evidence(sentence(words))])
    values, counts = chart.evaluate(rules.weights, np.ones(1))
    np.testing.assert_allclose(values, [sums.log_partition], rtol=1e-9, atol=1e-9)
    if not np.isfinite(values[0]):
        np.testing.assert_array_equal(counts, 0.0)
        return
    for number in range(rules.rule_count):
        direction = np.eye(rules.rule_count)[number]
        slope = finite_difference(
            lambda theta: Sums(rules, theta, words).log_partition, rules.weights, direction, 1e-4
        )
        np.testing.assert_allclose(counts[number], slope, rtol=1e-4, atol=1e-6)


@settings(max_examples=100)
@given(rules=grammars(), words=sentences(3))
def test_the_best_tree_is_the_best_of_all(rules, words):
    try:
        trees = all_trees(rules, words, depth=7, most=3000)
    except TooManyError:
        reject()
    chart = Chart(rules, [Evidence(sentence(words))])
    values, [best] = chart.best(rules.weights)
    if not trees:
        assert values[0] == -np.inf
        assert best is None
        return
    scores = {tree: float(rules.weights[used].sum()) for tree, used in trees}
    np.testing.assert_allclose(values[0], max(scores.values()), rtol=1e-12)
    np.testing.assert_allclose(scores[best], values[0], rtol=1e-12)


@settings(max_examples=60)
@given(rules=grammars(), several=st.lists(sentences(3), min_size=1, max_size=3, unique_by=tuple))
def test_a_lattice_is_the_sum_of_its_strings(rules, several):
    lattice = automaton(several)
    strings = [Evidence(sentence(list(words))) for words in lattice.strings()]
    theta = rules.weights
    values, counts = Chart(rules, [Evidence(lattice)]).evaluate(theta, np.ones(1))
    apart = Chart(rules, strings)
    singles = apart.log_partition(theta)
    assume(not np.isposinf(singles).any())
    total = np.logaddexp.reduce(singles)
    np.testing.assert_allclose(values[0], total, rtol=1e-10, atol=1e-10)
    if np.isfinite(total):
        shares = np.exp(singles - total)
        np.testing.assert_allclose(counts, apart.evaluate(theta, shares)[1], rtol=1e-8, atol=1e-10)


def automaton(several: list[list[str]]) -> Lattice:
    """A trie of strings: all of them, and nothing else."""
    states: dict[tuple[str, ...], int] = {(): 0}
    arcs: list[tuple[int, str, int]] = []
    for words in several:
        for end in range(1, len(words) + 1):
            prefix = tuple(words[:end])
            if prefix not in states:
                states[prefix] = len(states)
                arcs.append((states[prefix[:-1]], prefix[-1], states[prefix]))
    return make_lattice(arcs, [states[tuple(words)] for words in several])


@settings(max_examples=60)
@given(rules=grammars(), words=sentences(3))
def test_entropy_is_that_of_all_trees(rules, words):
    chart = Chart(rules, [Evidence(sentence(words))])
    values, counts = chart.evaluate(rules.weights, np.ones(1))
    assume(not np.isposinf(values[0]))
    entropy = chart.entropy(rules.weights)[0]
    if values[0] == -np.inf:
        assert entropy == 0.0
    else:
        expected = values[0] - counts @ rules.weights
        np.testing.assert_allclose(entropy, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=30)
@given(rules=grammars(), words=sentences(3))
def test_samples_are_trees_of_the_sentence_in_proportion(rules, words):
    chart = Chart(rules, [Evidence(sentence(words))])
    values, counts = chart.evaluate(rules.weights, np.ones(1))
    assume(not np.isposinf(values[0]))
    [trees] = chart.sample(rules.weights, np.random.default_rng(5), 400)
    if values[0] == -np.inf:
        assert trees == []
        return
    assert len(trees) == 400
    assert all(list(leaves(tree)) == words for tree in trees)
    uses = np.array(
        [np.bincount(rule_numbers(rules, tree), minlength=len(counts)) for tree in trees]
    )
    spread = uses.std(axis=0) / 20 + 0.005 * (1 + counts)
    assert (abs(uses.mean(axis=0) - counts) < 5 * spread).all()


@settings(max_examples=60)
@given(rules=grammars(extreme_weights), words=sentences(3))
def test_extreme_weights(rules, words):
    """Wide numbers agree with logs of sums over trees, where there are finitely many."""
    trees = finite_trees(rules, words)
    scores = np.array([rules.weights[used].sum() for _, used in trees])
    chart = Chart(rules, [Evidence(sentence(words))])
    values, counts = chart.evaluate(rules.weights, np.ones(1))
    assume(not np.isposinf(values[0]))
    total = np.logaddexp.reduce(scores) if len(scores) else -np.inf
    np.testing.assert_allclose(values[0], total, rtol=1e-12, atol=1e-9)
    assert np.isfinite(counts).all()
    if total > -np.inf:
        uses = np.array([np.bincount(u, minlength=len(counts)) for _, u in trees])
        np.testing.assert_allclose(counts, np.exp(scores - total) @ uses, rtol=1e-6, atol=1e-8)


def test_threads_do_not_change_a_bit(rng):
    rules = grammar(
        [
            Rule("S", ("S", "S"), -1.0),
            Rule("S", ("S",), -1.5),
            *(Rule("S", (Terminal(word),), -1.0) for word in "abc"),
        ]
    )
    evidences = [Evidence(sentence(rng.choice(list("abc"), 1 + k % 9).tolist())) for k in range(60)]
    coefficients = rng.normal(size=60)
    one, two = (Chart(rules, evidences, n).evaluate(rules.weights, coefficients) for n in (1, 2))
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])


@settings(max_examples=150)
@given(rules=grammars(), words=sentences(3))
def test_the_k_best_trees_are_the_best_of_all(rules, words):
    """With empty parts, which trees may differ in alone."""
    trees = finite_trees(rules, words)
    scores = sorted((float(rules.weights[used].sum()) for _, used in trees), reverse=True)
    chart = Chart(rules, [Evidence(sentence(words))])
    [found] = chart.kbest(rules.weights, 8)
    np.testing.assert_allclose([score for score, _ in found], scores[:8], rtol=1e-12)
    assert len({tree for _, tree in found}) == len(found)
    known = {tree: float(rules.weights[used].sum()) for tree, used in trees}
    np.testing.assert_allclose(
        [known[tree] for _, tree in found], [s for s, _ in found], rtol=1e-12
    )
    assert len(chart.kbest(rules.weights, len(trees) + 3)[0]) == len(trees)


@settings(max_examples=200)
@given(
    rules=grammars(),
    several=st.lists(sentences(2), min_size=1, max_size=3, unique_by=tuple),
    count=st.sampled_from([1, 2, 7, 30]),
)
def test_the_k_best_of_infinitely_many_trees(rules, several, count):
    """On lattices, against all trees of a depth: deeper ones have more rules, of -0.75 or less."""
    deepest = 6
    lattice = automaton(several)
    try:
        every = [all_trees(rules, words, deepest, most=2000) for words in lattice.strings()]
    except TooManyError:
        reject()
    listed = [(float(rules.weights[used].sum()), tree) for trees in every for tree, used in trees]
    listed.sort(key=lambda pair: -pair[0])
    [found] = Chart(rules, [Evidence(lattice)]).kbest(rules.weights, count)
    assert len({tree for _, tree in found}) == len(found)
    scores = [score for score, _ in found]
    np.testing.assert_allclose(scores, sorted(scores, reverse=True), rtol=1e-12)
    weights = [float(rules.weights[rule_numbers(rules, tree)].sum()) for _, tree in found]
    np.testing.assert_allclose(scores, weights, rtol=1e-12)
    strings = {tuple(words) for words in lattice.strings()}
    assert all(tuple(leaves(tree)) in strings for _, tree in found)
    assert len(found) >= min(count, len(listed))
    complete = [score for score, _ in listed if score > -0.75 * (deepest + 1) + 1e-9][:count]
    np.testing.assert_allclose(scores[: len(complete)], complete, rtol=1e-12)
    assert all(one >= other[0] - 1e-9 for one, other in zip(scores, listed, strict=False))


def test_k_best_trees_that_differ_in_empty_parts():
    rules = grammar(
        [
            Rule("S", ("A",), math.log(0.5)),
            Rule("S", (), math.log(0.3)),
            Rule("A", (), math.log(0.4)),
            Rule("A", (Terminal("a"),), math.log(0.6)),
        ]
    )
    chart = Chart(rules, [Evidence(sentence([])), Evidence(sentence(["a"]))])
    empty, word = chart.kbest(rules.weights, 10)
    assert [str(tree) for _, tree in empty] == ["Tree('(S)')", "Tree('(S (A))')"]
    assert [score for score, _ in empty] == [math.log(0.3), math.log(0.5) + math.log(0.4)]
    assert [str(tree) for _, tree in word] == ["Tree('(S (A a))')"]
    assert chart.kbest(rules.weights, 0) == [[], []]


def test_k_best_trees_go_round_cycles():
    rules = grammar([Rule("S", ("T",), -1.0), Rule("T", ("S",), -2.0), Rule("S", (Terminal("a"),))])
    chart = Chart(rules, [Evidence(sentence(["a"]))])
    [found] = chart.kbest(rules.weights, 4)
    assert [score for score, _ in found] == [0.0, -3.0, -6.0, -9.0]


@settings(max_examples=80)
@given(rules=grammars(), several=st.lists(sentences(3), min_size=1, max_size=2, unique_by=tuple))
def test_a_chart_equals_its_forest(rules, several):
    chart = Chart(rules, [Evidence(automaton(several)), Evidence(sentence(several[0]))])
    try:
        forest = to_forest(chart)
    except DivergenceError:
        assert math.inf in counts(chart)
        return
    coefficients = np.array([2.0, -0.5])
    values, expected = forest.evaluate(rules.weights, coefficients)
    found, gradient = chart.evaluate(rules.weights, coefficients)
    # A cycle that no tree of these sentences has may still diverge.
    assume(not np.isposinf(found).any())
    np.testing.assert_allclose(found, values, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(gradient, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(
        chart.entropy(rules.weights),
        np.where(np.isfinite(values), forest.entropy(rules.weights), 0.0),
        rtol=1e-8,
        atol=1e-8,
    )


def test_k_best_trees_differ_in_both_children():
    halves = [
        Rule(name, (part,), -weight)
        for name, word in (("A", "a"), ("B", "b"))
        for part, weight in ((Terminal(word), 1.0), (name + "1", 0.25), (name + "2", 2.5))
    ]
    ends = [Rule(n + d, (Terminal(n.lower()),), -0.125 * int(d)) for n in "AB" for d in "12"]
    rules = grammar([Rule("S", ("A", "B"), -0.5), Rule("S", ("S", "B"), -1.0), *halves, *ends])
    words = ["a", "b", "b"]
    trees = all_trees(rules, words, depth=8)
    scores = sorted((float(rules.weights[used].sum()) for _, used in trees), reverse=True)
    [found] = Chart(rules, [Evidence(sentence(words))]).kbest(rules.weights, 100)
    assert len(trees) == len({tree for _, tree in found}) == 27
    assert [score for score, _ in found] == scores
