"""Trees of which some tags are known, or whose labels span twice: parts, costs, rivals, hits."""

from __future__ import annotations

import numpy as np
import pytest

from charts import all_trees
from contracts.models import by_definition, spans
from oracles import finite_difference
from trees import tree
from weft.criteria import (
    accuracy,
    conditional,
    contrast,
    local_accuracy,
    local_likelihood,
    margin,
    perceptron,
    rival,
    softmax_margin,
)
from weft.models.cfg import Cfg
from weft.models.prepare_grammar import prepare_grammar
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Evidence, Example, Sentence
from weft.structures.tree import Tree, leaves

TREES = [
    "(S (NP (N a) (N b)) (VP (V a) b))",
    "(S (NP (V a)) (VP (N b) (V a) (N b)))",
    "(S (NP (N a)) (VP (V b) (N a) (V b)))",
    "(S (VP a b (V a)) (NP (V b)))",
]
CORPUS = [
    Example(Sentence((tuple(leaves(each)),)), parse=each, weight=1.0 + n)
    for n, each in enumerate(map(tree, TREES))
]
LABELS = [
    ("N", None, None, None),
    (frozenset("NV"), "N", None, "V"),
    (None, None, None, None),
]
CRITERIA = [conditional, perceptron, margin(), softmax_margin(0.7), rival]
CRITERIA += [local_accuracy, local_likelihood, accuracy]


def tags(each: Tree) -> dict[int, str]:
    """The tags of words that have one of their own, by position."""
    return {start: label for label, start, _ in spans(each)[0] if label in ("N", "V")}


class Listing:
    """All trees of a sentence with which of them have the tags that are known."""

    def __init__(self, model, example, theta) -> None:
        words = example.tokens.words
        every = sorted({t for t, _ in all_trees(model.grammar, words, 12)}, key=str)
        members = model.trees([Evidence(example.tokens, parse=each) for each in every])
        self.scores = members.log_partition(theta)
        known = [(place, label) for place, label in enumerate(example.analysis) if label]
        self.units = np.array(
            [
                [place not in tags(each) or tags(each)[place] in label for each in every]
                for place, label in known
            ]
        ).reshape(len(known), len(every))
        self.observed = self.units.all(axis=0)
        nodes = [spans(each)[0] for each in every]
        right = {
            node for each, seen in zip(nodes, self.observed, strict=True) if seen for node in each
        }
        self.wrong = np.array([sum(node not in right for node in each) for each in nodes])


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda each: each.name)
def test_known_tags_are_evidence_of_trees(criterion, rng):
    model = prepare_grammar(Cfg(), CORPUS)
    corpus = [
        Example(each.tokens, labels, each.weight)
        for each, labels in zip(CORPUS[:3], LABELS, strict=True)
    ]
    theta = 0.5 * rng.normal(size=model.parameters.size) - 1.0
    objective = contrast(model, corpus, criterion)
    found = objective.per_example(theta)
    expected = [by_definition(criterion, Listing(model, each, theta), False) for each in corpus]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert (found != 0).any()
    if criterion is not accuracy:
        direction = rng.normal(size=len(theta))
        slope = finite_difference(lambda t: objective(t)[0], theta, direction)
        assert objective(theta)[1] @ direction == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_a_label_that_spans_twice_is_one_part():
    """X over X: the part is there or not, however often; each wrong node costs."""
    chain = tree("(S (X (X (X a))))")
    example = Example(Sentence((("a",),)), parse=chain)
    other = Example(Sentence((("a",),)), parse=tree("(S (X a))"))
    third = Example(Sentence((("a",),)), parse=tree("(S (Y (Y a)))"))
    model = prepare_grammar(Cfg(normalisation="joint"), [example, other, third])
    theta = np.zeros(model.parameters.size)
    charts = model.chart([Evidence(example.tokens)])
    parts = charts.parts([example.evidence()])
    assert len(parts.owners) == 2  # X and S
    log_probs = parts.log_probs(theta)
    assert (log_probs <= 0).all()
    assert np.exp(log_probs).tolist() == pytest.approx([0.5, 1.0])
    # Y over Y costs twice, though it is one part: nodes are counted.
    known = [Evidence(example.tokens, parse=Constituents((Span(0, 1, "X"),)))]
    score = charts.charged(known, 3.0).kbest(theta, 50)[0]
    by_tree = {str(each): value for value, each in score}
    free = {str(each): value for value, each in charts.kbest(theta, 50)[0]}
    once, twice = str(tree("(S (Y a))")), str(tree("(S (Y (Y a)))"))
    assert by_tree[once] - free[once] == pytest.approx(3.0)
    assert by_tree[twice] - free[twice] == pytest.approx(6.0)
    assert by_tree[str(chain)] == pytest.approx(free[str(chain)])
