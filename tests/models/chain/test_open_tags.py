"""Words outside the dictionary have the open tags, in every set of derivations."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from weft.automata import Length, delortrans1
from weft.criteria import Dirichlet, joint, marginal
from weft.errors import OptionError
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation, prepare
from weft.models.chain.multinomials import multinomials
from weft.models.storage import load_tagger, save_tagger
from weft.models.tagger import Tagger
from weft.optimise.em import EM
from weft.structures.evidence import EVERYTHING, Evidence, example
from weft.train import fit

DICTIONARY = {"u": frozenset({"C"}), "v": frozenset({"A", "C"})}
OPEN = frozenset({"A", "B"})
CORPUS = [example(["u", "v", "w"]), example(["x", "u"]), example(["w"])]
WHOLE = {**DICTIONARY, "w": OPEN, "x": OPEN}


def chain(order: int, **options) -> Chain:
    return Chain(
        order=order,
        templates=templates("word[0]"),
        attributes=Extent.ALL,
        ngrams=Extent.ALL,
        **options,
    )


@pytest.fixture(params=[1, 2])
def models(request):
    """A model with open tags, and one whose dictionary spells them out."""
    opened = prepare(chain(request.param, dictionary=DICTIONARY, open_tags=OPEN), CORPUS)
    return opened, prepare(chain(request.param, dictionary=WHOLE), CORPUS)


def test_a_sentence_sums_over_the_open_tags_alone(rng, models):
    model, _ = models
    theta = rng.normal(size=model.parameters.size)
    [whole] = model.derivations([Evidence(CORPUS[0].tokens)]).log_partition(theta)
    tags = product(["C"], ["A", "C"], ["A", "B"])
    labelled = [Evidence(CORPUS[0].tokens, labels) for labels in tags]
    parts = model.derivations(labelled).log_partition(theta)
    assert whole == pytest.approx(np.logaddexp.reduce(parts))
    excluded = Evidence(CORPUS[0].tokens, ("C", "A", "C"))
    assert np.isneginf(model.derivations([excluded]).log_partition(theta)[0])


def test_every_set_of_derivations_obeys(rng, models):
    opened, spelled = models
    theta = rng.normal(size=opened.parameters.size) - 3.0
    words = CORPUS[0].tokens.words
    evidences = [
        Evidence(CORPUS[0].tokens, ("C", None, "B")),
        Evidence(CORPUS[0].tokens),
        Evidence(delortrans1(words)),
        Evidence(Length(opened.vocabulary)(words).lattice()),
        EVERYTHING,
    ]
    ones = np.ones(len(evidences))
    value, counts = opened.derivations(evidences).evaluate(theta, ones)
    expected, others = spelled.derivations(evidences).evaluate(theta, ones)
    np.testing.assert_allclose(value, expected)
    np.testing.assert_allclose(counts, others, atol=1e-12)
    free = replace(opened, open_tags=None)
    assert (free.derivations(evidences).log_partition(theta)[1:] > value[1:]).all()


def test_probabilities_know_the_open_tags(models):
    opened, spelled = models
    assert (multinomials(opened).members == multinomials(spelled).members).all()


def test_em_with_unknown_words(rng, tmp_path):
    hmm = chain(1, dictionary=DICTIONARY, open_tags=OPEN, normalisation=Normalisation.JOINT)
    corpus = [example(rng.choice(list("uvwxyz"), 5).tolist()) for _ in range(10)]
    corpus.append(example(["rare", "u"]))
    tagger = fit(hmm, corpus, criterion=marginal, penalty=Dirichlet(0.1), optimiser=EM(5))
    saved = tmp_path / "model.weft"
    save_tagger(saved, tagger)
    for each in (tagger, load_tagger(saved)):
        assert each.chain.open_tags == OPEN
        probs = each.marginals([["never", "w", "u"]])[0]
        tags = each.model.tags
        assert probs[0, tags.index("C")] == probs[1, tags.index("C")] == 0.0
        assert (probs[:2, [tags.index("A"), tags.index("B")]] > 0).all()
        assert probs[2, tags.index("C")] == 1.0


def test_labels_that_are_not_open_are_refused():
    with pytest.raises(ValueError, match="token 1, 'w' \\(label C\\)"):
        fit(chain(1, dictionary=DICTIONARY, open_tags=OPEN), [example(["w"], ["C"])])


def test_a_tag_that_is_open_only_is_a_tag_of_the_model():
    model = prepare(chain(1, dictionary={"u": frozenset({"C"})}, open_tags=OPEN), CORPUS)
    assert model.tags == ("A", "B", "C")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"open_tags": OPEN}, "outside the dictionary: give one"),
        ({"open_tags": "NN", "dictionary": DICTIONARY}, "not a string"),
        ({"open_tags": frozenset(), "dictionary": DICTIONARY}, "at least one tag"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(OptionError, match=message):
        Chain(**options)


def test_broken_files_are_refused(tmp_path):
    model = prepare(chain(1, dictionary=DICTIONARY, open_tags=OPEN), CORPUS)
    object.__setattr__(model, "open_tags", frozenset({"Z"}))
    save_tagger(tmp_path / "m.weft", Tagger(model, np.zeros(model.parameters.size)))
    with pytest.raises(ValueError, match="open tags"):
        load_tagger(tmp_path / "m.weft")


def test_counting_keeps_to_the_open_tags():
    corpus = [example(["w", "u"], ["A", "C"]), example(["x"], ["B"])]
    hmm = chain(1, dictionary=DICTIONARY, open_tags=OPEN, normalisation=Normalisation.JOINT, rare=0)
    tagger = fit(hmm, corpus, criterion=joint, penalty=Dirichlet(0.5), optimiser=EM())
    assert tagger.model.free.everything().log_partition(tagger.weights)[0] == pytest.approx(0.0)
