"""Parses whose binary trees are canonical: each tree of the treebank's kind is one of them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from canonical_forests import plain_canonical_parses
from stack_models import list_parses, move_scores
from stacks import all_parses, probs_of
from trees import tree
from weft import fit
from weft.derivations.stack.forest import StackForest
from weft.grammars.transforms import tree_of, unbinarise
from weft.inference import inside_outside
from weft.models.model import Outcome
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveTables
from weft.models.stack.storage import pack_stack, unpack_stack
from weft.models.stack.templates import move_templates
from weft.models.stack.trace import trace_parse
from weft.structures.evidence import Evidence, sentence

TREES = [
    tree("(S (NP d n) v (NP d a n))"),
    tree("(S (NP d n p n) v)"),
    tree("(S (VP v (NP d n) p n) p n)"),
    tree("(S (NP n c n) v)"),
]
SENTENCES = ["d n v", "d n v d n", "n c n v", "d a n v", "d n p n v", "d n p n"]
FEATURES = move_templates("s1+s2 s1+next")
COMMON = {"rare": 0, "beam": 0.0}
SPECS = {
    "joint, backed off": MoveTables("joint", "back-off", **COMMON),
    "joint, interpolated": MoveTables("joint", "interpolate", **COMMON),
    "joint, lost": MoveTables("joint", "lose", **COMMON),
    "conditional": MoveTables("conditional", **COMMON),
    "maxent": MoveFeatures(features=FEATURES, **COMMON),
    "global": MoveFeatures(normalisation="none", features=FEATURES, **COMMON),
}


@pytest.fixture(params=SPECS, scope="module")
def parser(request):
    """A parser with some weights."""
    spec = SPECS[request.param]
    model = spec.prepare(spec.compile(TREES))
    rng = np.random.default_rng(5)
    weights = rng.normal(size=model.parameters.size)
    model, weights = spec.finish(model, weights, []) if weights.size else (model, weights)
    return spec.trained(model, Outcome(weights))


def canonical(parser, words):
    """The trees of a sentence with their log-weights, by plain loops over all move sequences."""
    found = {}
    for moves, score in list_parses(words, move_scores(parser.model, words, parser.weights)):
        made = tree_of(moves)
        if made.label.startswith("@"):
            continue
        whole = unbinarise(made)
        if parser.model.moves(whole) == moves:
            assert whole not in found
            found[whole] = score
    return found


def test_derivations_and_trees_are_in_one_to_one_correspondence(parser):
    for words in map(str.split, SENTENCES):
        every = canonical(parser, words)
        forest = parser.model.forest([Evidence(sentence(words))])
        [total] = forest.log_partition(parser.weights)
        expected = np.logaddexp.reduce([*every.values(), -np.inf])
        assert total == pytest.approx(expected, rel=1e-9)
        [ranked] = forest.kbest(parser.weights, len(every) + 5)
        trees = [parser.model.restored(each.tree, words) for _, each in ranked]
        assert len(set(trees)) == len(trees) == len(every)
        scores = [score for score, _ in ranked]
        assert scores == pytest.approx([every[each] for each in trees], rel=1e-9)
        assert scores == pytest.approx(sorted(every.values(), reverse=True), rel=1e-9)
        known = parser.model.forest([Evidence(sentence(words), parse=each) for each in trees])
        assert known.log_partition(parser.weights) == pytest.approx(scores, rel=1e-9)


def test_without_the_option_trees_come_several_times():
    spec = replace(SPECS["joint, interpolated"], canonical=False)
    parser = fit(spec, TREES)
    [ranked] = parser.model.forest([Evidence(sentence(["d", "n", "v", "d", "n"]))]).kbest(
        parser.weights, 50
    )
    trees = [parser.model.restored(each.tree, ["d", "n", "v", "d", "n"]) for _, each in ranked]
    assert len(set(trees)) < len(trees)


@pytest.mark.parametrize("name", ["joint, interpolated", "conditional"])
def test_printed_trees_have_a_probability(name):
    parser = fit(SPECS[name], TREES)
    for words in map(str.split, SENTENCES):
        [answer] = parser.parse([words])
        [log_prob] = parser.log_probs([answer.tree])
        assert np.isfinite(log_prob)


def test_moves_of_a_trace_multiply_to_the_parse(parser):
    steps = trace_parse(parser, ["d", "n", "p", "n", "v"]).steps
    evidence = Evidence(sentence(["d", "n", "p", "n", "v"]))
    forest = parser.model.forest([evidence])
    [score], _ = forest.best(parser.weights)
    total = forest.log_partition(parser.weights)[0] if len(parser.weights) else 0.0
    if parser.model.parameters.size and str(parser.model.normalisation) == "none":
        score -= total
    assert steps[-1].log_prob == pytest.approx(score)


def test_old_files_go_on_as_they_were(parser):
    manifest, arrays = pack_stack(parser.model)
    assert unpack_stack(json.loads(json.dumps(manifest)), arrays).canonical
    del manifest["canonical"]
    assert not unpack_stack(manifest, arrays).canonical
    with pytest.raises(ValueError, match="canonical"):
        unpack_stack({**manifest, "canonical": 1}, arrays)


@pytest.mark.parametrize("form", ["joint", "conditional"])
def test_chains_of_reduce_moves_stay_whole(form):
    cyclic = [*TREES * 6, tree("(S (NP (S (NP d a n))) v)"), tree("(S (NP (VP (NP n p n))) v)")]
    parser = fit(MoveTables(form, **COMMON), cyclic)
    probs = probs_of(parser.model.table, parser.model.labels, parser.model.looks)
    words, total, every = ["d", "n", "v"], 0.0, 0.0
    for moves, prob in all_parses(words, probs, unaries=7).items():
        made, every = tree_of(moves), every + prob
        if not made.label.startswith("@"):
            total += prob * (parser.model.moves(unbinarise(made)) == list(moves))
    [found] = parser.model.forest([Evidence(sentence(words))]).log_partition(parser.weights)
    assert np.exp(found) == pytest.approx(total, rel=1e-3)
    assert total <= every


def test_the_kernel_keeps_what_plain_loops_keep(parser):
    every = replace(parser.model, canonical=False)
    for words in map(str.split, SENTENCES):
        evidence = Evidence(sentence(words))
        [parses] = every.forest([evidence]).parses
        plain = plain_canonical_parses(parses, parser.model.binary_trees, parser.model.table)
        kernel = parser.model.forest([evidence])
        values = []
        for each in (plain, kernel.parses[0]):
            graph, rows = next(
                StackForest(
                    [parser.model.weighted(each, evidence)],
                    parser.model.parameters.size,
                    kernel.derive,
                    [each],
                    parser.model.labels,
                    parser.model.parts,
                ).weighted(parser.weights)
            )
            values.append(inside_outside(graph, rows)[0])
        assert values[1] == pytest.approx(values[0], rel=1e-9)
