"""Why one answer and not another, of every family: the reasons add up, and are the features'."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from contracts.models import FAMILIES, listing, weights_of
from weft import Chain, example, fit
from weft.errors import EvidenceError, OptionError
from weft.models.model import Outcome

families = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)


def trained(family, rng):
    """A model with random weights."""
    corpus = family.corpora["complete"]
    outcome = Outcome(weights_of(family, rng), corpus, corpus)
    return family.spec.trained(family.model, outcome)


def explanations(family, rng, **options):
    model = trained(family, rng)
    for each in family.corpora["complete"]:
        yield model, each, model.explain(each.evidence(labelled=False), each, **options)


@families
def test_reasons_add_up_to_the_difference_of_scores(family, rng):
    some = 0
    for _, _, found in explanations(family, rng):
        if found.other is None:
            continue
        some += 1
        total = sum(reason.difference for reason in found.reasons)
        assert total == pytest.approx(found.chosen.score - found.other.score, abs=1e-9)
        sizes = [abs(reason.difference) for reason in found.reasons]
        assert sizes == sorted(sizes, reverse=True)
        names = [(reason.kind, reason.name) for reason in found.reasons]
        assert len(set(names)) == len(names)
    assert some


@families
def test_weights_are_the_models(family, rng):
    """But for tables, whose factors are probabilities."""
    for model, _, found in explanations(family, rng):
        named = model.model.named(np.arange(len(model.weights)))
        weights = dict(zip(named, model.weights.tolist(), strict=True))
        for reason in found.reasons:
            assert reason.chosen != reason.other
            if family.kind == "tables":
                assert reason.weight < 0
            elif reason.kind != "rest":
                assert reason.weight == weights[reason.kind, reason.name]


@families
def test_answers_are_ranked(family, rng):
    """As a list of all derivations has them, best first, and the right one is among them."""
    for model, each, found in explanations(family, rng, count=1000):
        scores = np.sort(listing(family, each, model.weights).scores)[::-1]
        scores = scores[np.isfinite(scores)]
        np.testing.assert_allclose([one.score for one in found.ranking], scores, atol=1e-9)
        assert math.fsum(one.probability for one in found.ranking) == pytest.approx(1.0)
        right = [one for one in found.ranking if one.right]
        assert len(right) == 1
        if found.other is not None and found.chosen.right is False:
            assert found.other is right[0]
        elif len(found.ranking) > 1:
            assert found.other is found.ranking[1]


@pytest.mark.parametrize("kind", ["chain", "tables", "grammar", "selection"])
def test_the_right_answer_is_found_beyond_the_ranking(kind, rng):
    """Where it is not among the two best."""
    beyond = wrong = 0
    for family in FAMILIES.values():
        if family.kind != kind:
            continue
        for model, each, _ in explanations(family, rng):
            found = model.explain(each.evidence(labelled=False), each, count=1)
            assert len(found.ranking) == 1
            if found.chosen.right is False:
                wrong += 1
                beyond += found.other.rank is None
                assert found.other.right
                assert found.other.score <= found.chosen.score
                total = sum(reason.difference for reason in found.reasons)
                assert total == pytest.approx(found.chosen.score - found.other.score, abs=1e-9)
    assert wrong or kind == "tables"  # which are right about what they were counted from
    assert beyond or kind in ("tables", "grammar", "selection")  # which have few answers here


@families
def test_what_is_compared_is_what_is_asked_for(family, rng):
    model, corpus = trained(family, rng), family.corpora["raw"]
    for each in corpus:
        given = each.evidence(labelled=False)
        found = model.explain(given, each)
        assert found.chosen.right is None
        for other in found.ranking:
            again = model.explain(given, against=other.number)
            assert again.other.answer == other.answer
        with pytest.raises(OptionError, match="there is no analysis 999; there are 0 to"):
            model.explain(given, against=999)


def test_what_has_no_answer_has_no_reasons():
    chain = Chain(forbidden=frozenset({("A", "B")}), dictionary={"b": frozenset("B")})
    tagger = fit(chain, [example(["a"], ["A"]), example(["b"], ["B"])])
    tagger = replace(
        tagger, model=replace(tagger.model, dictionary={"a": frozenset("A"), "b": frozenset("B")})
    )
    with pytest.raises(EvidenceError, match="no analysis is possible"):
        tagger.explain(["a", "b"])


def test_states_that_show_one_tag_are_one_answer():
    """The best of their derivations stands for it."""
    tagger = fit(Chain(), [example(["a", "b", "a"], ["X", "Y", "X"]), example(["b"], ["Y"])])
    model = tagger.model
    doubled = replace(model, tags=("X",), shown=(0, 0))
    merged = replace(tagger, model=doubled)
    found = merged.explain(["a", "b"])
    assert found.chosen.answer == ("X", "X")
    assert found.other is None
