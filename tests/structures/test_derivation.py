import math

import numpy as np
import pytest
from hypothesis import given

from oracles import all_derivations
from strategies import hypergraphs, quick
from weft.structures.derivation import Derivation, derivation_of, edge_counts, preorder, score
from weft.structures.hypergraph import hypergraph


@quick
@given(hypergraphs(most_derivations=30))
def test_edges_in_preorder_are_the_tree(graph):
    strings = all_derivations(graph)
    trees = [derivation_of(graph, edges) for edges in strings]
    assert [preorder(tree) for tree in trees] == strings
    assert len(set(trees)) == len(strings)


def test_shape_distinguishes_trees_with_the_same_edges():
    chain = Derivation(0, (Derivation(1, (Derivation(2),)),))
    fork = Derivation(0, (Derivation(1), Derivation(2)))
    assert preorder(chain) == preorder(fork)
    assert chain != fork
    assert chain == Derivation(0, (Derivation(1, (Derivation(2),)),))
    assert chain != "0(1(2))"
    assert repr(chain) == "Derivation(0(1(2)))"


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ((2, 0), "edge 2 is not followed by derivations of its tails"),
        ((2, 0, 2, 0, 0), "edge 2 is not followed by derivations of its tails"),
        ((2, 0, 1, 1), "2 derivations, not one"),
        ((), "0 derivations, not one"),
    ],
)
def test_edges_that_are_not_a_derivation_are_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        derivation_of(hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))]), edges)


def test_an_edge_used_twice_counts_twice():
    tree = Derivation(1, (Derivation(0), Derivation(0)))
    assert score(tree, np.array([0.25, 1.0])) == 1.5
    assert score(tree, np.array([-math.inf, 1.0])) == -math.inf
    assert edge_counts(tree, 4).tolist() == [2, 1, 0, 0]


def test_scores_are_rounded_once():
    tree = derivation_of(hypergraph(3, [(0, ()), (1, (0,)), (2, (1,))]), (2, 1, 0))
    assert score(tree, np.array([1e16, 1.0, -1e16])) == 1.0


def test_trees_may_be_deeper_than_python_recurses():
    length = 20_000
    graph = hypergraph(length, [(0, ()), *((v, (v - 1,)) for v in range(1, length))])
    edges = tuple(reversed(range(length)))
    tree = derivation_of(graph, edges)
    assert preorder(tree) == edges
    assert tree == derivation_of(graph, edges)
    assert hash(tree) == hash(derivation_of(graph, edges))
    assert score(tree, np.ones(length)) == length
    assert repr(tree).startswith("Derivation(19999(19998(")
