"""The expectation semiring: a total weight and the mean of a feature under it.

An element is (log p, r): a set of derivations of total weight p in which an additive feature
has the mean r, each derivation counting in proportion to its weight:

    (log p, r) ⊕ (log q, s) = (log(p + q), (p r + q s) / (p + q))
    (log p, r) ⊗ (log q, s) = (log p + log q, r + s)

and the one element of weight zero is (−inf, 0). The textbook pair (p, p r) would overflow where
log p does not, and (log p, log |p r|, sign) loses digits where features of both signs cancel; a
mean does neither. The mean is also a derivative: with the feature as a direction, it is the
directional derivative of log p.

Reference: Eisner (2002), "Parameter estimation for probabilistic finite-state transducers";
Li and Eisner (2009), "First- and second-order expectation semirings", whose pairs are (p, p r).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

from weft.algebra.scalars import LOG
from weft.algebra.semiring import Semiring, close_numbers


class Moment(NamedTuple):
    """The log of a total weight and the mean of a feature under it."""

    log_weight: float
    mean: float


@final
@dataclass(frozen=True, slots=True)
class Expectation(Semiring[Moment]):
    """The log of the total weight with the mean of a feature.

    >>> coin = Expectation(features=[1.0, -1.0])
    >>> coin.plus(coin.lift(-1e6, 0), coin.lift(-1e6, 1)).mean
    0.0

    Attributes:
        features: The feature's value at each edge; any finite number.
    """

    features: Sequence[float]

    zero = Moment(-math.inf, 0.0)
    one = Moment(0.0, 0.0)

    def plus(self, a: Moment, b: Moment, /) -> Moment:
        """Return the total weight, and the means mixed in proportion to the weights."""
        total = LOG.plus(a.log_weight, b.log_weight)
        if total == -math.inf:
            return self.zero
        share = math.exp(b.log_weight - total)
        return Moment(total, a.mean * math.exp(a.log_weight - total) + b.mean * share)

    def times(self, a: Moment, b: Moment, /) -> Moment:
        """Return the product of the weights with the sum of the means."""
        total = a.log_weight + b.log_weight
        return self.zero if total == -math.inf else Moment(total, a.mean + b.mean)

    def lift(self, weight: float, edge: int, /) -> Moment:
        """Return the edge's log-weight with its feature."""
        return self.zero if weight == -math.inf else Moment(weight, self.features[edge])

    def close(self, a: Moment, b: Moment, /) -> bool:
        """Return whether weights and means are equal up to rounding."""
        return close_numbers(a.log_weight, b.log_weight) and close_numbers(a.mean, b.mean)
