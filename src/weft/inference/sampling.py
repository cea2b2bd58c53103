"""Derivations drawn at random, from the root downwards.

A derivation d is drawn with probability exp(score(d) − log Z), independently of the others. Where
a vertex is used, it is made by an edge with a probability in proportion to the edge's marginal. The
semiring :data:`~weft.algebra.SAMPLING` has lotteries that draw in the same way.

Reference: Johnson, Griffiths and Goldwater (2007), "Bayesian inference for PCFGs via Markov chain
Monte Carlo".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from weft.arrays import FloatArray
from weft.inference.checks import check_derivable
from weft.inference.inside_outside import inside_outside
from weft.structures.derivation import Derivation, derivation_of
from weft.structures.hypergraph import Hypergraph, tails_of


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
    log_partition, uses = inside_outside(hypergraph, weights)
    check_derivable(hypergraph, log_partition)
    draw = _lottery(hypergraph, uses, rng)
    return [derivation_of(hypergraph, draw()) for _ in range(count)]


def _lottery(
    hypergraph: Hypergraph, uses: FloatArray, rng: np.random.Generator
) -> Callable[[], list[int]]:
    """What draws the edges of a derivation, in pre-order."""
    starts = np.searchsorted(hypergraph.heads, np.arange(hypergraph.vertex_count + 1)).tolist()
    sums: dict[int, list[float]] = {}

    def choose(vertex: int) -> int:
        first, last = starts[vertex : vertex + 2]
        if last - first == 1:
            return int(first)
        if vertex not in sums:
            sums[vertex] = np.cumsum(uses[first:last]).tolist()
        mine = sums[vertex]
        # Rounding may lead beyond the last edge that has any weight.
        chosen = bisect_right(mine, rng.random() * mine[-1])
        return int(first + min(chosen, bisect_left(mine, mine[-1])))

    def draw() -> list[int]:
        edges, waiting = [], [hypergraph.root]
        while waiting:
            edges.append(choose(waiting.pop()))
            waiting += reversed(tails_of(hypergraph, edges[-1]))
        return edges

    return draw
