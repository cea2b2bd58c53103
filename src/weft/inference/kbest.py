"""The k best derivations: the inside pass in the semiring :class:`~weft.algebra.KBest`.

At an edge with n tails, O(n k log k) combinations are tried.

Reference: Huang and Chiang (2005), "Better k-best parsing"; its lazy algorithms would try fewer.
"""

from __future__ import annotations

import numpy.typing as npt

from weft.algebra import KBest
from weft.inference.backends.reference import inside, lift
from weft.inference.checks import check_range, checked_weights
from weft.structures.derivation import Derivation, derivation_of
from weft.structures.hypergraph import Hypergraph


def kbest(hypergraph: Hypergraph, weights: npt.ArrayLike, k: int) -> list[tuple[float, Derivation]]:
    """Return the k best derivations with their scores, best first.

    Of equally good derivations those come first whose edges in pre-order do, as numbers are
    compared; the first of all is what :func:`~weft.inference.viterbi` returns.

    >>> from weft.structures.hypergraph import hypergraph
    >>> kbest(hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))]), [1.0, 2.0, 0.0], 2)
    [(4.0, Derivation(2(1 1))), (3.0, Derivation(2(0 1)))]

    Args:
        hypergraph: The topology.
        weights: The edges' log-weights, finite or −inf. [edges]
        k: How many derivations are wanted; at least 1.

    Returns:
        Scores and derivations; all that there are where these are fewer than k.

    Raises:
        ValueError: If a weight is NaN or +inf, there is not one per edge, or k is not positive.
        OverflowError: If a score is beyond the largest float.
    """
    semiring = KBest(k)
    values = lift(checked_weights(hypergraph, weights), semiring)
    found = inside(hypergraph, values, semiring)[hypergraph.root]
    for best in found:
        check_range(best.score)
    return [(best.score, derivation_of(hypergraph, best.edges)) for best in found]
