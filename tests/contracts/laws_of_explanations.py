"""Why one answer and not another: the reasons add up, and are the features'; see ``laws.py``."""

from __future__ import annotations

import math

import numpy as np
import pytest

from contracts.models import weights_of
from weft.errors import OptionError


def explanations(subject, rng, **options):
    """The examples of a subject, explained by a model with random weights."""
    model = subject.trained(weights_of(subject, rng))
    for each in subject.corpora["complete"]:
        yield model, each, model.explain(each.evidence(labelled=False), each, **options)


def reasons_add_up_to_the_difference_of_scores(family, rng):
    some = 0
    for _, _, found in explanations(family, rng):
        if found.other is None:
            continue
        some += 1
        total = sum(reason.difference for reason in found.reasons)
        assert total == pytest.approx(found.chosen.score - found.other.score, abs=1e-9)
        sizes = [abs(reason.difference) for reason in found.reasons]
        assert sizes == pytest.approx(sorted(sizes, reverse=True), rel=1e-8)
        names = [(reason.kind, reason.name) for reason in found.reasons]
        assert len(set(names)) == len(names)
    assert some


def weights_are_the_models(family, rng):
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


def answers_are_ranked(family, rng):
    """As a list of all derivations has them, best first, and the right one is among them."""
    for model, each, found in explanations(family, rng, count=1000):
        scores = np.sort(family.listing(family.model, each, model.weights).scores)[::-1]
        scores = scores[np.isfinite(scores)]
        np.testing.assert_allclose([one.score for one in found.ranking], scores, atol=1e-9)
        assert math.fsum(one.probability for one in found.ranking) == pytest.approx(1.0)
        right = [one for one in found.ranking if one.right]
        assert len(right) == 1
        if found.other is not None and found.chosen.right is False:
            assert found.other is right[0]
        elif len(found.ranking) > 1:
            assert found.other is found.ranking[1]


def what_is_compared_is_what_is_asked_for(family, rng):
    model, corpus = family.trained(weights_of(family, rng)), family.corpora["raw"]
    for each in corpus:
        given = each.evidence(labelled=False)
        found = model.explain(given, each)
        assert found.chosen.right is None
        for other in found.ranking:
            again = model.explain(given, against=other.number)
            assert again.other.answer == other.answer
        with pytest.raises(OptionError, match="there is no analysis 999; there are 0 to"):
            model.explain(given, against=999)
