"""Sums over derivations in plain Python, for any semiring: the specification of the others.

For a vertex v, with in(v) and out(v) the sums over its derivations and over its contexts:

    in(v)  = ⊕_{e into v} value(e) ⊗ in(t₁) ⊗ … ⊗ in(tₙ)              t₁ … tₙ the tails of e
    out(t) = ⊕_{(e, i): tᵢ = t} out(head e) ⊗ value(e) ⊗ ⊗_{j ≠ i} in(tⱼ),    out(root) = 1

A tail is a position: an edge with tails (A, A) gives A two contexts.

Reference: Goodman (1999), "Semiring Parsing", Computational Linguistics 25(4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import TypeVar

import numpy as np

from weft.algebra import LOG, MAX, Expectation, Semiring
from weft.arrays import FloatArray, IndexArray
from weft.structures.hypergraph import Hypergraph, edges_of

T = TypeVar("T")


def lift(weights: FloatArray, semiring: Semiring[T]) -> list[T]:
    """Return the edges' log-weights as elements of a semiring.

    >>> from weft.algebra import COUNTING
    >>> lift(np.array([0.5, -np.inf]), COUNTING)
    [1, 0]
    """
    return [semiring.lift(weight, edge) for edge, weight in enumerate(weights.tolist())]


def inside(hypergraph: Hypergraph, values: Sequence[T], semiring: Semiring[T]) -> list[T]:
    """Return the sum over the derivations of each vertex.

    >>> from weft.algebra import COUNTING
    >>> from weft.structures.hypergraph import hypergraph
    >>> inside(hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))]), [1, 1, 1], COUNTING)
    [2, 4]

    Args:
        hypergraph: The topology.
        values: The element of each edge. [edges]
        semiring: What sums and products are; products are taken in pre-order.

    Returns:
        The inside values. [vertices]
    """
    totals = [semiring.zero] * hypergraph.vertex_count
    for value, (head, tails) in zip(values, edges_of(hypergraph), strict=True):
        product = reduce(semiring.times, (totals[tail] for tail in tails), value)
        totals[head] = semiring.plus(totals[head], product)
    return totals


def outside(
    hypergraph: Hypergraph, values: Sequence[T], inner: Sequence[T], semiring: Semiring[T]
) -> list[T]:
    """Return the sum over the contexts of each vertex.

    >>> from weft.algebra import COUNTING
    >>> from weft.structures.hypergraph import hypergraph
    >>> outside(hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))]), [1, 1, 1], [2, 4], COUNTING)
    [4, 1]

    Args:
        hypergraph: The topology.
        values: The element of each edge. [edges]
        inner: What :func:`inside` returned. [vertices]
        semiring: What sums and products are; its ⊗ must commute, since a context lies on both
            sides of what it encloses.

    Returns:
        The outside values. [vertices]
    """
    totals = [semiring.zero] * hypergraph.vertex_count
    totals[hypergraph.root] = semiring.one
    for value, (head, tails) in reversed(list(zip(values, edges_of(hypergraph), strict=True))):
        for position, tail in enumerate(tails):
            siblings = (inner[other] for other in (*tails[:position], *tails[position + 1 :]))
            context = reduce(semiring.times, siblings, semiring.times(totals[head], value))
            totals[tail] = semiring.plus(totals[tail], context)
    return totals


def edge_totals(
    hypergraph: Hypergraph, values: Sequence[T], inner: Sequence[T], semiring: Semiring[T]
) -> list[T]:
    """Return the sum over the derivations that use each edge, once for each use.

    >>> from weft.algebra import COUNTING
    >>> from weft.structures.hypergraph import hypergraph
    >>> edge_totals(hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))]), [1, 1, 1], [2, 4], COUNTING)
    [4, 4, 4]
    """
    outer = outside(hypergraph, values, inner, semiring)
    return [
        reduce(semiring.times, (inner[tail] for tail in tails), semiring.times(outer[head], value))
        for value, (head, tails) in zip(values, edges_of(hypergraph), strict=True)
    ]


def inside_outside(hypergraph: Hypergraph, weights: FloatArray) -> tuple[float, FloatArray]:
    """Return log Z and the marginal of each edge: exp(the edge's total − log Z).

    >>> from weft.structures.hypergraph import hypergraph
    >>> inside_outside(hypergraph(2, [(0, ()), (1, (0, 0))]), np.array([-1.0, 0.5]))
    (-1.5, array([2., 1.]))
    """
    values = lift(weights, LOG)
    inner = inside(hypergraph, values, LOG)
    log_partition = inner[hypergraph.root]
    if log_partition == -math.inf:
        return log_partition, np.zeros(hypergraph.edge_count)
    totals = edge_totals(hypergraph, values, inner, LOG)
    return log_partition, np.array([math.exp(total - log_partition) for total in totals])


def viterbi(hypergraph: Hypergraph, weights: FloatArray) -> tuple[float, IndexArray]:
    """Return the best score, and the first best edge into each vertex (−1: none).

    >>> from weft.structures.hypergraph import hypergraph
    >>> forest = hypergraph(2, [(0, ()), (0, ()), (1, (0, 0))])
    >>> viterbi(forest, np.array([1.0, 2.0, 0.0]))
    (4.0, array([1, 2], dtype=int32))
    """
    values = lift(weights, MAX)
    inner = inside(hypergraph, values, MAX)
    best_edges = np.full(hypergraph.vertex_count, -1, np.int32)
    for edge, (head, tails) in enumerate(edges_of(hypergraph)):
        score = reduce(MAX.times, (inner[tail] for tail in tails), values[edge])
        # The sum that inside took is taken again in the same order, and so is exactly the same.
        if best_edges[head] < 0 and score == inner[head] > -math.inf:
            best_edges[head] = edge
    return inner[hypergraph.root], best_edges


def tangent(
    hypergraph: Hypergraph, weights: FloatArray, direction: FloatArray
) -> tuple[float, FloatArray]:
    """Return the directional derivatives of log Z and of the marginals.

    In the expectation semiring with the direction as feature, a mean is the derivative of a
    log-weight. With tₑ the total of edge e and μₑ = exp(tₑ − log Z): μ̇ₑ = μₑ (ṫₑ − (log Z)˙).

    >>> from weft.structures.hypergraph import hypergraph
    >>> choice = hypergraph(1, [(0, ()), (0, ())])
    >>> tangent(choice, np.zeros(2), np.array([1.0, 0.0]))
    (0.5, array([ 0.25, -0.25]))
    """
    semiring = Expectation(direction.tolist())
    values = lift(weights, semiring)
    inner = inside(hypergraph, values, semiring)
    log_partition, slope = inner[hypergraph.root]
    if log_partition == -math.inf:
        return 0.0, np.zeros(hypergraph.edge_count)
    totals = edge_totals(hypergraph, values, inner, semiring)
    changes = [math.exp(total - log_partition) * (mean - slope) for total, mean in totals]
    return slope, np.array(changes)
