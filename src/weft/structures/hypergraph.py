"""Acyclic hypergraphs: the explicit form of a set of derivations.

An edge has one head and any number of tails, all of them vertices. A derivation of a vertex
chooses an edge whose head it is, and a derivation of each of the edge's tails; the derivations
of the hypergraph are those of its root. Weights are kept apart: one topology, many weights.

Reference: Klein and Manning (2001), "Parsing and Hypergraphs".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import IndexArray, IntArray, are_offsets, flatten, integers
from weft.reprs import Brief, Pictured


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hypergraph(Brief, Pictured):
    """A topology in flat arrays, children before heads.

    Edges are in the order of their heads, and every tail of an edge is a lower vertex than its
    head, so that one pass over the edges meets each vertex after all it is made of. The arrays
    are copied, checked and read-only: kernels trust them.

    Attributes:
        vertex_count: How many vertices there are; the last one is the root.
        heads: The head of each edge, ascending. [edges]
        tail_offsets: Where the tails of each edge begin, and where the last ones end. [edges + 1]
        tails: The tails of all edges, one after the other. They are positions: an edge with
            tails (A, A) uses two derivations of A. [sum of arities]

    Raises:
        ValueError: If the arrays do not describe such a topology; the message names the edge.
    """

    vertex_count: int
    heads: IndexArray
    tail_offsets: IntArray
    tails: IndexArray

    def __post_init__(self) -> None:
        if not 1 <= self.vertex_count <= np.iinfo(np.int32).max:
            raise ValueError(
                f"a hypergraph needs between 1 and 2³¹ - 1 vertices (the last is its root), "
                f"not {self.vertex_count}"
            )
        object.__setattr__(self, "heads", integers("heads", self.heads, np.int32))
        object.__setattr__(self, "tail_offsets", integers("offsets", self.tail_offsets, np.int64))
        object.__setattr__(self, "tails", integers("tails", self.tails, np.int32))
        _check_offsets(self)
        _check_heads(self)
        _check_tails(self)

    @property
    def edge_count(self) -> int:
        """How many edges there are."""
        return len(self.heads)

    @property
    def root(self) -> int:
        """The last vertex."""
        return self.vertex_count - 1


def hypergraph(vertex_count: int, edges: Iterable[tuple[int, Sequence[int]]]) -> Hypergraph:
    """Make a hypergraph of its edges.

    The edges keep their numbers, so that weights written beside them stay theirs: edges must
    come in the order of their heads, and are refused where they do not.

    >>> forest = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])
    >>> forest.heads, forest.tails
    (array([0, 0, 1], dtype=int32), array([0, 0], dtype=int32))

    Args:
        vertex_count: How many vertices there are; the last one is the root.
        edges: The head and the tails of each edge.

    Returns:
        The hypergraph.

    Raises:
        ValueError: If heads descend, or some edge's tail is not a lower vertex than its head.
    """
    pairs = list(edges)
    tail_offsets, tails = flatten([tails for _, tails in pairs])
    heads = np.array([head for head, _ in pairs])
    return Hypergraph(vertex_count, heads, tail_offsets, np.array(tails))


def tails_of(hypergraph: Hypergraph, edge: int) -> tuple[int, ...]:
    """Return the tails of one edge.

    >>> tails_of(hypergraph(2, [(0, ()), (1, (0, 0))]), 1)
    (0, 0)
    """
    start, end = hypergraph.tail_offsets[edge : edge + 2]
    return tuple(hypergraph.tails[start:end].tolist())


def edges_of(hypergraph: Hypergraph) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the head and the tails of each edge.

    >>> list(edges_of(hypergraph(2, [(0, ()), (1, (0, 0))])))
    [(0, ()), (1, (0, 0))]
    """
    offsets, tails = hypergraph.tail_offsets.tolist(), hypergraph.tails.tolist()
    for edge, head in enumerate(hypergraph.heads.tolist()):
        yield head, tuple(tails[offsets[edge] : offsets[edge + 1]])


def _check_offsets(hypergraph: Hypergraph) -> None:
    offsets, tails = hypergraph.tail_offsets, hypergraph.tails
    if len(offsets) != hypergraph.edge_count + 1:
        raise ValueError(
            f"{hypergraph.edge_count} edges need {hypergraph.edge_count + 1} offsets, "
            f"not {len(offsets)}"
        )
    if not are_offsets(offsets, hypergraph.edge_count, len(tails)):
        raise ValueError(f"offsets must ascend from 0 to the number of tails, {len(tails)}")


def _check_heads(hypergraph: Hypergraph) -> None:
    heads = hypergraph.heads
    for edge in np.flatnonzero(heads >= hypergraph.vertex_count)[:1]:
        raise ValueError(
            f"edge {edge} has head {heads[edge]}, but there are {hypergraph.vertex_count} vertices"
        )
    for edge in np.flatnonzero(heads[1:] < heads[:-1])[:1] + 1:
        raise ValueError(
            f"edge {edge} has head {heads[edge]} after an edge with head {heads[edge - 1]}: "
            "sort the edges, and their weights with them, by head"
        )


def _check_tails(hypergraph: Hypergraph) -> None:
    edges = np.repeat(np.arange(hypergraph.edge_count), np.diff(hypergraph.tail_offsets))
    for place in np.flatnonzero(hypergraph.tails >= hypergraph.heads[edges])[:1]:
        edge, tail = edges[place], hypergraph.tails[place]
        raise ValueError(
            f"edge {edge} has tail {tail} and head {hypergraph.heads[edge]}: "
            "number the vertices so that tails are lower than heads"
        )
