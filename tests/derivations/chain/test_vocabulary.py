"""Sums over the words of a vocabulary."""

from __future__ import annotations

import numpy as np
import pytest

from weft.derivations.chain import vocabulary
from weft.features.templates import templates
from weft.models import Chain, Extent, prepare
from weft.structures.evidence import example

WORDS = [f"{a}{b}" for a in "uvw" for b in "xyz"]

OPTIONS = {
    "plain": {},
    "pairs": {"pair_templates": templates("suffix1[0]")},
    "dictionary": {"dictionary": dict.fromkeys(WORDS, frozenset({"A", "B"}))},
}


@pytest.fixture(params=OPTIONS)
def model(rng, request):
    """A model of words and their endings."""
    tags = ["A", "B"] if request.param == "dictionary" else ["A", "B", "C"]
    corpus = [example(WORDS, rng.choice(tags, len(WORDS)).tolist()) for _ in range(4)]
    corpus.append(example(["new"], ["C"]))
    chain = Chain(
        templates=templates("word[0] suffix1[0]"),
        attributes=Extent.ALL,
        ngrams=Extent.ALL,
        **OPTIONS[request.param],
    )
    return prepare(chain, corpus)


def sums_at(model, theta):
    sums = model.words.at(theta)
    shape = model.topology.base.shape
    visits = np.arange(float(shape[1] * shape[2])).reshape(shape[1:])
    return sums.totals, sums.probabilities(), sums.expect(visits, np.ones(shape))


def test_several_batches_of_words_are_as_good_as_one(rng, model, monkeypatch):
    theta = rng.normal(size=model.parameters.size)
    whole = sums_at(model, theta)
    monkeypatch.setattr(vocabulary, "_BYTES", 2 * 8 * model.topology.width)
    fresh = type(model)(**{name: getattr(model, name) for name in model.__dataclass_fields__})
    assert len(fresh.words.bounds) > 3
    for one, other in zip(whole, sums_at(fresh, theta), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_totals_and_probabilities_are_those_of_the_scores(rng, model):
    theta = rng.normal(size=model.parameters.size)
    tags, pairs = model.words.scores.at(theta).tokens(0)
    scores = (tags + model.words.bias)[:, None, :]
    if pairs is not None:
        scores = scores + pairs.reshape(len(tags), *model.topology.base.shape[1:])
    totals, probs, _ = sums_at(model, theta)
    np.testing.assert_allclose(np.exp(totals), np.exp(scores).sum(axis=0), rtol=1e-12)
    found = np.exp(totals) > 0
    np.testing.assert_allclose(probs.sum(axis=0)[found], 1.0, rtol=1e-12)
    assert not found.all()  # the padding has no words
    np.testing.assert_array_equal(probs.sum(axis=0)[~found], 0.0)
