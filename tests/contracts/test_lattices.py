"""Sums over lattices and lengths are sums over the strings that they hold."""

from __future__ import annotations

import numpy as np
import pytest

from chains import TAGS, WORDS
from weft.automata.neighbourhoods import del1subseq, del1word, delortrans1, trans1
from weft.derivations.chain import lattices
from weft.features.attributes import attribute_names
from weft.features.templates import templates
from weft.models import Chain, ChainModel, prepare
from weft.models.chain.neighbours import lattice_trellis
from weft.structures.evidence import Evidence, OfLength, Sentence, example
from weft.structures.lattice import Lattice, lattice
from weft.structures.sausage import Sausage

OPTIONS = {
    "plain": {"templates": templates("word[0] suffix1[0]")},
    "observed": {"templates": templates("word[0]"), "attributes": "observed", "ngrams": "observed"},
    "dictionary": {
        "templates": templates("word[0] bias"),
        "dictionary": {"u": frozenset({"A", "BC"}), "v": frozenset({"B"})},
    },
    "window": {"templates": templates("word[0] word[-1] word[1]|word[0] word[2]")},
    "unbounded": {"templates": templates("word[0]"), "boundaries": False},
    "hmm": {"templates": templates("word[0]"), "normalisation": "joint"},
    "hmm-dictionary": {
        "templates": templates("word[0]"),
        "normalisation": "joint",
        "dictionary": {"u": frozenset({"A", "BC"})},
    },
}
NEIGHBOURHOODS = (del1word, trans1, delortrans1, del1subseq)


@pytest.fixture(params=[1, 2], ids=["order1", "order2"])
def order(request) -> int:
    return request.param


@pytest.fixture(params=[lattices.LINKS_AN_ARC, 0], ids=["links", "sets"], autouse=True)
def _written_out(request, monkeypatch) -> None:
    """Everything holds of lattices that are written out link by link, and of those that are not."""
    monkeypatch.setattr(lattices, "LINKS_AN_ARC", request.param)


def model_of(rng, order: int, **options) -> ChainModel:
    allowed = {"u": ["A", "BC"], "v": ["B"]}
    corpus = []
    for _ in range(8):
        words = rng.choice(WORDS, 4).tolist()
        corpus.append(example(words, [str(rng.choice(allowed.get(w, TAGS))) for w in words]))
    corpus.append(example(list(WORDS), ["A", "B", "BC", "BC"]))
    defaults = {"attributes": "all", "ngrams": "all"}
    return prepare(Chain(order=order, **{**defaults, **options}), corpus)


@pytest.fixture(params=OPTIONS)
def model(rng, order, request) -> ChainModel:
    return model_of(rng, order, **OPTIONS[request.param])


def sets_of_strings(rng) -> list[Lattice]:
    """Neighbourhoods of random sentences with repeated words, and a lattice with many ends."""
    sentences = [rng.choice(WORDS, length).tolist() for length in (1, 2, 3, 4, 5)]
    found = [make(words) for make in NEIGHBOURHOODS for words in sentences]
    arcs = [(0, "u", 1), (0, "v", 2), (1, "w", 2), (1, "x", 3), (2, "u", 3), (3, "w", 4)]
    return [*found, lattice(arcs, [2, 3, 4]), Lattice.from_sentence(["u", "x", "u"])]


def by_strings(model: ChainModel, several: list, theta) -> np.ndarray:
    """log Z of each set, string by string."""
    totals = []
    for each in several:
        evidences = [Evidence(Sentence((words,))) for words in each.strings()]
        totals.append(np.logaddexp.reduce(model.derivations(evidences).log_partition(theta)))
    return np.array(totals)


def expected_by_strings(model: ChainModel, several: list, theta, coefficients) -> np.ndarray:
    """Σ_k c_k E_k[f], string by string."""
    expected = np.zeros_like(theta)
    for each, coefficient in zip(several, coefficients, strict=True):
        evidences = [Evidence(Sentence((words,))) for words in each.strings()]
        members = model.derivations(evidences)
        values = members.log_partition(theta)
        shares = np.exp(values - np.logaddexp.reduce(values))
        expected += members.evaluate(theta, coefficient * shares)[1]
    return expected


