"""What every model with its weights can be asked, under the same names; see ``laws.py``."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import weft
from contracts.models import Subject, weights_of
from weft.models.answers import Decoder

MOST = 1000


def trained(subject: Subject):
    """A model with random weights, and the inputs of its subject."""
    model = subject.trained(weights_of(subject, np.random.default_rng(0)))
    return model, [each.tokens for each in subject.corpora["raw"]]


def the_best_answers_come_first_each_once(family):
    model, inputs = trained(family)
    totals = model.log_partition(inputs)
    for best, several, total in zip(
        model.best(inputs), model.kbest(inputs, MOST), totals, strict=True
    ):
        scores = [each.score for each in several]
        assert scores == pytest.approx(sorted(scores, reverse=True), rel=1e-8)
        assert len({each.answer for each in several}) == len(several)
        assert best.score == pytest.approx(scores[0], abs=1e-9)
        assert best.answer in [each.answer for each in several if each.score > scores[0] - 1e-9]
        for each in several:
            assert each.log_prob == pytest.approx(min(each.score - total, 0.0), abs=1e-9)
            assert 0 <= each.probability <= 1
        assert sum(each.probability for each in several) == pytest.approx(1.0, abs=1e-9)


def fewer_answers_are_the_first_of_more(family):
    """Also where all are equally good but for their last digits: then names say which they are."""
    model, inputs = trained(family)
    noise = 1e-12 * np.random.default_rng(0).normal(size=len(model.weights))
    for each in (model, family.trained(noise)):
        several = each.kbest(inputs, MOST)
        for count in (0, 1, 2):
            for few, all_of_them in zip(each.kbest(inputs, count), several, strict=True):
                assert [one.answer for one in few] == [one.answer for one in all_of_them[:count]]


def predictions_are_the_best_answers(family):
    model, inputs = trained(family)
    for decoder in Decoder:
        found = [each.answer for each in model.best(inputs, decoder)]
        assert model.predict(inputs, decoder) == found


def entropy_is_that_of_all_answers(family):
    model, inputs = trained(family)
    expected = [
        -sum(each.probability * each.log_prob for each in several)
        for several in model.kbest(inputs, MOST)
    ]
    np.testing.assert_allclose(model.entropy(inputs), expected, atol=1e-8)


def samples_come_as_often_as_they_are_probable(family):
    model, inputs = trained(family)
    count = 400
    samples = model.sample(inputs, np.random.default_rng(7), count)
    few, same = (model.sample(inputs, np.random.default_rng(8), 20) for _ in range(2))
    assert few == same
    for several, drawn in zip(model.kbest(inputs, MOST), samples, strict=True):
        probs = {each.answer: each.probability for each in several}
        assert len(drawn) == count
        for each in drawn:
            assert each.probability == pytest.approx(probs[each.answer], abs=1e-9)
        often = Counter(each.answer for each in drawn)
        for answer, prob in probs.items():
            # Six standard deviations, and one draw.
            bound = 6 * np.sqrt(prob * (1 - prob) / count) + 1 / count
            assert abs(often[answer] / count - prob) <= bound


def marginals_are_those_of_all_answers(family):
    model, inputs = trained(family)
    for found, several in zip(model.marginals(inputs), model.kbest(inputs, MOST), strict=True):
        expected = Counter()
        for each in several:
            for part in family.answer_parts(each.answer):
                expected[part] += each.probability
        listed = family.part_probs(model, found)
        for part in {*expected, *listed}:
            assert listed.get(part, 0.0) == pytest.approx(expected[part], abs=1e-8)


def posterior_decoding_expects_the_fewest_wrong_and_missing_parts(family):
    model, inputs = trained(family)
    found = model.best(inputs, Decoder.POSTERIOR)
    for chosen, probs, several in zip(
        found, model.marginals(inputs), model.kbest(inputs, MOST), strict=True
    ):
        listed = family.part_probs(model, probs)

        def gain(answer, listed=listed):
            return sum(2 * listed.get(each, 0.0) - 1 for each in family.answer_parts(answer))

        # Tags of tokens that are chosen one by one need not be possible together.
        best = max(gain(each.answer) for each in several)
        assert gain(chosen.answer) >= best - 1e-7  # parts that hardly gain count nothing


def last_digits_change_no_posterior_answer(family):
    found = []
    for seed in range(4):
        noise = 1e-12 * np.random.default_rng(seed).normal(size=family.model.parameters.size)
        model, inputs = family.trained(noise), [each.tokens for each in family.corpora["raw"]]
        found.append(model.predict(inputs, Decoder.POSTERIOR))
    assert all(each == found[0] for each in found)


def log_probs_of_answers_are_their_probabilities(family):
    model, inputs = trained(family)
    for tokens, several in zip(inputs, model.kbest(inputs, 5), strict=True):
        examples = [family.example(tokens, each.answer) for each in several]
        if None in examples:
            continue
        expected = [each.log_prob for each in several]
        np.testing.assert_allclose(model.log_probs(examples), expected, atol=1e-8)
        sums = model.log_sums(examples)
        np.testing.assert_allclose(sums.conditional, expected, atol=1e-8)
        totals = model.log_partition([tokens] * len(several))
        np.testing.assert_allclose(sums.input, totals, atol=1e-9)


def what_is_saved_comes_back(family):
    model, inputs = trained(family)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.weft"
        weft.save(path, model)
        again = weft.load(path)
        assert type(again) is type(model)
        assert again.kbest(inputs, MOST) == model.kbest(inputs, MOST)
        bytes_before = path.read_bytes()
        weft.save(path, again)
        assert path.read_bytes() == bytes_before
