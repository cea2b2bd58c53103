"""The comparison of taggers finds differences where there are any, and names the place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from random_taggers import examples_of, random_tagger
from weft.conversions.check import joint_log_probs, same_conditional, same_joint
from weft.conversions.convert import memm_to_mrf, mrf_to_hmm
from weft.errors import DivergenceError, OptionError

SHORT = [["u"], ["v", "w"], [], ["x", "x", "u"]]
LONG = [["u", "v", "w", "x"] * 5, ["w"] * 9]


def test_no_difference_is_none(rng):
    tagger = random_tagger(rng, "both", 2, "none")
    found = same_conditional(tagger, tagger, [*SHORT, *LONG])
    assert (found.largest, found.where, found.log_probs) == (0.0, None, None)
    assert 3 + 9 + 27 < found.compared < 3 + 9 + 27 + 2 * 25


@pytest.mark.parametrize("sentences", [SHORT, LONG])
def test_the_largest_difference_has_a_place(rng, sentences):
    tagger = random_tagger(rng, "plain", 1, "none", 0.3)
    other = replace(tagger, weights=tagger.weights.copy())
    other.weights[-1] += 0.25  # of the last word with the last tag
    found = same_conditional(tagger, other, sentences)
    assert found.largest > 0.05
    both = [each.log_probs([found.where])[0] for each in (tagger, other)]
    assert found.log_probs == pytest.approx(both, rel=1e-12)
    assert abs(both[0] - both[1]) == pytest.approx(found.largest, rel=1e-9)
    every = [same_conditional(tagger, other, [each]).largest for each in sentences]
    if sentences is SHORT:
        assert found.largest == pytest.approx(max(every), rel=1e-9)


def test_rounding_has_no_place(rng):
    tagger = random_tagger(rng, "plain", 1, "none", 0.3)
    other = replace(tagger, weights=tagger.weights * (1 + 1e-14))
    found = same_conditional(tagger, other, SHORT)
    assert 0 < found.largest < 1e-9
    assert (found.where, found.log_probs) == (None, None)


def test_what_one_excludes_is_an_infinite_difference(rng):
    tagger = random_tagger(rng, "plain", 1, "none")
    other = replace(tagger, model=replace(tagger.model, dictionary={"u": frozenset({"A", "B"})}))
    found = same_conditional(tagger, other, SHORT)
    assert found.largest == np.inf
    assert found.where.analysis[found.where.tokens.words.index("u")] == "BC"
    assert found.log_probs[1] == -np.inf


def test_joint_probabilities_tell_scales_apart(rng):
    mrf = random_tagger(rng, "plain", 1, "none")
    one, two = (mrf_to_hmm(mrf, mean_length=length) for length in (3.0, 4.0))
    assert same_conditional(one, two, SHORT).largest < 1e-9
    assert same_joint(one, two, SHORT).largest > 0.01
    assert same_joint(one, one, LONG).largest == 0.0


def test_joint_probabilities_are_shares_of_everything(rng):
    mrf = random_tagger(rng, "plain", 1, "none", 0.3)
    weights = mrf.weights.copy()
    weights[: len(mrf.model.topology.bigrams)] -= 5.0  # few long sentences
    mrf = replace(mrf, weights=weights)
    assert mrf.model.everything().log_partition(weights)[0] < -1
    probs = np.exp(joint_log_probs(mrf, examples_of(mrf, 3, unknown=False)))
    assert 0.99 < probs.sum() < 1


def test_what_has_no_joint_probability_is_refused(rng):
    mrf = random_tagger(rng, "plain", 1, "none", 3.0)
    memm = random_tagger(rng, "plain", 1, "conditional")
    with pytest.raises(DivergenceError, match="the sum over all sentences is infinite"):
        same_joint(mrf, mrf, SHORT)
    with pytest.raises(OptionError, match="no distribution over sentences"):
        joint_log_probs(memm, [])
    with pytest.raises(DivergenceError):
        joint_log_probs(memm_to_mrf(memm), [])  # its rate is the number of words


def test_tags_must_be_the_same(rng):
    one, two = (random_tagger(rng, name, 1, "none") for name in ("plain", "chunks"))
    with pytest.raises(ValueError, match="the same tags"):
        same_conditional(one, two, SHORT)


def test_the_same_seed_tries_the_same_taggings(rng):
    one, two = (random_tagger(rng, "plain", 1, "none") for _ in range(2))
    first, again = (same_conditional(one, two, LONG, seed=3) for _ in range(2))
    assert (first.largest, first.where.analysis) == (again.largest, again.where.analysis)
    assert first.compared == again.compared