@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0, 300.0, 1e6])
def test_lattice_sums_equal_enumeration(rng, model, scale):
    several = sets_of_strings(rng)
    theta = scale * rng.normal(size=model.parameters.size)
    members = model.derivations([Evidence(each) for each in several], threads=2)
    expected = by_strings(model, several, theta)
    np.testing.assert_allclose(members.log_partition(theta), expected, rtol=1e-11, atol=1e-10)
    values, _ = members.evaluate(theta, np.ones(len(several)))
    np.testing.assert_allclose(values, expected, rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize("scale", [1.0, 30.0, 300.0])
def test_lattice_expectations_equal_enumeration(rng, model, scale):
    several = sets_of_strings(rng)
    theta = scale * rng.normal(size=model.parameters.size)
    coefficients = rng.normal(size=len(several))
    _, gradient = model.derivations([Evidence(each) for each in several]).evaluate(
        theta, coefficients
    )
    expected = expected_by_strings(model, several, theta, coefficients)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


def test_forbidden_and_impossible_strings(rng, order):
    corpus = [example(["u", "v", "w"], ["B-X", "I-X", "O"]), example(["x"], ["O"])]
    chain = Chain(order=order, templates=templates("word[0]"), scheme="chunks", ngrams="all")
    model = prepare(chain, corpus)
    theta = rng.normal(size=model.parameters.size)
    several = [trans1(["u", "v", "w"]), del1word(["u", "x", "x"])]
    values = model.derivations([Evidence(each) for each in several]).log_partition(theta)
    np.testing.assert_allclose(values, by_strings(model, several, theta), rtol=1e-11)
    closed = {"u": frozenset({"I-X"}), "x": frozenset({"O"})}
    model = prepare(
        Chain(
            order=order,
            templates=templates("word[0]"),
            scheme="chunks",
            ngrams="all",
            dictionary=closed,
        ),
        [example(["v"], ["B-X"]), example(["w"], ["I-X"])],
    )
    impossible = lattice([(0, "u", 1), (1, "x", 2)], [2])  # no sentence begins with I-X
    members = model.derivations([Evidence(impossible), Evidence(trans1(["x", "v", "w"]))])
    theta = rng.normal(size=model.parameters.size)
    values, gradient = members.evaluate(theta, np.ones(2))
    assert values[0] == -np.inf
    assert np.isfinite(values[1])
    assert np.isfinite(gradient).all()


def test_weights_of_minus_infinity_are_impossible(rng, order):
    model = model_of(rng, order, templates=templates("word[0]"))
    theta = rng.normal(size=model.parameters.size)
    theta[rng.random(len(theta)) < 0.2] = -np.inf
    several = sets_of_strings(rng)
    values = model.derivations([Evidence(each) for each in several]).log_partition(theta)
    np.testing.assert_allclose(values, by_strings(model, several, theta), rtol=1e-11, atol=1e-10)


def test_threads_do_not_change_a_bit(rng, order):
    model = model_of(rng, order, templates=templates("word[0]"))
    theta = rng.normal(size=model.parameters.size)
    evidences = [Evidence(each) for each in sets_of_strings(rng) * 8]
    one, two = (
        model.derivations(evidences, n).evaluate(theta, np.ones(len(evidences))) for n in (1, 2)
    )
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])


@pytest.mark.parametrize("normalisation", ["none", "joint"])
@pytest.mark.parametrize("scale", [1.0, 30.0, 300.0])
def test_lengths_equal_enumeration(rng, order, scale, normalisation):
    options = {"templates": templates("word[0] suffix1[0]"), "normalisation": normalisation}
    model = model_of(rng, order, **options)
    theta = scale * rng.normal(size=model.parameters.size)
    lengths = [1, 3, 2, 3, 4]
    several = [Sausage(model.vocabulary, length) for length in lengths]
    members = model.derivations([Evidence(OfLength(each.length)) for each in several])
    expected = by_strings(model, several, theta)
    np.testing.assert_allclose(members.log_partition(theta), expected, rtol=1e-11, atol=1e-12)
    coefficients = rng.normal(size=len(several))
    values, gradient = members.evaluate(theta, coefficients)
    np.testing.assert_allclose(values, expected, rtol=1e-11, atol=1e-12)
    explicit = model.derivations([Evidence(each.lattice()) for each in several])
    np.testing.assert_allclose(
        gradient, explicit.evaluate(theta, coefficients)[1], rtol=1e-6, atol=1e-9
    )


