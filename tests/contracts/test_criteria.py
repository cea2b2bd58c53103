"""Laws of every criterion: value ≤ 0, gradients, A = B, neighbours, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from weft.automata import ANY, Length, Transduced, transducer
from weft.criteria import (
    CRITERIA,
    Criterion,
    Unit,
    Varying,
    accuracy,
    boosting_loss,
    complete,
    conditional,
    contrast,
    contrastive,
    everything,
    exponential,
    find_criterion,
    input_only,
    joint,
    marginal,
    neighbours,
    supervised_contrastive,
)
from weft.criteria.criterion import NEIGHBOURHOOD_NAMES
from weft.errors import LimitError, NotNestedError, OptionError
from weft.features.templates import templates
from weft.models import Chain, ChainModel, prepare
from weft.optimise.em import EM
from weft.structures.evidence import Evidence, Example, OfLength, OneOf, Sentence, example
from weft.structures.lattice import lattice
from weft.train import fit

WORDS = ("u", "v", "w")
TAGS = ("A", "B", "C")
DICTIONARY = {"u": frozenset({"A", "B"})}
ANOTHER = Transduced(transducer([(0, ANY, ANY, 0), (0, ANY, "w", 1), (1, ANY, ANY, 1)], [0, 1]))
GIVEN = Varying(lambda words: [word != "u" for word in words], ("v", "w"))
NEIGHBOURHOODS = [*NEIGHBOURHOOD_NAMES, ANOTHER, GIVEN]


def name_of(each) -> str:
    return each if isinstance(each, str) else getattr(each, "name", type(each).__name__)


EVERY = [
    *CRITERIA.values(),
    *map(contrastive, (ANOTHER, GIVEN)),
    *map(supervised_contrastive, (ANOTHER, GIVEN)),
]


def corpus_of(rng, sentences: int = 8, longest: int = 4) -> list[Example]:
    """Sentences of one word and more, some of them twice, labelled in full or in part."""
    corpus = []
    for number in range(sentences):
        words = rng.choice(WORDS, 1 + number % longest).tolist()
        tags = [str(rng.choice(sorted(DICTIONARY.get(word, TAGS)))) for word in words]
        labels = tags if number % 3 else [tags[0], *(frozenset({t, "B"}) for t in tags[1:])]
        corpus.append(example(words, labels, weight=float(rng.uniform(0.5, 2.0))))
    again = corpus[-1]
    return [*corpus, example(again.tokens.words, again.analysis), example(list(WORDS), "ABC")]


def model_of(rng, order: int, **options) -> tuple[ChainModel, list[Example]]:
    corpus = corpus_of(rng)
    plain = {"templates": templates("word[0] bias"), "attributes": "all", "ngrams": "all"}
    chain = Chain(order=order, **{**plain, "dictionary": DICTIONARY, **options})
    return prepare(chain, corpus), corpus


@pytest.fixture(params=[1, 2], ids=["order1", "order2"])
def order(request) -> int:
    return request.param


@pytest.fixture(params=["free", "hmm"])
def made(rng, order, request) -> tuple[ChainModel, list[Example]]:
    options = {"normalisation": "joint", "templates": templates("word[0]"), "dictionary": None}
    return model_of(rng, order, **(options if request.param == "hmm" else {}))


def weights_of(rng, model: ChainModel, scale: float = 1.0) -> np.ndarray:
    """Random weights at which the sum over everything is finite."""
    theta = scale * rng.normal(size=model.parameters.size)
    while not np.isfinite(model.derivations([Evidence(None)]).log_partition(theta)[0]):
        theta[: len(model.topology.bigrams)] -= 0.5
    return theta


# Accuracy has no gradient; what is said of it is in test_tag_criteria.py.
smooth = pytest.mark.parametrize(
    "criterion", [each for each in EVERY if each is not accuracy], ids=name_of
)
examples = pytest.mark.parametrize(
    "criterion", [each for each in EVERY if each.unit is Unit.EXAMPLE], ids=name_of
)


@smooth
def test_gradient_equals_finite_differences(rng, made, criterion):
    model, corpus = made
    objective = contrast(model, corpus, criterion, threads=2)
    theta = weights_of(rng, model, 0.5)
    _, gradient = objective(theta)
    assert np.abs(gradient).max() > 1e-3
    for direction in rng.normal(size=(4, len(theta))):
        above, below = objective(theta + 1e-6 * direction), objective(theta - 1e-6 * direction)
        slope = (above[0] - below[0]) / 2e-6
        assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-5)


@examples
def test_log_ratios_are_never_positive(rng, made, criterion):
    model, corpus = made
    objective = contrast(model, corpus, criterion)
    for scale in (0.0, 1.0, 100.0, 1e5):
        theta = scale * rng.normal(size=model.parameters.size)
        assert (objective.per_example(theta) <= 0).all()


@smooth
def test_threads_do_not_change_a_bit(rng, made, criterion):
    model, corpus = made
    theta = weights_of(rng, model)
    one, two = (contrast(model, corpus * 5, criterion, threads=n)(theta) for n in (1, 3))
    assert one[0] == two[0]
    np.testing.assert_array_equal(one[1], two[1])


@smooth
def test_the_value_is_the_weighted_sum_of_examples(rng, made, criterion):
    model, corpus = made
    theta = weights_of(rng, model)
    objective = contrast(model, corpus, criterion)
    weights = np.array([each.weight for each in corpus])
    values = objective.per_example(theta)
    if criterion.unit is Unit.EXAMPLE:
        values = criterion.link.value(values)
    assert objective(theta)[0] == pytest.approx(weights @ values)


VIEWS = [complete, input_only, everything, *map(neighbours, NEIGHBOURHOODS)]


@pytest.mark.parametrize("view", VIEWS, ids=name_of)
def test_equal_views_give_nothing(rng, made, view):
    model, corpus = made
    theta = weights_of(rng, model)
    value, gradient = contrast(model, corpus, Criterion("same", view, view))(theta)
    assert value == 0.0
    np.testing.assert_allclose(gradient, 0.0, atol=1e-12)


# What contrastive criteria are


def strings_of(neighbourhood, example: Example, corpus, vocabulary) -> set[tuple[str, ...]]:
    """The neighbours of a sentence by their definition, none of it the library's."""
    words, m = example.tokens.words, len(example.tokens)
    spans = {words[:i] + words[j:] for i in range(m) for j in range(i + 1, m + 1)}
    deleted = {words[:i] + words[i + 1 :] for i in range(m)}
    exchanged = {(*words[:i], words[i + 1], words[i], *words[i + 2 :]) for i in range(m - 1)}
    named = {
        "del1word": deleted,
        "trans1": exchanged,
        "delortrans1": deleted | exchanged,
        "del1subseq": spans,
        "length": set(product(vocabulary, repeat=m)),
        "corpus": {each.tokens.words for each in corpus},
        ANOTHER: {(*words[:i], "w", *words[i + 1 :]) for i in range(m)},
        GIVEN: set(product(*(("u",) if word == "u" else ("v", "w") for word in words))),
    }
    return (named[neighbourhood] | {words}) - {()}


