"""Passes in which weights change after each example: kernels against batches, one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from chains import random_corpus
from contracts.models import FAMILIES
from weft.criteria import conditional, contrast, margin, perceptron, softmax_margin
from weft.criteria.batches import ExampleTerms, Part
from weft.features.templates import templates
from weft.models import Chain, Extent, prepare
from weft.optimise.batches import Problem, Rule
from weft.optimise.online import sweep_plainly
from weft.optimise.stochastic import SGD
from weft.structures.evidence import Example, Sentence

RULES = (
    Rule("perceptron"),
    Rule("pa"),
    Rule("pa-1", 0.3),
    Rule("pa-2", 0.7),
    Rule("arow", 0.8),
)


def arrays_of(theta):
    names = {"weights": theta.copy(), "drift": np.zeros_like(theta)}
    return names | {"variances": np.ones_like(theta)}


def terms_of(chain, corpus, criterion, threads=1):
    model = prepare(chain, corpus)
    part = Part(1.0, corpus, criterion, contrast(model, corpus, criterion, threads))
    return ExampleTerms(model, [part], threads=threads)


def corpus_of(rng):
    """Sentences of several lengths and weights, some labelled in part, some with values."""
    corpus = []
    for each in random_corpus(rng) + random_corpus(rng):
        values = tuple(
            {f"w={word}": 1.0, f"size={len(word)}": float(rng.integers(1, 5)) / 4, "bias": 0.5}
            for word in each.tokens.words
        )
        weight = float(rng.choice([0.5, 1.0, 2.0]))
        corpus.append(Example(Sentence(each.tokens.columns, values), each.analysis, weight))
        tags = tuple(tag if rng.random() < 0.7 else None for tag in each.analysis)
        corpus.append(Example(Sentence(each.tokens.columns, values), tags, weight))
    return corpus


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize(("order", "criterion"), [*product((1, 2), (margin(), perceptron))])
def test_kernels_do_what_batches_do(rule, order, criterion, rng):
    corpus = corpus_of(rng)
    chain = Chain(order=order, templates=(), ngrams=Extent.OBSERVED)
    terms = terms_of(chain, corpus, criterion)
    theta = rng.normal(size=terms.size)
    fast, plain = arrays_of(theta), arrays_of(theta)
    problem = Problem(terms, np.zeros(terms.size), np.zeros(terms.size))
    [cut] = problem.cuts(1)
    for turn in range(3):
        order_of = rng.permutation(len(corpus))
        made = terms.sweep(rule, order_of, fast, turn * len(corpus))
        assert made is not None
        value, changes = sweep_plainly(cut, rule, order_of, plain, turn * len(corpus))
        assert made[0] == pytest.approx(value, rel=1e-9)
        assert min(made[1], changes) > 0
        # Where a step has mended an example, rounding may leave a loss of 1e-16.
        assert made[1] == changes or rule.name.startswith("pa")
        for name, each in plain.items():
            np.testing.assert_allclose(fast[name], each, rtol=1e-9, atol=1e-9)


class Slowly(ExampleTerms):
    """The same terms without kernels for passes."""

    def sweep(self, *_):
        return None

    def ascend(self, *_):
        return None


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("criterion", [conditional, softmax_margin()], ids=lambda each: each.name)
def test_gradient_ascent_by_kernels_is_that_by_batches(batch, order, criterion, rng):
    corpus = corpus_of(rng)
    model = prepare(Chain(order=order, templates=()), corpus)
    part = Part(1.0, corpus, criterion, contrast(model, corpus, criterion))
    start = rng.normal(size=model.parameters.size)
    states = []
    for kind in (ExampleTerms, Slowly):
        terms = kind(model, [part])
        problem = Problem(terms, np.full(terms.size, 3.0), np.zeros(terms.size))
        states.append(SGD(epochs=4, tolerance=0.0, batch=batch).maximise(problem, start).state)
        assert bool(problem._kept) is (kind is Slowly)
    fast, plain = states
    assert fast.values == pytest.approx(plain.values, rel=1e-9)
    for name, each in plain.arrays.items():
        np.testing.assert_allclose(fast.arrays[name], each, rtol=1e-8, atol=1e-9)


def test_long_runs_are_cut_where_an_interrupt_can_come(rng, monkeypatch):
    corpus = corpus_of(rng)
    terms = terms_of(Chain(templates=()), corpus, margin())
    theta, order = rng.normal(size=terms.size), rng.permutation(len(corpus))
    whole, cut = arrays_of(theta), arrays_of(theta)
    expected = terms.sweep(RULES[2], order, whole, 7)
    monkeypatch.setattr("weft.derivations.online._AT_ONCE", 3)
    assert terms.sweep(RULES[2], order, cut, 7) == pytest.approx(expected)
    for name, each in whole.items():
        np.testing.assert_array_equal(cut[name], each)


@pytest.mark.parametrize(
    "chain",
    [
        Chain(normalisation="conditional"),
        Chain(templates=templates("word[0]"), pair_templates=templates("word[0]")),
    ],
    ids=["normalised", "pairs"],
)
def test_other_chains_have_no_kernel(chain, rng):
    corpus = random_corpus(rng)
    terms = terms_of(chain, corpus, perceptron)
    assert terms.sweep(RULES[0], np.arange(len(corpus)), arrays_of(np.zeros(terms.size)), 0) is None


def test_grammars_have_no_kernel():
    family = FAMILIES["grammar, free"]
    corpus = family.corpora["complete"]
    part = Part(1.0, corpus, margin(), contrast(family.model, corpus, margin()))
    terms = ExampleTerms(family.model, [part])
    nothing = arrays_of(np.zeros(terms.size))
    assert terms.sweep(RULES[0], np.arange(len(corpus)), nothing, 0) is None
