"""The derivations of a forest as a sequence, in a fixed order, however many there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from weft.inference.kbest import kbest
from weft.inference.sampling import sample
from weft.structures.derivation import Derivation, derivation_of
from weft.structures.hypergraph import Hypergraph, edges_of, tails_of

T = TypeVar("T")


class Listing(ABC, Generic[T]):
    """What the derivations of a forest stand for, such as trees: derivation by derivation.

    Attributes:
        hypergraph: The forest.
    """

    hypergraph: Hypergraph

    @abstractmethod
    def show(self, derivation: Derivation) -> T:
        """Return what a derivation stands for."""

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[T, ...]: ...

    def __getitem__(self, number: int | slice) -> T | tuple[T, ...]:
        if isinstance(number, slice):
            return tuple(self[each] for each in range(*number.indices(self.count)))
        if not -self.count <= number < self.count:
            raise IndexError(f"there are {self.count:,} analyses; {number} is none of them")
        return self.show(self.derivation(number % self.count))

    def __iter__(self) -> Iterator[T]:
        return (self[number] for number in range(self.count))

    @property
    def count(self) -> int:
        """How many analyses there are, however many."""
        return self.counts[-1]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many derivations each vertex has."""
        counts = [0] * self.hypergraph.vertex_count
        for head, tails in edges_of(self.hypergraph):
            ways = 1
            for tail in tails:
                ways *= counts[tail]
            counts[head] += ways
        return tuple(counts)

    def best(self, weights: npt.ArrayLike | None = None) -> T:
        """Return the one of the highest weight, the first of several; without weights, the first.

        Args:
            weights: The edges' log-weights. [edges]

        Raises:
            IndexError: If there is none.
        """
        return self[0] if weights is None else self.kbest(1, weights)[0]

    def kbest(self, k: int, weights: npt.ArrayLike) -> list[T]:
        """Return the k of the highest weights, best first; fewer if there are fewer."""
        return [self.show(found) for _, found in kbest(self.hypergraph, weights, k)]

    def sample(
        self, count: int, rng: np.random.Generator, weights: npt.ArrayLike | None = None
    ) -> list[T]:
        """Draw some in proportion to their weights; without weights, all alike."""
        given = np.zeros(self.hypergraph.edge_count) if weights is None else weights
        return [self.show(each) for each in sample(self.hypergraph, given, rng, count)]

    def derivation(self, number: int) -> Derivation:
        """Return the edges of an analysis."""
        edges: list[int] = []
        waiting = [(self.hypergraph.root, number)]
        while waiting:
            vertex, rank = waiting.pop()
            edge, rank = self._choose(vertex, rank)
            edges.append(edge)
            below: list[tuple[int, int]] = []
            for tail in reversed(tails_of(self.hypergraph, edge)):
                rank, part = divmod(rank, self.counts[tail])
                below.append((tail, part))
            waiting.extend(below)
        return derivation_of(self.hypergraph, edges)

    def _choose(self, vertex: int, rank: int) -> tuple[int, int]:
        """The edge of a vertex that its derivation of a rank begins with, and the rank there."""
        first, last = np.searchsorted(self.hypergraph.heads, [vertex, vertex + 1])
        for edge in range(int(first), int(last)):
            ways = 1
            for tail in tails_of(self.hypergraph, edge):
                ways *= self.counts[tail]
            if rank < ways:
                return edge, rank
            rank -= ways
        raise IndexError(f"vertex {vertex} has no derivation of this rank")
