"""Grammars of binary trees whose trees are canonical: each tree of the treebank's kind is one."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from trees import tree
from weft import Cfg, Decoder, fit
from weft.criteria import conditional, contrast
from weft.grammars.heads import HeadRules, HeadSearch
from weft.grammars.heads.rules import WAYS
from weft.models.grammar.storage import pack_grammar, unpack_grammar
from weft.models.model import Outcome
from weft.structures.evidence import Evidence, Example, sentence
from weft.structures.tree import Tree, leaves

HEADS = HeadRules({"S": (HeadSearch("left", ("v", "n")),), "NP": (HeadSearch("left", ("n", "v")),)})
TREES = [
    tree("(S (NP n v n) v (NP n p n))"),
    tree("(S n n p n)"),
    tree("(S n v n (NP p n) v)"),
    tree("(S (NP v n p v) p v p n)"),
    tree("(S (NP n p (NP v n)) (NP p n) v n)"),
]
SENTENCES = ["n v n", "n v n n", "p n v n", "n v n v p n", "v n p n v n p n"]
CORPUS = [Example(sentence(list(leaves(each))), parse=each) for each in TREES]


@pytest.fixture(params=[(0, "joint"), (1, "joint"), (0, "none"), (1, "none")], ids=str)
def parser(request, rng):
    """A parser with some weights, by parents and normalisation."""
    parents, normalisation = request.param
    spec = Cfg(binarise="johnson", head_rules=HEADS, parents=parents, normalisation=normalisation)
    model = spec.prepare(CORPUS)
    return spec.trained(model, Outcome(rng.normal(size=model.parameters.size) - 1.0))


def random_tree(rng, label="S", depth=0):
    """A tree of up to four children a node."""
    labels, count = ["x", "y", "A", "B"] if depth < 2 else ["x", "y"], rng.integers(1, 5)
    chosen = [str(each) for each in rng.choice(labels if count > 1 else ["x", "y"], count)]
    return Tree(
        label,
        tuple([random_tree(rng, each, depth + 1) if each in "AB" else each for each in chosen]),
    )


def random_heads(rng):
    """Head rules of all ways to search."""
    searches = {
        label: tuple(
            [
                HeadSearch(str(way), tuple(map(str, rng.permutation(list("xyAB"))[:count])))
                for way, count in zip(rng.permutation(WAYS)[:2], rng.integers(0, 4, 2), strict=True)
            ]
        )
        for label in ("S", "A", "*")
    }
    return HeadRules(searches, frozenset(map(str, rng.permutation(list("xyAB"))[:1])))


def every_tree(parser, words):
    """The canonical trees of a sentence with their scores, picked from all binary trees."""
    charts = replace(parser.model, canonical=False).chart([Evidence(sentence(words))])
    [ranked] = charts.kbest(parser.weights, 2_000)
    assert len(ranked) < 2_000
    shaped = parser.model.shaped
    kept = {one: score for score, one in ranked if shaped(parser.model.restored(one, words)) == one}
    return kept, len(ranked)


def test_sums_and_lists_are_of_canonical_trees(parser, rng):
    others = 0
    for words in map(str.split, SENTENCES):
        expected, count = every_tree(parser, words)
        others += count - len(expected)
        charts = parser.model.chart([Evidence(sentence(words))])
        [ranked] = charts.kbest(parser.weights, count)
        assert dict(map(reversed, ranked)) == pytest.approx(expected)
        restored = [parser.model.restored(one, words) for _, one in ranked]
        assert len(set(restored)) == len(ranked) == len(expected)
        [total] = charts.log_partition(parser.weights)
        scores = np.array([*expected.values(), -np.inf])
        assert total == pytest.approx(np.logaddexp.reduce(scores))
        if expected:
            probs = np.exp(np.array(list(expected.values())) - total)
            assert charts.entropy(parser.weights) == pytest.approx(-probs @ np.log(probs))
            assert set(charts.sample(parser.weights, rng, 20)[0]) <= set(expected)
            assert charts.surest(parser.weights)[0] in expected
            assert charts.best(parser.weights)[1][0] in expected
    assert others > 0


@pytest.mark.parametrize("parents", [0, 1, 2])
def test_random_treebanks_have_canonical_trees(parents, rng):
    others = 0
    for _ in range(40):
        trees = [random_tree(rng) for _ in range(6)]
        corpus = [Example(sentence(list(leaves(each))), parse=each) for each in trees]
        spec = Cfg(binarise="johnson", head_rules=random_heads(rng), parents=parents)
        model = spec.prepare(corpus)
        parser = spec.trained(model, Outcome(rng.normal(size=model.parameters.size) - 1.0))
        for size in (3, 4, 5):
            words = [str(each) for each in rng.choice(["x", "y"], size)]
            expected, count = every_tree(parser, words)
            [ranked] = model.chart([Evidence(sentence(words))]).kbest(parser.weights, count + 1)
            assert dict(map(reversed, ranked)) == pytest.approx(expected)
            assert len(ranked) == len(expected)
            others += count - len(expected)
    assert others > 0


def test_gradients_are_of_canonical_trees(parser, rng):
    objective = contrast(parser.model.free, CORPUS, conditional)
    way = rng.normal(size=len(parser.weights))
    _, gradient = objective(parser.weights)
    step = 1e-5
    ends = [objective(parser.weights + sign * step * way)[0] for sign in (1, -1)]
    assert gradient @ way == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


@pytest.mark.parametrize("decoder", ["viterbi", "posterior"])
def test_printed_trees_have_a_probability(parser, decoder):
    for words in map(str.split, SENTENCES):
        for answer in parser.parse([words], decoder=Decoder(decoder)):
            if answer is not None:
                assert np.isfinite(parser.log_probs([answer.tree])[0])
    loose = replace(parser, model=replace(parser.model, canonical=False))
    ranked = [tree for _, tree, _ in loose.kbest([["n", "v", "n"]], 50)[0]]
    assert len(set(ranked)) < len(ranked)


def test_the_option_and_old_files(parser):
    manifest, arrays = pack_grammar(parser.model)
    assert unpack_grammar(json.loads(json.dumps(manifest)), arrays).product is not None
    assert unpack_grammar({**manifest, "canonical": False}, arrays).product is None
    del manifest["canonical"]
    assert unpack_grammar(manifest, arrays).product is None
    with pytest.raises(ValueError, match="canonical"):
        unpack_grammar({**manifest, "canonical": 1}, arrays)
    assert fit(Cfg(binarise="johnson", canonical=False), CORPUS).model.product is None
    assert fit(Cfg(binarise="head"), CORPUS).model.product is None
