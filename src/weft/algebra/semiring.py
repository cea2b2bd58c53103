"""The two operations of a sum over derivations.

A semiring is a set with ⊕ (associative, commutative, identity 0) and ⊗ (associative, identity
1), where ⊗ distributes over ⊕ from both sides and 0 ⊗ a = a ⊗ 0 = 0. Distributivity is what
lets a sum over exponentially many derivations be taken vertex by vertex. ⊗ need not commute:
derivations are strings of edges, and their order tells which child is which.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

T = TypeVar("T")


class Semiring(ABC, Generic[T]):
    """What sums and products of derivations are; every subclass is final.

    Attributes:
        zero: The weight of no derivation at all.
        one: The weight of the derivation without edges.
    """

    zero: T
    one: T

    @abstractmethod
    def plus(self, a: T, b: T, /) -> T:
        """Return a ⊕ b, the weight of two sets of derivations together."""

    @abstractmethod
    def times(self, a: T, b: T, /) -> T:
        """Return a ⊗ b, the weight of a part of a derivation and the part that follows it."""

    @abstractmethod
    def lift(self, weight: float, edge: int, /) -> T:
        """Return the element of one edge; ``zero`` where its log-weight is −inf."""

    @abstractmethod
    def close(self, a: T, b: T, /) -> bool:
        """Return whether two elements are equal up to rounding."""


def close_numbers(a: float, b: float) -> bool:
    """Return whether two log-weights are equal up to the rounding of a few operations.

    The absolute part is for sums like 10⁶ + 0.1 − 10⁶, which keep ten digits after the point.

    >>> close_numbers(-math.inf, -math.inf), close_numbers(-math.inf, -1e300)
    (True, False)
    """
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-9)
