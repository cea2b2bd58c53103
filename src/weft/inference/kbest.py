"""The k best derivations: the inside pass in the semiring :class:`~weft.algebra.KBest`.

Edges that none of them has are left out first. The best derivations through edges are derivations,
and those of different scores are different ones: so the k best weigh at least as much as the k-th
of these scores, and an edge through which the best weighs less is in none of them.

At an edge with n tails, O(n k log k) combinations are tried.

Reference: Huang and Chiang (2005), "Better k-best parsing"; its lazy algorithms would try fewer.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from weft.algebra import KBest
from weft.arrays import FloatArray, offsets_of, ranges
from weft.inference.backends import native
from weft.inference.backends.reference import inside, lift
from weft.inference.checks import check_range, checked_weights
from weft.structures.derivation import Derivation, derivation_of
from weft.structures.hypergraph import Hypergraph

_ROUNDING = 1e-9  # of the largest number in a sum


def kbest(hypergraph: Hypergraph, weights: npt.ArrayLike, k: int) -> list[tuple[float, Derivation]]:
    """Return the k best derivations with their scores, best first.

    Of equally good derivations, whose scores differ by at most 1e-9, those come first whose edges
    in pre-order do, as numbers are compared. The first of all is as good as what
    :func:`~weft.inference.viterbi` returns.

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
    given = checked_weights(hypergraph, weights)
    floor, through = least_of_best(hypergraph, given, k)
    kept = np.flatnonzero(through >= floor)
    lengths = np.diff(hypergraph.tail_offsets)[kept]
    tails = hypergraph.tails[ranges(hypergraph.tail_offsets[kept], lengths)]
    rest = Hypergraph(hypergraph.vertex_count, hypergraph.heads[kept], offsets_of(lengths), tails)
    found = inside(rest, lift(given[kept], semiring), semiring)[hypergraph.root]
    for best in found:
        check_range(best.score)
    return [
        (best.score, derivation_of(hypergraph, kept[list(best.edges)].tolist())) for best in found
    ]


def least_of_best(hypergraph: Hypergraph, weights: FloatArray, k: int) -> tuple[float, FloatArray]:
    """Return what the k best derivations weigh at least, and the best with each edge [edges].

    The first number is lowered by what rounding may do; it is the lowest there is where there are
    fewer derivations.
    """
    largest, through = native.best_through(hypergraph, weights)
    rounding = _ROUNDING * max(1.0, largest)
    scores = np.sort(through[through > -np.inf])[::-1]
    steps = np.flatnonzero(scores[:-1] - scores[1:] > rounding)  # the last of each score
    if k - 1 <= len(steps) and len(scores) and np.isfinite(largest):
        return float(scores[0 if k == 1 else steps[k - 2] + 1]) - rounding, through
    return -np.finfo(np.float64).max, through
