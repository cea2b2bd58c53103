"""What is known of trees picks out those that agree with it."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from charts import NAMES, finite_trees, grammars, sentences
from weft.derivations.chart.chart import Chart
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Evidence, Sentence
from weft.structures.tree import Tree


def spans_of_tree(tree: Tree) -> list[tuple[int, int, str]]:
    """The nodes of a tree that have words."""
    found, position = [], 0
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            position += 1
        elif isinstance(node, Tree):
            waiting.append((position, node.label))
            waiting.extend(reversed(node.children))
        else:
            start, label = node
            if start < position:
                found.append((start, position, label))
    return found


def agrees(tree: Tree, spans: tuple[Span, ...]) -> bool:
    nodes = spans_of_tree(tree)
    for span in spans:
        labels = [label for i, k, label in nodes if (i, k) == (span.start, span.end)]
        if not labels or (span.label is not None and span.label not in labels):
            return False
    return True


@st.composite
def examples(draw):
    words = draw(sentences(4).filter(bool))
    place = st.integers(0, len(words) - 1)
    label = st.one_of(st.none(), st.sampled_from(NAMES))
    pairs = draw(st.lists(st.tuples(place, place, label), min_size=1, max_size=3))
    spans = tuple(Span(min(i, k), max(i, k) + 1, name) for i, k, name in pairs)
    crossing = any(a.start < b.start < a.end < b.end for a in spans for b in spans)
    assume(not crossing)
    return words, spans


@settings(max_examples=200)
@given(rules=grammars(), example=examples())
def test_constituents_filter_the_trees(rules, example):
    words, spans = example
    trees = finite_trees(rules, words)
    kept = [(tree, used) for tree, used in trees if agrees(tree, spans)]
    evidence = Evidence(Sentence((tuple(words),)), parse=Constituents(spans))
    check(rules, evidence, kept)


def check(rules, evidence, kept):
    """Sums, expectations, marginals, best and random trees are those of the trees that are left."""
    chart = Chart(rules, [evidence])
    values, counts, marginals = chart.sweep(rules.weights, np.ones(1))
    best_values, [best] = chart.best(rules.weights)
    if not kept:
        assert values[0] == best_values[0] == -np.inf
        assert best is None
        return
    scores = np.array([rules.weights[used].sum() for _, used in kept])
    total = np.logaddexp.reduce(scores)
    np.testing.assert_allclose(values[0], total, rtol=1e-10, atol=1e-10)
    uses = np.array([np.bincount(used, minlength=rules.rule_count) for _, used in kept])
    shares = np.exp(scores - total)
    np.testing.assert_allclose(counts, shares @ uses, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(best_values[0], scores.max(), rtol=1e-12)
    assert best in [tree for tree, _ in kept]
    expected = np.zeros_like(marginals)
    states = len(evidence.tokens) + 1
    starts, ends = np.triu_indices(states, 1)
    for (tree, _), share in zip(kept, shares, strict=True):
        for i, k, label in spans_of_tree(tree):
            place = int(np.flatnonzero((starts == i) & (ends == k))[0])
            expected[place, rules.nonterminals.index(label)] += share
    np.testing.assert_allclose(marginals, expected, rtol=1e-8, atol=1e-10)
    [drawn] = chart.sample(rules.weights, np.random.default_rng(3), 5)
    known = {tree for tree, _ in kept}
    assert all(tree in known for tree in drawn)


@settings(max_examples=200)
@given(rules=grammars(), words=sentences(3).filter(bool), data=st.data())
def test_tags_filter_the_trees(rules, words, data):
    tags = st.one_of(st.none(), st.sampled_from(NAMES), st.just(frozenset({"A", "S"})))
    analysis = tuple(data.draw(tags) for _ in words)
    trees = finite_trees(rules, words)

    def tagged(tree: Tree) -> bool:
        found: list[str | None] = []
        waiting: list[object] = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                found.append(None)
            elif len(node.children) == 1 and isinstance(node.children[0], str):
                found.append(node.label)
            else:
                waiting.extend(reversed(node.children))
        pairs = zip(found, analysis, strict=True)
        return all(
            tag is None or label is None or tag in ({label} if isinstance(label, str) else label)
            for tag, label in pairs
        )

    kept = [(tree, used) for tree, used in trees if tagged(tree)]
    check(rules, Evidence(Sentence((tuple(words),)), analysis), kept)
