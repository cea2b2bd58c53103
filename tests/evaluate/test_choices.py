"""Chance and expectation: equal to drawing every tagging, and to the tagger's own sums."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from chains import TAGS, chain_options, random_labels, random_model
from weft.derivations.chain.tagsets import TagSetReader
from weft.evaluate.choices import TokenBatch, choice_scores
from weft.evaluate.tagging import is_right
from weft.models import Chain
from weft.models.tagger import Tagger
from weft.models.tagger_scores import allowed_tags, choices_of
from weft.structures.evidence import Example, example
from weft.train import fit


def share(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


@pytest.mark.parametrize("name", chain_options())
def test_equal_to_drawing_every_tagging(rng, name):
    model, corpus = random_model(rng, chain_options()[name])
    corpus = [Example(e.tokens, random_labels(rng, len(e.tokens))) for e in corpus * 4]
    tagger = Tagger(model, rng.normal(size=model.parameters.size))
    dictionary, opened = model.dictionary or {}, model.open_tags or frozenset(model.tags)
    chance, drawn, sizes, hard_chance, excluded = [], [], [], [], 0
    for each in corpus:
        sets = [sorted(dictionary.get(word, opened)) for word in each.tokens.words]
        taggings = list(product(*sets))
        logs = tagger.log_probs([Example(each.tokens, tags) for tags in taggings])
        for token, label in enumerate(each.analysis):
            if label is None:
                continue
            right = [is_right(label, tags[token]) for tags in taggings]
            chance.append(share(right))
            drawn.append(float(np.exp(logs)[right].sum()))
            sizes.append(len(sets[token]))
            excluded += not any(right)
            if len(sets[token]) > 1:
                hard_chance.append(share(right))
    scores = choices_of(tagger, corpus)
    assert scores.random_accuracy == pytest.approx(share(chance))
    assert scores.expected_accuracy == pytest.approx(share(drawn))
    assert scores.tags_per_token == pytest.approx(share(sizes))
    assert scores.excluded_tokens == excluded
    if model.dictionary is not None:
        assert excluded > 0
        assert scores.ambiguous_random_accuracy == pytest.approx(share(hard_chance))


def test_batches_change_nothing(rng):
    gold = [random_labels(rng, 1)[0] for _ in range(20)]
    allowed = rng.random((20, 3)) < 0.7
    probs, ambiguous = rng.random((20, 3)), rng.random(20) < 0.5
    whole = choice_scores([TokenBatch(gold, allowed, probs, ambiguous)], TAGS)
    parts = [
        TokenBatch(gold[a:b], allowed[a:b], probs[a:b], ambiguous[a:b])
        for a, b in [(0, 3), (3, 3), (3, 20)]
    ]
    several = choice_scores(parts, TAGS)
    assert several.expected_accuracy == pytest.approx(whole.expected_accuracy)
    assert several.ambiguous_expected_accuracy == pytest.approx(whole.ambiguous_expected_accuracy)
    assert several.excluded_tokens == whole.excluded_tokens
    rows = zip(gold, probs, ambiguous, strict=True)
    known = [({label} if isinstance(label, str) else label, row) for label, row, it in rows if it]
    hard = [row[[tag in tags for tag in TAGS]].sum() for tags, row in known if tags]
    assert whole.ambiguous_expected_accuracy == pytest.approx(share(hard))


def test_nothing_to_score():
    scores = choice_scores([], TAGS)
    assert scores.random_accuracy is scores.expected_accuracy is scores.tags_per_token is None
    assert scores.excluded_tokens == 0


def test_a_gold_tag_that_the_model_does_not_have_is_never_right():
    tagger = fit(Chain(), [example(["u", "v"], ["A", "B"])])
    scores = choices_of(tagger, [example(["u", "v"], ["A", "Z"])])
    assert scores.excluded_tokens == scores.unknown_tag_tokens == 1
    assert scores.random_accuracy == 0.25


def test_what_a_dictionary_excludes_is_told_from_tags_that_the_model_does_not_have():
    chain = Chain(dictionary={"u": frozenset({"A"})})
    tagger = fit(chain, [example(["u", "v"], ["A", "B"])])
    scores = choices_of(tagger, [example(["u", "u", "v"], ["B", "Z", "Z"])])
    assert (scores.excluded_tokens, scores.unknown_tag_tokens) == (3, 2)


def test_without_a_dictionary_the_lexicon_says_what_is_ambiguous():
    corpus = [example(["u", "v"], ["A", "B"]), example(["u"], ["B"])]
    tagger = fit(Chain(), corpus)
    [probs] = tagger.marginals([["u"]])
    scores = choices_of(tagger, [example(["u"], ["A"]), example(["v", "x"], ["B", "A"])])
    assert scores.ambiguous_expected_accuracy == pytest.approx(probs[0, 0])


def test_allowed_tags_are_those_of_the_trellis(rng):
    model, _ = random_model(rng, chain_options()["order1-dictionary"])
    tagger = Tagger(model, np.zeros(model.parameters.size))
    words = ["u", "v", "w"]
    reader = TagSetReader({tag: n for n, tag in enumerate(model.tags)}, model.dictionary)
    numbers = reader.read(words, None)
    sets = reader.table(model.topology.width)
    expected = [[tag in sets[number] for tag in range(3)] for number in numbers]
    assert allowed_tags(tagger, words).tolist() == expected
