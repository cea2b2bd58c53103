"""Few tags per token: sums over allowed taggings are exact, and what is lost is told."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

import weft
from weft.commands.evaluation import assess
from weft.conversions.convert import mealy_to_moore, moore_to_mealy, mrf_to_hmm
from weft.conversions.grammars import tagger_to_grammar
from weft.errors import EvidenceError, NotDefined, OptionError
from weft.features.templates import templates
from weft.models import Chain, ChainModel, prepare
from weft.models.chain.allowed import allowed_loss, learn_dictionary
from weft.models.chain.first_pass import AllowedLoss, FirstPass
from weft.optimise.stochastic import SGD
from weft.structures.evidence import Evidence, Example, OfLength, Sentence, example
from weft.structures.stream import Stream, through

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
    how = {"dictionary": {"allowed_count": 6}, "first-pass": {"allowed_posterior": 0.05}}
    return Chain(order=order, templates=templates("bias word[0]"), allowed=allowed, **how[allowed])


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
    evidences = [Evidence(each.tokens, each.analysis) for each in corpus]
    log_sums = model.trellis(evidences, 1).log_partition(np.zeros(model.parameters.size))
    assert np.isfinite(log_sums).all()


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
    """Of "u", which had A and B, and of others, which may have the tags of rare words."""
    known = [example(["u", "v"], ["A", "C"]), example(["u", "w"], ["B", "D"])]
    held_out = [example(["u", "strange"], ["D", "A"]), example(["u", "v"], ["A", None])]
    model = prepare(Chain(allowed="dictionary", allowed_count=2), known)
    assert allowed_loss(model, held_out) == AllowedLoss(3, 2, 2.0, 4, None)
    assert allowed_loss(prepare(Chain(), labelled(rng)), held_out) is None


def test_a_stream_is_gone_over_in_sections():
    known = [example(["u", "v"], ["A", "C"]), example(["u", "w"], ["B", "D"])] * 4
    lengths = []

    def watch(some: list[Example]) -> list[Example]:
        lengths.append(len(some))
        return some

    class Watched(ChainModel):
        def allowed(self, sentences):
            lengths.append(len(sentences))
            return super().allowed(sentences)

    model = prepare(Chain(allowed="dictionary", allowed_count=5), known)
    watched = Watched(**{each.name: getattr(model, each.name) for each in fields(model)})
    stream = through(Stream(lambda: iter(known), buffer=3), watch)
    assert allowed_loss(watched, stream) == allowed_loss(model, known)
    assert max(lengths) == 3
    tagger = weft.fit(Chain(allowed="dictionary"), stream, optimiser=SGD(epochs=1))
    assert tagger.notes["allowed_training"].startswith("2.0 of 4 tags per token; the right one")


def test_the_loss_of_training_is_that_of_sentences_not_counted():
    """Each of five sentences has a word of its own, whose tag the others do not know of."""
    corpus = [example([f"w{tag}"], [tag]) for tag in "ABCDE"]
    chain = Chain(allowed="first-pass", allowed_posterior=0.9)
    tagger = weft.fit(chain, corpus)
    assert "left out at 5 of 5 tokens (100.00 %)" in tagger.notes["allowed_training"]
    assert allowed_loss(prepare(chain, corpus), corpus).missed == 0  # by an HMM that counted them


def test_a_sentence_with_several_taggings_may_have_each():
    """The first pass alone would allow Z, which "a" has everywhere else."""
    tokens = Sentence((("a",),))
    corpus = [Example(tokens, ("X",)), Example(tokens, ("Y",))]
    corpus += [example(["a", "c"], ["Z", "Z"])] * 8
    chain = Chain(allowed="first-pass", allowed_posterior=0.5)
    assert prepare(chain, corpus).allowed([tokens]) == [({"X", "Y", "Z"},)]
    weft.fit(chain, corpus)


def test_the_bound_holds(rng):
    """What the first pass has outside the allowed taggings, summed by hand."""
    corpus = labelled(rng)
    model = prepare(Chain(allowed="first-pass", allowed_posterior=0.1), corpus)
    first, lost = model.first, []
    for sentence, allowed, bound in first.posteriors([each.tokens for each in corpus]):
        trellis = first.model.trellis([Evidence(sentence), Evidence(sentence, allowed)], 1)
        whole, inside = trellis.log_partition(first.weights)
        lost.append(-np.expm1(inside - whole))
        assert lost[-1] <= bound + 1e-12
        assert bound < 1.0 or len(sentence) > 1
        assert all(len(tags) > 0 for tags in allowed)
    assert max(lost) > 0.01


def test_threads_reach_the_first_pass(rng, monkeypatch):
    asked = []
    posteriors = FirstPass.posteriors

    def watch(self, sentences, threads=None):
        asked.append(threads)
        return posteriors(self, sentences, threads)

    monkeypatch.setattr(FirstPass, "posteriors", watch)
    corpus = labelled(rng)
    tagger = weft.fit(Chain(allowed="first-pass"), corpus, development=corpus[:3], threads=1)
    assess(tagger, corpus, threads=1)
    assert set(asked) == {1}


@pytest.mark.parametrize("convert", [mrf_to_hmm, tagger_to_grammar])
def test_a_first_pass_is_not_dropped_by_conversions(rng, convert):
    chain = Chain(templates=templates("word[0]"), allowed="first-pass")
    tagger = weft.fit(chain, labelled(rng))
    with pytest.raises(NotDefined, match="no table, grammar or automaton says the same"):
        convert(tagger)


@pytest.mark.parametrize("convert", [moore_to_mealy, lambda x: mealy_to_moore(moore_to_mealy(x))])
def test_a_first_pass_is_kept_where_states_change(rng, convert):
    chain = Chain(templates=templates("word[0]"), allowed="first-pass", allowed_posterior=0.2)
    tagger = weft.fit(chain, labelled(rng, 30))
    others = labelled(rng, 20)
    expected = tagger.log_probs(others)
    assert np.isneginf(expected).any()
    np.testing.assert_allclose(convert(tagger).log_probs(others), expected, atol=1e-10)


def test_the_forecast_of_no_sentences():
    own = {"a": frozenset({"X"})}
    assert Chain(order=2, dictionary=own).forecast([]).memory < 2**20


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
    with pytest.raises(OptionError, match="a probability above 0 and below 1"):
        Chain(allowed_posterior=1.5)
    with pytest.raises(OptionError, match="allowed_count is of allowed=dictionary, and here is"):
        Chain(allowed="first-pass", allowed_count=3)
    with pytest.raises(OptionError, match="say allowed=first-pass, or leave allowed_posterior out"):
        Chain(allowed_posterior=0.1)
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
