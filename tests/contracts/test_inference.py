"""What inference promises: equal to enumeration, to finite differences and between backends."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from oracles import (
    all_derivations,
    counts_of,
    finite_difference,
    log_sum,
    probs_of,
    scores_of,
)
from strategies import (
    extreme_weights,
    hypergraphs,
    mild_weights,
    mixed_weights,
    quick,
    weighted_hypergraphs,
)
from weft.errors import EvidenceError
from weft.inference import inside_outside, kbest, sample, tangent, viterbi
from weft.inference.backends import native, reference
from weft.inference.kbest import least_of_best
from weft.structures.derivation import edge_counts, preorder, score
from weft.structures.hypergraph import hypergraph

backends = pytest.mark.parametrize("backend", [reference, native], ids=["reference", "native"])
instances = given(instance=weighted_hypergraphs(extreme_weights))
# Log-weights of 10⁷ (ten edges of 10⁶) are rounded to about 10⁻⁹.
ROUNDING = 1e-7


def directions(graph):
    return np.cos(np.arange(graph.edge_count) * 1.7)


@backends
@quick
@instances
def test_log_partition_and_marginals_equal_enumeration(backend, instance):
    graph, weights = instance
    derivations = all_derivations(graph)
    scores = scores_of(derivations, weights)
    log_partition, marginals = inside_outside(graph, weights, backend)
    expected = probs_of(scores) @ counts_of(derivations, graph.edge_count)
    np.testing.assert_allclose(log_partition, log_sum(scores), rtol=1e-12, atol=ROUNDING)
    np.testing.assert_allclose(marginals, expected, rtol=ROUNDING, atol=ROUNDING)


@backends
@quick
@given(instance=weighted_hypergraphs(mixed_weights))
def test_marginals_are_the_gradient_of_the_log_partition(backend, instance):
    graph, weights = instance
    _, marginals = inside_outside(graph, weights, backend)
    for edge, axis in enumerate(np.eye(graph.edge_count)):
        slope = finite_difference(lambda w: inside_outside(graph, w, backend)[0], weights, axis)
        np.testing.assert_allclose(marginals[edge], slope, rtol=1e-7, atol=1e-7)


@backends
@quick
@instances
def test_marginals_of_possible_edges_only(backend, instance):
    graph, weights = instance
    log_partition, marginals = inside_outside(graph, weights, backend)
    assert np.isfinite(marginals).all()
    assert (marginals >= 0).all()
    assert not marginals[weights == -math.inf].any()
    total = marginals[graph.heads == graph.root].sum()
    assert total == pytest.approx(0.0 if log_partition == -math.inf else 1.0, abs=ROUNDING)


@backends
@quick
@given(instance=weighted_hypergraphs(mixed_weights))
def test_tangents_equal_finite_differences(backend, instance):
    graph, weights = instance
    direction = directions(graph)
    change, marginal_changes = tangent(graph, weights, direction, backend)
    slope = finite_difference(lambda w: inside_outside(graph, w, backend)[0], weights, direction)
    slopes = finite_difference(lambda w: inside_outside(graph, w, backend)[1], weights, direction)
    np.testing.assert_allclose(change, slope, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(marginal_changes, slopes, rtol=1e-6, atol=1e-6)


@backends
@quick
@instances
def test_tangents_are_moments(backend, instance):
    graph, weights = instance
    derivations = all_derivations(graph)
    counts, probs = (
        counts_of(derivations, graph.edge_count),
        probs_of(scores_of(derivations, weights)),
    )
    features = counts @ directions(graph)
    mean, uses = probs @ features, probs @ counts
    change, marginal_changes = tangent(graph, weights, directions(graph), backend)
    np.testing.assert_allclose(change, mean, rtol=ROUNDING, atol=10 * ROUNDING)
    covariances = (probs * (features - mean)) @ (counts - uses)
    np.testing.assert_allclose(marginal_changes, covariances, rtol=ROUNDING, atol=10 * ROUNDING)


@backends
@quick
@instances
def test_the_best_derivation_is_the_first_of_the_sorted_enumeration(backend, instance):
    graph, weights = instance
    ranked = enumerate_best(graph, weights)
    if not ranked:
        with pytest.raises(EvidenceError):
            viterbi(graph, weights, backend)
        return
    best_score, best = viterbi(graph, weights, backend)
    assert (best_score, preorder(best)) == ranked[0]
    assert score(best, weights) == best_score


@quick
@given(instance=weighted_hypergraphs(extreme_weights), k=st.sampled_from([1, 2, 5, 1000]))
def test_the_k_best_are_the_first_of_the_sorted_enumeration(instance, k):
    graph, weights = instance
    found = [(score, preorder(tree)) for score, tree in kbest(graph, weights, k)]
    assert found == enumerate_best(graph, weights)[:k]


def enumerate_best(graph, weights):
    derivations = all_derivations(graph)
    scored = zip(scores_of(derivations, weights).tolist(), derivations, strict=True)
    possible = [pair for pair in scored if pair[0] > -math.inf]
    return sorted(possible, key=lambda pair: (-pair[0], pair[1]))


@quick
@instances
def test_native_equals_reference(instance):
    graph, weights = instance
    expected = inside_outside(graph, weights, reference)
    found = inside_outside(graph, weights, native)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=ROUNDING)
    expected = tangent(graph, weights, directions(graph), reference)
    found = tangent(graph, weights, directions(graph), native)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=10 * ROUNDING)


@quick
@instances
def test_native_finds_the_same_best_edge_into_every_vertex(instance):
    graph, weights = instance
    score, best_edges = native.viterbi(graph, weights)
    expected_score, expected_edges = reference.viterbi(graph, weights)
    assert score == expected_score
    assert best_edges.tolist() == expected_edges.tolist()


@quick
@instances
def test_the_best_score_with_an_edge_is_that_of_the_enumeration(instance):
    graph, weights = instance
    derivations = all_derivations(graph)
    scores = scores_of(derivations, weights)
    largest, through = native.best_through(graph, weights)
    assert np.isfinite(largest)
    for edge in range(graph.edge_count):
        mine = [each for each, used in zip(scores, derivations, strict=True) if edge in used]
        np.testing.assert_allclose(through[edge], max(mine, default=-math.inf), atol=ROUNDING)


@quick
@given(instance=weighted_hypergraphs(mixed_weights), k=st.sampled_from([1, 2, 5]))
def test_the_k_best_weigh_at_least_what_is_said_before_they_are_found(instance, k):
    graph, weights = instance
    floor, through = least_of_best(graph, weights, k)
    scores = [score for score, _ in kbest(graph, weights, k)]
    assert all(score >= floor for score in scores)
    if len(scores) < k:
        assert floor < -1e300
    assert max(through.tolist(), default=-math.inf) == pytest.approx(
        scores[0] if scores else -math.inf
    )


@backends
@quick
@given(graph=hypergraphs(), shift=mild_weights)
def test_a_constant_on_the_edges_into_the_root_moves_the_log_partition_only(backend, graph, shift):
    weights = directions(graph)
    log_partition, marginals = inside_outside(graph, weights, backend)
    shifted = weights + shift * (graph.heads == graph.root)
    moved, same = inside_outside(graph, shifted, backend)
    assert moved == pytest.approx(log_partition + shift)
    np.testing.assert_allclose(same, marginals, atol=1e-12)


@pytest.mark.parametrize(
    "graph",
    [
        hypergraph(2, [(0, ()), (0, ()), (0, ()), (1, (0, 0)), (1, (0,))]),
        # Vertex 0 is used by both children of the root, and must be drawn twice.
        hypergraph(4, [(0, ()), (0, ()), (1, (0,)), (2, (0, 0)), (2, ()), (3, (1, 2))]),
    ],
    ids=["repeated", "shared"],
)
def test_derivations_are_drawn_in_proportion_to_their_weights(graph):
    draws = 6000
    weights = directions(graph)
    derivations = all_derivations(graph)
    expected = draws * probs_of(scores_of(derivations, weights))
    drawn = Counter(map(preorder, sample(graph, weights, np.random.default_rng(11), draws)))
    assert set(drawn) <= set(derivations)
    observed = np.array([drawn[edges] for edges in derivations])
    # Pearson's statistic is χ² to good accuracy from five expected draws; one seed in 10⁶ fails.
    assert expected.min() > 5
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert statistic < chi2.isf(1e-6, len(derivations) - 1)


def test_mean_counts_of_draws_are_the_marginals():
    graph = hypergraph(3, [(0, ()), (0, ()), (1, (0, 0)), (1, ()), (2, (1, 0, 1))])
    weights, draws = directions(graph), 2000
    drawn = sample(graph, weights, np.random.default_rng(12), draws)
    counts = np.array([edge_counts(tree, graph.edge_count) for tree in drawn])
    _, marginals = inside_outside(graph, weights)
    # Six standard errors: one seed in 10⁸ fails.
    assert (abs(counts.mean(0) - marginals) <= 6 * counts.std(0) / math.sqrt(draws) + 1e-12).all()