@pytest.mark.parametrize("neighbourhood", NEIGHBOURHOODS, ids=name_of)
def test_contrastive_equals_enumeration(rng, made, neighbourhood):
    model, corpus = made
    theta = weights_of(rng, model)
    found = contrast(model, corpus, contrastive(neighbourhood)).per_example(theta)
    guided = contrast(model, corpus, supervised_contrastive(neighbourhood)).per_example(theta)
    for place, each in enumerate(corpus):
        strings = strings_of(neighbourhood, each, corpus, model.vocabulary)
        around = [Evidence(Sentence((words,))) for words in sorted(strings)]
        members = [Evidence(each.tokens, each.analysis), Evidence(each.tokens), *around]
        values = model.derivations(members).log_partition(theta)
        total = np.logaddexp.reduce(values[2:])
        assert found[place] == pytest.approx(values[1] - total, abs=1e-9)
        assert guided[place] == pytest.approx(values[0] - total, abs=1e-9)


def test_supervised_contrastive_is_conditional_plus_contrastive(rng, made):
    model, corpus = made
    theta = weights_of(rng, model)
    for name in NEIGHBOURHOOD_NAMES:
        three = (supervised_contrastive(name), conditional, contrastive(name))
        parts = [contrast(model, corpus, each).per_example(theta) for each in three]
        np.testing.assert_allclose(parts[0], parts[1] + parts[2], atol=1e-10)


def test_where_neighbourhoods_partition_the_sentences_it_is_em_of_the_conditioned_model(rng, made):
    """Equation 9: the marginal likelihood, conditioned on the class that a sentence is in."""
    model, corpus = made
    theta = weights_of(rng, model)
    corpus = [each for each in corpus if len(each.tokens) < 4]
    found = contrast(model, corpus, contrastive("length")).per_example(theta)
    log_probs = contrast(model, corpus, marginal).per_example(theta)
    everywhere = model.derivations([Evidence(None)]).log_partition(theta)
    for place, each in enumerate(corpus):
        alike = list(product(model.vocabulary, repeat=len(each.tokens)))
        sentences = model.derivations([Evidence(Sentence((words,))) for words in alike])
        log_class = np.logaddexp.reduce(sentences.log_partition(theta) - everywhere)
        assert found[place] == pytest.approx(log_probs[place] - log_class, abs=1e-9)


