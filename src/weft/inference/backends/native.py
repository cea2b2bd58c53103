"""The sums that have a fast form, by the compiled core; the GIL is released."""

from __future__ import annotations

from weft.arrays import FloatArray, IndexArray, IntArray
from weft.kernels import kernels
from weft.structures.hypergraph import Hypergraph


def inside_outside(hypergraph: Hypergraph, weights: FloatArray) -> tuple[float, FloatArray]:
    """Return log Z and the marginal of each edge.

    >>> import numpy as np
    >>> from weft.structures.hypergraph import hypergraph
    >>> inside_outside(hypergraph(2, [(0, ()), (1, (0, 0))]), np.array([-1.0, 0.5]))
    (-1.5, array([2., 1.]))
    """
    return kernels.hypergraph_inside_outside(*_arrays(hypergraph), weights)


def viterbi(hypergraph: Hypergraph, weights: FloatArray) -> tuple[float, IndexArray]:
    """Return the best score, and the first best edge into each vertex (−1: none).

    >>> import numpy as np
    >>> from weft.structures.hypergraph import hypergraph
    >>> forest = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])
    >>> viterbi(forest, np.array([1.0, 2.0, 0.0]))
    (4.0, array([1, 2], dtype=int32))
    """
    return kernels.hypergraph_viterbi(*_arrays(hypergraph), weights)


def best_through(hypergraph: Hypergraph, weights: FloatArray) -> tuple[float, FloatArray]:
    """Return the largest number on the way, and the best score of those that have each edge.

    >>> import numpy as np
    >>> from weft.structures.hypergraph import hypergraph
    >>> forest = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])
    >>> best_through(forest, np.array([1.0, 2.0, 0.0]))
    (4.0, array([3., 4., 4.]))
    """
    return kernels.hypergraph_best_through(*_arrays(hypergraph), weights)


def tangent(
    hypergraph: Hypergraph, weights: FloatArray, direction: FloatArray
) -> tuple[float, FloatArray]:
    """Return the directional derivatives of log Z and of the marginals.

    >>> import numpy as np
    >>> from weft.structures.hypergraph import hypergraph
    >>> tangent(hypergraph(1, [(0, ()), (0, ())]), np.zeros(2), np.array([1.0, 0.0]))
    (0.5, array([ 0.25, -0.25]))
    """
    return kernels.hypergraph_tangent(*_arrays(hypergraph), weights, direction)


def _arrays(hypergraph: Hypergraph) -> tuple[IndexArray, IntArray, IndexArray, int]:
    return hypergraph.heads, hypergraph.tail_offsets, hypergraph.tails, hypergraph.vertex_count
