"""Sums from cell to cell are those over all transitions: every kernel, many tags, both orders."""

from __future__ import annotations

import numpy as np
import pytest

from weft.derivations import Trellis
from weft.derivations.chain.best import rivals
from weft.derivations.chain.tokens import Tokens
from weft.derivations.chain.topology import Topology
from weft.features.templates import templates
from weft.models import Chain, ChainModel, prepare
from weft.structures.evidence import Evidence, Example, example

SPARSE = "weft.derivations.chain.topology._SPARSE"
TAGS = 130


def many_tags(rng, sentences: int = 60, count: int = TAGS) -> list[Example]:
    """Sentences whose tags are Zipfian, and each follows few others."""
    corpus = []
    for number in range(sentences):
        length = 1 + number % 9
        tags = (count * rng.random(length) ** 3).astype(int)
        words = [f"w{tag % 40}" for tag in tags.tolist()]
        corpus.append(example(words, [f"T{tag}" for tag in tags.tolist()]))
    return corpus


@pytest.fixture(params=["crf", "memm", "forbidden", "crf2", "longest2", "forbidden2", "allowed2"])
def made(request, rng) -> tuple[ChainModel, list[Example]]:
    second = request.param.endswith("2")  # of which a table of all triples is made to compare
    corpus = many_tags(rng, 18, 40) if second else many_tags(rng)
    names = sorted({tag for each in corpus for tag in each.analysis})
    forbidden = {(names[3], name) for name in names[::2]}
    options = {
        "crf": {},
        "memm": {"normalisation": "conditional"},
        "forbidden": {"forbidden": forbidden},
        "crf2": {"order": 2},
        "longest2": {"order": 2, "tag_ngrams": "longest"},
        "forbidden2": {"order": 2, "forbidden": forbidden},
        "allowed2": {"order": 2, "allowed": "dictionary", "allowed_count": 4},
    }
    chain = Chain(templates=templates("bias word[0] word[-1]"), **options[request.param])
    return prepare(chain, corpus), corpus


def weights_of(rng, model: ChainModel, scale: float) -> np.ndarray:
    return scale * rng.normal(size=model.parameters.size)


def in_both_ways(monkeypatch, model: ChainModel, corpus: list[Example]) -> tuple[Trellis, Trellis]:
    """A trellis that goes from cell to cell, and one that does not."""
    seen = [Evidence(each.tokens, each.analysis) for each in corpus]
    seen += [Evidence(each.tokens) for each in corpus]
    trellises = []
    for ratio in (1, 2**60):
        monkeypatch.setattr(SPARSE, ratio)
        trellis = model.trellis(seen, threads=2)
        steps = trellis.scores.at(np.zeros(model.parameters.size))
        assert (steps.cells is not None) == (ratio == 1)
        trellises.append(trellis)
    return trellises[0], trellises[1]


SCALES = [0.0, 1.0, 10.0, 300.0, 1e6]


@pytest.mark.parametrize("scale", SCALES)
def test_sums_and_expectations(monkeypatch, rng, made, scale):
    model, corpus = made
    theta = weights_of(rng, model, scale)
    sparse, dense = in_both_ways(monkeypatch, model, corpus)
    coefficients = rng.normal(size=len(sparse))
    expected_values, expected = dense.evaluate(theta, coefficients)
    values, gradient = sparse.evaluate(theta, coefficients)
    np.testing.assert_allclose(values, expected_values, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-10)
    rounding = 1e-14 * (1.0 + scale)  # scores of what is asked once are added in another order
    np.testing.assert_allclose(sparse.log_partition(theta), values, rtol=1e-12, atol=1e3 * rounding)


@pytest.mark.parametrize("scale", SCALES)
def test_best_sequences_are_the_same_bits(monkeypatch, rng, made, scale):
    """Also where many are equal: the weights are rounded, and at scale 0 all are."""
    model, corpus = made
    theta = np.round(weights_of(rng, model, scale))
    sparse, dense = in_both_ways(monkeypatch, model, corpus)
    observed = [[0] * len(each) for each in sparse.members.sets]
    for mine, other in (
        (sparse.best(theta), dense.best(theta)),
        (rivals(sparse, observed).best(theta), rivals(dense, observed).best(theta)),
    ):
        np.testing.assert_array_equal(mine[0], other[0])
        for found, expected, score in zip(mine[1], other[1], mine[0], strict=True):
            if np.isfinite(score):
                np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("scale", [1.0, 10.0, 300.0])
def test_marginals_and_tokens(monkeypatch, rng, made, scale):
    model, corpus = made
    theta = weights_of(rng, model, scale)
    sparse, dense = in_both_ways(monkeypatch, model, corpus)
    for mine, other in zip(sparse.marginals(theta)[1], dense.marginals(theta)[1], strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12)
    observed = [each for _ in range(2) for each in sparse.members.sets[: len(corpus)]]
    log_rates = np.log(rng.random(sum(map(len, observed))))
    mine, other = (Tokens(each, observed) for each in (sparse, dense))
    np.testing.assert_allclose(mine.log_probs(theta), other.log_probs(theta), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(
        mine.gradient(theta, log_rates), other.gradient(theta, log_rates), rtol=1e-8, atol=1e-9
    )


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_any_number_of_threads_gives_the_same_bits(rng, monkeypatch, made, scale):
    model, corpus = made
    theta = weights_of(rng, model, scale)
    monkeypatch.setattr(SPARSE, 1)
    seen = [Evidence(each.tokens) for each in corpus]
    coefficients = rng.normal(size=len(seen))
    results = [model.trellis(seen, threads).evaluate(theta, coefficients) for threads in (1, 2, 5)]
    for values, gradient in results[1:]:
        np.testing.assert_array_equal(values, results[0][0])
        np.testing.assert_array_equal(gradient, results[0][1])


@pytest.mark.parametrize("weight", [-3.0, -30.0, -200.0, -np.inf])
def test_what_is_nearly_taken_away_keeps_its_digits(rng, monkeypatch, weight):
    """All mass is where the observed steps go on with little: of a sum nothing but that is left."""
    corpus = many_tags(rng)
    model = prepare(Chain(templates=templates("word[0]")), corpus)
    theta = np.zeros(model.parameters.size)
    theta[: len(model.topology.bigrams)] = weight
    theta[len(model.topology.bigrams) :] = 25.0
    sparse, dense = in_both_ways(monkeypatch, model, corpus)
    np.testing.assert_allclose(
        sparse.log_partition(theta), dense.log_partition(theta), rtol=1e-14, atol=1e-13
    )


def test_cells_are_chosen_by_cost(rng):
    corpus = many_tags(rng)
    assert prepare(Chain(), corpus).topology.cells is not None
    assert prepare(Chain(order=2), corpus).topology.cells is not None
    assert prepare(Chain(ngrams="all"), corpus).topology.cells is None
    few = many_tags(rng, 60, 6)
    assert prepare(Chain(order=2), few).topology.cells is None


def test_cells_are_what_has_a_weight_or_is_forbidden():
    tags = 40
    forbidden = np.zeros((tags + 1, tags + 1), np.bool_)
    forbidden[3, 7] = forbidden[40, 2] = True
    bigrams = np.array([[3, 7], [3, 5], [0, 40]], np.int32)
    topology = Topology(1, tags, forbidden, bigrams, 0, np.empty((0, 3), np.int32), 3)
    cells = topology.cells
    rows = np.repeat(np.arange(topology.width), np.diff(cells.offsets))
    assert list(zip(rows.tolist(), cells.columns.tolist(), strict=True)) == [
        (0, 40),
        (3, 5),
        (3, 7),
        (40, 2),
    ]
