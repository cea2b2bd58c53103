"""Semirings of plain numbers: the log of a sum, a maximum, a count."""

from __future__ import annotations

import math
from typing import Final, final

from weft.algebra.semiring import Semiring, close_numbers


@final
class Log(Semiring[float]):
    """Log-weights: a ⊕ b = log(eᵃ + eᵇ), a ⊗ b = a + b, and log 0 is −inf.

    >>> round(math.exp(LOG.plus(math.log(2), math.log(3))), 9)
    5.0
    >>> LOG.plus(-math.inf, -1e6)
    -1000000.0
    """

    zero = -math.inf
    one = 0.0

    def plus(self, a: float, b: float, /) -> float:
        """Return log(eᵃ + eᵇ), the larger of the two taken out so that nothing overflows."""
        high, low = max(a, b), min(a, b)
        if low == -math.inf:
            return high
        return high + math.log1p(math.exp(low - high))

    def times(self, a: float, b: float, /) -> float:
        """Return a + b."""
        return a + b

    def lift(self, weight: float, _edge: int, /) -> float:
        """Return the log-weight itself."""
        return weight

    def close(self, a: float, b: float, /) -> bool:
        """Return whether two log-weights are equal up to rounding."""
        return close_numbers(a, b)


@final
class Max(Semiring[float]):
    """Scores: a ⊕ b = max(a, b), a ⊗ b = a + b.

    >>> MAX.plus(1.0, 3.0), MAX.times(1.0, 3.0), MAX.zero
    (3.0, 4.0, -inf)
    """

    zero = -math.inf
    one = 0.0

    def plus(self, a: float, b: float, /) -> float:
        """Return the better score."""
        return max(a, b)

    def times(self, a: float, b: float, /) -> float:
        """Return a + b."""
        return a + b

    def lift(self, weight: float, _edge: int, /) -> float:
        """Return the log-weight itself."""
        return weight

    def close(self, a: float, b: float, /) -> bool:
        """Return whether two scores are equal up to rounding."""
        return close_numbers(a, b)


@final
class Counting(Semiring[int]):
    """Numbers of derivations: exact integers of any size.

    >>> COUNTING.lift(-2.5, 0), COUNTING.lift(-math.inf, 0)
    (1, 0)
    """

    zero = 0
    one = 1

    def plus(self, a: int, b: int, /) -> int:
        """Return a + b."""
        return a + b

    def times(self, a: int, b: int, /) -> int:
        """Return a · b."""
        return a * b

    def lift(self, weight: float, _edge: int, /) -> int:
        """Return 1 for an edge that can be used and 0 for one of weight −inf."""
        return int(weight != -math.inf)

    def close(self, a: int, b: int, /) -> bool:
        """Return whether two counts are the same."""
        return a == b


LOG: Final = Log()
MAX: Final = Max()
COUNTING: Final = Counting()
