"""Laws of objectives: value ≤ 0, gradients, A = B, sums and scales, nothing but nested views."""

from __future__ import annotations

import numpy as np
import pytest

from chains import chain_options, random_corpus, random_labels
from weft.criteria import Criterion, Gaussian, complete, conditional, contrast, input_only
from weft.errors import NotNestedError
from weft.models import prepare
from weft.structures.evidence import Example

OPTIONS = chain_options()


@pytest.fixture(params=OPTIONS, ids=str)
def chain(request):
    return OPTIONS[request.param]


def allowed_corpus(rng, chain) -> list[Example]:
    """Examples that the chain's dictionary does not rule out, some labelled in part."""
    corpus = []
    for example in random_corpus(rng):
        dictionary = chain.dictionary or {}
        partial = random_labels(rng, len(example.tokens))
        tags = tuple(
            min(dictionary.get(word, chain.open_tags or {label}))
            for word, label in zip(example.tokens.words, example.analysis, strict=True)
        )
        labels = tuple(
            None if mask is None else tag for mask, tag in zip(partial, tags, strict=True)
        )
        corpus += [Example(example.tokens, tags, example.weight), Example(example.tokens, labels)]
    return corpus


def test_conditional_value_is_never_positive(chain, rng):
    corpus = allowed_corpus(rng, chain)
    model = prepare(chain, corpus)
    objective = contrast(model, corpus, conditional)
    for scale in (0.0, 1.0, 100.0, 1e5):
        theta = scale * rng.normal(size=model.parameters.size)
        assert (objective.per_example(theta) <= 0).all()
        assert objective(theta)[0] <= 0


def test_objective_is_the_weighted_sum_of_examples(chain, rng):
    corpus = allowed_corpus(rng, chain)
    model = prepare(chain, corpus)
    theta = rng.normal(size=model.parameters.size)
    whole = contrast(model, corpus, conditional)(theta)
    parts = [contrast(model, [example], conditional)(theta) for example in corpus]
    assert whole[0] == pytest.approx(sum(value for value, _ in parts))
    np.testing.assert_allclose(whole[1], sum(g for _, g in parts), atol=1e-10)


def test_order_of_examples_is_irrelevant(chain, rng):
    corpus = allowed_corpus(rng, chain)
    model = prepare(chain, corpus)
    theta = rng.normal(size=model.parameters.size)
    value, gradient = contrast(model, corpus, conditional)(theta)
    reversed_value, reversed_gradient = contrast(model, corpus[::-1], conditional)(theta)
    assert value == pytest.approx(reversed_value, rel=1e-12)
    np.testing.assert_allclose(gradient, reversed_gradient, atol=1e-10)


def test_penalised_gradient_equals_finite_differences(chain, rng):
    corpus = allowed_corpus(rng, chain)
    model = prepare(chain, corpus)
    penalty = Gaussian(2.0, {"bigram": 0.5}).objective(model.parameters)
    objective = contrast(model, corpus, conditional) + penalty
    theta = rng.normal(size=model.parameters.size)
    _, gradient = objective(theta)
    for direction in rng.normal(size=(5, len(theta))):
        above, below = objective(theta + 1e-6 * direction), objective(theta - 1e-6 * direction)
        slope = (above[0] - below[0]) / 2e-6
        assert gradient @ direction == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_equal_views_give_nothing(chain, rng):
    corpus = allowed_corpus(rng, chain)
    model = prepare(chain, corpus)
    theta = rng.normal(size=model.parameters.size)
    for view in (complete, input_only):
        value, gradient = contrast(model, corpus, Criterion("same", view, view))(theta)
        assert value == 0.0
        assert not gradient.any()


def test_conditional_is_zero_where_only_one_analysis_is_left(rng):
    corpus = random_corpus(rng)
    certain = {
        word: frozenset({label})
        for example in corpus
        for word, label in zip(example.tokens.words, example.analysis, strict=True)
    }
    labelled = [
        Example(e.tokens, tuple(min(certain[word]) for word in e.tokens.words)) for e in corpus
    ]
    chain = OPTIONS["order2-dictionary"]
    model = prepare(type(chain)(order=2, templates=chain.templates, dictionary=certain), labelled)
    theta = rng.normal(size=model.parameters.size)
    value, gradient = contrast(model, labelled, conditional)(theta)
    assert value == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-12)


def test_more_evidence_never_adds_derivations(chain, rng):
    corpus = allowed_corpus(rng, chain)
    model = prepare(chain, corpus)
    theta = rng.normal(size=model.parameters.size)
    full, partial = corpus[::2], corpus[1::2]
    log_partition = [
        contrast(model, examples, Criterion("", complete, input_only)).per_example(theta)
        for examples in (full, partial)
    ]
    assert (log_partition[0] <= log_partition[1] + 1e-9).all()


def test_sums_and_scales_are_linear(rng):
    corpus = allowed_corpus(rng, OPTIONS["order1"])
    model = prepare(OPTIONS["order1"], corpus)
    first = contrast(model, corpus[:3], conditional)
    second = contrast(model, corpus[3:], conditional)
    theta = rng.normal(size=model.parameters.size)
    value, gradient = (2.0 * first + second * 0.5)(theta)
    assert value == pytest.approx(2 * first(theta)[0] + 0.5 * second(theta)[0])
    np.testing.assert_allclose(gradient, 2 * first(theta)[1] + 0.5 * second(theta)[1], atol=1e-12)


def test_a_view_within_a_narrower_one_is_refused():
    with pytest.raises(NotNestedError, match="narrower"):
        Criterion("upside down", input_only, complete)