def test_lengths_of_a_normalised_model_need_no_lattice(rng, order):
    corpus = [example([f"w{n}", "u"], ["A", "B"]) for n in range(2000)]
    hmm = {"templates": templates("word[0]"), "normalisation": "joint", "boundaries": True}
    model = prepare(Chain(order=order, **hmm), corpus)
    theta = rng.normal(size=model.parameters.size)
    long, short = Evidence(OfLength(6000)), Evidence(OfLength(2))
    value = model.derivations([short]).log_partition(theta)
    assert model.derivations([long, short]).log_partition(theta)[1:] == pytest.approx(value)


def test_long_sentences_neither_overflow_nor_underflow(rng, order):
    model = model_of(rng, order, templates=templates("word[0]"))
    theta = 20 + rng.normal(size=model.parameters.size)
    words = rng.choice(WORDS, 300).tolist()
    strings = Lattice.from_sentence(words)
    sentence = Evidence(Sentence((tuple(words),)))
    together = model.derivations([Evidence(strings), sentence])
    for shift in (0.0, -60.0):
        values, gradient = together.evaluate(theta + shift, np.array([1.0, -1.0]))
        assert values[0] == pytest.approx(values[1], rel=1e-12)
        np.testing.assert_allclose(gradient, 0.0, atol=1e-9)
    lengths = model.derivations([Evidence(OfLength(300))])
    value, gradient = lengths.evaluate(theta, np.ones(1))
    assert np.isfinite(value).all()
    ngrams = model.topology.bigrams
    assert gradient[: len(ngrams)].sum() == pytest.approx(301)


def test_subsets_have_less_weight(rng, model):
    """More evidence never adds derivations."""
    theta = rng.normal(size=model.parameters.size)
    words = ("u", "w", "x", "x")
    sentence = Evidence(Sentence((words,)))
    evidences = [sentence, Evidence(trans1(words)), Evidence(delortrans1(words))]
    values = model.derivations(evidences).log_partition(theta)
    assert (np.diff(values) >= -1e-12).all()


def test_every_tag_sequence_is_counted_once(rng, order):
    model = model_of(rng, order, templates=templates("word[0]"))
    zero = np.zeros(model.parameters.size)
    strings = delortrans1(["u", "u", "v"])
    expected = sum(len(TAGS) ** len(words) for words in strings.strings())
    value = model.derivations([Evidence(strings)]).log_partition(zero)[0]
    assert np.exp(value) == pytest.approx(expected)


def test_tags_beyond_the_bits_of_a_word(rng):
    tags = [f"T{number:02}" for number in range(70)]
    words = [WORDS[number % 4] for number in range(70)]
    corpus = [example([word], [tag]) for word, tag in zip(words, tags, strict=True)]
    dictionary = {"u": frozenset(tags[60:68]), "v": frozenset({tags[0], tags[63], tags[64]})}
    chain = Chain(order=2, templates=templates("word[0]"), ngrams="all", dictionary=dictionary)
    model = prepare(chain, corpus)
    theta = rng.normal(size=model.parameters.size)
    several = [trans1(["u", "v", "u"]), delortrans1(["v", "w"])]
    values = model.derivations([Evidence(each) for each in several]).log_partition(theta)
    np.testing.assert_allclose(values, by_strings(model, several, theta), rtol=1e-11)