def test_equal_sets_of_strings_are_summed_over_once(rng, order):
    model, corpus = model_of(rng, order)
    lengths = {len(each.tokens) for each in corpus}
    distinct = {each.tokens.words for each in corpus}
    for name, expected in (("length", len(lengths)), ("corpus", 1), ("trans1", len(distinct))):
        objective = contrast(model, corpus, contrastive(name))
        assert len(set(objective.denominators.tolist())) == expected


def test_neighbourhoods_are_made_once_for_equal_sentences(rng, order):
    model, corpus = model_of(rng, order)
    asked = []

    def alone(words):
        asked.append(words)
        return lattice([(n, word, n + 1) for n, word in enumerate(words)], [len(words)])

    objective = contrast(model, corpus * 2, contrastive(alone))
    assert len(asked) == len({each.tokens.words for each in corpus})
    # The sentence is its own only neighbour.
    theta = rng.normal(size=model.parameters.size)
    np.testing.assert_allclose(objective.per_example(theta), 0.0, atol=1e-12)


def test_neighbourhoods_need_not_be_hashable(rng, order):
    model, corpus = model_of(rng, order)

    @dataclass
    class Another:
        words: list[str]

        def __call__(self, words):
            arcs = [(0, word, 1) for word in {words[0], *self.words}]
            return lattice(
                [*arcs, *((n, w, n + 1) for n, w in enumerate(words[1:], 1))], [len(words)]
            )

    objective = contrast(model, corpus, contrastive(Another(["u"])))
    assert objective(np.zeros(model.parameters.size))[0] < 0


def test_one_of_several_sentences_is_a_set(rng, order):
    model, _ = model_of(rng, order)
    theta = rng.normal(size=model.parameters.size)
    first, again, other = (Sentence((words,)) for words in (("u", "v"), ("u", "v"), ("w",)))
    pools = [Evidence(OneOf((first, again, other))), Evidence(OneOf((other,))), Evidence(first)]
    values = model.derivations(pools).log_partition(theta)
    assert values[0] == pytest.approx(np.logaddexp(values[1], values[2]))


def test_pools_of_nothing_possible_are_impossible(rng, order):
    closed = {"u": frozenset({"I-X"}), "w": frozenset({"O"})}
    options = {"templates": templates("word[0]"), "ngrams": "all", "dictionary": closed}
    labelled = [example(["v", "v"], ["B-X", "I-X"])]
    model = prepare(Chain(order=order, scheme="chunks", **options), labelled)
    nothing = Sentence((("u",),))  # no sentence begins with I-X
    members = model.derivations(
        [Evidence(OneOf((nothing,))), Evidence(OneOf((nothing, Sentence((("w",),)))))]
    )
    values, gradient = members.evaluate(rng.normal(size=model.parameters.size), np.ones(2))
    assert values[0] == -np.inf
    assert np.isfinite(values[1])
    assert np.isfinite(gradient).all()
    assert (members.impossible(0), members.impossible(1)) == (0, None)


# Links


@pytest.mark.parametrize("link", [exponential, boosting_loss], ids=lambda link: link.name)
@pytest.mark.parametrize("base", [conditional, contrastive("trans1"), joint], ids=lambda c: c.name)
def test_links_go_with_any_views(rng, order, link, base):
    model, corpus = model_of(rng, order)
    criterion = Criterion("linked", base.numerator, base.denominator, link)
    theta = weights_of(rng, model, 0.3)
    objective = contrast(model, corpus, criterion)
    value, gradient = objective(theta)
    t = contrast(model, corpus, base).per_example(theta)
    by_hand = np.exp(t) if link is exponential else -1 / np.exp(t)
    assert value == pytest.approx(sum(e.weight * g for e, g in zip(corpus, by_hand, strict=True)))
    direction = gradient / np.linalg.norm(gradient)
    above, below = objective(theta + 1e-6 * direction), objective(theta - 1e-6 * direction)
    assert gradient @ direction == pytest.approx((above[0] - below[0]) / 2e-6, rel=1e-5)


