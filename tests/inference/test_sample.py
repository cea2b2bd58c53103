import math

import numpy as np
import pytest

from weft.errors import EvidenceError
from weft.inference import sample
from weft.structures.derivation import preorder
from weft.structures.hypergraph import hypergraph

pair = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])


def test_the_same_seed_draws_the_same_derivations():
    first, again = (sample(pair, np.zeros(3), np.random.default_rng(7), 20) for _ in range(2))
    assert first == again


def test_impossible_and_very_unlikely_edges_are_not_drawn():
    for weight in (-math.inf, -1e6):
        drawn = sample(pair, [0.0, weight, 1e6], np.random.default_rng(0), 50)
        assert {preorder(tree) for tree in drawn} == {(2, 0, 0)}


def test_there_must_be_something_to_draw():
    rng = np.random.default_rng(0)
    with pytest.raises(EvidenceError, match="no derivation"):
        sample(pair, [0.0, 0.0, -math.inf], rng, 1)
    with pytest.raises(ValueError, match="at least 0, not -1"):
        sample(pair, np.zeros(3), rng, -1)
    assert sample(pair, np.zeros(3), rng, 0) == []


def test_a_derivation_deeper_than_python_recurses():
    length = 3000
    graph = hypergraph(length, [(v, (v - 1,) if v else ()) for v in range(length)])
    (drawn,) = sample(graph, np.zeros(length), np.random.default_rng(0), 1)
    assert preorder(drawn) == tuple(reversed(range(length)))
