"""The trellis is the forest that it stands for: every sum, every expectation, every option."""

from __future__ import annotations

import numpy as np
import pytest

from chains import evidences_about, labelled_options, random_model
from weft.derivations import Trellis
from weft.derivations.chain.expand import to_forest
from weft.inference import viterbi
from weft.structures.derivation import score

OPTIONS = labelled_options()

pytestmark = pytest.mark.usefixtures("transitions")


@pytest.fixture(params=OPTIONS, ids=str)
def trellis(request, rng) -> Trellis:
    model, corpus = random_model(rng, OPTIONS[request.param])
    return model.derivations(evidences_about(rng, corpus), threads=2)


def size_of(trellis: Trellis) -> int:
    return trellis.scoring.size


def weights_of_scale(rng, trellis: Trellis, scale: float) -> np.ndarray:
    return scale * rng.normal(size=size_of(trellis))


# 300 and more make probabilities underflow, so that the sums fall back on logs.
SCALES = [0.0, 1.0, 30.0, 300.0, 1e6]


@pytest.mark.parametrize("scale", SCALES)
def test_log_partition_equals_the_forest(trellis, rng, scale):
    theta = weights_of_scale(rng, trellis, scale)
    expected = to_forest(trellis).log_partition(theta)
    np.testing.assert_allclose(trellis.log_partition(theta), expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("scale", SCALES)
def test_expectations_equal_the_forest(trellis, rng, scale):
    theta = weights_of_scale(rng, trellis, scale)
    coefficients = rng.normal(size=len(trellis))
    expected_values, expected = to_forest(trellis).evaluate(theta, coefficients)
    values, gradient = trellis.evaluate(theta, coefficients)
    np.testing.assert_allclose(values, expected_values, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("scale", [0.0, 1.0, 300.0])
def test_entropy_equals_the_forest(trellis, rng, scale):
    theta = weights_of_scale(rng, trellis, scale)
    possible = np.isfinite(trellis.log_partition(theta))
    expected = to_forest(trellis).entropy(theta)
    np.testing.assert_allclose(
        trellis.entropy(theta)[possible], expected[possible], rtol=1e-9, atol=1e-9 * (1 + scale)
    )


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_best_equals_the_forest(trellis, rng, scale):
    theta = weights_of_scale(rng, trellis, scale)
    scores, _ = trellis.best(theta)
    for value, member in zip(scores, to_forest(trellis).members, strict=True):
        if np.isneginf(value):
            assert not member.hypergraph.edge_count
        else:
            weights = member.weights(theta)
            expected, derivation = viterbi(member.hypergraph, weights)
            assert value == pytest.approx(expected, rel=1e-12)
            assert score(derivation, weights) == pytest.approx(value, rel=1e-12)


def test_gradient_equals_finite_differences(trellis, rng):
    theta = weights_of_scale(rng, trellis, 1.0)
    coefficients = rng.normal(size=len(trellis))
    possible = np.isfinite(trellis.log_partition(theta))
    _, gradient = trellis.evaluate(theta, coefficients)
    assert np.isfinite(gradient).all()
    for direction in rng.normal(size=(5, len(theta))):
        step = 1e-6 * direction
        above, below = (trellis.log_partition(theta + s)[possible] for s in (step, -step))
        slope = (coefficients[possible] @ (above - below)) / 2e-6
        assert gradient @ direction == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_any_number_of_threads_gives_the_same_bits(rng):
    model, corpus = random_model(rng, OPTIONS["order2-pairs"])
    evidences = evidences_about(rng, corpus) * 20
    theta = rng.normal(size=model.parameters.size)
    coefficients = rng.normal(size=len(evidences))
    results = [
        model.derivations(evidences, threads=threads).evaluate(theta, coefficients)
        for threads in (1, 2, 5)
    ]
    for values, gradient in results[1:]:
        np.testing.assert_array_equal(values, results[0][0])
        np.testing.assert_array_equal(gradient, results[0][1])


def test_impossible_is_where_the_prefixes_end(trellis):
    reached = np.isfinite(trellis.log_partition(np.zeros(size_of(trellis))))
    for member, possible in enumerate(reached):
        assert (trellis.impossible(member) is None) == possible
