"""The parses of a forest whose binary trees are canonical, each made in one way.

Items and closed vertices are told apart by their *states*
(:mod:`weft.grammars.transforms.canonical`): of a closed one, that of the child that it will have on
the right. So a vertex becomes as many as it has states; see ``native/stack_canonical.hpp``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weft.derivations.stack.parses import Parses
from weft.derivations.stack.rounds import rounds_of
from weft.derivations.stack.table import MoveTable
from weft.grammars.transforms.canonical import CanonicalTrees
from weft.kernels import CanonicalFilter, kernels
from weft.structures.hypergraph import Hypergraph


def canonical_filter(trees: CanonicalTrees) -> CanonicalFilter:
    """Return what takes other trees out of forests; it keeps what it has learnt of states."""
    alike, any_label = trees.kinds
    sides = np.array(trees.sides, np.int32)
    return kernels.CanonicalFilter(sides, np.array(alike, np.int32), any_label, trees.over)


def canonical_parses(parses: Parses, chosen: CanonicalFilter, table: MoveTable) -> Parses:
    """Return the parses whose trees are canonical.

    Args:
        parses: All parses of a sentence.
        chosen: What is canonical.
        table: The moves.
    """
    graph = parses.hypergraph
    origins, states, edges, heads, offsets, tails = chosen.filter(
        graph.heads, graph.tail_offsets, graph.tails, parses.items
    )
    items, closed = parses.items[origins], parses.rounds is not None
    return replace(
        parses,
        hypergraph=Hypergraph(len(origins), heads, offsets, tails),
        moves=parses.moves[edges],
        scores=parses.scores[edges],
        items=items,
        rounds=rounds_of(items, parses.terminals, table) if closed else None,
        states=states,
    )