def test_expected_accuracy_is_a_number_of_examples(rng, order):
    model, corpus = model_of(rng, order)
    objective = contrast(model, corpus, find_criterion("expected-accuracy"))
    for scale in (0.0, 1.0, 1e5):
        value, gradient = objective(scale * rng.normal(size=model.parameters.size))
        assert 0 <= value <= sum(each.weight for each in corpus)
        assert np.isfinite(gradient).all()


def test_a_boosting_loss_beyond_numbers_is_outside_the_domain(rng, order):
    model, corpus = model_of(rng, order)
    objective = contrast(model, corpus, find_criterion("boosting"))
    value, gradient = objective(1e5 * rng.normal(size=model.parameters.size))
    assert value == -np.inf
    assert not gradient.any()


# What is refused


def test_views_that_need_not_be_nested_are_refused():
    with pytest.raises(NotNestedError, match="narrower"):
        Criterion("upside down", neighbours("trans1"), input_only)
    with pytest.raises(NotNestedError, match="neither need contain the other"):
        Criterion("beside", neighbours("trans1"), neighbours("del1word"))
    assert Criterion("same", neighbours(GIVEN), neighbours(GIVEN)).link.name == "identity"


def test_neighbours_without_the_sentence_are_refused(rng, order):
    model, corpus = model_of(rng, order)
    fixed = lattice([(0, "u", 1)], [1])
    with pytest.raises(NotNestedError, match="is not among its neighbours"):
        contrast(model, corpus, contrastive(lambda _: fixed))


@pytest.mark.parametrize("criterion", [contrastive("length"), marginal], ids=name_of)
def test_words_outside_the_vocabulary_are_refused(rng, order, criterion):
    model, _ = model_of(rng, order)
    strange = [example(["u", "zebra"], ["A", "B"])]
    with pytest.raises(NotNestedError, match="example 1: the word 'zebra'"):
        contrast(model, strange, criterion)


def test_sums_over_any_word_need_attributes_of_one_word(rng, order):
    model, corpus = model_of(rng, order, templates=templates("word[0] word[-1]"))
    with pytest.raises(OptionError, match=r"word\[-1\] looks at other words"):
        contrast(model, corpus, contrastive("length"))
    assert contrast(model, corpus, contrastive("trans1"))(np.zeros(model.parameters.size))[0] < 0


@pytest.mark.parametrize("name", NEIGHBOURHOOD_NAMES)
def test_models_without_a_distribution_over_sentences_are_refused(rng, order, name):
    model, corpus = model_of(rng, order, normalisation="conditional")
    with pytest.raises(OptionError, match="no distribution over sentences"):
        contrast(model, corpus, contrastive(name))


def test_opened_vocabularies_have_no_sentences_of_a_length(rng, order):
    corpus = corpus_of(rng)
    hmm = {"templates": templates("word[0]"), "attributes": "all", "ngrams": "all"}
    chain = Chain(order=order, normalisation="joint", rare=100, **hmm)
    tagger = fit(chain, corpus, criterion=joint, optimiser=EM())
    with pytest.raises(OptionError, match="opened to unknown words"):
        contrast(tagger.model, corpus, contrastive("length"))


def test_unknown_names_are_refused():
    with pytest.raises(OptionError, match=r"there is no criterion 'contrastiv'.* There are"):
        find_criterion("contrastiv")
    with pytest.raises(OptionError, match="there is no neighbourhood 'swap'; there are"):
        neighbours("swap")


def test_sausages_too_large_to_spell_out_are_refused(rng, order):
    model, corpus = model_of(rng, order)
    small = contrast(model, corpus, contrastive(Length(WORDS)))
    theta = rng.normal(size=model.parameters.size)
    named = contrast(model, corpus, contrastive("length"))
    np.testing.assert_allclose(small.per_example(theta), named.per_example(theta), atol=1e-10)
    large = Length(tuple(f"w{n}" for n in range(10_000)))
    with pytest.raises(LimitError, match="'length'"):
        contrastive(large).denominator.over([])(example(["w1"] * 1000))


def test_varying_keeps_within_its_limit():
    few = Varying(lambda words: [True] * len(words), lambda word: (word + "a", word + "b"), 7)
    assert few(["x", "y"]).count() == 9
    with pytest.raises(LimitError, match="more than 7 arcs"):
        few(["x", "y", "z"])
    with pytest.raises(OptionError, match="split it first"):
        Varying(lambda _: [True], "a b")
    with pytest.raises(ValueError, match="1 answers for 2 words"):
        Varying(lambda _: [True], ("a",))(["x", "y"])


def test_a_length_is_at_least_one():
    with pytest.raises(ValueError, match="at least one word"):
        OfLength(0)
    with pytest.raises(ValueError, match="at least one"):
        OneOf(())
