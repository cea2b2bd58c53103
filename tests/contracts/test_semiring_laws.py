"""What every semiring promises: its laws, and that inside is the sum over all derivations."""

import math
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import all_derivations
from strategies import mild_weights, mixed_weights, quick, weighted_hypergraphs
from weft.algebra import (
    COUNTING,
    LOG,
    MAX,
    SAMPLING,
    Expectation,
    KBest,
    check_semiring,
)
from weft.inference.backends.reference import inside, lift

FEATURES = [(-1.0) ** edge * edge / 4 for edge in range(64)]
SEMIRINGS = {
    "log": LOG,
    "max": MAX,
    "counting": COUNTING,
    "1-best": KBest(1),
    "3-best": KBest(3),
    "all": KBest(10_000),
    "expectation": Expectation(FEATURES),
    "sampling": SAMPLING,
}
semirings = pytest.mark.parametrize("semiring", SEMIRINGS.values(), ids=SEMIRINGS.keys())


def elements(semiring):
    """Zero, one, edges of all sizes, and what they come to together."""
    weights = [0.25, -3.0, 0.25, -1e6, 1e6, -math.inf]
    edges = [semiring.lift(weight, edge) for edge, weight in enumerate(weights)]
    both = semiring.plus(edges[0], edges[1])
    return [semiring.zero, semiring.one, *edges, both, semiring.times(edges[2], both)]


@semirings
def test_the_laws_hold(semiring):
    check_semiring(semiring, elements(semiring))


@semirings
def test_an_impossible_edge_is_zero(semiring):
    assert semiring.close(semiring.lift(-math.inf, 0), semiring.zero)
    assert not semiring.close(semiring.lift(-1e6, 0), semiring.zero)


@semirings
@quick
@given(weights=st.lists(st.one_of(mixed_weights, mild_weights), min_size=3, max_size=3))
def test_the_laws_hold_for_sums_of_products(semiring, weights):
    a, b, c = (semiring.lift(weight, edge) for edge, weight in enumerate(weights))
    check_semiring(semiring, [semiring.plus(a, semiring.times(b, c)), semiring.times(c, a), b])


@semirings
@quick
@given(instance=weighted_hypergraphs())
def test_inside_is_the_sum_over_all_derivations(semiring, instance):
    graph, weights = instance
    values = lift(weights, semiring)
    products = (
        reduce(semiring.times, (values[edge] for edge in edges), semiring.one)
        for edges in all_derivations(graph)
    )
    expected = reduce(semiring.plus, products, semiring.zero)
    assert semiring.close(inside(graph, values, semiring)[graph.root], expected)
