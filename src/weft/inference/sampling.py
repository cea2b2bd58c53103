"""Derivations drawn at random: the inside pass in the semiring :data:`~weft.algebra.SAMPLING`.

A derivation d is drawn with probability exp(score(d) − log Z), independently of the others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from weft.algebra import SAMPLING, draw
from weft.inference.backends.reference import inside, lift
from weft.inference.checks import check_derivable, check_range, checked_weights
from weft.structures.derivation import Derivation, derivation_of
from weft.structures.hypergraph import Hypergraph


def sample(
    hypergraph: Hypergraph, weights: npt.ArrayLike, rng: np.random.Generator, count: int
) -> list[Derivation]:
    """Draw derivations in proportion to their weights.

    >>> from weft.structures.hypergraph import hypergraph
    >>> forest = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])
    >>> sample(forest, [0.0, 0.0, 0.0], np.random.default_rng(1), 2)
    [Derivation(2(1 1)), Derivation(2(0 1))]

    Args:
        hypergraph: The topology.
        weights: The edges' log-weights, finite or −inf. [edges]
        rng: The source of randomness.
        count: How many derivations are wanted.

    Returns:
        The derivations in the order in which they were drawn.

    Raises:
        ValueError: If a weight is NaN or +inf, there is not one per edge, or count is negative.
        EvidenceError: If the root has no derivation.
        OverflowError: If log Z is beyond the largest float.
    """
    if count < 0:
        raise ValueError(f"the number of derivations to draw must be at least 0, not {count}")
    values = lift(checked_weights(hypergraph, weights), SAMPLING)
    lottery = inside(hypergraph, values, SAMPLING)[hypergraph.root]
    check_derivable(hypergraph, lottery.log_weight)
    check_range(lottery.log_weight)
    return [derivation_of(hypergraph, draw(lottery, rng)) for _ in range(count)]
