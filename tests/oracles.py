"""Brute force: sums over derivations by listing every derivation."""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from weft.structures.hypergraph import Hypergraph, edges_of


def all_derivations(hypergraph: Hypergraph) -> list[tuple[int, ...]]:
    """Every derivation of the root, possible or not, as its edges in pre-order."""
    found: list[list[tuple[int, ...]]] = [[] for _ in range(hypergraph.vertex_count)]
    for edge, (head, tails) in enumerate(edges_of(hypergraph)):
        for parts in itertools.product(*(found[tail] for tail in tails)):
            found[head].append((edge, *itertools.chain.from_iterable(parts)))
    return found[hypergraph.root]


def scores_of(derivations: Sequence[tuple[int, ...]], weights: np.ndarray) -> np.ndarray:
    return np.array([math.fsum(weights[list(edges)]) for edges in derivations])


def counts_of(derivations: Sequence[tuple[int, ...]], edge_count: int) -> np.ndarray:
    """How often each derivation uses each edge. [derivations, edges]"""
    rows = [np.bincount(edges, minlength=edge_count) for edges in derivations]
    return np.array(rows).reshape(len(rows), edge_count)


def log_sum(scores: np.ndarray) -> float:
    largest = max(scores, default=-math.inf)
    if largest == -math.inf:
        return -math.inf
    return float(largest + math.log(math.fsum(np.exp(scores - largest))))


def probs_of(scores: np.ndarray) -> np.ndarray:
    """The probability of each derivation; zeros where none is possible."""
    total = log_sum(scores)
    return np.zeros(len(scores)) if total == -math.inf else np.exp(scores - total)


def finite_difference(
    function: Callable[[np.ndarray], np.ndarray | float],
    point: np.ndarray,
    direction: np.ndarray,
    step: float = 1e-5,
) -> np.ndarray:
    """The derivative of a function along a direction, to about ten digits."""
    above, below = (np.asarray(function(point + h * direction)) for h in (step, -step))
    # An infinite value that stays infinite does not change.
    same = above == below
    return (np.where(same, 0.0, above) - np.where(same, 0.0, below)) / (2 * step)
