"""What the public functions check of their arguments and results, so that kernels need not."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from weft.arrays import FloatArray
from weft.errors import EvidenceError
from weft.structures.hypergraph import Hypergraph


def checked_weights(hypergraph: Hypergraph, weights: npt.ArrayLike) -> FloatArray:
    """Return the log-weights of the edges as contiguous floats; −inf is a weight.

    >>> from weft.structures.hypergraph import hypergraph
    >>> checked_weights(hypergraph(1, [(0, ())]), [-np.inf])
    array([-inf])

    Raises:
        ValueError: If there is not one weight per edge, or one is NaN or +inf.
    """
    array = _one_an_edge("weight", hypergraph, weights)
    for edge in np.flatnonzero(~(array < math.inf))[:1]:
        raise ValueError(f"edge {edge} has the weight {array[edge]}: it must be finite or -inf")
    return array


def checked_direction(hypergraph: Hypergraph, direction: npt.ArrayLike) -> FloatArray:
    """Return the rates at which the edges' log-weights change as contiguous finite floats.

    >>> from weft.structures.hypergraph import hypergraph
    >>> checked_direction(hypergraph(1, [(0, ())]), [1])
    array([1.])

    Raises:
        ValueError: If there is not one number per edge, or one is not finite.
    """
    array = _one_an_edge("direction", hypergraph, direction)
    for edge in np.flatnonzero(~np.isfinite(array))[:1]:
        raise ValueError(f"edge {edge} has the direction {array[edge]}: it must be finite")
    return array


def check_range(total: float, parts: FloatArray | None = None) -> None:
    """Refuse results that floats cannot hold, instead of returning infinity or NaN.

    Weights of any size that occurs are far from it; a derivation that uses an edge 2¹⁰²⁴ times,
    which a thousand edges with tails (A, A) are enough for, is not.

    >>> check_range(-math.inf, np.zeros(2))

    Raises:
        OverflowError: If the total is NaN or +inf, or a part is not finite.
    """
    if not total < math.inf or (parts is not None and not np.isfinite(parts).all()):
        raise OverflowError(
            "scores or numbers of uses of edges are beyond the largest float: "
            "some derivation uses its edges too often, or with weights that are too large"
        )


def check_derivable(hypergraph: Hypergraph, log_weight: float) -> None:
    """Refuse a root without derivations.

    >>> from weft.structures.hypergraph import hypergraph
    >>> check_derivable(hypergraph(1, [(0, ())]), -3.0)

    Raises:
        EvidenceError: If the log-weight is −inf.
    """
    if log_weight == -math.inf:
        raise EvidenceError(
            f"the root (vertex {hypergraph.root}) has no derivation: "
            "every one would need an edge of weight -inf or a vertex without edges"
        )


def _one_an_edge(name: str, hypergraph: Hypergraph, numbers: npt.ArrayLike) -> FloatArray:
    array = np.ascontiguousarray(numbers, dtype=np.float64)
    if array.shape != (hypergraph.edge_count,):
        raise ValueError(
            f"{hypergraph.edge_count} edges need one {name} each, "
            f"not an array of shape {array.shape}"
        )
    return array
