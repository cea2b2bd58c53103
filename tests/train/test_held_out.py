"""Held-out examples without labels have nothing to say, whatever the family and the criterion."""

from __future__ import annotations

import numpy as np
import pytest

from weft import Cfg
from weft.criteria import find_criterion
from weft.errors import OptionError
from weft.models.answers import Decoder
from weft.models.instances import instances
from weft.models.model import label_scores
from weft.models.tree_parser import TreeParser
from weft.models.tree_scores import assess_parser
from weft.optimise.solution import Reason, Solution, Step
from weft.structures.tree import Tree
from weft.train import fit
from weft.train.report import NOTHING, Report, Watched

FAMILIES = [
    "free chain",
    "grammar, free",
    "grammar, words",
    "shift-reduce, maxent",
    "shift-reduce, global",
    "selection, listed",
]


def trained(name, held_out, **more):
    each, patience = instances()[name], None if held_out is None else 1
    development = None if held_out is None else each.corpora[held_out]
    complete = each.corpora["complete"]
    return fit(each.spec, complete, development=development, patience=patience, **more)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("criterion", ["conditional", "margin", "perceptron"])
def test_without_labels_nothing_is_waited_for(name, criterion):
    compared = find_criterion(criterion)
    alone, watched = (trained(name, held, criterion=compared) for held in (None, "raw"))
    np.testing.assert_array_equal(watched.weights, alone.weights)
    assert watched.notes["patience"] == NOTHING


@pytest.mark.parametrize(("criterion", "waited"), [("conditional", True), ("margin", False)])
def test_constituents_have_a_criterion_and_no_score(criterion, waited):
    found = trained("grammar, free", "partial", criterion=find_criterion(criterion))
    assert ("patience" not in found.notes) == waited


@pytest.mark.parametrize("name", FAMILIES)
def test_a_score_that_was_asked_for_is_missed(name):
    with pytest.raises(OptionError, match="watched=score looks at how good held-out answers are"):
        trained(name, "raw", watched=Watched.SCORE)


@pytest.mark.parametrize(
    ("likelihoods", "scores", "kept"),
    [
        ([1, 3, 2, 2, 2, 2], [1, 1, 5, 5, 4, 4], 2),  # fewer labels are wrong, and all less likely
        ([1, 2, 3, 4, 3, 3, 3], [5, 1, 1, 1, 1, 1, 1], 3),
        ([1, 2, 1, 1, 1], [0, 0, 0, 0, 0], 1),  # the score says nothing
        ([1, 1, 1, 1], None, 3),  # of equal ones the last
        ([0.3, 0.1 + 0.2, 0.3, 0.3], None, 3),  # which last digits do not change
        ([0.1 + 0.2, 0.3, 0.3, 0.3], None, 3),
        ([1, 1 + 6e-10, 1 + 1.2e-9, 1, 1, 1], None, 2),  # small gains add up
        ([2, 1, 1, 1], None, 0),
    ],
)
def test_the_last_weights_by_which_anything_rose_are_kept(likelihoods, scores, kept):
    def look(values):
        return lambda theta: float(values[int(theta[0])])

    watched = [look(each) for each in (likelihoods, scores) if each is not None]
    report = Report(watched[-1] if scores else None, watched, patience=3)
    ends = [
        bool(report(Step(place, 0.0, 1.0, 1.0, 1, 0.0), np.array([float(place)])))
        for place in range(len(likelihoods))
    ]
    solution = Solution(np.array([-1.0]), 0.0, 0.0, (), Reason.STOPPED)
    assert report.chosen(solution).tolist() == [kept]
    assert ends.index(True) == len(ends) - 1


@pytest.mark.parametrize("decoder", Decoder)
@pytest.mark.parametrize("name", [each for each in FAMILIES if not each.startswith("selection")])
def test_the_score_is_of_the_answers_that_the_model_will_give(name, decoder):
    instance = instances()[name]
    corpus = instance.corpora["complete"]
    found = fit(instance.spec, corpus, development=corpus, patience=0, decoder=decoder)
    if isinstance(found, TreeParser):
        expected = assess_parser(found, corpus).overall.f1
    else:
        expected = label_scores(found, corpus)[0].accuracy
    assert found.trace[-1].accuracy == expected


def test_the_score_is_of_the_decoder():
    """Best and most expected trees differ, and so do their scores."""
    flat = Tree("NP", ("old", Tree("NX", ("men", "and", "women"))))
    phrase = Tree("J", ("old", "men"))
    others = [
        Tree("NP", (Tree("G", (Tree("H", (phrase,)),)), Tree(label, ("and", "women"))))
        for label in "ABC"
    ]
    spec, scores = Cfg(normalisation="joint"), {}
    for decoder in (None, *Decoder):
        found = fit(spec, [flat, flat, *others], development=[flat], decoder=decoder)
        scores[decoder] = found.trace[-1].accuracy
    assert scores[Decoder.VITERBI] == 1.0
    assert scores[None] == scores[Decoder.POSTERIOR] < 1.0
