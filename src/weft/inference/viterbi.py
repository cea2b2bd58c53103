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
        ValueError: If a weight is NaN or +inf, or there is not one per edge.
        EvidenceError: If the root has no derivation.
        OverflowError: If the score is beyond the largest float.
    """
    score, best_edges = backend.viterbi(hypergraph, checked_weights(hypergraph, weights))
    check_derivable(hypergraph, score)
    check_range(score)
    return score, _tree(hypergraph, best_edges)


def _tree(hypergraph: Hypergraph, best_edges: IndexArray) -> Derivation:
    edges: list[int] = best_edges.tolist()
    below = {hypergraph.root: tails_of(hypergraph, edges[hypergraph.root])}
    waiting = set(below[hypergraph.root])
    while waiting:
        vertex = waiting.pop()
        below[vertex] = tails_of(hypergraph, edges[vertex])
        waiting.update(tail for tail in below[vertex] if tail not in below)
    trees: dict[int, Derivation] = {}
    for vertex in sorted(below):
        trees[vertex] = Derivation(edges[vertex], tuple(trees[tail] for tail in below[vertex]))
    return trees[hypergraph.root]
