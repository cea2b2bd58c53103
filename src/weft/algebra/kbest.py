"""The k best derivations.

An element is a tuple of at most k pairs (score, edges), best first. Edges are flat, in
pre-order (an edge, then its children's edges from left to right); since an edge's number of
children is known, that string is the tree. Of equal scores, which differ by at most 1e-9, the
string that comes first in the dictionary goes first, and so ``KBest(1)`` breaks ties at every
vertex by the lower edge.

    A ⊕ B = the k best of A ∪ B,    A ⊗ B = the k best of {(s + t, uv): (s, u) ∈ A, (t, v) ∈ B}

Reference: Goodman (1999), "Semiring Parsing", the Viterbi-n-best semiring.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, final

from weft.algebra.semiring import Semiring, close_numbers
from weft.ranking import TIE


class Best(NamedTuple):
    """One derivation: its score and its edges in pre-order."""

    score: float
    edges: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class KBest(Semiring[tuple[Best, ...]]):
    """The k best derivations in order, or all of them where there are fewer.

    >>> two = KBest(2)
    >>> choice = two.plus(two.lift(0.5, 0), two.plus(two.lift(1.0, 1), two.lift(0.7, 2)))
    >>> [best.edges for best in choice]
    [(1,), (2,)]
    >>> [best.edges for best in two.times(choice, choice)]
    [(1, 1), (1, 2)]

    Attributes:
        k: How many derivations to keep; at least 1.
    """

    k: int

    zero = ()
    one = (Best(0.0, ()),)

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k must be at least 1, not {self.k}")

    def plus(self, a: tuple[Best, ...], b: tuple[Best, ...], /) -> tuple[Best, ...]:
        """Return the k best of both; a derivation in both counts twice, as sums do."""
        return self._best((*a, *b))

    def times(self, a: tuple[Best, ...], b: tuple[Best, ...], /) -> tuple[Best, ...]:
        """Return the k best of all pairs.

        The i-th of ``a`` with the j-th of ``b`` is no better than any of the i · j pairs of
        lower ranks, and so only pairs with i · j ≤ k are tried.
        """
        return self._best(
            Best(first.score + second.score, first.edges + second.edges)
            for rank, first in enumerate(a[: self.k], start=1)
            for second in b[: self.k // rank]
        )

    def lift(self, weight: float, edge: int, /) -> tuple[Best, ...]:
        """Return the derivation of one edge; none if its weight is −inf."""
        return () if weight == -math.inf else (Best(weight, (edge,)),)

    def close(self, a: tuple[Best, ...], b: tuple[Best, ...], /) -> bool:
        """Return whether scores agree up to rounding, and derivations up to ties at the end.

        Rounding decides which of several equally good derivations comes k-th.
        """
        if len(a) != len(b):
            return False
        scores_agree = all(close_numbers(x.score, y.score) for x, y in zip(a, b, strict=True))
        return scores_agree and self._contains(a, b) and self._contains(b, a)

    def _best(self, candidates: Iterable[Best]) -> tuple[Best, ...]:
        ordered = sorted(candidates, key=lambda best: (-best.score, best.edges))
        start = 0
        for place in range(1, len(ordered) + 1):
            if place < len(ordered) and ordered[place - 1].score - ordered[place].score <= TIE:
                continue
            if place - start > 1:
                ordered[start:place] = sorted(ordered[start:place], key=attrgetter("edges"))
            if place >= self.k:
                break
            start = place
        return tuple(ordered[: self.k])

    def _contains(self, a: tuple[Best, ...], b: tuple[Best, ...]) -> bool:
        """Return whether what is in b is in a too, or tied with the last one of a full a."""
        last = a[-1:] if len(a) == self.k else ()
        return all(
            any(close_numbers(x.score, y.score) and (x.edges == y.edges or x in last) for x in a)
            for y in b
        )
