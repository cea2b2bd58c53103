"""The trellis where it is easiest to be wrong: widths, lengths, and weights that defeat scaling."""

from __future__ import annotations

import numpy as np
import pytest

from weft.derivations import Trellis
from weft.derivations.chain.expand import to_forest
from weft.derivations.chain.layout import ChainMembers
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.scoring import LogLinear
from weft.derivations.chain.tagsets import TagSetReader
from weft.derivations.chain.topology import Topology
from weft.features.templates import templates
from weft.models import Chain, Extent, Scheme, prepare
from weft.structures.evidence import Evidence, Sentence, example
from weft.structures.occurrences import Occurrences

pytestmark = pytest.mark.usefixtures("transitions")


def bare_trellis(order: int, forbidden: np.ndarray, sets: list[list[list[int]]]) -> Trellis:
    """Chains that have weights of tag pairs only, one per sentence, with given allowed tags."""
    tags = len(forbidden) - 1
    pairs = [(k, y) for k in range(tags + 1) for y in range(tags + 1) if (k, y) != (tags, tags)]
    bigrams = np.array(pairs, np.int32)
    trigrams = np.empty((0, 3), np.int32)
    topology = Topology(order, tags, forbidden, bigrams, 0, trigrams, len(bigrams))
    reader = TagSetReader({str(tag): tag for tag in range(tags)}, None)
    labels = [
        reader.read(["x"] * len(each), tuple(frozenset(map(str, allowed)) for allowed in each))
        for each in sets
    ]
    lengths = np.array([len(each) for each in sets], np.int64)
    nothing = Occurrences(np.zeros(int(lengths.sum()) + 1, np.int64), np.empty(0, np.int32))
    rows = RowTable(np.zeros(1, np.int64), np.empty(0, np.int32), len(bigrams), topology.width)
    members = ChainMembers(np.arange(len(sets)), labels)
    scoring = LogLinear(topology, nothing, rows, None)
    return Trellis(topology, lengths, scoring, members, reader.table(topology.width))


def allowing_all(tags: int) -> np.ndarray:
    return np.zeros((tags + 1, tags + 1), np.bool_)


def assert_equals_the_forest(trellis: Trellis, theta: np.ndarray, rng) -> None:
    coefficients = rng.normal(size=len(trellis))
    values, gradient = trellis.evaluate(theta, coefficients)
    expected_values, expected = to_forest(trellis).evaluate(theta, coefficients)
    np.testing.assert_allclose(values, expected_values, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("tags", [1, 2, 6, 7, 8, 9, 15, 16, 17])
@pytest.mark.parametrize("scale", [1.0, 400.0])
def test_any_number_of_tags(rng, order, tags, scale):
    """Around the width of a vector, with forbidden pairs and sets of allowed tags."""
    forbidden = rng.random((tags + 1, tags + 1)) < 0.2
    sets = [
        [sorted(set(rng.integers(tags, size=1 + rng.integers(tags)).tolist())) for _ in range(n)]
        for n in (0, 1, 2, 3, 7)
    ]
    trellis = bare_trellis(order, forbidden, sets)
    theta = scale * rng.uniform(-1, 1, size=len(trellis.topology.bigrams))
    assert_equals_the_forest(trellis, theta, rng)


@pytest.mark.parametrize(("order", "tags", "length"), [(1, 45, 400), (1, 2, 3000), (2, 9, 500)])
def test_long_sentences_at_weight_zero_count_their_sequences(order, tags, length):
    trellis = bare_trellis(order, allowing_all(tags), [[list(range(tags))] * length])
    zero = np.zeros(len(trellis.topology.bigrams))
    values, gradient = trellis.evaluate(zero, np.ones(1))
    assert values[0] == pytest.approx(length * np.log(tags), rel=1e-12)
    assert trellis.log_partition(zero)[0] == values[0]
    assert trellis.entropy(zero)[0] == pytest.approx(length * np.log(tags), rel=1e-9)
    assert gradient.sum() == pytest.approx(length + 1, rel=1e-9)


@pytest.mark.parametrize("order", [1, 2])
def test_mass_that_comes_back_after_a_long_way_down(rng, order):
    """One of two separate ways loses 40 nats per token, then wins them back: both count."""
    forbidden = allowing_all(4)
    forbidden[np.ix_([0, 1], [2, 3])] = forbidden[np.ix_([2, 3], [0, 1])] = True
    trellis = bare_trellis(order, forbidden, [[[0, 2]] * 30 + [[1, 3]] * 30])
    changes = {(2, 2): -40.0, (3, 3): 40.0}
    pairs = trellis.topology.bigrams.tolist()
    theta = np.array([changes.get((before, after), 0.0) for before, after in pairs])
    assert_equals_the_forest(trellis, theta, rng)


def test_terms_that_underflow_before_the_division(rng):
    """All of a token's mass is tiny, and what it loses there is what counts in the end."""
    weights = {(0, 2): -640.0, (1, 2): -640.0, (0, 3): -706.0, (1, 3): -709.0}
    weights |= {(2, 2): -500.0, (2, 3): -600.0, (3, 2): -600.0}
    trellis = bare_trellis(1, allowing_all(4), [[[0, 1], [2, 3], [2, 3]]])
    pairs = trellis.topology.bigrams.tolist()
    theta = np.array([weights.get((before, after), 0.0) for before, after in pairs])
    assert_equals_the_forest(trellis, theta, rng)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
def test_entropy_is_never_negative(rng, scale):
    trellis = bare_trellis(1, allowing_all(5), [[list(range(5))] * 6] * 3)
    for _ in range(50):
        theta = scale * rng.normal(size=len(trellis.topology.bigrams))
        assert (trellis.entropy(theta) >= -1e-9).all()


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("scale", [1.0, 50.0, 500.0])
def test_chunk_constraints_equal_the_forest(rng, order, scale):
    tags = ["O", "B-X", "I-X", "B-Y", "I-Y"]
    corpus = [example(rng.choice(["u", "v"], 5).tolist(), tags) for _ in range(3)]
    chain = Chain(
        order=order,
        templates=templates("word[0]"),
        ngrams=Extent.ALL,
        attributes=Extent.ALL,
        scheme=Scheme.CHUNKS,
    )
    model = prepare(chain, corpus)
    theta = scale * rng.normal(size=model.parameters.size)
    trellis = model.trellis([Evidence(each.tokens) for each in corpus])
    assert_equals_the_forest(trellis, theta, rng)


def test_labels_must_fit_the_sentence():
    with pytest.raises(ValueError, match="3 tokens but 1 labels"):
        Evidence(Sentence((("a", "b", "c"),)), ("X",))
