"""Whole sentences that the kernel leaves undecided: the plain solver decides each kind once.

Paths that are chosen on whole f-structures, and tests that the kernel does not know, wait to the
end. Up to then the kernel tells constituents apart by all that these may look at or change, so that
a vertex of a whole sentence stands for derivations that end in equally many ways: one of them is
replayed, and its analyses are counted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weft.arrays import offsets_of
from weft.lfg.forest import AtEnd, LfgForest, Step
from weft.lfg.reference.solve import Run
from weft.structures.hypergraph import Hypergraph, edges_of
from weft.unification.limits import Spent

UNDECIDED = -1
"""The category of a vertex above whole sentences that are undecided."""


def decide_late(forest: LfgForest) -> LfgForest:
    """Return a forest with an edge for each way in which its whole sentences end.

    What is then part of no analysis is left out. A forest without such sentences stays as it is.
    When the open allowance is used up, what is undecided is left out, and the forest is truncated.
    """
    if not forest.spans or forest.spans[-1][2] != UNDECIDED:
        return forest
    rows = list(edges_of(forest.hypergraph))
    first: dict[int, int] = {}
    for edge, (head, _) in enumerate(rows):
        first.setdefault(head, edge)
    top = len(forest.spans) - 1
    edges: list[tuple[int, tuple[int, ...], tuple[Step, ...] | AtEnd | None]] = []
    for edge, (head, tails) in enumerate(rows):
        if head != top:
            edges.append((head, tails, forest.steps[edge]))
            continue
        try:
            count = _count_ways(forest, _list_edges(rows, first, tails[0]))
        except Spent:
            return replace(_prune(forest, edges), truncated=True)
        edges += [(head, tails, AtEnd(number, count)) for number in range(count)]
    return _prune(forest, edges)


def _list_edges(
    rows: list[tuple[int, tuple[int, ...]]], first: dict[int, int], vertex: int
) -> list[int]:
    """The edges of the first derivation of a vertex, in preorder."""
    found, agenda = [], [vertex]
    while agenda:
        edge = first[agenda.pop()]
        found.append(edge)
        agenda += reversed(rows[edge][1])
    return found


def _count_ways(forest: LfgForest, edges: list[int]) -> int:
    run = Run(forest.kernel.solver, forest.lattice)
    return sum(1 for _ in run.finish(forest.replay(run, edges)))


def _prune(
    forest: LfgForest,
    edges: list[tuple[int, tuple[int, ...], tuple[Step, ...] | AtEnd | None]],
) -> LfgForest:
    """The forest of some edges; tails come before heads."""
    top = len(forest.spans) - 1
    kept = {top}
    for head, tails, _ in reversed(edges):
        if head in kept:
            kept.update(tails)
    numbers = {vertex: number for number, vertex in enumerate(sorted(kept))}
    edges = [each for each in edges if each[0] in kept]
    heads = np.array([numbers[head] for head, _, _ in edges], np.int32)
    rows = [[numbers[tail] for tail in tails] for _, tails, _ in edges]
    flat = np.array([tail for row in rows for tail in row], np.int32)
    return replace(
        forest,
        hypergraph=Hypergraph(len(kept), heads, offsets_of(map(len, rows)), flat),
        spans=tuple(forest.spans[vertex] for vertex in sorted(kept)),
        steps=tuple(steps for _, _, steps in edges),
    )
