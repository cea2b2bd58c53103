"""Laws of the sum over everything, and of the criteria that compare with it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from weft.criteria import conditional, contrast, joint, marginal, no_penalty
from weft.errors import DivergenceError, OptionError
from weft.features.templates import templates
from weft.models import Chain, ChainModel, Extent, Scheme, prepare
from weft.models.chain.multinomials import relative_frequencies
from weft.optimise.lbfgs import LBFGS
from weft.structures.evidence import EVERYTHING, Evidence, Example, Sentence, example
from weft.train import fit

WORDS = ("u", "vv", "wv")


def chain_of(order: int, **options) -> Chain:
    return Chain(
        order=order,
        templates=templates("word[0] suffix1[0]"),
        attributes=Extent.ALL,
        ngrams=Extent.ALL,
        **options,
    )


def random_corpus(rng, sentences: int = 40) -> list[Example]:
    """Enough for every tag pair and every word with every tag to occur."""
    return [
        example(rng.choice(WORDS, length).tolist(), rng.choice(["A", "B"], length).tolist())
        for length in rng.integers(1, 6, sentences)
    ]


def convergent_weights(rng, model: ChainModel) -> np.ndarray:
    """Random weights at which the sum over everything is finite."""
    theta = rng.normal(size=model.parameters.size)
    while not np.isfinite(model.everything().log_partition(theta)[0]):
        theta[: len(model.topology.bigrams)] -= 0.5
    return theta


@pytest.fixture(params=[1, 2], ids=["order1", "order2"])
def order(request) -> int:
    return request.param


OPTIONS = {
    "plain": {},
    "pairs": {"pair_templates": templates("word[0]")},
    "dictionary": {"dictionary": {"z": frozenset({"A"}), "vv": frozenset({"A", "B"})}},
}


@pytest.fixture(params=OPTIONS)
def model(rng, order, request) -> ChainModel:
    chain = chain_of(order, **OPTIONS[request.param])
    return prepare(chain, random_corpus(rng), [example(["z"])] if chain.dictionary else [])


def test_everything_equals_a_long_truncated_sum(rng, model):
    theta = convergent_weights(rng, model)
    theta[: len(model.topology.bigrams)] -= 1.5  # few long sentences, so that eight words suffice
    lengths = [
        np.logaddexp.reduce(
            model.derivations(
                [Evidence(Sentence((w,))) for w in product(model.vocabulary, repeat=n)]
            ).log_partition(theta)
        )
        for n in range(1, 8)
    ]
    shrinking = np.exp(lengths[-1] - lengths[-2])
    assert shrinking < 0.5
    tail = lengths[-1] + np.log(shrinking / (1 - shrinking))
    truncated = np.logaddexp.reduce([*lengths, tail])
    assert model.everything().log_partition(theta)[0] == pytest.approx(truncated, abs=1e-4)


@pytest.mark.parametrize("criterion", [joint, marginal], ids=lambda c: c.name)
def test_gradients_equal_finite_differences(rng, model, criterion):
    objective = contrast(model, random_corpus(rng, 5), criterion)
    theta = convergent_weights(rng, model)
    value, gradient = objective(theta)
    assert value <= 0
    for direction in rng.normal(size=(5, len(theta))):
        above, below = objective(theta + 1e-6 * direction), objective(theta - 1e-6 * direction)
        slope = (above[0] - below[0]) / 2e-6
        assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_joint_is_conditional_plus_marginal(rng, model):
    corpus = random_corpus(rng)
    theta = convergent_weights(rng, model)
    parts = [contrast(model, corpus, c).per_example(theta) for c in (joint, conditional, marginal)]
    np.testing.assert_allclose(parts[0], parts[1] + parts[2], rtol=1e-12, atol=1e-10)


def test_relative_frequencies_sum_to_one(rng, order):
    corpus = random_corpus(rng)
    for texts in ("word[0]", "word[0] suffix1[0]", "suffix1[0]"):
        chain = Chain(
            order=order, templates=templates(texts), attributes=Extent.ALL, ngrams=Extent.ALL
        )
        model = prepare(chain, corpus)
        theta = relative_frequencies(model, corpus, smoothing=0.5)
        assert model.everything().log_partition(theta)[0] == pytest.approx(0.0, abs=1e-12)


def test_the_joint_maximum_is_the_relative_frequency_hmm(rng, order):
    """No penalty: the gradient vanishes there, and the optimiser climbs to the same value."""
    corpus = random_corpus(rng, 60)
    chain = Chain(
        order=order, templates=templates("word[0]"), attributes=Extent.ALL, ngrams=Extent.ALL
    )
    model = prepare(chain, corpus)
    counted = relative_frequencies(model, corpus, smoothing=0.0)
    objective = contrast(model, corpus, joint)
    if np.isfinite(counted).all():
        value, gradient = objective(counted)
        np.testing.assert_allclose(gradient, 0.0, atol=1e-9)
    else:  # some trigram never occurs; the supremum is then not attained
        value = objective.per_example(np.maximum(counted, -700.0)).sum()
    precise = LBFGS(tolerance=0.0, gradient_tolerance=1e-9, max_iterations=2000)
    tagger = fit(chain, corpus, criterion=joint, penalty=no_penalty, optimiser=precise)
    assert tagger.trace[-1].value == pytest.approx(value, rel=1e-6)
    hmm = type(tagger)(model, np.maximum(counted, -700.0))
    sentences = [each.tokens for each in random_corpus(rng)]
    tagged = [Evidence(*each) for each in zip(sentences, tagger.tag(sentences), strict=True)]
    best = [each.score for each in hmm.best(sentences)]
    assert model.trellis(tagged).log_partition(hmm.weights) == pytest.approx(best, abs=1e-6)


def test_divergence_is_decided_on_either_side_of_the_critical_point(rng, order):
    model = prepare(chain_of(order), random_corpus(rng))
    """The sum over n-word sentences grows like radiusⁿ: below 1 it converges, above it does not."""
    theta = convergent_weights(rng, model)
    bigrams = slice(0, len(model.topology.bigrams))
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        raised = theta.copy()
        raised[bigrams] += middle
        low, high = (
            (middle, high)
            if np.isfinite(model.everything().log_partition(raised)[0])
            else (low, middle)
        )
    totals = []
    for shift in (low - 1e-3, low + 1e-3):
        raised = theta.copy()
        raised[bigrams] += shift
        totals.append(growth(model, raised))
    assert totals[0] < 1 < totals[1]


def growth(model: ChainModel, theta: np.ndarray) -> float:
    """How much the sum over all sentences of n words grows with n, by plain recursion."""
    tags, order = model.topology.tags, model.topology.order
    table = model.topology.table(theta)
    begin = table[tags, tags, :tags] if order == 2 else table[0, tags, :tags]
    end = table[:tags, tags, tags] if order == 2 else table[0, :tags, tags]
    single = [Evidence(Sentence(((w,),)), (tag,)) for tag in model.tags for w in model.vocabulary]
    scores = model.derivations(single).log_partition(theta).reshape(tags, -1)
    emission = np.exp(scores - (begin + end)[:, None]).sum(axis=1)
    steps = np.exp(table[:tags, :tags, :tags] if order == 2 else table[:, :tags, :tags])
    mass = np.ones((tags, tags) if order == 2 else (1, tags))
    for _ in range(200):
        mass /= mass.sum()
        inputs = mass.T if order == 2 else mass
        mass = np.einsum("gk,gky,y->gy", inputs, steps, emission)
    return float(mass.sum())


def test_the_objective_is_minus_infinity_where_the_sum_diverges(rng, model):
    corpus = random_corpus(rng, 3)
    objective = contrast(model, corpus, joint)
    zero = np.zeros(model.parameters.size)
    assert objective(zero)[0] == -np.inf
    with pytest.raises(DivergenceError):
        LBFGS().maximise(objective, zero)


def test_forbidden_transitions_are_no_part_of_everything(rng):
    corpus = [example(["u", "vv"], ["B-X", "I-X"]), example(["u"], ["O"])]
    model = prepare(chain_of(1, scheme=Scheme.CHUNKS), corpus)
    theta = convergent_weights(rng, model)
    theta[: len(model.topology.bigrams)] -= 3.0
    short = [Evidence(Sentence((w,))) for n in (1, 2, 3, 4) for w in product(("u", "vv"), repeat=n)]
    truncated = np.logaddexp.reduce(model.derivations(short).log_partition(theta))
    assert model.everything().log_partition(theta)[0] == pytest.approx(truncated, abs=2e-2)
    assert model.everything().log_partition(theta)[0] >= truncated - 1e-12


@pytest.mark.parametrize("family", ["templates", "pair_templates"])
@pytest.mark.parametrize("normalisation", ["none", "joint"])
def test_what_looks_beyond_one_word_is_refused_by_name(rng, family, normalisation):
    corpus = random_corpus(rng, 5)
    options = {"templates": (), family: templates("word[0] word[-1]")}
    model = prepare(Chain(**options, normalisation=normalisation), corpus)
    with pytest.raises(OptionError, match=r"template word\[-1\] looks at other words"):
        contrast(model, corpus, joint)


def test_another_column_than_the_words_is_refused_by_name():
    """Sentences of the vocabulary have no other columns; what is given them has its sums."""
    corpus = [Example(Sentence((("u", "v"), ("A", "B"))), ("X", "Y"))]
    tagger = fit(Chain(templates=templates("word[0] column2[0]")), corpus)
    with pytest.raises(OptionError, match=r"template column2\[0\] looks at another column"):
        contrast(tagger.model, corpus, joint)
    assert tagger.log_sums(corpus).marginal is None


def test_all_examples_share_one_everything(rng, model):
    corpus = random_corpus(rng)
    objective = contrast(model, corpus, joint)
    assert len(set(objective.denominators.tolist())) == 1
    assert len(model.derivations([EVERYTHING, EVERYTHING])) == 2
