"""The order of an acyclic machine's states, and the cycle of another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.errors import LimitError


def topological_order(successors: Mapping[int, Sequence[int]], states: Sequence[int]) -> list[int]:
    """Return the states so that each comes before its successors.

    >>> topological_order({0: [2, 1], 2: [1]}, [0, 1, 2])
    [0, 2, 1]

    Args:
        successors: The states that arcs lead to from a state; none where it is missing.
        states: All states; among several orders, theirs is kept where it can be.

    Returns:
        The states in such an order.

    Raises:
        LimitError: If there is a cycle, and so no end of paths; the message names its states.
    """
    done: set[int] = set()
    backwards: list[int] = []
    for start in reversed(states):
        if start not in done:
            _visit(start, successors, done, backwards)
    backwards.reverse()
    return backwards


def _visit(
    start: int, successors: Mapping[int, Sequence[int]], done: set[int], backwards: list[int]
) -> None:
    """Append all that is reached from a state, each after its successors, without recursion."""
    path = {start: None}
    waiting = [iter(reversed(successors.get(start, ())))]
    while waiting:
        state = next(waiting[-1], None)
        if state is None:
            waiting.pop()
            last, _ = path.popitem()
            done.add(last)
            backwards.append(last)
        elif state in path:
            raise _endless([*path][[*path].index(state) :])
        elif state not in done:
            path[state] = None
            waiting.append(iter(reversed(successors.get(state, ()))))


def _endless(cycle: list[int]) -> LimitError:
    first = cycle.index(min(cycle))
    turned = [*cycle[first:], *cycle[:first]]
    shown = [*turned[:10], *(["…"] if turned[10:] else []), turned[0]]
    names = " → ".join(map(str, shown))
    return LimitError(f"paths have no end: the states {names} form a cycle; break it")