def test_lattices_of_few_tags_are_written_out(rng, order, request):
    """Those with many are not, and both kinds may be in one sum."""
    model = model_of(rng, order, **OPTIONS["dictionary"])
    several = [trans1(["u", "v", "v", "u"]), trans1(["v", "u"])]
    members = lattice_trellis(model, [Evidence(each) for each in several])
    written = "sets" not in request.node.callspec.id
    assert (members._sums.link_count > 0) == written
    assert (members._sums.weight_count > 0) == written


@pytest.mark.parametrize("limit", [1, 3, 6, 12])
def test_written_and_other_lattices_in_one_sum(rng, order, limit, monkeypatch):
    model = model_of(rng, order, templates=templates("word[0]"))
    theta = rng.normal(size=model.parameters.size)
    evidences = [Evidence(each) for each in sets_of_strings(rng)]
    coefficients = rng.normal(size=len(evidences))
    values, gradient = model.derivations(evidences).evaluate(theta, coefficients)
    monkeypatch.setattr(lattices, "LINKS_AN_ARC", limit)
    mixed_values, mixed_gradient = model.derivations(evidences).evaluate(theta, coefficients)
    np.testing.assert_allclose(mixed_values, values, rtol=1e-12)
    np.testing.assert_allclose(mixed_gradient, gradient, rtol=1e-9, atol=1e-12)


def test_what_is_too_far_apart_for_links_is_summed_otherwise(rng, order):
    """Some lattices of a sum have weights that numbers cannot hold, and others have not."""
    model = model_of(rng, order, templates=templates("word[0]"))
    theta = rng.normal(size=model.parameters.size)
    of_words = theta[-len(WORDS) * len(TAGS) :].reshape(len(WORDS), len(TAGS))
    of_words[attribute_names(model.index).index("word[0]=x")] += 400.0
    several = sets_of_strings(rng)
    members = model.derivations([Evidence(each) for each in several])
    expected = by_strings(model, several, theta)
    np.testing.assert_allclose(members.log_partition(theta), expected, rtol=1e-11)
    values, gradient = members.evaluate(theta, np.ones(len(several)))
    np.testing.assert_allclose(values, expected, rtol=1e-11)
    counted = expected_by_strings(model, several, theta, np.ones(len(several)))
    np.testing.assert_allclose(gradient, counted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("size", [20.0, 60.0])
def test_sums_that_leave_the_range_of_numbers_are_noticed(rng, order, size):
    """Two lattices, of very large and very small sums: no one scale suits both."""
    model = model_of(rng, order, templates=templates("word[0]"))
    theta = rng.normal(size=model.parameters.size)
    of_words = theta[-len(WORDS) * len(TAGS) :].reshape(len(WORDS), len(TAGS))
    rows = [attribute_names(model.index).index(f"word[0]={word}") for word in WORDS]
    of_words[rows] += size * np.array([[1], [1], [-1], [-1]])
    large, small = ["u", "v"] * 15, ["w", "x", "x"] * 9
    several = [trans1(large), del1word(small), trans1(small)]
    members = model.derivations([Evidence(each) for each in several])
    expected = by_strings(model, several, theta)
    np.testing.assert_allclose(members.log_partition(theta), expected, rtol=1e-11)
    coefficients = np.array([1.0, -2.0, 0.5])
    values, gradient = members.evaluate(theta, coefficients)
    np.testing.assert_allclose(values, expected, rtol=1e-11)
    counted = expected_by_strings(model, several, theta, coefficients)
    np.testing.assert_allclose(gradient, counted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("factor", [0.0, 1e-250, 1e-90, 1e90, 1e250])
def test_coefficients_of_any_size(rng, order, factor):
    model = model_of(rng, order, templates=templates("word[0]"))
    theta = rng.normal(size=model.parameters.size)
    members = model.derivations([Evidence(each) for each in sets_of_strings(rng)])
    coefficients = rng.normal(size=len(members))
    _, once = members.evaluate(theta, coefficients)
    values, gradient = members.evaluate(theta, factor * coefficients)
    np.testing.assert_allclose(gradient, factor * once, rtol=1e-9)
    np.testing.assert_allclose(values, members.log_partition(theta), rtol=1e-12)
