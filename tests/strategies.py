"""Random small instances for Hypothesis."""

import math

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from weft.structures.hypergraph import Hypergraph, hypergraph

quick = settings(max_examples=40, deadline=None, derandomize=True)

# Sums of multiples of 1/64 are exact, and so the order of derivations and their ties are too.
mild_weights = st.integers(-192, 192).map(lambda number: number / 64)
mixed_weights = st.one_of(mild_weights, mild_weights, st.just(-math.inf))
extreme_weights = st.one_of(mild_weights, st.sampled_from([-math.inf, 1e6, -1e6]))


@st.composite
def hypergraphs(draw: st.DrawFn, most_derivations: int = 200) -> Hypergraph:
    """Small hypergraphs with repeated tails, unused vertices and vertices without edges."""
    vertex_count = draw(st.integers(1, 5))
    edges: list[tuple[int, list[int]]] = []
    counts = [0] * vertex_count
    for head in range(vertex_count):
        tail_lists = st.lists(st.integers(0, head - 1), max_size=3) if head else st.just([])
        for tails in draw(st.lists(tail_lists, max_size=4)):
            ways = math.prod(counts[tail] for tail in tails)
            if counts[head] + ways <= most_derivations:
                counts[head] += ways
                edges.append((head, tails))
    return hypergraph(vertex_count, edges)


@st.composite
def weighted_hypergraphs(
    draw: st.DrawFn, weights: st.SearchStrategy[float] = mixed_weights
) -> tuple[Hypergraph, np.ndarray]:
    graph = draw(hypergraphs())
    numbers = draw(st.lists(weights, min_size=graph.edge_count, max_size=graph.edge_count))
    return graph, np.array(numbers, dtype=np.float64)
