"""The chains of a forest: those of all parses, or of those that agree with what is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of, ranges
from weft.derivations.stack.chains import Chains
from weft.derivations.stack.table import MoveTable

if TYPE_CHECKING:
    from weft.derivations.stack.parses import Parses
    from weft.derivations.stack.terminals import Terminals

SETTLED = 62
"""The level of an item of a cyclic label that goes round no more; see ``native/stack.hpp``."""


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """The moves of a forest within chains.

    Attributes:
        vertices: [moves], the settled item that makes each, ascending.
        targets: [moves], the settled item that it leads to.
        moves: [moves], the moves.
        scores: [moves], their log-weights.
    """

    vertices: IntArray
    targets: IntArray
    moves: IndexArray
    scores: FloatArray


NO_ROUNDS = Rounds(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0))
"""The moves of a forest without chains."""


def rounds_of(items: IndexArray, terminals: Terminals, table: MoveTable) -> Rounds:
    """Return the moves between the settled items of a forest.

    Args:
        items: [vertices, 5], as :class:`~weft.derivations.stack.parses.Parses` has them.
        terminals: The sentence.
        table: The moves.
    """
    settled = np.flatnonzero(items[:, 4] == SETTLED)
    if not len(settled):
        return NO_ROUNDS
    groups, offsets = _groups(settled), table.turns[0]
    tops, below, nodes = (items[settled, column] for column in (1, 3, 2))
    rows = table.rows[tops, below].astype(np.int64)
    places = np.maximum(rows, 0) * table.looks + terminals.looks[nodes]
    lengths = np.where(rows >= 0, offsets[places + 1] - offsets[places], 0)
    entries = table.turns[1][ranges(offsets[places], lengths)]
    owners = np.repeat(np.arange(len(settled)), lengths)
    # Which settled item a group has of each cyclic label.
    numbers = np.cumsum(table.cyclic) - 1
    width = int(numbers[-1]) + 1
    found = np.full(int(groups[-1] + 1) * width, -1, np.int64)
    found[groups * width + numbers[tops]] = settled
    targets = found[groups[owners] * width + numbers[table.moves[entries] % table.labels]]
    here = targets >= 0
    entries = entries[here]
    return Rounds(settled[owners[here]], targets[here], table.moves[entries], table.scores[entries])


def _groups(settled: IntArray) -> IntArray:
    """The group of each settled item: those of one rank over one span come one after the other."""
    return np.cumsum(np.diff(settled, prepend=settled[0] - 1) > 1)


def chains_of(parses: Parses, names: Sequence[str]) -> Chains | None:
    """Return all chains of a forest; None where it has none."""
    rounds = parses.rounds
    settled = np.flatnonzero(parses.items[:, 4] == SETTLED)
    if rounds is None or not len(settled):
        return None
    graph, groups = parses.hypergraph, _groups(settled)
    edges = np.flatnonzero(parses.items[graph.heads, 4] == SETTLED)
    ends = np.searchsorted(settled, graph.heads[edges])
    begun = graph.tails[graph.tail_offsets[edges]]
    # An item that a chain begins with is itself settled if there are no moves.
    keys = groups * len(names) + parses.items[settled, 1]
    starts = np.searchsorted(keys, groups[ends] * len(names) + parses.items[begun, 1])
    return Chains(
        graph.edge_count,
        edges,
        starts,
        ends,
        offsets_of(np.bincount(groups)[groups[0] :]),
        np.searchsorted(settled, rounds.vertices),
        np.searchsorted(settled, rounds.targets),
        graph.edge_count + np.arange(len(rounds.moves)),
        parses.items[settled, 1],
        names,
    )


@dataclass(slots=True)
class _Group:
    """States, moves as sources, targets and rows, and chains as edges, starts and ends."""

    labels: list[int]
    moves: list[tuple[int, int, int]] = field(default_factory=list)
    chains: list[tuple[int, int, int]] = field(default_factory=list)


def _made_of(groups: Sequence[_Group], parses: Parses, names: Sequence[str]) -> Chains:
    offsets = offsets_of(len(each.labels) for each in groups)
    moves, chains = [], []
    for begin, each in zip(offsets.tolist(), groups, strict=False):
        moves += [(begin + source, begin + target, row) for source, target, row in each.moves]
        chains += [(edge, begin + start, begin + end) for edge, start, end in each.chains]
    sources, targets, rows = np.array(moves, np.int64).reshape(-1, 3).T
    edges, starts, ends = np.array(chains, np.int64).reshape(-1, 3).T
    labels = np.array([label for each in groups for label in each.labels], np.int32)
    count = parses.hypergraph.edge_count
    return Chains(count, edges, starts, ends, offsets, sources, targets, rows, labels, names)


def known_chains(
    parses: Parses, known: Mapping[int, Sequence[int]], names: Sequence[str]
) -> Chains | None:
    """Return chains of a forest that are known; None if it lacks a move.

    Args:
        parses: The forest.
        known: The settled items of each, from its first to its last, by edge.
        names: The labels.
    """
    rounds = parses.rounds
    assert rounds is not None  # noqa: S101
    pairs = zip(rounds.vertices.tolist(), rounds.targets.tolist(), strict=True)
    rows = {pair: parses.hypergraph.edge_count + row for row, pair in enumerate(pairs)}
    groups = []
    for edge, items in known.items():
        moves = [rows.get(pair) for pair in pairwise(items)]
        if None in moves:
            return None
        group = _Group(parses.items[list(items), 1].tolist())
        group.moves = [(place, place + 1, row) for place, row in enumerate(moves) if row]
        group.chains = [(edge, 0, len(items) - 1)]
        groups.append(group)
    return _made_of(groups, parses, names)


def chains_through(
    chains: Chains, parses: Parses, wanted: Mapping[int, Collection[int]], begun: Collection[int]
) -> Chains:
    """Return the chains that meet all labels of a set.

    A state is then a label with those of the set that were met.

    Args:
        chains: All chains of a forest.
        parses: The forest.
        wanted: The labels, by edge.
        begun: Edges of which the label that chains begin with is a terminal, and does not count.
    """
    groups = []
    for group, mine in enumerate(_by_group(chains)):
        labels = chains.labels[chains.offsets[group] : chains.offsets[group + 1]].tolist()
        for some in {frozenset(wanted.get(edge, ())) for edge in mine}:
            edges = [edge for edge in mine if frozenset(wanted.get(edge, ())) == some]
            groups.append(_product(chains, group, labels, sorted(some), edges, begun))
    return _made_of(groups, parses, chains.names)


def _by_group(chains: Chains) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in chains.offsets[1:]]
    for edge in chains.edges.tolist():
        found[chains.ends_of(edge)[0]].append(edge)
    return found


def _product(
    chains: Chains,
    group: int,
    labels: Sequence[int],
    wanted: Sequence[int],
    edges: Sequence[int],
    begun: Collection[int],
) -> _Group:
    size, full = len(labels), 2 ** len(wanted) - 1
    bits = [1 << wanted.index(label) if label in wanted else 0 for label in labels]
    found = _Group([*labels] * (full + 1))
    for met in range(full + 1):
        for source, ways in chains.moves_of(group).items():
            found.moves += [
                (met * size + source, (met | bits[target]) * size + target, row)
                for target, row in ways.items()
            ]
    for edge in edges:
        _, start, end = chains.ends_of(edge)
        met = 0 if edge in begun else bits[start]
        found.chains.append((edge, met * size + start, full * size + end))
    return found
