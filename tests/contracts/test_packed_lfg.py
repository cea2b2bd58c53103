"""Selection among packed lexical-functional analyses equals selection among listed ones."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from weft.corpora.bundled import DOMAINS, bundled_lfg, bundled_marked
from weft.corpora.parses.marked import marked_sets
from weft.criteria import conditional, contrast
from weft.features.compile import compile_parses
from weft.features.properties import properties
from weft.lfg.parser import load_lfg
from weft.models.selection.model import prepare_selection
from weft.models.selection.scores import judge
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


@pytest.fixture(scope="module", params=DOMAINS)
def both(request):
    """Ambiguous sentences with their analyses listed, and packed."""
    parser = load_lfg(bundled_lfg())
    marks = bundled_marked(request.param)[3::25]
    some = list(islice((m for m in marks if 1 < len(parser.parse(m.text)) < 40), 6))
    spec = Selection(properties=properties("rules"))
    sets = (marked_sets(parser, some, packed=packed) for packed in (False, True))
    return [[compile_parses(each, spec.properties) for each in found] for found in sets]


def models(both):
    return [prepare_selection(Selection(), examples) for examples in both]


def test_the_same_features_tell_analyses_apart(both):
    listed, packed = models(both)
    assert listed.names == packed.names
    assert len(listed.names) > 50


def test_values_and_gradients(both, rng):
    theta = rng.normal(size=models(both)[0].parameters.size)
    for weights in (theta, 0 * theta):
        (value, gradient), (other, other_gradient) = (
            contrast(model, examples, conditional)(weights)
            for model, examples in zip(models(both), both, strict=True)
        )
        assert value == pytest.approx(other, rel=1e-9)
        np.testing.assert_allclose(gradient, other_gradient, **CLOSE)


def test_scores_are_the_same(both, rng):
    theta = rng.normal(size=models(both)[0].parameters.size)
    listed, packed = (
        judge(model, theta, examples) for model, examples in zip(models(both), both, strict=True)
    )
    np.testing.assert_array_equal(listed.better, packed.better)
    np.testing.assert_array_equal(listed.ambiguous, packed.ambiguous)
    np.testing.assert_allclose(listed.credits, packed.credits, **CLOSE)
    np.testing.assert_allclose(listed.log_probs, packed.log_probs, **CLOSE)


def test_best_analyses_and_probabilities(both, rng):
    theta = rng.normal(size=models(both)[0].parameters.size)
    one, two = (Selector(weights=theta, model=model) for model in models(both))
    for listed, packed in zip(*both, strict=True):
        count = len(listed.tokens)
        [ranked], [other] = (
            each.kbest([example.tokens], count + 1)
            for each, example in ((one, listed), (two, packed))
        )
        wanted, found = ([each.probability for each in some] for some in (ranked, other))
        np.testing.assert_allclose(found, wanted, **CLOSE)
        assert one.agrees(listed, ranked[0].answer) == two.agrees(packed, other[0].answer)
        # What edges are expected is what analyses with them have in sum.
        [marginals] = two.marginals([packed.tokens])
        shares = np.zeros(len(packed.tokens))
        for each in other:
            np.add.at(shares, list(each.answer), each.probability)
        np.testing.assert_allclose(marginals, shares, **CLOSE)
