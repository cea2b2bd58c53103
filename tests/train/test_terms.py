"""Training on several criteria at once: what labelled and raw text say together."""

from __future__ import annotations

import numpy as np
import pytest

from weft.criteria import (
    Gaussian,
    conditional,
    contrast,
    contrastive,
    joint,
    marginal,
    no_penalty,
)
from weft.errors import EvidenceError, OptionError
from weft.features.templates import templates
from weft.models import Chain
from weft.models.tables import Tables
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.structures.evidence import Example, example
from weft.train import Term, fit

PRECISE = LBFGS(tolerance=0.0, gradient_tolerance=1e-7, max_iterations=2000)
CHAIN = Chain(templates=templates("word[0] suffix1[0]"), attributes="all", ngrams="all")
LABELLED = [
    example(["the", "dog", "barks"], ["D", "N", "V"]),
    example(["a", "cat", "sleeps"], ["D", "N", "V"]),
]
RAW = [example(["the", "cat", "barks"]), example(["a", "dog", "runs"], weight=2.0)]
TRANSPOSED = contrastive("trans1")


def test_extra_criteria_are_a_weighted_sum():
    extra = [Term(0.5, RAW, TRANSPOSED), (0.25, LABELLED, TRANSPOSED)]
    tagger = fit(CHAIN, LABELLED, extra=extra, penalty=Gaussian(1.0), optimiser=PRECISE)
    theta, model = tagger.weights, tagger.model
    whole = (
        contrast(model, LABELLED, conditional)
        + 0.5 * contrast(model, RAW, TRANSPOSED)
        + 0.25 * contrast(model, LABELLED, TRANSPOSED)
        + Gaussian(1.0).objective(model.parameters)
    )
    value, gradient = whole(theta)
    assert tagger.trace[-1].value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-5)
    assert (
        tagger.notes["criterion"]
        == "conditional + 0.5 contrastive:trans1 + 0.25 contrastive:trans1"
    )


def test_raw_text_moves_the_weights_and_adds_words():
    alone = fit(CHAIN, LABELLED, optimiser=PRECISE)
    both = fit(CHAIN, LABELLED, extra=[(1.0, RAW, TRANSPOSED)], optimiser=PRECISE)
    assert "runs" not in alone.model.vocabulary
    assert "runs" in both.model.vocabulary
    assert both.model.parameters.size > alone.model.parameters.size
    before, after = (
        each.log_probs([example(["a", "dog", "runs"], ["D", "N", "V"])])[0]
        for each in (alone, both)
    )
    assert after != pytest.approx(before, abs=1e-3)


def test_no_extra_criteria_change_nothing():
    plain, empty = fit(CHAIN, LABELLED), fit(CHAIN, LABELLED, extra=[])
    np.testing.assert_array_equal(plain.weights, empty.weights)


def test_labels_and_raw_text_are_likely_together():
    """Joint and marginal likelihood: the sum over everything is finite where training starts."""
    tagger = fit(
        CHAIN,
        LABELLED,
        criterion=joint,
        extra=[(0.3, RAW, marginal)],
        penalty=Gaussian(1.0),
    )
    values = [step.value for step in tagger.trace]
    assert np.isfinite(values).all()
    assert values[-1] > values[0]
    assert tagger.tag([each.tokens for each in LABELLED]) == [("D", "N", "V")] * 2


def test_a_generative_criterion_may_come_second():
    tagger = fit(
        CHAIN, LABELLED, extra=[(0.3, RAW, marginal)], development=[example(["zebra"], ["N"])]
    )
    assert np.isfinite([step.value for step in tagger.trace]).all()
    assert "zebra" in tagger.model.vocabulary


def test_an_impossible_example_of_any_corpus_is_named():
    chain = Chain(dictionary={"runs": frozenset({"V"})})
    wrong = [Example(RAW[1].tokens, ("D", "N", "N"))]
    with pytest.raises(EvidenceError, match=r"token 3, 'runs'"):
        fit(chain, LABELLED, extra=[(1.0, wrong, conditional)])


def test_what_does_not_go_together_is_refused():
    hmm = Chain(
        templates=templates("word[0]"), attributes="all", ngrams="all", normalisation="joint"
    )
    extra = [(1.0, RAW, marginal)]
    with pytest.raises(OptionError, match="EM takes one corpus"):
        fit(hmm, LABELLED, criterion=joint, extra=extra, optimiser=EM())
    with pytest.raises(OptionError, match="tables are counted"):
        fit(Tables(), LABELLED, extra=extra)
    for weight in (-1.0, np.inf, np.nan):
        with pytest.raises(OptionError, match="finite and ≥ 0"):
            fit(CHAIN, LABELLED, extra=[(weight, RAW, TRANSPOSED)])


def test_an_hmm_may_have_extra_criteria():
    hmm = Chain(
        templates=templates("word[0]"), attributes="all", ngrams="all", normalisation="joint"
    )
    tagger = fit(
        hmm,
        LABELLED,
        criterion=joint,
        extra=[(0.5, [*RAW, *LABELLED], marginal)],
        penalty=no_penalty,
        optimiser=LBFGS(max_iterations=5),
    )
    assert tagger.trace[-1].value > tagger.trace[0].value
    assert tagger.tag([["the", "unicorn"]])
