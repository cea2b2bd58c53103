"""Forests whose derivations bear marks of optimality, in the order of these marks.

A vertex becomes one for each bag of marks that its derivations have, so that all derivations of a
vertex have the same marks; a root above those of the whole sentence has them in order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from weft.lfg.optimality import Optimality
from weft.structures.hypergraph import Hypergraph, edges_of, hypergraph
from weft.unification.limits import check_time

Bag = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A forest in the order of marks.

    Attributes:
        hypergraph: The forest; edges of its root lead to whole sentences, best ones first.
        vertices: The vertex that each one was before; -1 for the root.
        edges: The edge that each one was before; -1 for those of the root.
        best: How many of the root's edges, the first ones, are for optimal sentences.
        is_starred: Whether the optimal sentences are ungrammatical.
    """

    hypergraph: Hypergraph
    vertices: tuple[int, ...]
    edges: tuple[int, ...]
    best: int
    is_starred: bool


def rank_forest(forest: Hypergraph, marks: Sequence[Bag], order: Optimality) -> Ranked:
    """Return a forest in the order of the marks of its edges; what is no analysis is left out."""
    by_head: dict[int, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
    for edge, (head, tails) in enumerate(edges_of(forest)):
        by_head[head].append((edge, tails))
    made: dict[int, dict[Bag, int]] = {}
    vertices: list[int] = []
    rows: list[tuple[int, tuple[int, ...], int]] = []
    for vertex in range(forest.vertex_count):
        bags: dict[Bag, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        for edge, tails in by_head[vertex]:
            for below in product(*(made[tail].items() for tail in tails)):
                check_time()
                names = sorted((*marks[edge], *(name for some, _ in below for name in some)))
                bags[tuple(names)].append((edge, tuple(number for _, number in below)))
        made[vertex] = {}
        for bag, edges in bags.items():
            made[vertex][bag] = len(vertices)
            rows += [(len(vertices), tails, edge) for edge, tails in edges]
            vertices.append(vertex)
    whole = made[forest.root]
    kept, best = order.rank([(number, bag) for bag, number in whole.items()])
    rows += [(len(vertices), (number,), -1) for number in kept]
    graph = hypergraph(len(vertices) + 1, [(head, tails) for head, tails, _ in rows])
    starred = any(
        order.is_ungrammatical(bag) for bag, number in whole.items() if number in kept[:1]
    )
    return Ranked(graph, (*vertices, -1), tuple(edge for _, _, edge in rows), best, starred)
