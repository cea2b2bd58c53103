"""Expectations by samples of another distribution: importance weights, and Metropolis's walk.

Something was drawn m times from q, and p ∝ exp(score) is asked about. With the log-weights
score - log q, which may lack a constant, *importance sampling* gives each draw a share in
proportion to its weight. *Independence Metropolis* walks over the draws in their order, and goes
to the next one with probability min(1, its weight / the weight where it stands): the share of a
draw is how long the walk stays there. Both come to E_p as m grows. The walk is what Abney proposed;
it tosses coins, and so is noisier.

References: Abney (1997), "Stochastic Attribute-Value Grammars", section 5; Liu (1996),
"Metropolized independent sampling with comparisons to rejection sampling and importance sampling".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weft.arrays import FloatArray


class Walk(NamedTuple):
    """Where a walk was, and how often it moved.

    Attributes:
        shares: How long it was at each draw, as shares of the whole. [draws]
        accepted: The share of proposals that were accepted.
    """

    shares: FloatArray
    accepted: float


def walk(log_weights: npt.ArrayLike, rng: np.random.Generator) -> Walk:
    """Walk over draws; it begins at the first one whose weight is not 0.

    >>> walk([0.0, 0.0, -np.inf], np.random.default_rng(0)).shares.tolist()
    [0.3333333333333333, 0.6666666666666666, 0.0]

    Args:
        log_weights: [draws], score - log q.
        rng: Tosses a coin per draw.

    Raises:
        ValueError: If all weights are 0.
    """
    weights = np.asarray(log_weights, np.float64)
    coins = np.log(rng.random(len(weights)))
    possible = np.flatnonzero(weights > -np.inf)
    if not len(possible):
        raise ValueError("no draw has a weight that is not 0")
    here = int(possible[0])
    stays = np.zeros(len(weights))
    stays[here] = here + 1.0  # also for those before it, which it would not have gone to
    moves = 0
    values = weights.tolist()
    for place, coin in zip(range(here + 1, len(weights)), coins[here + 1 :].tolist(), strict=True):
        if coin < values[place] - values[here]:
            here = place
            moves += 1
        stays[here] += 1.0
    return Walk(stays / len(weights), moves / max(1, len(weights) - 1))


def effective_size(log_weights: npt.ArrayLike) -> float:
    """Return how many independent draws from p are worth as much: (Σ w)² / Σ w².

    >>> effective_size([0.0, 0.0, -np.inf])
    2.0
    """
    weights = np.asarray(log_weights, np.float64)
    top = weights.max(initial=-np.inf)
    if top == -np.inf:
        return 0.0
    shares = np.exp(weights - top)
    return float(shares.sum() ** 2 / (shares**2).sum())
