import numpy as np
import pytest
from hypothesis import given

from strategies import hypergraphs, quick
from weft.structures.hypergraph import Hypergraph, edges_of, hypergraph, tails_of


@quick
@given(hypergraphs())
def test_edges_are_what_the_hypergraph_was_made_of(graph):
    again = hypergraph(graph.vertex_count, edges_of(graph))
    assert list(edges_of(again)) == list(edges_of(graph))
    assert [tails_of(graph, e) for e in range(graph.edge_count)] == [t for _, t in edges_of(graph)]


def test_types_are_those_of_the_kernels():
    graph = hypergraph(2, [(0, ()), (1, (0, 0))])
    assert [a.dtype for a in (graph.heads, graph.tail_offsets, graph.tails)] == ["i4", "i8", "i4"]
    assert (graph.root, graph.edge_count) == (1, 2)


def test_no_edges_at_all():
    graph = hypergraph(1, [])
    assert (graph.edge_count, graph.tail_offsets.tolist()) == (0, [0])


def test_arrays_are_copies_that_cannot_be_written():
    heads = np.array([0, 1], np.int32)
    graph = Hypergraph(2, heads, np.array([0, 0, 1]), np.array([0], np.int32))
    heads[:] = 7
    assert graph.heads.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        graph.tails[0] = 5
    with pytest.raises(AttributeError):
        graph.tails = np.zeros(1, np.int32)


@pytest.mark.parametrize(
    ("vertex_count", "edges", "message"),
    [
        (0, [], "between 1 and"),
        (2**31, [], "between 1 and"),
        (2, [(2, ())], "edge 0 has head 2, but there are 2 vertices"),
        (2, [(-1, ())], "heads must lie between 0 and"),
        (2, [(2**40, ())], "heads must lie between 0 and"),
        (3, [(0, ()), (2, (0,)), (1, (0,))], "edge 2 has head 1 after an edge with head 2"),
        (2, [(0, ()), (1, (1,))], "edge 1 has tail 1 and head 1"),
        (3, [(0, ()), (1, (0, 2)), (2, ())], "edge 1 has tail 2 and head 1"),
        (2, [(1, (-1,))], "tails must lie between 0 and"),
        (2, [(0.5, ())], "heads must be a row of integers, not float64"),
    ],
)
def test_what_is_not_a_hypergraph_is_refused(vertex_count, edges, message):
    with pytest.raises(ValueError, match=message):
        hypergraph(vertex_count, edges)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 1], "2 edges need 3 offsets, not 2"),
        ([0, 2, 1], "ascend from 0 to the number of tails, 1"),
        ([1, 1, 1], "ascend from 0 to the number of tails, 1"),
        ([0, 0, 2], "ascend from 0 to the number of tails, 1"),
        ([[0, 0, 1]], r"offsets must be a row of integers, not int64 of shape \(1, 3\)"),
    ],
)
def test_offsets_that_do_not_fit_are_refused(offsets, message):
    with pytest.raises(ValueError, match=message):
        Hypergraph(2, np.array([0, 1]), np.array(offsets), np.array([0]))
