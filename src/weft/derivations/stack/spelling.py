"""Forests in which edges that stand for chains are spelt out, each by some of its best chains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, offsets_of, ranges
from weft.derivations.stack.chains import Chain, Chains
from weft.inference.kbest import least_of_best
from weft.structures.derivation import Derivation, derivation_of, preorder
from weft.structures.hypergraph import Hypergraph


@dataclass(frozen=True, slots=True, eq=False)
class Spelt:
    """A forest with an edge per chain.

    Attributes:
        original: The forest.
        hypergraph: The one with more edges.
        weights: [edges], their log-weights.
        origins: [edges], the edge of the original that each is.
        chains: [edges], the chain that it stands for; empty where it stands for none.
    """

    original: Hypergraph
    hypergraph: Hypergraph
    weights: FloatArray
    origins: list[int]
    chains: list[Chain]

    def restore(self, derivation: Derivation) -> tuple[Derivation, dict[int, Chain]]:
        """Return a derivation by edges of the original, and the chain of each."""
        edges = preorder(derivation)
        found = derivation_of(self.original, [self.origins[edge] for edge in edges])
        return found, {self.origins[edge]: self.chains[edge] for edge in edges}


def spell_chains(graph: Hypergraph, chains: Chains, rows: FloatArray, count: int) -> Spelt:
    """Return a forest with the chains as edges that the best derivations may have.

    No derivation among the best ``count`` has a chain that is not among the best ``count`` of its
    edge; nor has it an edge or a chain with which the best derivation weighs less than as many do.

    Args:
        graph: The forest.
        chains: What some of its edges are made of.
        rows: The scores of rows.
        count: How many derivations are asked for.
    """
    best = chains.best(rows)
    floor, through = least_of_best(graph, best.weights, count)
    found: list[tuple[float, int, Chain]] = []
    for edge in np.flatnonzero(through >= floor).tolist():
        weight = float(rows[edge])
        if chains.has(edge):
            # With another chain the best derivation loses what the chain does.
            least = floor - float(through[edge] - best.weights[edge]) - weight
            several = best.several(edge, rows, count, least)
            found += [(weight + more, edge, chain) for more, chain in several]
        else:
            found.append((weight, edge, ()))
    chosen = np.array([edge for _, edge, _ in found], np.int64)
    lengths = np.diff(graph.tail_offsets)[chosen]
    tails = graph.tails[ranges(graph.tail_offsets[:-1][chosen], lengths)]
    spelt = Hypergraph(graph.vertex_count, graph.heads[chosen], offsets_of(lengths), tails)
    several_weights = np.array([weight for weight, _, _ in found])
    return Spelt(graph, spelt, several_weights, chosen.tolist(), [chain for _, _, chain in found])
