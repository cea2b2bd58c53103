"""Sausages: all strings of one length, a lattice that need not be stored."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.errors import LimitError
from weft.structures.lattice import MOST_STRINGS, Lattice
from weft.structures.lattice_checks import check_symbols, refuse_listing

MOST_ARCS = 5_000_000
"""A sausage with more arcs is not spelt out."""


@dataclass(frozen=True, slots=True)
class Sausage:
    """Every string of one length: the set Σᵐ, whose lattice need not be stored.

    Its lattice is a row of m + 1 states with an arc a symbol between neighbours. All arcs of a
    symbol are alike, and so what is computed for the symbols serves every place and sentence.

    Attributes:
        symbols: Σ, each symbol once.
        length: m, at least 0.

    Raises:
        ValueError: If a symbol comes twice, or there is no string.

    >>> pairs = Sausage(("a", "b"), 2)
    >>> pairs.count(), list(pairs.strings())
    (4, [('a', 'a'), ('a', 'b'), ('b', 'a'), ('b', 'b')])
    """

    symbols: tuple[str, ...]
    length: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "symbols", tuple(self.symbols))
        check_symbols(self.symbols)
        if self.length < 0 or (self.length and not self.symbols):
            raise ValueError(
                f"there is no string of length {self.length} over {len(self.symbols)} symbols"
            )

    @property
    def arc_count(self) -> int:
        """How many arcs its lattice has."""
        return self.length * len(self.symbols)

    def count(self) -> int:
        """Return how many strings there are, exactly."""
        return int(len(self.symbols) ** self.length)

    def strings(self, limit: int = MOST_STRINGS) -> Iterator[tuple[str, ...]]:
        """List the strings; see :meth:`Lattice.strings`."""
        refuse_listing(self.count(), limit)
        return itertools.product(self.symbols, repeat=self.length)

    def lattice(self, limit: int = MOST_ARCS) -> Lattice:
        """Return the lattice, spelt out.

        Raises:
            LimitError: If it has more than ``limit`` arcs.
        """
        if self.arc_count > limit:
            raise LimitError(
                f"the strings of length {self.length} over {len(self.symbols):,} symbols need "
                f"{self.arc_count:,} arcs, more than {limit:,}; raise the limit, or do without"
            )
        width = len(self.symbols)
        states = np.arange(self.length + 1)
        return Lattice(
            self.symbols,
            np.append(states, self.length) * width,
            np.tile(np.arange(width), self.length),
            np.repeat(states[1:], width),
            states == self.length,
        )
