"""Few tags per token: sums over allowed taggings are exact, and what is lost is told."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import weft
from weft.errors import EvidenceError, NotDefined, OptionError
from weft.features.templates import templates
from weft.models import Chain, ChainModel, prepare
from weft.models.chain.allowed import AllowedLoss, allowed_loss, learn_dictionary
from weft.structures.evidence import Evidence, Example, OfLength, Sentence, example

WORDS = ("u", "v", "w", "x", "y")
TAGS = ("A", "B", "C", "D")


def labelled(rng, sentences: int = 12) -> list[Example]:
    """Sentences in which words prefer a tag, so that a first pass can leave out others."""
    corpus = []
    for number in range(sentences):
        words = rng.choice(WORDS, 1 + number % 4).tolist()
        tags = [
            TAGS[WORDS.index(word) % 4] if rng.random() < 0.8 else str(rng.choice(TAGS))
            for word in words
        ]
        corpus.append(example(words, tags))
    return corpus


@pytest.fixture(params=[(1, "dictionary"), (1, "first-pass"), (2, "dictionary"), (2, "first-pass")])
def chain(request) -> Chain:
    order, allowed = request.param
    return Chain(
        order=order,
        templates=templates("bias word[0]"),
        allowed=allowed,
        allowed_count=6,
        allowed_posterior=0.05,
    )


def sums_by_hand(model: ChainModel, theta: np.ndarray, sentence: Sentence) -> float:
    """log Z over the product of allowed tags, each tagging scored by a model that allows all."""
    whole = replace(model, dictionary=None, open_tags=None, first=None)
    [allowed] = model.allowed([sentence])
    taggings = [Evidence(sentence, tags) for tags in product(*map(sorted, allowed))]
    return float(np.logaddexp.reduce(whole.trellis(taggings, 1).log_partition(theta)))


@pytest.mark.usefixtures("transitions")
def test_sums_are_over_the_allowed_taggings(rng, chain):
    corpus = labelled(rng)
    model = prepare(chain, corpus)
    sentences = [each.tokens for each in corpus] + [Sentence((("u", "strange", "w"),))]
    assert any(len(tags) < len(TAGS) for each in model.allowed(sentences) for tags in each)
    theta = rng.normal(size=model.parameters.size)
    found = model.trellis([Evidence(each) for each in sentences], 1).log_partition(theta)
    expected = [sums_by_hand(model, theta, each) for each in sentences]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.usefixtures("transitions")
def test_gradients_are_finite_differences(rng, chain):
    corpus = labelled(rng)
    model = prepare(chain, corpus)
    trellis = model.trellis([Evidence(each.tokens) for each in corpus], 1)
    theta, coefficients = rng.normal(size=model.parameters.size), rng.normal(size=len(corpus))
    _, gradient = trellis.evaluate(theta, coefficients)
    for place in rng.choice(len(theta), 12, replace=False).tolist():
        step = np.zeros_like(theta)
        step[place] = 1e-5
        ahead, behind = (trellis.log_partition(theta + sign * step) for sign in (1, -1))
        assert coefficients @ (ahead - behind) / 2e-5 == pytest.approx(gradient[place], abs=1e-6)


def test_observed_tags_are_allowed_in_training(rng, chain):
    corpus = labelled(rng)
    model = prepare(chain, corpus)
    for each, allowed in zip(corpus, model.allowed([e.tokens for e in corpus]), strict=True):
        assert all(tag in mine for tag, mine in zip(each.analysis, allowed, strict=True))
    tagger = weft.fit(chain, corpus)
    assert np.isfinite(tagger.log_probs(corpus)).any()


def test_a_learnt_dictionary_has_the_tags_of_frequent_words():
    corpus = [example(["a", "b", "a"], ["X", "Y", "Z"]), example(["c", "b"], ["Y", "V"])]
    known, rest = learn_dictionary(corpus, 2)
    assert known == {"a": {"X", "Z"}, "b": {"Y", "V"}}
    assert rest == {"Y"}
    assert learn_dictionary(corpus, 1)[1] is None  # no word is rare


def test_a_first_pass_has_not_counted_the_sentence_that_it_looks_at():
    """The first sentence's word is in no other, so that every tag may be likely there."""
    corpus = [example(["odd"], ["A"])] + [example(["u"], ["B"])] * 3 + [example(["v"], ["C"])] * 3
    own = Chain(allowed="first-pass", allowed_posterior=0.1)
    model = prepare(own, corpus)
    assert {"A", "B", "C"} == set(model.allowed([corpus[0].tokens])[0][0])


