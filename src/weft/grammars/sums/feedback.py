"""Feedback vertex sets: nodes of a graph that every cycle passes."""

from __future__ import annotations

import heapq

import numpy as np

from weft.arrays import IntArray


def feedback(count: int, sources: IntArray, targets: IntArray) -> IntArray:
    """Return nodes that cut every cycle, ascending: greedily those with most edges in times out.

    >>> feedback(3, np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1]))
    array([1])

    Args:
        count: How many nodes there are.
        sources: The node that each edge leaves. [edges]
        targets: The node that each edge leads to. [edges]
    """
    after: list[set[int]] = [set() for _ in range(count)]
    before: list[set[int]] = [set() for _ in range(count)]
    kept: list[int] = []
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        if source == target:
            kept.append(source)
        else:
            after[source].add(target)
            before[target].add(source)
    alive = [True] * count
    idle: list[int] = []

    def remove(node: int) -> None:
        alive[node] = False
        for links, back in ((after, before), (before, after)):
            for other in links[node]:
                back[other].discard(node)
                if alive[other] and not back[other]:
                    idle.append(other)
                elif alive[other]:
                    heapq.heappush(waiting, (-len(after[other]) * len(before[other]), other))
            links[node].clear()

    waiting: list[tuple[int, int]] = []
    for node in kept:
        remove(node)
    waiting += [(-len(after[node]) * len(before[node]), node) for node in range(count)]
    heapq.heapify(waiting)
    idle += [node for node in range(count) if not (after[node] and before[node])]
    while idle or waiting:
        if idle:
            node = idle.pop()
            if alive[node]:
                remove(node)
            continue
        weight, node = heapq.heappop(waiting)
        if alive[node] and weight == -len(after[node]) * len(before[node]):
            kept.append(node)
            remove(node)
    return np.array(sorted(kept), np.int64)
