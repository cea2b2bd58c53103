import math

import numpy as np
import pytest

from weft.inference import inside_outside
from weft.inference.backends import native, reference
from weft.structures.hypergraph import hypergraph

backends = pytest.mark.parametrize("backend", [reference, native], ids=["reference", "native"])
choice = hypergraph(1, [(0, ()), (0, ()), (0, ())])


@backends
def test_a_sum_of_three(backend):
    log_partition, marginals = inside_outside(choice, np.log([1.0, 2.0, 5.0]), backend)
    assert log_partition == pytest.approx(math.log(8), rel=1e-15)
    np.testing.assert_allclose(marginals, [1 / 8, 2 / 8, 5 / 8], rtol=1e-14)


@backends
def test_an_unreachable_root_has_no_weight_and_no_marginals(backend):
    no_edge = hypergraph(3, [(0, ()), (1, (0,))])
    no_leaf = hypergraph(3, [(0, ()), (2, (0, 1))])
    for graph in (no_edge, no_leaf, hypergraph(1, [])):
        log_partition, marginals = inside_outside(graph, np.zeros(graph.edge_count), backend)
        assert log_partition == -math.inf
        assert marginals.tolist() == [0.0] * graph.edge_count


@backends
def test_impossible_edges_have_marginals_of_exactly_zero(backend):
    log_partition, marginals = inside_outside(choice, [-math.inf, -1e6, -math.inf], backend)
    assert log_partition == -1e6
    assert marginals.tolist() == [0.0, 1.0, 0.0]


@backends
def test_weights_far_apart(backend):
    log_partition, marginals = inside_outside(choice, [1e6, -1e6, 1e6], backend)
    assert log_partition == 1e6 + math.log(2)
    np.testing.assert_allclose(marginals, [0.5, 0.0, 0.5], atol=1e-9)


@backends
def test_marginals_of_edges_used_more_than_once_exceed_one(backend):
    graph = hypergraph(3, [(0, ()), (1, (0, 0)), (2, (1, 0, 1))])
    _, marginals = inside_outside(graph, [-1.0, 0.5, 2.0], backend)
    np.testing.assert_allclose(marginals, [5.0, 2.0, 1.0], rtol=1e-12)


@backends
@pytest.mark.parametrize("weight", [math.nan, math.inf])
def test_a_weight_that_is_not_one_is_refused_and_its_edge_named(backend, weight):
    with pytest.raises(ValueError, match=f"edge 1 has the weight {weight}"):
        inside_outside(choice, [0.0, weight, 0.0], backend)


@backends
def test_there_must_be_one_weight_an_edge(backend):
    with pytest.raises(ValueError, match=r"3 edges need one weight each, .* \(2,\)"):
        inside_outside(choice, [0.0, 0.0], backend)


@backends
def test_numbers_beyond_the_largest_float_are_refused_and_not_nan(backend):
    doubling = hypergraph(1101, [(0, ()), *((v, (v - 1, v - 1)) for v in range(1, 1101))])
    with pytest.raises(OverflowError):  # the leaf is used 2¹¹⁰⁰ times
        inside_outside(doubling, np.zeros(1101), backend)
    with pytest.raises(OverflowError):  # and with weight 1 log Z is as large
        inside_outside(doubling, np.ones(1101), backend)


@backends
def test_other_arrays_of_numbers_are_welcome(backend):
    expected, _ = inside_outside(choice, [1.0, 2.0, 3.0], backend)
    strided = np.array([1, 0, 2, 0, 3, 0], np.float32)[::2]
    assert inside_outside(choice, strided, backend)[0] == expected


def test_a_long_chain_keeps_its_digits():
    length, ways = 2000, 3
    edges = [(v, (v - 1,) if v else ()) for v in range(length) for _ in range(ways)]
    log_partition, marginals = inside_outside(hypergraph(length, edges), np.zeros(len(edges)))
    assert log_partition == pytest.approx(length * math.log(ways), rel=1e-13)
    np.testing.assert_allclose(marginals, 1 / ways, rtol=1e-13)
