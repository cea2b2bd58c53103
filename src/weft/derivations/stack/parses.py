"""The parses of sentences by a shift-reduce parser, as forests: see ``native/stack.hpp``.

A vertex is an *item*, a node on top of the stack with the label below it; or a *closed* one, an
item that will be the right child of a node; or the bottom of the stack, which is the first vertex,
or the root, which is the last. An edge is a move of the item that is its first tail; those without
tails begin an item by its first terminal, and those that lead to a *settled* item stand for chains
of moves (:mod:`weft.derivations.stack.chains`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of
from weft.derivations.stack.chains import Chain
from weft.derivations.stack.rounds import SETTLED, Rounds, rounds_of
from weft.derivations.stack.table import MoveTable
from weft.derivations.stack.terminals import Terminals
from weft.kernels import kernels
from weft.structures.derivation import Derivation
from weft.structures.hypergraph import Hypergraph
from weft.structures.tree import Tree

PARTIAL = ""
"""The label of what stands for a parse, where there is none."""

CLOSED = -1
"""The level of vertices that are no items."""


class EndlessError(ArithmeticError):
    """Chains of reduce₁ moves that lead back to a label, whose number is told, are too heavy."""


ItemKey = tuple[int, int, int, int, int]
"""An item or a closed vertex: its opening, label, node, label below, and level."""


def bottom_at(node: int) -> ItemKey:
    """Return the bottom of the stack of a sentence that begins at a node."""
    return (-1, 0, node, 0, 0)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may take.

    Attributes:
        beam: The share of the best prefix weight that an item must have to have moves; 0 for none.
        edges: How many edges at most are made, before those that no parse has are left out.
        cycles: How many moves of a cycle of reduce₁ may follow each other; None for any number,
            which are summed in closed form.
        partial: Whether, where there is no parse, the best stack that was reached stands for one:
            its nodes, and the words after it, are then the children of the root.
        bytes: How much memory items and edges take at most.
        seconds: How long a search takes at most; 0 for any time.
    """

    beam: float = 0.0
    edges: int = 20_000_000
    cycles: int | None = None
    partial: bool = False
    bytes: int = 2**40
    seconds: float = 0.0


class Stopped(IntEnum):
    """Which limit a search has met, if any."""

    NOT = 0
    EDGES = 1
    BYTES = 2
    SECONDS = 3


EXACT = Limits()
"""A search without a beam."""


@dataclass(frozen=True, slots=True, eq=False)
class Parses:
    """The parses of one sentence.

    Attributes:
        hypergraph: The forest; its root has no edge where there is no parse.
        moves: [edges], the move; -1 for none: where an item begins, or is settled.
        scores: [edges], its log-weight; 0 where edges stand for chains.
        items: [vertices, 5], an :data:`ItemKey` each.
        terminals: The sentence.
        prefixes: [nodes], the log of the weight of all that begins so.
        met: How many items were looked at.
        stopped: Which limit the search has met, and was given up there.
        rounds: The moves within chains; None where these are bounded, and every move is an edge.
        states: [vertices], what tells items with the same key apart; None where nothing does.
    """

    hypergraph: Hypergraph
    moves: IndexArray
    scores: FloatArray
    items: IndexArray
    terminals: Terminals
    prefixes: FloatArray
    met: int
    stopped: Stopped
    rounds: Rounds | None = None
    states: IntArray | None = None

    @property
    def row_moves(self) -> IndexArray:
        """[rows]: the moves of edges, then those within chains."""
        return self.moves if self.rounds is None else np.append(self.moves, self.rounds.moves)

    @property
    def row_scores(self) -> FloatArray:
        """[rows]: their log-weights."""
        return self.scores if self.rounds is None else np.append(self.scores, self.rounds.scores)

    @property
    def row_vertices(self) -> IntArray:
        """[rows]: the item that makes each move; -1 where there is none."""
        graph, made = self.hypergraph, self.moves >= 0
        found = np.full(graph.edge_count, -1, np.int64)
        found[made] = graph.tails[graph.tail_offsets[:-1][made]]
        return found if self.rounds is None else np.append(found, self.rounds.vertices)

    @property
    def row_numbers(self) -> IntArray:
        """[rows]: a number for each move at its items, whatever tells these apart."""
        graph, rounds = self.hypergraph, self.rounds
        rows = graph.edge_count + (0 if rounds is None else len(rounds.moves))
        if self.states is None:
            return np.arange(rows)
        keys = np.full((rows, 16), -2, np.int64)
        keys[: len(self.moves), 0] = self.moves
        keys[: len(self.moves), 1:6] = self.items[graph.heads]
        sizes = np.diff(graph.tail_offsets)
        for place in range(2):
            some = np.flatnonzero(sizes > place)
            tails = graph.tails[graph.tail_offsets[:-1][some] + place]
            keys[some, 6 + 5 * place : 11 + 5 * place] = self.items[tails]
        if rounds is not None:
            keys[len(self.moves) :, 0] = rounds.moves
            keys[len(self.moves) :, 1:6] = self.items[rounds.vertices]
        numbers: IntArray = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
        return numbers

    @property
    def spans(self) -> IndexArray:
        """[vertices, 2]: the positions before and after the words of each vertex."""
        sources = np.append(self.terminals.sources, 0)  # which -1 looks up
        nodes = np.stack([sources[self.items[:, 0]], self.items[:, 2]], axis=1)
        found: IndexArray = self.terminals.positions[nodes]
        return found

    def tree(
        self,
        derivation: Derivation,
        names: Sequence[str],
        chains: Mapping[int, Chain] = MappingProxyType({}),
    ) -> Tree:
        """Return the binary tree of a derivation, with labels for leaves.

        Args:
            derivation: A derivation of the root.
            names: The labels.
            chains: The chains of its edges that stand for some.
        """
        turns = self._turns(names)
        heads, labels = self.hypergraph.heads, self.items[:, 1]
        made: dict[int, Tree | str] = {}
        waiting = [(derivation, False)]
        while waiting:
            node, ready = waiting.pop()
            if id(node) in made:
                continue
            if not ready:
                waiting.append((node, True))
                waiting += [(child, False) for child in node.children]
                continue
            vertex = int(heads[node.edge])
            below = tuple(made[id(child)] for child in node.children)
            name = names[labels[vertex]]
            if vertex == self.hypergraph.root and self.moves[node.edge] < 0:
                made[id(node)] = Tree(PARTIAL, below)
            elif node.edge in chains:
                inner = below[-1]
                for row in chains[node.edge]:
                    inner = Tree(turns(row), (inner,))
                made[id(node)] = inner
            elif vertex == self.hypergraph.root or self.items[vertex, 4] in (CLOSED, SETTLED):
                made[id(node)] = below[-1]
            else:
                made[id(node)] = Tree(name, below) if below else name
        tree = made[id(derivation)]
        return tree if isinstance(tree, Tree) else Tree(tree, ())

    def _turns(self, names: Sequence[str]) -> Callable[[int], str]:
        """The labels that rows within chains lead to."""
        count, rounds = self.hypergraph.edge_count, self.rounds
        return lambda row: "" if rounds is None else names[rounds.moves[row - count] % len(names)]


