import math

from weft.algebra import COUNTING, SAMPLING, KBest
from weft.inference.backends.reference import edge_totals, inside, outside
from weft.structures.hypergraph import hypergraph


def test_counts_beyond_the_largest_machine_integer_are_exact():
    # Three edges into each of 100 vertices, one after the other: 3¹⁰⁰ derivations.
    edges = [(v, (v - 1,) if v else ()) for v in range(100) for _ in range(3)]
    graph = hypergraph(100, edges)
    inner = inside(graph, [1] * len(edges), COUNTING)
    assert inner[-1] == 3**100 > 2**64
    assert edge_totals(graph, [1] * len(edges), inner, COUNTING) == [3**99] * len(edges)


def test_repeated_tails_square_the_count():
    doubling = hypergraph(9, [(0, ()), (0, ()), *((v, (v - 1, v - 1)) for v in range(1, 9))])
    assert inside(doubling, [1] * doubling.edge_count, COUNTING)[-1] == 2**256


def test_a_repeated_tail_is_two_contexts():
    graph = hypergraph(2, [(0, ()), (0, ()), (0, ()), (1, (0, 0))])
    inner = inside(graph, [1] * 4, COUNTING)
    assert inner == [3, 9]
    assert outside(graph, [1] * 4, inner, COUNTING) == [6, 1]


def test_a_vertex_that_the_root_does_not_use_has_no_context():
    graph = hypergraph(3, [(0, ()), (1, (0,)), (2, (0,))])
    assert outside(graph, [1] * 3, inside(graph, [1] * 3, COUNTING), COUNTING) == [1, 0, 1]


def test_products_are_taken_in_preorder():
    graph = hypergraph(3, [(0, ()), (1, ()), (2, (1, 0, 1))])
    semiring = KBest(1)
    (best,) = inside(graph, [semiring.lift(0.0, e) for e in range(3)], semiring)[-1]
    assert best.edges == (2, 1, 0, 1)


def test_a_vertex_without_edges_is_zero():
    graph = hypergraph(2, [(1, (0,))])
    assert inside(graph, [SAMPLING.lift(0.0, 0)], SAMPLING)[-1].log_weight == -math.inf