def test_losses_are_counted(rng):
    corpus = labelled(rng, 40)
    held_out = [example(["u", "strange"], ["D", "A"]), example(["v"], [None])]
    model = prepare(Chain(allowed="dictionary", allowed_count=1), [example(["u"], ["A"]), *corpus])
    loss = allowed_loss(model, held_out)
    allowed = [tags for each in model.allowed([e.tokens for e in held_out]) for tags in each]
    assert loss.tokens == 2
    assert loss.missed == ("D" not in allowed[0]) + ("A" not in allowed[1])
    assert loss.allowed == pytest.approx(np.mean([len(tags) for tags in allowed]))
    assert loss.outside is None
    assert allowed_loss(prepare(Chain(), corpus), held_out) is None


def test_the_bound_holds(rng):
    """What the first pass has outside the allowed taggings, summed by hand."""
    corpus = labelled(rng)
    model = prepare(Chain(allowed="first-pass", allowed_posterior=0.1), corpus)
    first = model.first
    for sentence, allowed, bound in first.posteriors([each.tokens for each in corpus]):
        trellis = first.model.trellis([Evidence(sentence), Evidence(sentence, allowed)], 1)
        whole, inside = trellis.log_partition(first.weights)
        assert -np.expm1(inside - whole) <= bound + 1e-12
        assert all(len(tags) > 0 for tags in allowed)


def test_a_loaded_model_allows_the_same(rng, tmp_path, chain):
    corpus = labelled(rng)
    tagger = weft.fit(chain, corpus)
    weft.save(tmp_path / "a.weft", tagger)
    other = weft.load(tmp_path / "a.weft")
    sentences = [each.tokens for each in corpus]
    assert other.model.allowed(sentences) == tagger.model.allowed(sentences)
    np.testing.assert_array_equal(other.log_probs(corpus), tagger.log_probs(corpus))
    assert other.notes["allowed_training"] == tagger.notes["allowed_training"]


def test_a_memm_sums_to_one_over_allowed_tags(rng):
    corpus = labelled(rng)
    chain = Chain(normalisation="conditional", allowed="first-pass", allowed_posterior=0.05)
    model = prepare(chain, corpus)
    theta = rng.normal(size=model.parameters.size)
    for each in corpus:
        [allowed] = model.allowed([each.tokens])
        taggings = [Evidence(each.tokens, tags) for tags in product(*map(sorted, allowed))]
        log_probs = model.trellis(taggings, 1).log_partition(theta)
        assert np.logaddexp.reduce(log_probs) == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("allowed", ["dictionary", "first-pass"])
def test_labels_are_needed(allowed):
    corpus = [example(["a"], ["X"]), example(["b", "c"], ["X", None])]
    with pytest.raises(EvidenceError, match=r"example 2: token 2, 'c', has no certain tag.*=all"):
        weft.fit(Chain(allowed=allowed), corpus)


def test_what_does_not_go_together():
    with pytest.raises(OptionError, match="leave out one of them"):
        Chain(allowed="dictionary", dictionary={"a": frozenset({"X"})})
    with pytest.raises(OptionError, match="sums to one over all words"):
        Chain(allowed="first-pass", normalisation="joint")
    with pytest.raises(OptionError, match="none of all, dictionary, first-pass"):
        Chain(allowed="lexicon")
    with pytest.raises(OptionError, match="a probability below 1"):
        Chain(allowed_posterior=1.5)
    with pytest.raises(OptionError, match="needs the whole corpus"):
        Chain(allowed="first-pass").check_streamed()


def test_a_first_pass_has_no_sums_over_sentences(rng):
    model = prepare(Chain(templates=templates("word[0]"), allowed="first-pass"), labelled(rng))
    with pytest.raises(NotDefined, match="depend on its whole sentence"):
        model.derivations([Evidence(OfLength(2))])


def test_losses_are_shown():
    assert str(AllowedLoss(200, 3, 4.25, 10, None)) == (
        "4.2 of 10 tags per token; the right one was left out at 3 of 200 tokens (1.50 %)"
    )
    bounded = str(AllowedLoss(0, 0, 1.0, 10, 0.01234))
    assert bounded.endswith("; of a sentence's mass in the first pass at most 0.0123 is lost")
