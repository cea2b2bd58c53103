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
from weft.errors import DivergenceError
from weft.models.grammar.prepare import prepare_grammar
from weft.models.grammar.spec import Cfg
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


def cyclic():
    """Three trees over one word, with rules X -> X and Y -> Y; and a model of equal choices."""
    several = map(tree, ("(S (X (X (X a))))", "(S (X a))", "(S (Y (Y a)))"))
    corpus = [Example(Sentence((("a",),)), parse=each) for each in several]
    model = prepare_grammar(Cfg(normalisation="joint"), corpus)
    return model, corpus, np.zeros(model.parameters.size)


def test_a_label_that_spans_twice_is_one_part():
    """X over X: the part is there or not, however often; but each wrong node costs."""
    model, corpus, theta = cyclic()
    charts = model.chart([Evidence(corpus[0].tokens)])
    parts = charts.parts([corpus[0].evidence()])
    assert len(parts.owners) == 2  # X and S
    assert np.exp(parts.log_probs(theta)).tolist() == pytest.approx([0.5, 1.0])
    known = [Evidence(corpus[0].tokens, parse=Constituents((Span(0, 1, "X"),)))]
    charged = {str(each): score for score, each in charts.charged(known, 0.3).kbest(theta, 9)[0]}
    free = {str(each): score for score, each in charts.kbest(theta, 50)[0]}
    costs = {text: round((score - free[text]) / 0.3, 9) for text, score in charged.items()}
    assert costs[str(tree("(S (Y a))"))] == 1
    assert costs[str(tree("(S (Y (Y a)))"))] == 2
    assert costs[str(tree("(S (X (X a)))"))] == 0


def test_where_a_cost_makes_a_cycle_gain_theta_is_outside_the_domain():
    """There is no best tree, and no sum: a line search takes a shorter step."""
    model, corpus, theta = cyclic()
    for criterion in (margin(3.0), softmax_margin(3.0)):
        objective = contrast(model, corpus, criterion)
        assert (objective.per_example(theta) == -np.inf).all()
        value, gradient = objective(theta)
        assert value == -np.inf
        assert np.isfinite(gradient).all()
    charts = model.chart([Evidence(corpus[0].tokens)]).charged([corpus[0].evidence()], 3.0)
    for ask in (charts.best, lambda weights: charts.kbest(weights, 2)):
        with pytest.raises(DivergenceError, match="the cycle X -> X or Y -> Y"):
            ask(theta)


def test_where_sums_of_what_is_known_in_part_diverge_there_is_no_nan():
    model, corpus, _ = cyclic()
    known = [Example(e.tokens, parse=Constituents((Span(0, 1),))) for e in corpus]
    gaining = np.zeros(model.free.parameters.size)
    for criterion in (conditional, perceptron, rival, local_likelihood):
        objective = contrast(model.free, known, criterion)
        assert not np.isnan(objective.per_example(gaining)).any()
        assert not np.isnan(objective(gaining)[0])
