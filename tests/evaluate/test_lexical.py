"""Divergence of p(word | tag): the definition, and models that say what the data say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weft.criteria import Dirichlet, joint
from weft.evaluate.lexical import lexical_divergence
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation, prepare
from weft.models.tagger import Tagger
from weft.models.tagger_scores import divergence_of, word_probs
from weft.optimise.em import EM
from weft.structures.evidence import Evidence, Example, Sentence, example
from weft.train import fit

WORDS, TAGS = ("u", "v", "w"), ("A", "B")
DENSE = {"attributes": Extent.ALL, "ngrams": Extent.ALL}
HMM = Chain(templates=templates("word[0]"), normalisation=Normalisation.JOINT, rare=0, **DENSE)


def labelled(rng, sentences: int = 20) -> list[Example]:
    return [
        example(rng.choice(WORDS, 5).tolist(), rng.choice(TAGS, 5).tolist())
        for _ in range(sentences)
    ]


def test_the_definition(rng):
    corpus = labelled(rng)
    probs = rng.dirichlet(np.ones(3), size=2).T
    found = lexical_divergence(corpus, WORDS, TAGS, probs)
    pairs = [pair for e in corpus for pair in zip(e.tokens.words, e.analysis, strict=True)]
    for column, tag in enumerate(TAGS):
        mine = [word for word, label in pairs if label == tag]
        shares = np.array([mine.count(word) / len(mine) for word in WORDS])
        expected = (shares * np.log(shares / probs[:, column])).sum()
        assert found.by_tag[tag] == pytest.approx(expected)
        assert found.tokens[tag] == len(mine)
    weighted = sum(found.by_tag[tag] * found.tokens[tag] for tag in TAGS)
    assert found.mean == pytest.approx(weighted / len(pairs))
    assert list(found.tokens.values()) == sorted(found.tokens.values(), reverse=True)


def test_counted_models_say_what_the_data_say(rng):
    corpus = labelled(rng)
    tagger = fit(HMM, corpus, criterion=joint, penalty=Dirichlet(0.0), optimiser=EM())
    assert divergence_of(tagger, corpus).mean == pytest.approx(0.0, abs=1e-12)
    smoothed = fit(HMM, corpus, criterion=joint, penalty=Dirichlet(50.0), optimiser=EM())
    assert divergence_of(smoothed, corpus).mean > 1e-4


def test_words_of_free_weights(rng):
    chain = Chain(templates=templates("word[0] bias"), **DENSE)
    model = prepare(chain, labelled(rng))
    theta = rng.normal(size=model.parameters.size)
    alone = [
        Evidence(Sentence(((word,),)), (tag,)) for word in model.vocabulary for tag in model.tags
    ]
    # Between one-word sentences of one tag, the words make all the difference.
    scores = np.exp(model.derivations(alone).log_partition(theta)).reshape(3, 2)
    probs = word_probs(Tagger(model, theta))
    np.testing.assert_allclose(probs, scores / scores.sum(axis=0))


def test_what_the_model_excludes_is_infinitely_far():
    corpus = [example(["u", "v"], ["A", "B"]), example(["u"], ["B"])]
    found = lexical_divergence(corpus, ["u", "v"], ["A"], np.array([[1.0], [0.0]]))
    assert found.by_tag == {"B": math.inf, "A": 0.0}
    assert found.mean == math.inf
    assert lexical_divergence([], [], [], np.zeros((0, 0))).mean is None


@pytest.mark.parametrize(
    "chain",
    [Chain(), Chain(templates=templates("word[0]"), pair_templates=templates("word[0]"))],
    ids=["window", "pairs"],
)
def test_models_without_such_distributions(chain):
    corpus = [example(["u", "v"], ["A", "B"])]
    assert divergence_of(fit(chain, corpus), corpus) is None
