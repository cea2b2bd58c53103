"""Strongly connected components: which unknowns depend on each other, and in which order.

Of a directed graph, two nodes are in one component if each can be reached from the other. The
components have an order in which each comes after all that it points to, and a *level*: one more
than the highest level that it points to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, IntArray, offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """The components of a graph.

    Attributes:
        numbers: The component of each node; a component's number is higher than the numbers of
            all that it points to. [nodes]
        levels: The level of each component. [components]
        cyclic: Whether a component has a cycle: several nodes, or one that points to itself.
            [components]
    """

    numbers: IntArray
    levels: IntArray
    cyclic: BoolArray


def components(count: int, sources: IntArray, targets: IntArray) -> Components:
    """Return the components of the graph with some nodes and edges.

    >>> found = components(3, np.array([0, 1, 0]), np.array([1, 0, 2]))
    >>> found.numbers, found.levels, found.cyclic
    (array([1, 1, 0]), array([0, 1]), array([False,  True]))

    Args:
        count: How many nodes there are.
        sources: The node that each edge leaves. [edges]
        targets: The node that each edge leads to. [edges]
    """
    numbers = _numbers(count, sources, targets)
    sizes = np.bincount(numbers)
    cyclic = sizes > 1
    cyclic[numbers[sources[sources == targets]]] = True
    heads, tails = numbers[sources], numbers[targets]
    across = np.flatnonzero(heads != tails)
    across = across[np.argsort(heads[across], kind="stable")]
    levels = [0] * len(sizes)
    for head, tail in zip(heads[across].tolist(), tails[across].tolist(), strict=True):
        if levels[tail] >= levels[head]:
            levels[head] = levels[tail] + 1
    return Components(numbers, np.array(levels, np.int64), cyclic)


def reachable(count: int, sources: IntArray, targets: IntArray, starts: IntArray) -> BoolArray:
    """Return which nodes can be reached from some of them, these included [nodes].

    >>> reachable(4, np.array([0, 1, 3]), np.array([1, 0, 2]), np.array([1]))
    array([ True,  True, False, False])
    """
    order = np.argsort(sources, kind="stable")
    cuts = np.searchsorted(sources[order], np.arange(count + 1)).tolist()
    following = targets[order].tolist()
    reached = np.zeros(count, np.bool_)
    reached[starts] = True
    seen, waiting = reached.tolist(), starts.tolist()
    while waiting:
        node = waiting.pop()
        for other in following[cuts[node] : cuts[node + 1]]:
            if not seen[other]:
                seen[other] = True
                waiting.append(other)
    return np.array(seen, np.bool_)


def _numbers(count: int, sources: IntArray, targets: IntArray) -> IntArray:
    """SciPy's search (Pearce's) numbers a component when all that it points to have numbers."""
    from scipy.sparse import csr_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    keys = np.unique(sources * count + targets)  # it never ends where an edge is there twice
    starts = offsets_of(np.bincount(keys // max(count, 1), minlength=count))
    graph = csr_array((np.ones(len(keys)), keys % max(count, 1), starts), shape=(count, count))
    numbers: IntArray = connected_components(graph, connection="strong")[1].astype(np.int64)
    return numbers
