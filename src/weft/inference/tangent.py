"""The directional derivatives of the log-partition function and of the marginals.

For a direction g, with w + t g in the place of the weights w:

    (log Z)˙ = d log Z / dt |₀ = Σₑ μₑ gₑ = E[g],    μ̇ₑ = dμₑ / dt |₀ = Cov[uses of e, g]

where g(d) is the sum of gₑ over the edges of a derivation. μ̇ is the Hessian of log Z times g, at
the price of one more sweep; the gradients of entropy, of risk and of expected local accuracy
are made of it.

Reference: Pearlmutter (1994), "Fast exact multiplication by the Hessian".
"""

from __future__ import annotations

import numpy.typing as npt

from weft.arrays import FloatArray
from weft.inference.backends import Backend, native
from weft.inference.checks import check_range, checked_direction, checked_weights
from weft.structures.hypergraph import Hypergraph


def tangent(
    hypergraph: Hypergraph,
    weights: npt.ArrayLike,
    direction: npt.ArrayLike,
    backend: Backend = native,
) -> tuple[float, FloatArray]:
    """Return how log Z and the marginals change as the weights move in a direction.

    An edge of weight −inf stays impossible whatever its direction: it adds nothing to the change
    of log Z, and its marginal stays 0. So does everything where the root has no derivation.

    >>> from weft.structures.hypergraph import hypergraph
    >>> tangent(hypergraph(1, [(0, ()), (0, ())]), [0.0, 0.0], [1.0, 0.0])
    (0.5, array([ 0.25, -0.25]))

    Args:
        hypergraph: The topology.
        weights: The edges' log-weights, finite or −inf. [edges]
        direction: The rates at which the weights move, finite. [edges]
        backend: The module that does the work.

    Returns:
        d log Z, and d μ for each edge. [edges]

    Raises:
        ValueError: If a weight is NaN or +inf, a rate is not finite, or there is not one of each
            an edge.
        OverflowError: If a derivative is beyond the largest float.
    """
    change, marginal_changes = backend.tangent(
        hypergraph,
        checked_weights(hypergraph, weights),
        checked_direction(hypergraph, direction),
    )
    check_range(abs(change), marginal_changes)
    return change, marginal_changes
