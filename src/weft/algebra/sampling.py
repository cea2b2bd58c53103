"""Derivations drawn in proportion to their weights.

An element is a lottery: a log-weight and a recipe to draw one derivation, as often as wanted.

    a ⊕ b: draw from a with probability exp(a − a ⊕ b), otherwise from b
    a ⊗ b: draw from a, draw from b independently, and put one after the other

The element is the recipe and not a derivation already drawn, because a vertex may occur twice
in one derivation (the edge with tails A, A) and the two must be drawn independently.

Reference: Johnson, Griffiths and Goldwater (2007), "Bayesian inference for PCFGs via Markov
chain Monte Carlo", which draws trees top down from inside weights; so does a lottery.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias, final

import numpy as np

from weft.algebra.scalars import LOG
from weft.algebra.semiring import Semiring, close_numbers


@dataclass(frozen=True, slots=True, eq=False)
class OneTicket:
    """A lottery with one ticket."""

    log_weight: float
    edges: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """A draw from one of two lotteries."""

    log_weight: float
    first: Lottery
    second: Lottery


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """A draw from one lottery and then an independent one from another."""

    log_weight: float
    first: Lottery
    second: Lottery


Lottery: TypeAlias = OneTicket | Either | Both
"""A log-weight and a recipe to draw one derivation, its edges in pre-order."""


@final
class Sampling(Semiring[Lottery]):
    """The log of the total weight and a way to draw in proportion to it.

    >>> coin = SAMPLING.plus(SAMPLING.lift(math.log(3), 0), SAMPLING.lift(math.log(1), 1))
    >>> rng = np.random.default_rng(0)
    >>> [draw(coin, rng)[0] for _ in range(8)]
    [0, 0, 0, 0, 1, 1, 0, 0]
    """

    zero = OneTicket(-math.inf, ())
    one = OneTicket(0.0, ())

    def plus(self, a: Lottery, b: Lottery, /) -> Lottery:
        """Return a draw from one of the two."""
        if a.log_weight == -math.inf:
            return b
        if b.log_weight == -math.inf:
            return a
        return Either(LOG.plus(a.log_weight, b.log_weight), a, b)

    def times(self, a: Lottery, b: Lottery, /) -> Lottery:
        """Return independent draws from both."""
        total = a.log_weight + b.log_weight
        return self.zero if total == -math.inf else Both(total, a, b)

    def lift(self, weight: float, edge: int, /) -> Lottery:
        """Return the lottery that always draws the edge."""
        return self.zero if weight == -math.inf else OneTicket(weight, (edge,))

    def close(self, a: Lottery, b: Lottery, /) -> bool:
        """Return whether the log-weights are equal up to rounding.

        Equal recipes are written in many ways, and so only what they weigh is compared.
        """
        return close_numbers(a.log_weight, b.log_weight)


SAMPLING: Final = Sampling()


def draw(lottery: Lottery, rng: np.random.Generator) -> tuple[int, ...]:
    """Draw one derivation in proportion to its weight.

    >>> pair = SAMPLING.times(SAMPLING.lift(0.0, 4), SAMPLING.lift(-1e6, 2))
    >>> draw(pair, np.random.default_rng(0))
    (4, 2)

    Args:
        lottery: An element of :data:`SAMPLING` that is not its zero.
        rng: The source of randomness.

    Returns:
        The derivation's edges in pre-order.

    Raises:
        ValueError: If the lottery weighs nothing: there is no derivation to draw.
    """
    if lottery.log_weight == -math.inf:
        raise ValueError("there is nothing to draw from a set of derivations of weight zero")
    edges: list[int] = []
    # A stack and not recursion: lotteries are as deep as sentences are long.
    waiting = [lottery]
    while waiting:
        match waiting.pop():
            case OneTicket(_, more):
                edges.extend(more)
            case Both(_, first, second):
                waiting += [second, first]
            case Either(total, first, second):
                first_wins = rng.random() < math.exp(first.log_weight - total)
                waiting.append(first if first_wins else second)
    return tuple(edges)
