"""Example 3, theorem 2 and corollary 3: no MEMM, however far it looks ahead."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from weft.conversions.check import joint_log_probs
from weft.conversions.convert import hmm_to_mrf
from weft.errors import OptionError
from weft.papers.smith_johnson2007 import divergence, example_3, least_divergence, sample
from weft.recipes import find_recipe, with_settings
from weft.structures.evidence import Example, example
from weft.train import fit


def tagged(words: str, state: str) -> Example:
    return example(list(words), [state] * len(words))


SETTINGS = [(1 / 3, 1 / 3), (0.5, 0.1), (0.2, 0.7)]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_hmm_is_proper_and_what_the_text_says(settings):
    hmm = example_3(*settings)
    mrf = hmm_to_mrf(hmm)
    assert mrf.model.everything().log_partition(mrf.weights)[0] == pytest.approx(0.0, abs=1e-12)
    for m in (1, 2, 5):
        certain = [tagged("a" * m + "b", "1"), tagged("a" * m + "c", "2")]
        np.testing.assert_allclose(hmm.log_probs(certain), 0.0, atol=1e-12)
    stop, reveal = settings
    [value] = joint_log_probs(hmm, [tagged("aba", "1")])
    assert value == pytest.approx(math.log(0.5 * reveal * (1 - stop - reveal) * stop))


def joint_by_listing(stop: float, reveal: float, longest: int) -> dict:
    """p(sentence, state) by the rules of the HMM, without any tagger."""
    again, found = 1 - stop - reveal, {}
    for state, own in (("1", "b"), ("2", "c")):
        for length in range(1, longest + 1):
            for rest in product("a" + own, repeat=length - 1):
                odds = math.prod(again if word == "a" else reveal for word in rest)
                found[("a", *rest), state] = 0.5 * odds * stop
    return found


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("look_ahead", [0, 1, 2, 3])
def test_the_closed_form_is_the_divergence_of_the_best_memm(settings, look_ahead):
    """The MEMM of conditional expectations, context by context, from a list of all sentences."""
    longest = 9
    joint = joint_by_listing(*settings, longest)
    sentences, contexts = defaultdict(float), defaultdict(float)
    seen = defaultdict(float)
    for (words, state), p in joint.items():
        sentences[words] += p
        contexts[words[: look_ahead + 1], len(words) <= look_ahead] += p
        seen[words[: look_ahead + 1], len(words) <= look_ahead, state] += p
    total = 0.0
    for (words, state), p in joint.items():
        context = words[: look_ahead + 1], len(words) <= look_ahead
        total += p * math.log(p / sentences[words] / (seen[*context, state] / contexts[context]))
    assert total > 0
    assert least_divergence(look_ahead, *settings, longest=longest) == pytest.approx(total)
    stop, reveal = settings
    whole = math.log(2) * (1 - stop - reveal) ** look_ahead * reveal / (stop + reveal)
    assert least_divergence(look_ahead, *settings) == pytest.approx(whole)
    assert least_divergence(look_ahead, *settings, longest=400) == pytest.approx(whole)


@pytest.mark.parametrize("look_ahead", [0, 1, 2])
def test_no_memm_that_is_trained_comes_below_the_bound(look_ahead):
    window = "|".join(f"word[{n}]" for n in range(look_ahead + 1))
    memm = with_settings(find_recipe("memm"), {"templates": f"word[0] {window}"})
    corpus = sample(3000, np.random.default_rng(7))
    tagger = fit(memm.model, corpus, criterion=memm.criterion, penalty=memm.penalty)
    found = divergence(example_3(), tagger, longest=10)
    bound = least_divergence(look_ahead, longest=10)
    assert bound <= found < 1.1 * bound + 0.01  # and it comes close
    # The worst sentence is no better than a coin, at any look-ahead.
    a = "a" * (look_ahead + 1)
    worst = tagger.log_probs([tagged(a + "b", "1"), tagged(a + "c", "2")])
    assert worst.min() < -math.log(2) + 1e-9


def test_a_crf_has_no_such_bound():
    """The same features, normalised as a whole, learn the distribution."""
    corpus = sample(3000, np.random.default_rng(7))
    crf = with_settings(find_recipe("crf"), {"templates": "word[0]", "ngrams": "all"})
    tagger = fit(crf.model, corpus, penalty=crf.penalty)
    assert divergence(example_3(), tagger) < 0.05 * least_divergence(0)


def test_samples_follow_the_hmm():
    drawn = sample(20_000, np.random.default_rng(3), 0.5, 0.1)
    lengths = np.array([len(each.tokens) for each in drawn])
    assert lengths.mean() == pytest.approx(2.0, abs=0.05)
    words = [w for each in drawn for w in each.tokens.words[1:]]
    assert sum(w != "a" for w in words) / len(words) == pytest.approx(0.2, abs=0.02)
    assert np.isfinite(joint_log_probs(example_3(), drawn[:200])).all()
    again = sample(50, np.random.default_rng(3), 0.5, 0.1)
    assert [e.tokens.words for e in again] == [
        e.tokens.words for e in sample(50, np.random.default_rng(3), 0.5, 0.1)
    ]


def test_what_is_impossible_is_refused():
    for wrong in ((0.0, 0.5), (0.5, 0.5), (0.5, 0.0)):
        with pytest.raises(OptionError, match="leave some for another a"):
            example_3(*wrong)
    with pytest.raises(OptionError, match="no less than 0 words ahead"):
        least_divergence(-1)
    with pytest.raises(OptionError, match="1 to 16 words"):
        divergence(example_3(), example_3(), longest=40)
    assert least_divergence(5, longest=6) == 0.0
