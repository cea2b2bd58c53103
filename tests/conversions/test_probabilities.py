"""The arrays of hidden Markov models."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import weft
from weft.conversions.probabilities import HmmProbabilities, hmm_probabilities
from weft.corpora import bundled
from weft.errors import LimitError, OptionError
from weft.recipes import find_recipe, fit_recipe, with_settings

CORPUS = [
    weft.example(["the", "dog", "barks"], ["D", "N", "V"]),
    weft.example(["the", "cat", "sees", "the", "dog"], ["D", "N", "V", "D", "N"]),
    weft.example(["dogs", "bark"], ["N", "V"]),
]


def check_sums(hmm):
    np.testing.assert_allclose(hmm.start.sum(), 1.0)
    np.testing.assert_allclose(hmm.transitions.sum(axis=1) + hmm.end, 1.0)
    np.testing.assert_allclose(hmm.emissions.sum(axis=1), 1.0)


@pytest.mark.parametrize("recipe", ["hmm", "johnson-4", "hmm-features-em", "mrf"])
def test_they_are_distributions_and_multiply_to_the_joint_probability(recipe):
    plan = find_recipe(recipe)
    if recipe == "hmm-features-em":  # supervised, with the same features
        plan = replace(plan, criterion=weft.joint)
    tagger = fit_recipe(plan, CORPUS)
    hmm = hmm_probabilities(tagger)
    check_sums(hmm)
    tag, word = hmm.tags.index, hmm.words.index
    for example in CORPUS:
        tags = [tag(each) for each in example.analysis]
        total = np.log(hmm.start[tags[0]]) + np.log(hmm.end[tags[-1]])
        total += sum(np.log(hmm.transitions[a, b]) for a, b in pairwise(tags))
        words = map(word, example.tokens.words)
        total += sum(np.log(hmm.emissions[t, w]) for t, w in zip(tags, words, strict=True))
        conditional = tagger.log_probs([example])[0]
        if recipe != "mrf":  # which keeps p(tags | words) when it becomes an HMM
            assert total == pytest.approx(tagger.log_sums([example]).joint[0])
        assert total <= conditional + 1e-9


def test_pairs_of_tags_are_states_of_order_2():
    order2 = find_recipe("hmm")
    tagger = fit_recipe(with_settings(order2, {"order": "2"}), CORPUS)
    hmm = hmm_probabilities(tagger)
    check_sums(hmm)
    assert len(hmm.tags) > len(tagger.model.tags)


def test_what_looks_around_is_no_hmm():
    with pytest.raises(OptionError, match="looks at other words"):
        hmm_probabilities(weft.fit(weft.Chain(), CORPUS))


def test_samples_have_their_probabilities(rng):
    hmm = HmmProbabilities(
        ("A", "B"),
        ("x", "y"),
        np.array([0.75, 0.25]),
        np.array([[0.0, 0.5], [0.25, 0.25]]),
        np.array([0.5, 0.5]),
        np.array([[1.0, 0.0], [0.5, 0.5]]),
    )
    drawn = hmm.sample(rng, 4000)
    firsts = [each.analysis[0] for each in drawn]
    assert firsts.count("A") / 4000 == pytest.approx(0.75, abs=0.03)
    alone = sum(each.analysis == ("A",) for each in drawn)
    assert alone / 4000 == pytest.approx(0.375, abs=0.03)
    pairs = [pair for each in drawn for pair in zip(each.analysis, each.tokens.words, strict=True)]
    assert ("A", "y") not in pairs
    said = [word for tag, word in pairs if tag == "B"]
    assert said.count("x") / len(said) == pytest.approx(0.5, abs=0.05)
    steps = [pair for each in drawn for pair in pairwise((*each.analysis, "end"))]
    after = [tag for before, tag in steps if before == "B"]
    assert after.count("A") / len(after) == pytest.approx(0.25, abs=0.04)
    again = [hmm.sample(np.random.default_rng(3), 5) for _ in range(2)]
    assert [e.tokens.words for e in again[0]] == [e.tokens.words for e in again[1]]


def test_endless_sentences_are_refused(rng):
    endless = HmmProbabilities(
        ("A",), ("x",), np.ones(1), np.ones((1, 1)), np.zeros(1), np.ones((1, 1))
    )
    with pytest.raises(LimitError, match="over 50 words"):
        endless.sample(rng, 1, longest=50)


def test_samples_of_a_real_model_are_tagged_sentences(rng):
    tagger = fit_recipe(find_recipe("hmm"), bundled("train")[:40])
    [one, two] = hmm_probabilities(tagger).sample(rng, 2)
    assert len(one.tokens) == len(one.analysis) > 0
    assert set(two.analysis) <= set(tagger.model.tags)
