"""What every model with its weights can be asked, under the same names: laws over all families."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import weft
from contracts.models import FAMILIES, weights_of
from weft.errors import NotDefined
from weft.models.answers import Decoder
from weft.models.grammar.phrases import phrases_of
from weft.structures.alternatives import Picked, Selected
from weft.structures.constituents import Span
from weft.structures.evidence import Evidence, Example
from weft.structures.tree import Tree

TRAINED = {
    "chain": weft.Tagger,
    "tables": weft.Tagger,
    "grammar": weft.Parser,
    "selection": weft.Selector,
}
MOST = 1000


def trained(name: str, seed: int = 0):
    """A model with random weights, and the inputs of its family."""
    family = FAMILIES[name]
    theta = weights_of(family, np.random.default_rng(seed))
    model = TRAINED[family.kind](family.model, theta)
    return model, [each.tokens for each in family.corpora["raw"]]


@pytest.fixture(params=sorted(FAMILIES))
def asked(request):
    return trained(request.param)


def test_the_best_answers_come_first_each_once(asked):
    model, inputs = asked
    totals = model.log_partition(inputs)
    for best, several, total in zip(
        model.best(inputs), model.kbest(inputs, MOST), totals, strict=True
    ):
        scores = [each.score for each in several]
        assert scores == sorted(scores, reverse=True)
        assert len({each.answer for each in several}) == len(several)
        assert best.score == pytest.approx(scores[0], abs=1e-9)
        assert best.answer in [each.answer for each in several if each.score > scores[0] - 1e-9]
        for each in several:
            assert each.log_prob == pytest.approx(min(each.score - total, 0.0), abs=1e-9)
            assert 0 <= each.probability <= 1
        assert sum(each.probability for each in several) == pytest.approx(1.0, abs=1e-9)


def test_fewer_answers_are_the_first_of_more(asked):
    model, inputs = asked
    several = model.kbest(inputs, MOST)
    for count in (0, 1, 2):
        for few, all_of_them in zip(model.kbest(inputs, count), several, strict=True):
            np.testing.assert_allclose(
                [each.score for each in few],
                [each.score for each in all_of_them[:count]],
                atol=1e-9,
            )


def test_predictions_are_the_best_answers(asked):
    model, inputs = asked
    for decoder in Decoder:
        found = [each.answer for each in model.best(inputs, decoder)]
        assert model.predict(inputs, decoder) == found


def test_entropy_is_that_of_all_answers(asked):
    model, inputs = asked
    expected = [
        -sum(each.probability * each.log_prob for each in several)
        for several in model.kbest(inputs, MOST)
    ]
    np.testing.assert_allclose(model.entropy(inputs), expected, atol=1e-8)


def test_samples_come_as_often_as_they_are_probable(asked):
    model, inputs = asked
    count = 400
    samples = model.sample(inputs, np.random.default_rng(7), count)
    again = model.sample(inputs, np.random.default_rng(7), count)
    assert samples == again
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


def test_marginals_are_those_of_all_answers(asked):
    model, inputs = asked
    for found, several in zip(model.marginals(inputs), model.kbest(inputs, MOST), strict=True):
        expected = Counter()
        for each in several:
            for part in parts_of(model, each.answer):
                expected[part] += each.probability
        listed = as_parts(model, found)
        for part in {*expected, *listed}:
            assert listed.get(part, 0.0) == pytest.approx(expected[part], abs=1e-8)


def parts_of(model, answer):
    """The parts of an answer, as marginals name them, as often as it has them."""
    if isinstance(model, weft.Tagger):
        return list(enumerate(answer))
    if isinstance(model, weft.Parser):
        return [Span(start, end, label) for label, start, end in phrases_of(answer)]
    return [answer] if isinstance(answer, int) else list(answer)


def as_parts(model, found):
    if isinstance(model, weft.Tagger):
        assert found.sum(axis=1) == pytest.approx(np.ones(len(found)))
        tags = model.model.tags
        return {
            (j, tag): p for j, row in enumerate(found) for tag, p in zip(tags, row, strict=True)
        }
    return found if isinstance(model, weft.Parser) else dict(enumerate(found.tolist()))


def test_posterior_decoding_expects_the_fewest_wrong_and_missing_parts(asked):
    model, inputs = asked
    found = model.best(inputs, Decoder.POSTERIOR)
    for chosen, probs, several in zip(
        found, model.marginals(inputs), model.kbest(inputs, MOST), strict=True
    ):
        listed = as_parts(model, probs)

        def gain(answer, listed=listed):
            return sum(2 * listed.get(each, 0.0) - 1 for each in parts_of(model, answer))

        # Tags of tokens that are chosen one by one need not be possible together.
        best = max(gain(each.answer) for each in several)
        assert gain(chosen.answer) >= best - 1e-9


def test_log_probs_of_answers_are_their_probabilities(asked):
    model, inputs = asked
    for tokens, several in zip(inputs, model.kbest(inputs, 5), strict=True):
        if isinstance(model, weft.Selector) and tokens.forest is not None:
            continue  # the edges of one derivation may make another
        examples = [example_of(model, tokens, each.answer) for each in several]
        expected = [each.log_prob for each in several]
        np.testing.assert_allclose(model.log_probs(examples), expected, atol=1e-8)
        sums = model.log_sums(examples)
        np.testing.assert_allclose(sums.conditional, expected, atol=1e-8)
        totals = model.log_partition([tokens] * len(several))
        np.testing.assert_allclose(sums.input, totals, atol=1e-9)


def example_of(model, tokens, answer):
    if isinstance(model, weft.Tagger):
        return Example(tokens, answer)
    if isinstance(model, weft.Parser):
        return Example(tokens, parse=answer)
    return Selected(tokens, (answer,))


def test_what_is_known_of_an_input_is_kept():
    tagger, [tokens, *_] = trained("free chain")
    known = Evidence(tokens, ("B", None, "C"))
    several = tagger.kbest([known], MOST)[0]
    assert {(each.answer[0], each.answer[2]) for each in several} == {("B", "C")}
    assert sum(each.probability for each in several) == pytest.approx(1.0)
    [tags] = tagger.tag([known], "posterior")
    assert (tags[0], tags[2]) == ("B", "C")
    selector, [both, *_] = trained("selection, listed")
    assert selector.predict([Picked(both, (2,))]) == [2]


def test_inputs_without_answers_have_none():
    parser, _ = trained("grammar, free")
    assert parser.predict([["no", "such", "words"]]) == [None]
    assert parser.best([["no", "such", "words"]], Decoder.POSTERIOR) == [None]
    assert parser.kbest([["no", "such", "words"]], 3) == [[]]
    assert parser.sample([["no", "such", "words"]], np.random.default_rng(0), 3) == [[]]
    assert parser.marginals([["no", "such", "words"]]) == [{}]
    assert parser.entropy([["no", "such", "words"]]).tolist() == [0.0]


def test_a_tree_of_other_rules_has_no_probability():
    parser, [tokens, *_] = trained("grammar, free")
    other = Example(tokens, parse=Tree("TOP", tokens.words))
    assert parser.log_probs([other]).tolist() == [-np.inf]


def test_several_states_for_a_tag_have_samples_but_no_ranking():
    tagger, inputs = trained("hidden Markov model")
    model = replace(tagger.model, tags=("X", "Y"), shown=(0, 0, 1))
    several = weft.Tagger(model, tagger.weights)
    with pytest.raises(NotDefined, match="several states for a tag"):
        several.kbest(inputs, 2)
    [drawn, *_] = several.sample(inputs, np.random.default_rng(0), 50)
    for each in drawn:
        [log_prob] = several.log_probs([Example(inputs[0], each.answer)])
        assert each.log_prob == pytest.approx(log_prob)
    assert several.predict(inputs, "posterior") == several.tag(inputs, "posterior")
