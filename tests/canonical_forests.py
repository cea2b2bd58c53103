"""Canonical parses of a forest by plain loops: the reference of ``native/stack_canonical.hpp``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weft.arrays import offsets_of
from weft.derivations.stack.parses import CLOSED, Parses
from weft.derivations.stack.rounds import SETTLED, rounds_of
from weft.derivations.stack.table import MoveTable
from weft.grammars.transforms.canonical import NEVER, PLAIN, CanonicalTrees
from weft.structures.hypergraph import Hypergraph

_Node = tuple[int, int]
_Ways = list[tuple[_Node, tuple[int, ...]]]


def plain_canonical_parses(parses: Parses, trees: CanonicalTrees, table: MoveTable) -> Parses:
    """The same, with vertices that no parse uses."""
    return _Filter(parses, trees).result(table)


class _Filter:
    """Takes the vertices of a forest in their order."""

    def __init__(self, parses: Parses, trees: CanonicalTrees) -> None:
        self._parses, self._trees = parses, trees
        self._labels, self._levels = (parses.items[:, column].tolist() for column in (1, 4))
        self._made: list[dict[_Node, int]] = []  # by vertex, its new ones by their states
        self._origins: list[int] = []
        self._states: list[int] = []
        self._lengths: list[int] = []  # of the tails of new edges
        self._heads: list[int] = []
        self._tails: list[int] = []
        self._edges: list[int] = []  # where new edges come from

    def result(self, table: MoveTable) -> Parses:
        graph = self._parses.hypergraph
        starts = np.searchsorted(graph.heads, np.arange(graph.vertex_count + 1)).tolist()
        offsets, tails = graph.tail_offsets.tolist(), graph.tails.tolist()
        for vertex in range(graph.vertex_count):
            found: dict[_Node, list[tuple[int, tuple[int, ...]]]] = {}
            for edge in range(starts[vertex], starts[vertex + 1]):
                for state, below in self._ways(vertex, tails[offsets[edge] : offsets[edge + 1]]):
                    found.setdefault(state, []).append((edge, below))
            if vertex == graph.root and not found:
                found[0, PLAIN] = []
            self._write(vertex, found)
        origins, edges = np.array(self._origins, np.int64), np.array(self._edges, np.int64)
        items = self._parses.items[origins]
        topology = Hypergraph(
            len(origins),
            np.array(self._heads, graph.heads.dtype),
            offsets_of(self._lengths),
            np.array(self._tails, graph.tails.dtype),
        )
        closed = self._parses.rounds is not None
        return replace(
            self._parses,
            hypergraph=topology,
            moves=self._parses.moves[edges],
            scores=self._parses.scores[edges],
            items=items,
            rounds=rounds_of(items, self._parses.terminals, table) if closed else None,
            states=np.array(self._states, np.int64),
        )

    def _write(self, vertex: int, found: dict[_Node, list[tuple[int, tuple[int, ...]]]]) -> None:
        self._made.append({})
        for state, several in found.items():
            self._made[-1][state] = number = len(self._origins)
            self._origins.append(vertex)
            self._states.append(state[1])
            for edge, below in several:
                self._edges.append(edge)
                self._heads.append(number)
                self._tails += below
                self._lengths.append(len(below))

    def _ways(self, vertex: int, tails: list[int]) -> _Ways:
        """What an edge makes of the states of its tails: states, and the new tails of each."""
        label, level, made = self._labels[vertex], self._levels[vertex], self._made
        if not tails:
            return [((label, PLAIN), ())]
        if vertex == self._parses.hypergraph.root:
            # What stands for a parse where there is none has any number of tails.
            several = [list(made[tail].values()) for tail in tails]
            return [((label, PLAIN), tuple([own[0] for own in several]))] if all(several) else []
        if len(tails) == 2:
            return self._joined(label, *tails)
        [tail] = tails
        found: _Ways = []
        for node, number in made[tail].items():
            state: _Node | None = None
            if level == CLOSED:
                state = self._right_child(label, node)
            elif self._trees.above(label, node[0]) == PLAIN:
                state = label, PLAIN
            elif level == SETTLED and label == node[0]:  # where rounds are bounded
                state = node
            if state is not None:
                found.append((state, (number,)))
        return found

    def _joined(self, label: int, left: int, closed: int) -> _Ways:
        found: _Ways = []
        for one, first in self._made[left].items():
            for other, second in self._made[closed].items():
                state = self._trees.over(label, one, other)
                if state != NEVER:
                    found.append(((label, state), (first, second)))
        return found

    def _right_child(self, label: int, node: _Node) -> _Node | None:
        """The right child of a node with a label; None if it may have none."""
        sides = self._trees.sides
        if not label:  # the end of the sentence
            return None if sides[node[0]] else (0, PLAIN)
        if sides[node[0]]:
            return node
        return node[0], PLAIN  # right children that head rules do not tell apart stay apart
