"""Laws of training that a wrong constant, centre or scale would break."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from oracles import log_sum
from parse_sets import matrix, random_examples
from trees import tree
from weft import Cfg, Chain, Dirichlet, Gaussian, Selection, fit, templates
from weft.corpora import bundled
from weft.criteria import (
    conditional,
    contrast,
    expected_counts,
    joint,
    marginal,
    no_penalty,
    read_penalty,
)
from weft.models.grammar.prepare import prepare_grammar, start_weights
from weft.models.lexicon import lexicon_of
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.structures.evidence import Example, example, sentence
from weft.structures.tree import leaves
from weft.train import with_scale

HMM = Chain(templates=templates("word[0]"), attributes="all", ngrams="all", normalisation="joint")
TREES = [
    Example(sentence(list(leaves(each))), parse=each)
    for each in map(
        tree,
        (
            "(S (D the) (N dog) (V barks))",
            "(S (D the) (N cat) (V sees))",
            "(S (D a) (N Rome) (V barks))",
            "(S (D a) (N dog) (V sees))",
        ),
    )
]
CORPUS = [
    example(["the", "dog", "barks"], ["DT", "NN", "VB"]),
    example(["the", "cat", "sees", "the", "dog"], ["DT", "NN", "VB", "DT", "NN"]),
    example(["a", "dog", "barks"], ["DT", "NN", "VB"]),
]


TIGHT = {"penalty": Gaussian(1e-10), "optimiser": LBFGS(max_iterations=3)}


class TestThePenaltysCentre:
    """What costs nothing is where estimation starts: under a tight penalty weights stay there."""

    def test_chains_begin_at_relative_frequencies(self):
        spec = replace(HMM, normalisation="none")
        tagger = fit(spec, CORPUS, criterion=joint, **TIGHT)
        start = spec.start(tagger.model, CORPUS, generative=True, closed_form=False)
        assert np.abs(start).max() > 0.5
        np.testing.assert_allclose(tagger.weights, start, atol=1e-6)

    def test_chains_begin_at_zero_where_sums_are_over_one_sentence(self):
        tagger = fit(Chain(), CORPUS, **TIGHT)
        np.testing.assert_allclose(tagger.weights, 0.0, atol=1e-6)

    def test_grammars_begin_at_relative_frequencies(self):
        parser = fit(Cfg(), TREES, **TIGHT)
        start = start_weights(parser.model, Cfg(), TREES)
        assert np.abs(start).max() > 0.5
        np.testing.assert_allclose(parser.weights, start, atol=1e-6)


def test_the_default_penalty_is_a_variance_of_ten():
    """As the guide says; of a selector, σ is 7 times the largest value of a feature."""
    tagger, same = (fit(Chain(), CORPUS, penalty=each) for each in (None, Gaussian(10.0)))
    np.testing.assert_array_equal(tagger.weights, same.weights)
    corpus = random_examples(np.random.default_rng(2), 10)
    chosen = Selection(relevance=0)
    selector = fit(chosen, corpus)
    precise = fit(chosen, corpus, penalty=Gaussian(49.0, relative=True))
    np.testing.assert_array_equal(selector.weights, precise.weights)
    counted, added = (
        fit(HMM, CORPUS, criterion=joint, optimiser=EM(), penalty=each)
        for each in (None, read_penalty("dirichlet:0.1,tag:*=0.001"))
    )
    np.testing.assert_array_equal(counted.weights, added.weights)


def test_unknown_words_have_the_mass_of_rare_ones():
    """Σ_t N(t) p(classes | t) / p(words | t) = Σ_c (m(c) + ½): rare words, half a word per class.

    The definition is in :mod:`weft.models.chain.unknown`: p(c | t) : p(words | t) = M(c, t) : N(t),
    and M(c, ·) adds up to m(c) + ½.
    """
    tagger = fit(HMM, CORPUS, criterion=joint, optimiser=EM(), penalty=Dirichlet(0.0))
    model = tagger.model
    counts = Counter(word for each in CORPUS for word in each.tokens.words)
    rare = sum(count == 1 for count in counts.values())
    tags = Counter(tag for each in CORPUS for tag in each.analysis)
    strange = len(model.signatures)
    totals = 0.0
    for tag in model.tags:
        number = model.tags.index(tag)
        emitted = _emissions(tagger, number)
        known, classes = emitted[: len(model.vocabulary)], emitted[len(model.vocabulary) :]
        assert len(classes) == strange
        totals += tags[tag] * classes.sum() / known.sum()
    assert totals == pytest.approx(rare + strange / 2)


def _emissions(tagger, tag: int) -> np.ndarray:
    """[words and classes]: what each weighs with a tag."""
    model = tagger.model
    rows = model.tag_rows
    weights = np.full(len(rows.offsets) - 1, -np.inf)
    for row in range(len(weights)):
        first, last = rows.offsets[row : row + 2]
        for place in range(first, last):
            if rows.columns[place] == tag:
                weights[row] = tagger.weights[rows.start + place]
    return np.exp(weights)


def test_rules_of_unknown_words_start_at_a_tenth_of_a_word():
    """Of a tag seen n times, k of its rules with classes: (count + 0.1) / (n + 0.1 k)."""
    spec = Cfg(normalisation="joint", rare=1)
    model = prepare_grammar(spec, TREES)
    weights = start_weights(model, spec, TREES)
    first = model.grammar.rule_count - model.unknown
    assert model.unknown > 0
    rules = model.grammar.rules()
    seen = Counter(
        (node.label, model.lexicon.terminal(node.children[0]))
        for each in TREES
        for node in each.parse.children
    )
    for number in range(first, model.grammar.rule_count):
        head, word = rules[number].head, rules[number].body[0].text
        total = sum(count for (tag, _), count in seen.items() if tag == head)
        classes = sum(rule.head == head for rule in rules[first:])
        expected = (seen[head, word] + 0.1) / (total + 0.1 * classes)
        assert weights[number] == pytest.approx(math.log(expected))


def test_a_class_without_rare_words_is_stood_for_by_the_one_around_it():
    """No rare word ends in -ng but not in -ing: 'song' is like 'dog', not like the most common."""
    endings = [
        "walking",
        "talking",
        "making",
        "taking",
        "baking",
        "joking",
        "wing",
        "sing",
        "ring",
        "thing",
    ]
    others = [
        "x1",
        "y2",
        "z3",
        "a4",
        "b5",
        "B6",
        "co-op",
        "re-do",
        "pre-x",
        "bus",
        "cat",
        "dog",
        "fox",
        "hen",
        "owl",
    ]
    lexicon = lexicon_of([[*endings, *others]], rare=1)
    assert lexicon.classes.names[lexicon.classes.class_of("song")] == "lower:ng"
    assert lexicon.terminal("song") == lexicon.terminal("dog") != lexicon.terminal("wing")


def test_a_class_that_has_none_around_it_is_stood_for_by_the_most_common():
    cities = ["Bonn", "Rome", "Ulm", "Kiel", "Jena", "Trier"]
    lexicon = lexicon_of([["walking", "talking", "making", "taking", "baking", *cities]], rare=1)
    assert lexicon.terminal("x-1") == lexicon.terminal("Gera") != lexicon.terminal("faking")


def test_a_fitted_scale_is_the_best_under_its_penalty():
    """Where every choice is right, the penalty alone keeps the scale finite."""
    corpus = random_examples(np.random.default_rng(3), 6)
    selector = fit(Selection(relevance=0), corpus, penalty=Gaussian(100.0))
    prior = Gaussian(0.5)
    scaled, factor = with_scale(selector, corpus, penalty=prior)
    np.testing.assert_allclose(scaled.weights, factor * selector.weights)
    objective = contrast(selector.model, corpus, conditional)
    penalised = objective + prior.objective(selector.model.parameters)
    best = penalised(scaled.weights)[0]
    for other in (0.9, 0.99, 1.01, 1.1):
        assert penalised(other * scaled.weights)[0] < best


def test_the_tolerance_of_em_is_relative():
    """A corpus in which everything counts a thousand times takes the same iterations."""
    corpus = bundled("train")[:40]
    raw = [replace(each, analysis=None) for each in corpus]
    dictionary = {
        word: frozenset({"NN", "VB", "DT"}) if number % 3 else frozenset({"NN"})
        for number, word in enumerate(dict.fromkeys(w for e in corpus for w in e.tokens.words))
    }
    model = replace(HMM, dictionary=dictionary).prepare(raw)
    distributions = HMM.distributions(model)
    start = distributions.weights(1.0 + np.arange(model.parameters.size) % 7)
    lengths = []
    for weight in (1.0, 1000.0):
        examples = [replace(each, weight=weight) for each in raw]
        zeros = np.zeros(len(start))
        counts = expected_counts(model.free, examples, marginal, zeros, distributions.weights)
        lengths.append(len(EM(200, 1e-4).maximise(counts, start).trace))
    assert 3 < lengths[0] == lengths[1] < 200


def test_uncertainty_is_of_all_sentences():
    """The entropy that restarts are chosen by, against a sum over every analysis."""
    rng = np.random.default_rng(4)
    chosen = Selection(relevance=0)
    corpus = random_examples(rng, 8)
    model = chosen.prepare(corpus)
    weights = rng.normal(size=model.parameters.size)
    expected = 0.0
    for each in corpus:
        scores = matrix(model, each.tokens) @ weights
        logs = scores - log_sum(scores)
        expected -= float(np.exp(logs) @ logs)
    assert chosen.uncertainty(model, corpus, None)(weights) == pytest.approx(expected)
    for spec, examples in ((Chain(), [Example(e.tokens) for e in CORPUS]), (Cfg(), TREES)):
        prepared = spec.prepare(CORPUS if isinstance(spec, Chain) else TREES)
        theta = rng.normal(size=prepared.parameters.size) - 1.0
        whole = spec.uncertainty(prepared, examples, None)(theta)
        parts = [spec.uncertainty(prepared, [each], None)(theta) for each in examples]
        assert whole == pytest.approx(math.fsum(parts))
        evidences = [each.evidence(labelled=False) for each in examples]
        derivations = prepared.derivations(evidences)
        values, expectations = derivations.evaluate(theta, np.ones(len(examples)))
        assert whole == pytest.approx(float(values.sum() - expectations @ theta), abs=1e-9)


def test_no_penalty_costs_nothing():
    tagger = fit(Chain(), CORPUS, penalty=no_penalty, optimiser=LBFGS(max_iterations=4))
    value = contrast(tagger.model, CORPUS, conditional)(tagger.weights)[0]
    assert tagger.trace[-1].value == pytest.approx(value)
