"""Which edges of a sentence's forest agree with what is known of its tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from weft.arrays import BoolArray, IndexArray
from weft.derivations.stack.chains import Chains
from weft.derivations.stack.parses import CLOSED, ItemKey, Parses, Stopped, bottom_at
from weft.derivations.stack.rounds import SETTLED, chains_of, chains_through, known_chains
from weft.derivations.stack.table import REDUCE_1, REDUCE_2, MoveTable
from weft.derivations.stack.terminals import Terminals
from weft.errors import NotDefined
from weft.structures.constituents import Span
from weft.structures.evidence import Analysis
from weft.structures.hypergraph import hypergraph, tails_of
from weft.structures.moves import Move, Reduce, Shift

Steps = Mapping[ItemKey, tuple[ItemKey, ...]]
"""The edges of one derivation: what each of its vertices is made of."""

_BOUNDED = (
    "reduce moves lead from {} back to it, and with free weights, whose sum over all rounds need "
    "not exist, every round has edges of its own: the parses that have the label are not those of "
    "some edges; give its span alone"
)

ROOT: ItemKey = (-1, 0, -1, 0, CLOSED)
"""The root, which ends at the last node."""


def steps_of(
    moves: Sequence[Move], numbers: Mapping[str, int], table: MoveTable, terminals: Terminals
) -> Steps:
    """Return the edges of a parse.

    Args:
        moves: The parse.
        numbers: The number of each label.
        table: The moves, which say what is cyclic.
        terminals: The sentence.

    Raises:
        LookupError: If the parser does not have a label.
    """
    tags = [numbers[move.label] for move in moves if isinstance(move, Shift)]
    ways = list(zip(*terminals.follow(tags[:-1]), strict=True))
    bottom = bottom_at(int(terminals.sources[ways[0][0]]) if ways else 0)
    steps: dict[ItemKey, tuple[ItemKey, ...]] = {bottom: ()}
    stack, place, node = [bottom], 0, 0

    def add(head: ItemKey, *tails: ItemKey) -> None:
        stack.append(head)
        steps[head] = tails

    for move in moves:
        label = numbers[move.label]
        unary = isinstance(move, Reduce) and move.size == 1
        if unary and table.ranks[label] == table.ranks[stack[-1][1]]:
            top = stack.pop()
            add((top[0], label, node, top[3], top[4] + 1), top)
            continue
        if table.cyclic[stack[-1][1]]:
            top = stack.pop()
            add((*top[:4], SETTLED), top)
        if isinstance(move, Shift) and label:
            opening, node = ways[place]
            place += 1
            add((opening, label, node, stack[-1][1], 0))
            continue
        right = stack.pop()
        if unary:
            add((right[0], label, node, right[3], 0), right)
            continue
        closed = (right[0], label, node, right[3], CLOSED)
        steps[closed] = (right,)
        left = stack.pop()
        add((left[0], label, node, left[3], 0) if label else ROOT, left, closed)
    return steps


def edges_of_steps(
    parses: Parses, steps: Steps, names: Sequence[str]
) -> tuple[BoolArray, Chains | None]:
    """Return whether each edge [edges] is one of a derivation, and the chains that it has.

    None is where the forest lacks one of them.
    """
    if parses.rounds is not None:
        steps, chains = closed_steps(steps)
    numbers: dict[ItemKey, list[int]] = {}
    for vertex, item in enumerate(parses.items.tolist()):
        numbers.setdefault(tuple(item), []).append(vertex)
    numbers[ROOT] = [parses.hypergraph.root]
    chosen: dict[ItemKey, int] = {}
    right = np.zeros(parses.hypergraph.edge_count, np.bool_)
    heads, known = parses.hypergraph.heads, {}
    for head, tails in steps.items():
        below = tuple(chosen.get(tail, -1) for tail in tails)
        found = None
        for vertex in numbers.get(head, ()):
            first, last = np.searchsorted(heads, [vertex, vertex + 1]).tolist()
            for edge in range(first, last):
                if tails_of(parses.hypergraph, edge) == below:
                    right[edge], found = True, edge
                    chosen[head] = vertex
        if found is None:
            return np.zeros_like(right), None
        if parses.rounds is not None and head in chains:
            known[found] = [numbers.get(item, [-1])[0] for item in chains[head]]
    if parses.rounds is None:
        return right, None
    made = known_chains(parses, known, names)
    return (np.zeros_like(right) if made is None else right), made


def closed_steps(steps: Steps) -> tuple[Steps, Mapping[ItemKey, Sequence[ItemKey]]]:
    """Return a derivation whose chains are one edge each, and the settled items of each chain."""
    found: dict[ItemKey, tuple[ItemKey, ...]] = {}
    chains: dict[ItemKey, list[ItemKey]] = {}
    for head, tails in steps.items():
        if head[4] == SETTLED:
            met, [item] = [head], tails
            while item[4]:
                [item] = steps[item]
                met.append((*item[:4], SETTLED))
            found[head], chains[head] = (item,), met[::-1]
        elif head[4] <= 0:
            found[head] = tails
    return found, chains


def edges_of_labels(parses: Parses, analysis: Analysis, numbers: Mapping[str, int]) -> BoolArray:
    """[edges]: whether each begins with one of the labels that a word may have, if with any."""
    several = [{label} if isinstance(label, str) else label for label in analysis]
    allowed = [
        None if names is None else {numbers.get(name, -1) for name in names} for names in several
    ]
    starts, labels = parses.spans[:, 0], parses.items[:, 1]
    opens = np.diff(parses.hypergraph.tail_offsets) == 0
    right = np.ones(len(opens), np.bool_)
    for edge in np.flatnonzero(opens).tolist():
        vertex = int(parses.hypergraph.heads[edge])
        known = allowed[int(starts[vertex])] if parses.items[vertex, 0] >= 0 else None
        right[edge] = known is None or int(labels[vertex]) in known
    return right


def edges_of_spans(
    parses: Parses, spans: Sequence[Span], table: MoveTable, names: Sequence[str], *, tagged: bool
) -> tuple[BoolArray, Chains | None]:
    """Return whether each edge [edges] is in a derivation that has all constituents.

    With it come the chains that such derivations have. A label that is part of a cycle is met by
    the chains that lead through it.

    Args:
        parses: The forest.
        spans: The constituents, labelled or not.
        table: The moves, which say what is cyclic.
        names: The labels.
        tagged: Whether leaves are words, so that their tags are constituents.

    Raises:
        NotDefined: If a label is part of a cycle of reduce₁ whose rounds are bounded.
    """
    numbers = {name: number for number, name in enumerate(names)}
    chains = chains_of(parses, names)
    wanted: dict[int, set[int]] = {}
    right = np.ones(parses.hypergraph.edge_count, np.bool_)
    where, items, heads = parses.spans, parses.items, parses.hypergraph.heads
    starts, ends = where[:, 0], where[:, 1]
    opened = np.zeros(len(items), np.bool_)
    opened[heads[np.diff(parses.hypergraph.tail_offsets) == 0]] = not tagged
    for span in spans:
        crossing = (starts < span.start) & (span.start < ends) & (ends < span.end)
        crossing |= (span.start < starts) & (starts < span.end) & (span.end < ends)
        right &= ~(crossing & (items[:, 0] >= 0))[heads]
        inside = (where == (span.start, span.end)).all(axis=1)
        inside &= (items[:, 0] >= 0) & (items[:, 4] != CLOSED)
        named = inside & ~opened
        if span.label is not None:
            label = numbers.get(span.label, -1)
            if label >= 0 and table.cyclic[label]:
                if parses.rounds is None:
                    raise NotDefined(_BOUNDED.format(span.label))
                named = inside & (table.ranks[items[:, 1]] == table.ranks[label])
                for edge in np.flatnonzero(named[heads] & (items[heads, 4] == SETTLED)).tolist():
                    wanted.setdefault(edge, set()).add(label)
            else:
                named &= items[:, 1] == label
        right &= _through(parses, inside, named)
    if chains is not None and wanted:
        tails = parses.hypergraph.tails[parses.hypergraph.tail_offsets[:-1][list(wanted)]]
        begun = {edge for edge, tail in zip(wanted, tails.tolist(), strict=True) if opened[tail]}
        chains = chains_through(chains, parses, wanted, begun)
    return right, chains


def _through(parses: Parses, inside: BoolArray, named: BoolArray) -> BoolArray:
    """[edges]: whether each may be used where some named item over a span is known to be used.

    Over a span, a derivation goes from item to item by reduce₁: it must begin at a named one or
    before it, and leave at one or after it.
    """
    graph = parses.hypergraph
    lengths = np.diff(graph.tail_offsets)
    unary = np.flatnonzero(inside[graph.heads] & (lengths == 1))
    tails = graph.tails[graph.tail_offsets[:-1][unary]]
    unary, tails = unary[inside[tails]], tails[inside[tails]]
    after = _reached(named, tails, graph.heads[unary])
    before = _reached(named, graph.heads[unary][::-1], tails[::-1])
    right = np.ones(graph.edge_count, np.bool_)
    enters = inside[graph.heads]
    enters[unary] = False
    right[enters] = before[graph.heads[enters]]
    right[unary] = before[graph.heads[unary]] | after[tails]
    owners = np.repeat(np.arange(graph.edge_count), lengths)
    leaves = inside[graph.tails] & ~np.isin(owners, unary)
    right[owners[leaves & ~after[graph.tails]]] = False
    return right


def _reached(start: BoolArray, sources: IndexArray, targets: IndexArray) -> BoolArray:
    """Which vertices can be reached, given edges in an order in which one pass is enough."""
    reached = start.copy()
    pairs: list[tuple[int, int]] = list(zip(sources.tolist(), targets.tolist(), strict=True))
    for source, target in pairs:
        reached[target] |= reached[source]
    return reached


def kept_items(steps: Steps) -> list[ItemKey]:
    """Return the vertices of a derivation, which no beam should take out."""
    _, chains = closed_steps(steps)
    met = (item for some in chains.values() for item in some)
    return [item for item in dict.fromkeys([*steps, *met]) if item[0] >= 0]


def parses_of_steps(steps: Steps, terminals: Terminals, labels: int) -> Parses:
    """Return a forest of one derivation, whose moves have no scores.

    Args:
        steps: The edges of the derivation.
        terminals: The sentence.
        labels: How many labels there are.
    """
    numbers = {item: vertex for vertex, item in enumerate(steps)}
    edges = [(numbers[head], [numbers[tail] for tail in tails]) for head, tails in steps.items()]
    moves = [_move(head, tails, terminals, labels) for head, tails in steps.items()]
    last = len(terminals.positions) - 1
    items = [(*item[:2], last, *item[3:]) if item == ROOT else item for item in steps]
    return Parses(
        hypergraph(len(edges), edges),
        np.array(moves, np.int32),
        np.zeros(len(moves)),
        np.array(items, np.int32),
        terminals,
        np.zeros(last + 1),
        len(items),
        Stopped.NOT,
    )


def _move(head: ItemKey, tails: tuple[ItemKey, ...], terminals: Terminals, labels: int) -> int:
    """The move of an edge, which is the first tail's."""
    if not tails or head[4] == SETTLED:
        return -1
    if len(tails) == 2:
        return int(terminals.labels[tails[1][0]])  # shifts what the other begins with
    if head[4] != CLOSED:
        return REDUCE_1 * labels + head[1]
    return REDUCE_2 * labels + head[1] if head[1] else 0
