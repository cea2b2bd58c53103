import math

import numpy as np
import pytest

from weft.errors import EvidenceError
from weft.inference import kbest, viterbi
from weft.inference.backends import native, reference
from weft.structures.derivation import preorder
from weft.structures.hypergraph import hypergraph

backends = pytest.mark.parametrize("backend", [reference, native], ids=["reference", "native"])
pair = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])


@backends
def test_of_equal_derivations_the_first_wins(backend):
    score, best = viterbi(pair, [1.0, 1.0, 0.0], backend)
    assert (score, preorder(best)) == (2.0, (2, 0, 0))


def test_equal_derivations_are_in_the_order_of_their_edges():
    found = kbest(pair, [1.0, 1.0, 0.0], 9)
    assert [preorder(tree) for _, tree in found] == [(2, 0, 0), (2, 0, 1), (2, 1, 0), (2, 1, 1)]


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_last_digits_choose_no_derivation(k):
    found = kbest(pair, [0.3, 0.1 + 0.2, 0.0], k)
    edges = [(2, 0, 0), (2, 0, 1), (2, 1, 0), (2, 1, 1)]
    assert [preorder(tree) for _, tree in found] == edges[:k]


@backends
def test_no_derivation_is_an_error_for_one_and_an_empty_list_for_k(backend):
    for weights in ([-math.inf, -math.inf, 0.0], [0.0, 0.0, -math.inf]):
        with pytest.raises(EvidenceError, match=r"root \(vertex 1\) has no derivation"):
            viterbi(pair, weights, backend)
        assert kbest(pair, weights, 3) == []


@backends
def test_a_derivation_deeper_than_python_recurses(backend):
    length = 3000
    graph = hypergraph(length, [(v, (v - 1,) if v else ()) for v in range(length)])
    score, best = viterbi(graph, np.ones(length), backend)
    assert (score, preorder(best)) == (length, tuple(reversed(range(length))))


@backends
def test_a_derivation_with_more_edges_than_memory_shares_its_subtrees(backend):
    doubling = hypergraph(101, [(0, ()), *((v, (v - 1, v - 1)) for v in range(1, 101))])
    score, best = viterbi(doubling, np.ones(101), backend)
    assert score == 2.0**101 - 1
    assert best.children[0] is best.children[1]


@backends
def test_a_score_beyond_the_largest_float_is_refused(backend):
    doubling = hypergraph(1101, [(0, ()), *((v, (v - 1, v - 1)) for v in range(1, 1101))])
    with pytest.raises(OverflowError):
        viterbi(doubling, np.ones(1101), backend)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="k must be at least 1, not 0"):
        kbest(pair, np.zeros(3), 0)
    with pytest.raises(ValueError, match="edge 2 has the weight nan"):
        kbest(pair, [0.0, 0.0, math.nan], 1)
    with pytest.raises(ValueError, match="edge 0 has the weight inf"):
        viterbi(pair, [math.inf, 0.0, 0.0])