def find_parses(
    table: MoveTable,
    sentences: Sequence[Terminals],
    limits: Limits,
    kept: Sequence[Sequence[ItemKey]],
    threads: int,
) -> list[Parses]:
    """Return the parses of sentences.

    Args:
        table: The moves.
        sentences: Their terminals.
        limits: What the search may take.
        kept: Items of each sentence that no beam takes out.
        threads: How many threads to use; no result depends on it.
    """
    columns = [np.concatenate([np.zeros(0, np.int32), *each]) for each in _columns(sentences)]
    looks, sources, labels, targets = columns
    lengths = [length for each in sentences for length in np.diff(each.target_offsets).tolist()]
    found = kernels.stack_forests(
        table.rows,
        table.offsets,
        table.moves,
        table.scores,
        table.ranks,
        table.cyclic,
        table.looks,
        offsets_of(len(each.looks) for each in sentences),
        offsets_of(len(each.sources) for each in sentences),
        looks,
        sources,
        labels,
        np.concatenate([np.zeros(0), *(each.scores for each in sentences)]),
        offsets_of(lengths),
        targets,
        np.array([each.starts for each in sentences], np.int32),
        offsets_of(map(len, kept)),
        np.array([item for each in kept for item in each], np.int32).reshape(-1, 5),
        float(np.log(limits.beam)) if limits.beam else -np.inf,
        limits.edges,
        limits.bytes,
        limits.seconds,
        -1 if limits.cycles is None else limits.cycles,
        limits.partial,
        threads,
    )
    closed = limits.cycles is None
    several = zip(found, sentences, strict=True)
    return [_parses(*pair, table if closed else None) for pair in several]


def _columns(sentences: Sequence[Terminals]) -> list[list[IndexArray]]:
    return [
        [getattr(each, name) for each in sentences]
        for name in ("looks", "sources", "labels", "targets")
    ]


def _parses(found: tuple[Any, ...], terminals: Terminals, table: MoveTable | None) -> Parses:
    heads, offsets, tails, moves, scores, *columns, prefixes, met, stopped, endless = found
    if endless >= 0:
        raise EndlessError(endless)
    items: IndexArray = np.stack(columns, axis=1)
    topology = Hypergraph(len(items), heads, offsets, tails)
    rounds = None
    if table is not None:
        scores[items[heads, 4] == SETTLED] = 0.0  # chains are weighed by their moves
        rounds = rounds_of(items, terminals, table)
    return Parses(
        topology, moves, scores, items, terminals, prefixes, met, Stopped(stopped), rounds
    )
