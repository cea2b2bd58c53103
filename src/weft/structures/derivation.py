"""Derivations: trees of edges.

The score of a derivation is the sum of its edges' log-weights, an edge that is used twice
counting twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.structures.hypergraph import Hypergraph, tails_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derivation:
    """An edge and the derivations of its tails, in their order.

    Trees of the same shape and edges are equal. They are as deep as sentences are long, and so
    nothing here recurses; equal subtrees may be one object.

    >>> Derivation(2, (Derivation(0), Derivation(1)))
    Derivation(2(0 1))
    """

    edge: int
    children: tuple[Derivation, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Derivation):
            return NotImplemented
        return self is other or _shape(self) == _shape(other)

    def __hash__(self) -> int:
        return hash(_shape(self))

    def __repr__(self) -> str:
        texts: list[str] = []
        for edge, arity in reversed(_shape(self)):
            below = " ".join(texts.pop() for _ in range(arity))
            texts.append(f"{edge}({below})" if arity else f"{edge}")
        return f"Derivation({texts[0]})"


def preorder(derivation: Derivation) -> tuple[int, ...]:
    """Return the edges: each before those of its children, children from left to right.

    >>> preorder(Derivation(3, (Derivation(2, (Derivation(0),)), Derivation(1))))
    (3, 2, 0, 1)
    """
    return tuple(node.edge for node in _nodes(derivation))


def derivation_of(hypergraph: Hypergraph, edges: Sequence[int]) -> Derivation:
    """Return the derivation whose edges in pre-order are given.

    >>> from weft.structures.hypergraph import hypergraph
    >>> derivation_of(hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))]), (2, 0, 1))
    Derivation(2(0 1))

    Args:
        hypergraph: Tells how many children each edge has.
        edges: Edges in pre-order, such as :func:`preorder` gives.

    Returns:
        The tree.

    Raises:
        ValueError: If the edges are not one derivation of the hypergraph.
    """
    trees: list[Derivation] = []
    for edge in reversed(edges):
        tails = tails_of(hypergraph, edge)
        children = tuple(trees.pop() for _ in tails[: len(trees)])
        if [hypergraph.heads[child.edge] for child in children] != list(tails):
            raise ValueError(f"edge {edge} is not followed by derivations of its tails {tails}")
        trees.append(Derivation(edge, children))
    if len(trees) != 1:
        raise ValueError(f"the edges are {len(trees)} derivations, not one")
    return trees[0]


def score(derivation: Derivation, weights: FloatArray) -> float:
    """Return the sum of the edges' log-weights, rounded once.

    >>> score(Derivation(1, (Derivation(0), Derivation(0))), np.array([-1.0, 0.5]))
    -1.5
    """
    return math.fsum(weights[list(preorder(derivation))])


def edge_counts(derivation: Derivation, edge_count: int) -> IntArray:
    """Return how often each of the hypergraph's edges is used.

    >>> edge_counts(Derivation(2, (Derivation(0), Derivation(0))), 3)
    array([2, 0, 1])
    """
    return np.bincount(preorder(derivation), minlength=edge_count)


def _nodes(derivation: Derivation) -> Iterator[Derivation]:
    waiting = [derivation]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _shape(derivation: Derivation) -> tuple[tuple[int, int], ...]:
    """Return the edges in pre-order, each with its number of children: this is the tree."""
    return tuple((node.edge, len(node.children)) for node in _nodes(derivation))
