"""Criteria on a few examples at a time; that these add up is a law in ``laws_of_criteria.py``."""

from __future__ import annotations

import numpy as np
import pytest

from contracts.models import FAMILIES, SMOOTH, weights_of
from weft.criteria import contrast
from weft.criteria.batches import ExampleTerms, Part


def terms_of(name: str, criterion_name: str, data: str = "complete") -> ExampleTerms:
    family, criterion = FAMILIES[name], SMOOTH[criterion_name]
    corpus = family.corpora[data]
    whole = contrast(family.model, corpus, criterion)
    return ExampleTerms(family.model, [Part(1.0, corpus, criterion, whole)])


@pytest.mark.parametrize("family", [f for f, each in FAMILIES.items() if each.kind != "tables"])
def test_places_ascend_and_are_few_where_they_are_listed(family):
    terms = terms_of(family, "conditional")
    places = terms.batch(np.array([len(terms) - 1])).places
    if isinstance(places, slice):
        # Normalisers of words, rules of grammars and packed forests may look at everything.
        listed = family.startswith(("free chain", "chain normalised", "selection, listed"))
        assert places == slice(None)
        assert not listed
        return
    assert (np.diff(places) > 0).all()
    assert 0 < len(places) < terms.size


@pytest.mark.parametrize(
    ("family", "data", "expected"),
    [
        ("free chain", "complete", True),
        ("free chain", "partial", False),
        ("selection, listed", "complete", True),
        ("selection, listed", "partial", False),
        ("grammar, free", "complete", True),
        ("grammar, free", "raw", False),
    ],
)
def test_margins_are_concave_where_one_analysis_was_observed(family, data, expected):
    assert terms_of(family, "margin", data).hinges
    assert terms_of(family, "margin", data).concave is expected


def test_terms_of_several_criteria_are_numbered_through(rng):
    family = FAMILIES["free chain"]
    corpus, raw = family.corpora["complete"], family.corpora["raw"]
    parts = [
        Part(weight, each, SMOOTH[name], contrast(family.model, each, SMOOTH[name]))
        for weight, each, name in ((1.0, corpus, "conditional"), (0.3, raw, "contrastive:del1word"))
    ]
    terms = ExampleTerms(family.model, parts)
    theta = weights_of(family, rng)
    assert len(terms) == len(corpus) + len(raw)
    found = [terms.batch(np.array(each)) for each in ([0, len(corpus)], [*range(1, len(corpus))])]
    found.append(terms.batch(np.arange(len(corpus) + 1, len(terms))))
    values = [batch(theta[batch.places])[0] for batch in found]
    assert sum(values) == pytest.approx(terms(theta)[0])
