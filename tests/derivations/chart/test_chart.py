"""Charts: scores of spans, pruning, memory, long sentences, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from charts import finite_trees, grammars, sentences
from oracles import finite_difference
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.counts import counts
from weft.derivations.chart.grammar import nullable
from weft.derivations.chart.members import spans_of
from weft.derivations.chart.pruning import coarse_to_fine
from weft.errors import DivergenceError, EvidenceError, LimitError
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import EVERYTHING, Evidence, Sentence, sentence
from weft.structures.grammar import Rule, Terminal, grammar
from weft.structures.tree import Tree, leaves

PAIRS = grammar([Rule("S", ("S", "S"), math.log(0.4)), Rule("S", (Terminal("a"),), math.log(0.6))])


def nodes_of(tree: Tree) -> list[tuple[str, int, int]]:
    """The label and the span of each node that has words."""
    found, position = [], 0
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Tree):
            waiting.append((node.label, position))
            waiting.extend(reversed(node.children))
        elif isinstance(node, str):
            position += 1
        elif node[1] < position:
            found.append((node[0], node[1], position))
    return found


def matrix_of(chart: Chart, tree: Tree) -> np.ndarray:
    """How often each nonterminal spans in a tree. [spans, nonterminals]"""
    states = int(chart.members.states[0])
    pairs = zip(*(part.tolist() for part in spans_of(states)), strict=True)
    numbers = {pair: number for number, pair in enumerate(pairs)}
    matrix = np.zeros((len(numbers), len(chart.grammar.nonterminals)))
    for label, i, k in nodes_of(tree):
        matrix[numbers[i, k], chart.grammar.nonterminals.index(label)] += 1
    return matrix


@settings(max_examples=150)
@given(rules=grammars(), words=sentences(3).filter(bool), seed=st.integers(0, 100))
def test_scores_of_spans_are_added(rules, words, seed):
    trees = finite_trees(rules, words)
    chart = Chart(rules, [Evidence(sentence(words))])
    shape = int(chart.span_offsets[-1]), len(rules.nonterminals)
    spans = np.random.default_rng(seed).normal(size=shape)
    values, expected, marginals = chart.sweep(rules.weights, np.ones(1), spans)
    assume(not np.isposinf(values[0]))
    matrices = [matrix_of(chart, tree) for tree, _ in trees]
    pairs = zip(trees, matrices, strict=True)
    scores = np.array([rules.weights[used].sum() + (m * spans).sum() for (_, used), m in pairs])
    best, [tree] = chart.best(rules.weights, spans)
    if not trees:
        assert values[0] == best[0] == -np.inf
        return
    total = np.logaddexp.reduce(scores)
    shares = np.exp(scores - total)
    np.testing.assert_allclose(values[0], total, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(chart.log_partition(rules.weights, spans), values, rtol=1e-12)
    np.testing.assert_allclose(marginals, np.tensordot(shares, matrices, 1), rtol=1e-8, atol=1e-10)
    uses = np.array([np.bincount(u, minlength=rules.rule_count) for _, u in trees])
    np.testing.assert_allclose(expected, shares @ uses, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(best[0], scores.max(), rtol=1e-10, atol=1e-10)
    chosen = [each for each, _ in trees].index(tree)
    np.testing.assert_allclose(scores[chosen], scores.max(), rtol=1e-10, atol=1e-10)


def test_scores_of_spans_go_round_cycles(rng):
    """With a cycle there are infinitely many trees: their marginals are derivatives."""
    rules = grammar(
        [
            Rule("S", ("T",), -1.0),
            Rule("T", ("S",), -1.5),
            Rule("T", ("S", "T"), -1.0),
            Rule("S", (Terminal("a"),), -0.5),
        ]
    )
    chart = Chart(rules, [Evidence(sentence(["a", "a", "a"]))])
    spans = 0.3 * rng.normal(size=(6, 2))
    _, counts, marginals = chart.sweep(rules.weights, np.ones(1), spans)
    for place in np.ndindex(spans.shape):
        direction = np.zeros(spans.shape)
        direction[place] = 1.0
        slope = finite_difference(
            lambda scores: chart.log_partition(rules.weights, scores), spans, direction
        )
        np.testing.assert_allclose(marginals[place], slope[0], rtol=1e-6, atol=1e-8)
    for number, direction in enumerate(np.eye(4)):
        slope = finite_difference(
            lambda theta: chart.log_partition(theta, spans), rules.weights, direction
        )
        np.testing.assert_allclose(counts[number], slope[0], rtol=1e-6, atol=1e-8)


def test_long_sentences_neither_overflow_nor_underflow():
    """Z of S → S S, S → a over n words is a Catalan number times 0.4ⁿ⁻¹ 0.6ⁿ."""
    for shift in (0.0, 60.0, -60.0, 500.0):
        theta = PAIRS.weights + np.array([0.0, shift])
        lengths = [1, 5, 150]
        chart = Chart(PAIRS, [Evidence(sentence(["a"] * n)) for n in lengths])
        values, counts = chart.evaluate(theta, np.ones(3))
        expected = [
            math.log(math.comb(2 * n - 2, n - 1) // n) + theta @ [n - 1, n] for n in lengths
        ]
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-10)
        np.testing.assert_allclose(counts, [sum(lengths) - 3, sum(lengths)], rtol=1e-9)
        assert chart.best(theta)[0] == pytest.approx([theta @ [n - 1, n] for n in lengths])


def test_wide_numbers_agree_with_scaled_ones(rng):
    """One rule of another sentence that is far too small for scaling makes all of them wide."""
    unused = [Rule("S", (Terminal("b"),), -1.0)]
    rules = grammar([*PAIRS.rules(), Rule("S", ("S", Terminal("c"), "S"), -2.0), *unused])
    words = [rng.choice(["a", "c"], 12, p=[0.9, 0.1]).tolist() for _ in range(6)]
    chart = Chart(rules, [Evidence(sentence(each)) for each in words])
    far = rules.weights.copy()
    far[-1] = -1e6
    scaled, wide = (chart.evaluate(theta, np.ones(6)) for theta in (rules.weights, far))
    np.testing.assert_allclose(scaled[0], wide[0], rtol=1e-13)
    np.testing.assert_allclose(scaled[1], wide[1], rtol=1e-11, atol=1e-13)


def test_pruning_drops_and_never_adds():
    rules = grammar(
        [
            Rule("S", ("A", "S"), -0.2),
            Rule("S", ("S", "A"), -3.0),
            Rule("S", ("A",), -1.0),
            Rule("A", ("A", "A"), -2.0),
            Rule("A", (Terminal("a"),), -0.1),
        ]
    )
    several = [Evidence(sentence(["a"] * 8))]
    exact = Chart(rules, several).log_partition(rules.weights)[0]
    values = [
        Chart(rules, several, beam=beam).log_partition(rules.weights)[0]
        for beam in (0.1, 2.0, 5.0, 1e3)
    ]
    assert values == sorted(values)
    assert values[0] < exact - 0.01
    assert values[-1] == exact
    coarse = Chart(rules, several)
    everything = coarse_to_fine(coarse, rules.weights, rules.nonterminals, str, 0.0)
    some = coarse_to_fine(coarse, rules.weights, rules.nonterminals, str, 0.2)
    assert Chart(rules, several, allowed=everything).log_partition(rules.weights)[0] == exact
    pruned = Chart(rules, several, allowed=some)
    assert pruned.log_partition(rules.weights)[0] < exact
    probs = coarse.span_posteriors(rules.weights)[1][0]
    assert (pruned.span_posteriors(rules.weights)[1][0][probs < 0.2] == 0).all()


@settings(max_examples=100)
@given(
    rules=grammars(st.integers(-24, 24).map(lambda n: n / 8)),
    words=sentences(4),
    beam=st.sampled_from([0.0, 1.0]),
)
def test_pruned_charts_are_sound(rules, words, beam):
    """What is left are trees of the sentence; rules are used as often as their heads are there."""
    exact, pruned = (Chart(rules, [Evidence(sentence(words))], beam=b) for b in (None, beam))
    total = exact.log_partition(rules.weights)[0]
    assume(total < np.inf)
    try:
        scores, [tree] = pruned.best(rules.weights)
    except DivergenceError:
        reject()
    assert scores[0] <= total + 1e-9
    assert tree is None or list(leaves(tree)) == words
    values, counted, marginals = pruned.sweep(rules.weights, np.ones(1))
    assert values[0] <= total + 1e-9
    if values[0] > -np.inf and not nullable(rules).any():
        heads = np.bincount(rules.heads, counted, minlength=len(rules.nonterminals))
        np.testing.assert_allclose(heads, marginals.sum(axis=0), rtol=1e-8, atol=1e-10)
    [drawn] = pruned.sample(rules.weights, np.random.default_rng(1), 3)
    assert all(list(leaves(each)) == words for each in drawn)


def test_a_sentence_that_is_too_large_is_named():
    long = Evidence(Sentence((("a",) * 300,), source="train.txt:17"))
    chart = Chart(PAIRS, [Evidence(sentence(["a"])), long], memory=100_000)
    for call in (
        lambda: chart.log_partition(PAIRS.weights),
        lambda: chart.evaluate(PAIRS.weights, np.ones(2)),
        lambda: chart.best(PAIRS.weights),
        lambda: chart.kbest(PAIRS.weights, 2),
    ):
        with pytest.raises(LimitError, match=r"train.txt:17: the chart of 300 tokens"):
            call()
    assert np.isfinite(Chart(PAIRS, [long]).log_partition(PAIRS.weights)).all()


def test_divergence_is_infinite_or_named():
    loop = grammar([Rule("S", ("T",)), Rule("T", ("S",)), Rule("S", (Terminal("a"),))])
    chart = Chart(loop, [Evidence(sentence(["a"]))])
    values, counts = chart.evaluate(np.array([0.1, 0.0, 0.0]), np.ones(1))
    assert values[0] == np.inf
    assert not counts.any()
    with pytest.raises(DivergenceError, match="S -> T -> S"):
        chart.best(np.array([0.1, 0.0, 0.0]))
    with pytest.raises(DivergenceError, match="S -> T -> S"):
        chart.sample(np.zeros(3), np.random.default_rng(1))
    # A cycle that neither gains nor loses has a best tree, but no k best.
    assert chart.best(np.zeros(3))[1] == [Tree("S", ("a",))]
    with pytest.raises(DivergenceError):
        chart.kbest(np.zeros(3), 2)


def test_impossible_sentences():
    several = [["a"], ["a", "b"], []]
    chart = Chart(PAIRS, [Evidence(sentence(words)) for words in several])
    np.testing.assert_array_equal(np.isneginf(chart.log_partition(PAIRS.weights)), [0, 1, 1])
    assert [chart.impossible(member) for member in range(3)] == [None, 1, 0]
    assert chart.best(PAIRS.weights)[1][1:] == [None, None]
    assert chart.kbest(PAIRS.weights, 2)[1:] == [[], []]
    assert chart.entropy(PAIRS.weights).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        (EVERYTHING, "needs the tokens of a sentence"),
        (Evidence(sentence(["a"]), parse=Tree("S", ("a",))), "nothing to sum over"),
    ],
)
def test_evidence_that_is_not_for_charts(evidence, message):
    with pytest.raises(EvidenceError, match=message):
        Chart(PAIRS, [evidence])


def test_too_many_labels_of_a_span():
    spans = tuple(Span(0, 1, f"L{n}") for n in range(9))
    with pytest.raises(LimitError, match="more than 8 labels"):
        Chart(PAIRS, [Evidence(sentence(["a"]), parse=Constituents(spans))])


def test_weights_are_checked():
    chart = Chart(PAIRS, [Evidence(sentence(["a"]))])
    with pytest.raises(ValueError, match="takes 2 weights in a row"):
        chart.log_partition(np.zeros(3))
    with pytest.raises(ValueError, match="weight 1 is nan"):
        chart.log_partition(np.array([0.0, np.nan]))


def test_parity_with_nltk():
    """The best tree and its probability, and the number of trees, of a grammar of English."""
    nltk = pytest.importorskip("nltk")
    text = """
        S -> NP VP [1.0]
        NP -> DT NN [0.5] | NP PP [0.2] | 'I' [0.2] | 'Kim' [0.1]
        VP -> V NP [0.6] | VP PP [0.3] | V [0.1]
        PP -> P NP [1.0]
        DT -> 'the' [0.7] | 'a' [0.3]
        NN -> 'man' [0.3] | 'dog' [0.3] | 'park' [0.4]
        V -> 'saw' [0.8] | 'slept' [0.2]
        P -> 'in' [0.4] | 'with' [0.6]
    """
    theirs = nltk.PCFG.fromstring(text)
    rules = grammar(
        [
            Rule(
                str(each.lhs()),
                tuple(Terminal(s) if isinstance(s, str) else str(s) for s in each.rhs()),
                each.logprob() * math.log(2),
            )
            for each in theirs.productions()
        ],
        "S",
    )
    words = ["I", "saw", "the", "man", "with", "a", "dog", "in", "the", "park", "with", "Kim"]
    chart = Chart(rules, [Evidence(sentence(words))])
    [expected] = nltk.ViterbiParser(theirs).parse(words)
    [score], [tree] = chart.best(rules.weights)
    assert math.exp(score) == pytest.approx(expected.prob(), rel=1e-12)

    def converted(node) -> Tree | str:
        if isinstance(node, str):
            return node
        return Tree(str(node.label()), tuple(map(converted, node)))

    everything = {converted(each): 1 for each in nltk.ChartParser(theirs).parse(words)}
    assert tree in everything
    assert counts(chart) == [len(everything)]
    inside = sum(each.prob() for each in nltk.InsideChartParser(theirs).parse(words))
    assert math.exp(chart.log_partition(rules.weights)[0]) == pytest.approx(inside, rel=1e-10)


def test_k_best_trees_of_any_depth() -> None:
    """A chain of unary rules is followed without the program's stack, which it would overflow."""
    depth = 100_000
    chain = [Rule(f"N{i}", (f"N{i + 1}",), -1.0) for i in range(depth)]
    ends = [Rule(f"N{depth}", (Terminal("a"),)), Rule(f"N{depth}", ("X",), -1.0)]
    rules = grammar([*chain, *ends, Rule("X", (Terminal("a"),))], "N0")
    [found] = Chart(rules, [Evidence(sentence(["a"]))]).kbest(rules.weights, 3)
    assert [score for score, _ in found] == [-depth, -depth - 1]


def test_empty_trees_that_are_too_large_are_not_built() -> None:
    """Sixty rules make an empty tree of 2⁶⁰ nodes."""
    doubled = [Rule(f"N{n}", (f"N{n + 1}", f"N{n + 1}"), -0.1) for n in range(60)]
    rules = grammar([*doubled, Rule("N60", (), -0.1)], "N0")
    chart = Chart(rules, [Evidence(sentence([]))])
    for attempt in (
        lambda: chart.best(rules.weights),
        lambda: chart.kbest(rules.weights, 2),
        lambda: chart.sample(rules.weights, np.random.default_rng(0)),
    ):
        with pytest.raises(LimitError, match="an empty tree of N0 has more than 100,000 nodes"):
            attempt()
