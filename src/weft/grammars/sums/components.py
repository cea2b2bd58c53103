"""Strongly connected components: which unknowns depend on each other, and in which order.

Of a directed graph, two nodes are in one component if each can be reached from the other. The
components have an order in which each comes after all that it points to, and a *level*: one more
than the highest level that it points to.

Reference: Tarjan (1972), "Depth-first search and linear graph algorithms", SIAM Journal on
Computing 1(2); here without recursion.
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
    order = np.argsort(sources, kind="stable")
    offsets = offsets_of(np.bincount(sources, minlength=count)).tolist()
    following = targets[order].tolist()
    numbers, levels, sizes = _search(count, offsets, following)
    labels = np.array(numbers, np.int64)
    cyclic = np.array(sizes, np.int64) > 1
    cyclic[labels[sources[sources == targets]]] = True
    return Components(labels, np.array(levels, np.int64), cyclic)


def _search(
    count: int, offsets: list[int], following: list[int]
) -> tuple[list[int], list[int], list[int]]:
    """The component of each node, and the level and the size of each component."""
    found = [-1] * count  # when each node was first seen
    lowest = [0] * count  # the earliest open node that is reached from it
    numbers = [-1] * count
    levels: list[int] = []
    sizes: list[int] = []
    position = offsets[:count]
    opened: list[int] = []
    clock = 0
    for root in range(count):
        if found[root] >= 0:
            continue
        path = [root]
        found[root] = lowest[root] = clock
        clock += 1
        opened.append(root)
        while path:
            node = path[-1]
            if position[node] < offsets[node + 1]:
                other = following[position[node]]
                position[node] += 1
                if found[other] < 0:
                    found[other] = lowest[other] = clock
                    clock += 1
                    opened.append(other)
                    path.append(other)
                elif numbers[other] < 0 and found[other] < lowest[node]:
                    lowest[node] = found[other]
                continue
            path.pop()
            if path and lowest[node] < lowest[path[-1]]:
                lowest[path[-1]] = lowest[node]
            if lowest[node] == found[node]:
                _close(node, opened, numbers, levels, sizes, offsets, following)
    return numbers, levels, sizes


def _close(
    node: int,
    opened: list[int],
    numbers: list[int],
    levels: list[int],
    sizes: list[int],
    offsets: list[int],
    following: list[int],
) -> None:
    """Make a component of the open nodes down to this one."""
    number, place = len(levels), len(opened)
    while True:
        place -= 1
        numbers[opened[place]] = number
        if opened[place] == node:
            break
    members = opened[place:]
    del opened[place:]
    level = 0
    for member in members:
        for other in following[offsets[member] : offsets[member + 1]]:
            if numbers[other] != number and levels[numbers[other]] >= level:
                level = levels[numbers[other]] + 1
    levels.append(level)
    sizes.append(len(members))
