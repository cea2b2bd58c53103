"""AIC and BIC."""

from __future__ import annotations

import math

import numpy as np
import pytest

import weft
from trees import tree
from weft.corpora.bundled import bundled_parse_sets
from weft.errors import NotDefined, OptionError
from weft.models.information import free_parameters, information
from weft.recipes import find_recipe, fit_recipe, with_settings
from weft.structures.evidence import Example, sentence
from weft.structures.tree import leaves

CORPUS = [
    weft.example(["the", "dog", "barks"], ["D", "N", "V"]),
    weft.example(["the", "cat", "sees", "the", "dog"], ["D", "N", "V", "D", "N"], weight=2.0),
]


def hmm():
    chain = weft.Chain(
        templates=weft.templates("word[0]"), attributes="all", ngrams="all", normalisation="joint"
    )
    return weft.fit(chain, CORPUS, criterion=weft.joint, optimiser=weft.EM())


def test_an_hmm_has_as_many_free_parameters_as_hmmlearn_counts_and_its_ends():
    tags, words = 3, 6  # the last one stands for all unknown words
    free = (tags - 1) + tags * tags + tags * (words - 1)  # each row of transitions has an end, too
    assert free_parameters(hmm()) == free


def test_the_criteria_are_those_of_akaike_and_schwarz():
    tagger = hmm()
    found = information(tagger, CORPUS)
    joint = tagger.log_sums(CORPUS).joint
    assert found.likelihood == "joint"
    assert found.log_likelihood == pytest.approx(joint[0] + 2 * joint[1])
    assert found.observations == 3.0
    assert found.aic == pytest.approx(2 * found.parameters - 2 * found.log_likelihood)
    tokens = information(tagger, CORPUS, "marginal", observations=13)
    marginal = tagger.log_sums(CORPUS).marginal
    expected = tokens.parameters * math.log(13) - 2 * (marginal @ [1.0, 2.0])
    assert tokens.bic == pytest.approx(expected)


def test_free_weights_count_and_impossible_ones_do_not():
    tagger = weft.fit(weft.Chain(), CORPUS, optimiser=weft.LBFGS(max_iterations=3))
    assert free_parameters(tagger) == len(tagger.weights)
    found = information(tagger, CORPUS)
    assert found.likelihood == "conditional"
    assert found.log_likelihood == pytest.approx(tagger.log_probs(CORPUS) @ [1.0, 2.0])
    with pytest.raises(NotDefined, match="no distribution over sentences"):
        information(tagger, CORPUS, "joint")


def test_parsers_and_selectors_have_them():
    trees = [tree("(S (NP dogs) (VP bark))"), tree("(S (NP cats) (VP (V see) (NP dogs)))")]
    corpus = [Example(sentence(list(leaves(each))), parse=each) for each in trees]
    plan = with_settings(find_recipe("pcfg"), {"rare": "0"})
    parser = fit_recipe(plan, corpus)
    # S → NP VP; NP → dogs | cats; VP → bark | V NP; V → see
    assert free_parameters(parser) == 2
    assert information(parser, corpus).log_likelihood == pytest.approx(
        2 * math.log(0.5) + 2 * math.log(2 / 3) + math.log(1 / 3)
    )
    parses = bundled_parse_sets()[:20]
    selector = weft.fit(weft.Selection(), parses)
    compiled = selector.compiled(parses)
    found = information(selector, compiled)
    assert found.parameters == len(selector.weights)
    assert np.isfinite(found.bic)


def test_what_has_none_says_why():
    tables = weft.fit(weft.Tables(), CORPUS)
    with pytest.raises(NotDefined, match="interpolated tables"):
        information(tables, CORPUS)
    with pytest.raises(OptionError, match="no likelihood 'joined'"):
        information(hmm(), CORPUS, "joined")
    with pytest.raises(OptionError, match="there is no example"):
        information(hmm(), [])
