"""Graphs whose edges have one tail are summed in another arithmetic, and to the same result."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.inference import inside_outside
from weft.inference.backends import native, reference
from weft.structures.hypergraph import Hypergraph, hypergraph

WEIGHTS = st.one_of(
    st.floats(-3, 3),
    st.floats(-300, 300),
    st.floats(-700, 700),
    st.sampled_from([-math.inf, 0.0, 300.0, -300.0]),
)


@st.composite
def automata(draw) -> tuple[Hypergraph, list[float]]:
    """A graph with edges of one tail or none, and weights."""
    vertices = draw(st.integers(1, 8))
    edges = []
    for head in range(vertices):
        tails = st.integers(0, head - 1).map(lambda tail: (tail,)) if head else st.just(())
        some = draw(st.lists(st.one_of(tails, st.just(())), max_size=4))
        edges += [(head, each) for each in some]
    weights = draw(st.lists(WEIGHTS, min_size=len(edges), max_size=len(edges)))
    return hypergraph(vertices, edges), weights


def agree(graph, weights):
    expected, expected_marginals = inside_outside(graph, weights, reference)
    found, marginals = inside_outside(graph, weights, native)
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-12)
    np.testing.assert_allclose(marginals, expected_marginals, rtol=1e-9, atol=1e-300)
    return found


@given(automata())
def test_random_automata(pair):
    agree(*pair)


@pytest.mark.parametrize("weight", [-299.0, -3.0, 0.0, 3.0, 299.0])
def test_long_paths_neither_overflow_nor_underflow(rng, weight):
    length = 1500
    edges = [(0, ())] + [(i, (i - 1,)) for i in range(1, length) for _ in range(2)]
    graph = hypergraph(length, edges)
    weights = weight + rng.normal(size=len(edges)) * 0.5
    assert abs(agree(graph, weights) - length * weight) < 2000


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("sign", [-1, 1])
def test_terms_of_very_different_size_meet(steps, sign):
    """Two ways of weights e^(600 steps) apart, the last steps of which bring them nearer or not."""
    for last in (0.0, 299.0):
        graph, weights = _two_ways(steps, 299.0 * sign, last)
        agree(graph, weights)


def _two_ways(steps, weight, last):
    # Vertices of the two ways alternate: 1, 3, 5, ... and 2, 4, 6, ...
    edges, weights = [(0, ())], [0.0]
    for step in range(steps):
        for way, sign in ((1, 1.0), (2, -1.0)):
            edges.append((2 * step + way, (2 * (step - 1) + way if step else 0,)))
            weights.append(sign * weight)
    end = 2 * steps + 1
    edges += [(end, (end - 2,)), (end, (end - 1,))]
    return hypergraph(end + 1, edges), [*weights, last, -last]


def test_larger_weights_are_summed_too():
    graph = hypergraph(2, [(0, ()), (0, ()), (1, (0,))])
    assert agree(graph, [301.0, 1e5, -1e5]) == 0.0
