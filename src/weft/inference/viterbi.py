"""The best derivation: argmax_d score(d).

Reference: Viterbi (1967); Huang (2008), "Advanced dynamic programming in semiring and
hypergraph frameworks", for hypergraphs.
"""

from __future__ import annotations

import numpy.typing as npt

from weft.arrays import IndexArray
from weft.inference.backends import Backend, native
from weft.inference.checks import check_derivable, check_range, checked_weights
from weft.structures.derivation import Derivation
from weft.structures.hypergraph import Hypergraph, tails_of


def viterbi(
    hypergraph: Hypergraph, weights: npt.ArrayLike, backend: Backend = native
) -> tuple[float, Derivation]:
    """Return the best derivation and its score.

    Of equally good derivations it is the one whose edges in pre-order come first, as numbers
    are compared.

    >>> from weft.structures.hypergraph import hypergraph
    >>> viterbi(hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))]), [1.0, 2.0, 0.0])
    (4.0, Derivation(2(1 1)))

    Args:
        hypergraph: The topology.
        weights: The edges' log-weights, finite or −inf. [edges]
        backend: The module that does the work.

    Returns:
        The best score, and the derivation that has it; its equal subtrees are one object.

    Raises:
        ValueError: If a weight is NaN or +inf, or there is not one an edge.
        EvidenceError: If the root has no derivation.
        OverflowError: If the score is beyond the largest float.
    """
    score, best_edges = backend.viterbi(hypergraph, checked_weights(hypergraph, weights))
    check_derivable(hypergraph, score)
    check_range(score)
    return score, _tree(hypergraph, best_edges)


def _tree(hypergraph: Hypergraph, best_edges: IndexArray) -> Derivation:
    used = {hypergraph.root}
    for vertex in range(hypergraph.root, -1, -1):
        if vertex in used:
            used.update(tails_of(hypergraph, int(best_edges[vertex])))
    trees: dict[int, Derivation] = {}
    for vertex in sorted(used):
        edge = int(best_edges[vertex])
        children = (trees[tail] for tail in tails_of(hypergraph, edge))
        trees[vertex] = Derivation(edge, tuple(children))
    return trees[hypergraph.root]
