"""What was observed of packed forests: right edges, and derivations with an edge that is not.

The derivations with at least one wrong edge are those of another hypergraph, in which a vertex v
comes three times: v₀, whose derivations have no wrong edge, v₁, whose derivations have one, and v
as it was. An edge e with tails t₁ … tₙ becomes

    wrong:  h₁ ← t₁ … tₙ            right:  h₀ ← t₁₀ … tₙ₀,
                                            h₁ ← t₁₀ … tᵢ₋₁₀ tᵢ₁ tᵢ₊₁ … tₙ for every i

so that every derivation is there once, and sums stay sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.inference import inside_outside, tangent
from weft.structures.hypergraph import Hypergraph, edges_of, hypergraph

if TYPE_CHECKING:
    from weft.derivations.forest import Forest, Weighted


def right_edges(observed: Weighted) -> BoolArray:
    """[edges]: whether some derivation has each edge that may be used at all."""
    able = np.where(np.isneginf(observed.base), -np.inf, 0.0)
    return inside_outside(observed.hypergraph, able)[1] > 0


def with_some(forest: Hypergraph, wrong: BoolArray) -> tuple[Hypergraph, IntArray]:
    """Return the derivations that have a wrong edge, and the edge that each edge was.

    >>> two = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])
    >>> found, edges = with_some(two, np.array([True, False, False]))
    >>> round(float(np.exp(inside_outside(found, np.zeros(len(edges)))[0])))
    3
    """
    made: list[tuple[int, list[int]]] = []
    origins: list[int] = []

    def add(edge: int, head: int, tails: list[int]) -> None:
        made.append((head, tails))
        origins.append(edge)

    # Three vertices for each, the one with a wrong edge last: it is the root of all.
    before = -1
    waiting: list[tuple[int, int, tuple[int, ...]]] = []

    def write(edges: list[tuple[int, int, tuple[int, ...]]]) -> None:
        for edge, head, tails in edges:
            add(edge, 3 * head, [3 * tail for tail in tails])
        for edge, head, tails in edges:
            if not wrong[edge]:
                add(edge, 3 * head + 1, [3 * tail + 1 for tail in tails])
        for edge, head, tails in edges:
            if wrong[edge]:
                add(edge, 3 * head + 2, [3 * tail for tail in tails])
                continue
            for place in range(len(tails)):
                kinds = [1] * place + [2] + [0] * (len(tails) - place - 1)
                add(
                    edge,
                    3 * head + 2,
                    [3 * tail + kind for tail, kind in zip(tails, kinds, strict=True)],
                )

    for edge, (head, tails) in enumerate(edges_of(forest)):
        if head != before:
            write(waiting)
            waiting, before = [], head
        waiting.append((edge, head, tails))
    write(waiting)
    return hypergraph(3 * forest.vertex_count, made), np.array(origins, np.int64)


class EdgeParts:
    """The right edges of members, t = log of how often each is expected to be used.

    In the forest of a sentence a derivation has an edge once or not at all, and so that is its
    probability.

    Args:
        forest: The members.
        observed: What was observed of each.

    Attributes:
        owners: [parts], the member that each edge belongs to.
    """

    def __init__(self, forest: Forest, observed: Sequence[Any]) -> None:
        self._forest = forest
        self._edges: list[IntArray] = []
        self._parts: list[IntArray] = []  # [edges], the part that each right edge is
        counts: list[int] = []
        for each, right, numbers in zip(
            observed, forest.right(observed), forest.part_numbers(), strict=True
        ):
            edges = np.flatnonzero(right) if _is_known(each) else np.zeros(0, np.int64)
            several, parts = np.unique(numbers[edges], return_inverse=True)
            self._edges.append(edges)
            self._parts.append(sum(counts) + parts)
            counts.append(len(several))
        self.owners = np.repeat(np.arange(len(forest)), counts)

    def log_probs(self, theta: FloatArray) -> FloatArray:
        """[parts]: t; -inf where no derivation has the edge."""
        _, uses = self._forest.marginals(theta)
        found = np.zeros(len(self.owners))
        for own, edges, parts in zip(uses, self._edges, self._parts, strict=True):
            np.add.at(found, parts, own[edges])
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(found)
        return logs

    def slope(self, theta: FloatArray, slopes: FloatArray, log_probs: FloatArray) -> FloatArray:
        """Return Σ_j slope_j ∇t_j [θ]: uses change together as the weights of right edges rise."""
        rates = slopes * np.exp(-np.where(np.isneginf(log_probs), 0.0, log_probs))
        changes = []
        several = zip(self._forest.weighted(theta), self._edges, self._parts, strict=True)
        for member, edges, parts in several:
            direction = np.zeros(member[0].edge_count)
            direction[edges] = rates[parts]
            changes.append(tangent(*member, direction)[1])
        return self._forest.gradient(theta, changes, np.ones(len(changes)))


def _is_known(evidence: Any) -> bool:
    """Whether something is known of labels or of a tree."""
    return evidence.analysis is not None or getattr(evidence, "parse", None) is not None
