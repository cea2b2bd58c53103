"""Laws of weights that are normalised step by step: HMMs and MEMMs with features."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from chains import TAGS, WORDS
from weft.criteria import conditional, contrast, joint, marginal
from weft.derivations.chain.expand import _step
from weft.errors import OptionError
from weft.features.templates import templates
from weft.models import Chain, ChainModel, Extent, Normalisation, Scheme, prepare
from weft.optimise.lbfgs import LBFGS
from weft.structures.evidence import EVERYTHING, Evidence, Example, Sentence, example

LOCAL = {
    "order": {},
    "features": {"templates": templates("word[0] suffix1[0] bias")},
    "pairs": {"pair_templates": templates("word[0]")},
    "dictionary": {"dictionary": {"u": frozenset({"A", "BC"}), "v": frozenset({"B"})}},
    "observed": {"attributes": Extent.OBSERVED, "ngrams": Extent.OBSERVED},
}
WIDE = {**LOCAL, "window": {"templates": templates("word[0] word[-1] word[1]|word[0]")}}


def random_corpus(rng, sentences: int = 8) -> list[Example]:
    """Labelled sentences whose labels the dictionary above allows."""
    allowed = {"u": ["A", "BC"], "v": ["B"]}
    corpus = []
    for number in range(sentences):
        words = rng.choice(WORDS, 1 + number % 4).tolist()
        corpus.append(example(words, [str(rng.choice(allowed.get(w, TAGS))) for w in words]))
    return [*corpus, example(list(WORDS), ["A", "B", "BC", "BC"])]


def model_of(rng, order: int, normalisation: str, options) -> tuple[ChainModel, list[Example]]:
    corpus = random_corpus(rng)
    default = {"templates": templates("word[0]"), "attributes": "all", "ngrams": "all"}
    chain = Chain(order=order, normalisation=normalisation, **{**default, **options})
    return prepare(chain, corpus), corpus


def step_score(model: ChainModel, theta, sentence: Sentence, position: int, tags) -> float:
    """The free score of the step to a token, by its list of features."""
    free = replace(model, normalisation=Normalisation.NONE).trellis([Evidence(sentence)])
    if model.topology.forbidden[tags[-2], tags[-1]]:
        return -np.inf
    return sum(theta[weight] * value for weight, value in _step(free, 0, position, tags))


def allowed_tags(model: ChainModel, word: str) -> list[int]:
    names = (model.dictionary or {}).get(word, model.tags)
    return [number for number, tag in enumerate(model.tags) if tag in names]


def shares(scores) -> dict:
    total = np.logaddexp.reduce(list(scores.values()))
    return {key: score - total for key, score in scores.items()}


def joint_score(model: ChainModel, theta, words, tags) -> float:
    """log ∏ p(tag | history) p(word | previous tag, tag), each normalised by listing."""
    boundary, order = model.topology.tags, model.topology.order
    padded = (boundary,) * order + tuple(tags) + (boundary,)
    total = 0.0
    for position in range(len(words) + 1):
        history, tag = padded[position : position + order], padded[position + order]

        def of_word(word, tag, history=history):
            alone = Sentence(((word,),))
            both = step_score(model, theta, alone, 0, (*history, tag))
            # A one-word sentence's end: its transition alone.
            return both - step_score(model, theta, alone, 1, (*history, tag))

        def of_tag(tag, history=history):
            return step_score(model, theta, Sentence((("u",),)), 1, (*history, tag))

        vocabulary = {
            tag: [word for word in model.vocabulary if tag in allowed_tags(model, word)]
            for tag in range(boundary)
        }
        nexts = [tag for tag in range(boundary) if vocabulary[tag]]
        nexts += [boundary] if position else []
        total += shares({each: of_tag(each) for each in nexts})[tag]
        if position < len(words):
            scores = {word: of_word(word, tag) for word in vocabulary[tag]}
            total += shares(scores)[words[position]]
    return total


def conditional_score(model: ChainModel, theta, words, tags) -> float:
    """log ∏ p(tag | history, sentence), each normalised by listing."""
    boundary, order = model.topology.tags, model.topology.order
    padded = (boundary,) * order + tuple(tags)
    sentence, total = Sentence((tuple(words),)), 0.0
    for position, word in enumerate(words):
        history = padded[position : position + order]
        scores = {
            tag: step_score(model, theta, sentence, position, (*history, tag))
            for tag in allowed_tags(model, word)
        }
        total += shares(scores)[padded[position + order]]
    return total


@pytest.fixture(params=[1, 2], ids=["order1", "order2"])
def order(request) -> int:
    return request.param


@pytest.fixture(params=LOCAL)
def hmm(rng, order, request) -> tuple[ChainModel, list[Example]]:
    return model_of(rng, order, "joint", LOCAL[request.param])


@pytest.fixture(params=WIDE)
def memm(rng, order, request) -> tuple[ChainModel, list[Example]]:
    return model_of(rng, order, "conditional", WIDE[request.param])


def sums_by_listing(model: ChainModel, theta, words, score) -> float:
    sequences = product(*(allowed_tags(model, word) for word in words))
    return float(np.logaddexp.reduce([score(model, theta, words, tags) for tags in sequences]))


SENTENCES = [("x",), ("u", "w"), ("v", "u", "x")]


def test_joint_sums_are_products_of_distributions(rng, hmm):
    model, _ = hmm
    theta = rng.normal(size=model.parameters.size)
    values = model.derivations([Evidence(Sentence((w,))) for w in SENTENCES]).log_partition(theta)
    expected = [sums_by_listing(model, theta, words, joint_score) for words in SENTENCES]
    np.testing.assert_allclose(values, expected, rtol=1e-10)


def test_joint_sums_over_sentences_approach_one(rng, hmm):
    model, _ = hmm
    theta = rng.normal(size=model.parameters.size)
    ends = model.topology.bigrams[:, 1] == model.topology.tags
    theta[: len(ends)][ends] += 3.0  # few long sentences
    by_length = [
        np.exp(
            model.derivations(
                [Evidence(Sentence((words,))) for words in product(WORDS, repeat=length)]
            ).log_partition(theta)
        ).sum()
        for length in range(1, 6)
    ]
    total = sum(by_length)
    tail = by_length[-1] ** 2 / (by_length[-2] - by_length[-1])
    assert total < 1 + 1e-12
    assert total + tail == pytest.approx(1.0, abs=2e-3)
    assert model.derivations([EVERYTHING]).log_partition(theta)[0] == 0.0


def test_conditional_sums_are_products_of_distributions(rng, memm):
    model, _ = memm
    theta = rng.normal(size=model.parameters.size)
    labelled = [
        Evidence(Sentence((words,)), tuple(model.tags[allowed_tags(model, w)[-1]] for w in words))
        for words in SENTENCES
    ]
    expected = [
        conditional_score(model, theta, words, [allowed_tags(model, w)[-1] for w in words])
        for words in SENTENCES
    ]
    np.testing.assert_allclose(
        model.derivations(labelled).log_partition(theta), expected, rtol=1e-10
    )


def test_conditional_sums_over_taggings_are_one(rng, memm):
    model, _ = memm
    theta = rng.normal(size=model.parameters.size)
    evidences = [Evidence(Sentence((words,))) for words in SENTENCES]
    np.testing.assert_allclose(model.trellis(evidences).log_partition(theta), 0.0, atol=1e-12)
    np.testing.assert_array_equal(model.derivations(evidences).log_partition(theta), 0.0)


def check_gradient(rng, model, corpus, criterion) -> None:
    objective = contrast(model, corpus, criterion, threads=2)
    theta = rng.normal(size=model.parameters.size)
    value, gradient = objective(theta)
    assert value <= 0
    assert objective.weights @ objective.per_example(theta) == pytest.approx(value)
    for direction in rng.normal(size=(4, len(theta))):
        above, below = objective(theta + 1e-6 * direction), objective(theta - 1e-6 * direction)
        slope = (above[0] - below[0]) / 2e-6
        assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-5)


def partly_labelled(corpus) -> list[Example]:
    """Every other label is a set or is missing."""
    return [
        Example(
            each.tokens,
            tuple(
                tag if n % 2 else frozenset({tag, "B", "BC"}) if n % 4 else None
                for n, tag in enumerate(each.analysis)
            ),
            weight=0.5,
        )
        for each in corpus
    ]


@pytest.mark.parametrize("criterion", [joint, marginal, conditional], ids=lambda c: c.name)
def test_joint_gradients_equal_finite_differences(rng, hmm, criterion):
    model, corpus = hmm
    check_gradient(rng, model, [*corpus, *partly_labelled(corpus)], criterion)


def test_conditional_gradients_equal_finite_differences(rng, memm):
    model, corpus = memm
    check_gradient(rng, model, [*corpus, *partly_labelled(corpus)], conditional)
    check_gradient(rng, model, corpus, conditional)


def test_joint_is_conditional_plus_marginal(rng, hmm):
    model, corpus = hmm
    theta = rng.normal(size=model.parameters.size)
    parts = [contrast(model, corpus, c).per_example(theta) for c in (joint, conditional, marginal)]
    np.testing.assert_allclose(parts[0], parts[1] + parts[2], rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("criterion", [joint, marginal], ids=lambda c: c.name)
def test_what_has_no_distribution_over_words_is_refused(memm, criterion):
    model, corpus = memm
    with pytest.raises(OptionError, match="no distribution over sentences"):
        contrast(model, corpus, criterion)


def test_forbidden_steps_have_no_share(rng, order):
    corpus = [example(["u", "v", "w"], ["B-X", "I-X", "O"]), example(["u"], ["O"])]
    chain = Chain(
        order=order,
        templates=templates("word[0]"),
        scheme=Scheme.CHUNKS,
        normalisation="conditional",
    )
    model = prepare(chain, corpus)
    theta = rng.normal(size=model.parameters.size)
    evidence = [Evidence(Sentence((("u", "v", "u"),)))]
    np.testing.assert_allclose(model.derivations(evidence).log_partition(theta), 0.0, atol=1e-12)
    check_gradient(rng, model, corpus, conditional)


def test_threads_do_not_change_a_bit(rng, memm):
    model, corpus = memm
    theta = rng.normal(size=model.parameters.size)
    one, two = (contrast(model, corpus, conditional, threads=n)(theta) for n in (1, 2))
    assert one[0] == two[0]
    np.testing.assert_array_equal(one[1], two[1])


def test_sum_to_one_and_free_conditional_estimates_have_the_same_supremum(rng, order):
    """Given its sentences every chain is some HMM: the constraints cost nothing."""
    words = [rng.choice(["u", "v"], length).tolist() for length in (1, 2, 3, 4) * 20]
    corpus = [example(each, rng.choice(["A", "B"], len(each)).tolist()) for each in words]
    options = {
        "order": order,
        "templates": templates("word[0]"),
        "attributes": "all",
        "ngrams": "all",
    }
    values = []
    for normalisation in ("none", "joint"):
        chain = Chain(normalisation=normalisation, **options)
        objective = contrast(prepare(chain, corpus), corpus, conditional)
        start = np.zeros(prepare(chain, corpus).parameters.size)
        precise = LBFGS(tolerance=0.0, gradient_tolerance=1e-7, max_iterations=2000)
        values.append(precise.maximise(objective, start).value)
    assert values[1] == pytest.approx(values[0], abs=1e-4)
    assert values[1] <= values[0] + 1e-9
