"""The log-partition function and the marginals of the edges.

    log Z = log Σ_d exp score(d),    μₑ = E[number of uses of e] = ∂ log Z / ∂ wₑ

with d over the derivations of the root, each with probability exp(score(d) − log Z).

Reference: Baker (1979), "Trainable grammars for speech recognition".
"""

from __future__ import annotations

import numpy.typing as npt

from weft.arrays import FloatArray
from weft.inference.backends import Backend, native
from weft.inference.checks import check_range, checked_weights
from weft.structures.hypergraph import Hypergraph


def inside_outside(
    hypergraph: Hypergraph, weights: npt.ArrayLike, backend: Backend = native
) -> tuple[float, FloatArray]:
    """Return the log of the total weight of all derivations, and the edges' marginals.

    >>> from weft.structures.hypergraph import hypergraph
    >>> forest = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])
    >>> log_partition, marginals = inside_outside(forest, [0.0, 0.0, 0.0])
    >>> round(log_partition, 3), marginals
    (1.386, array([1., 1., 1.]))

    Args:
        hypergraph: The topology.
        weights: The edges' log-weights, finite or −inf. [edges]
        backend: The module that does the work.

    Returns:
        log Z, −inf where the root has no derivation; and how often each edge is used on average,
        0 everywhere where there is no derivation, and more than 1 where an edge is used more
        than once. [edges]

    Raises:
        ValueError: If a weight is NaN or +inf, or there is not one per edge.
        OverflowError: If log Z or a marginal is beyond the largest float.
    """
    log_partition, marginals = backend.inside_outside(
        hypergraph, checked_weights(hypergraph, weights)
    )
    check_range(log_partition, marginals)
    return log_partition, marginals
