"""Splitting states until each arc's window of symbols is unique.

The window of an arc on a path is the symbols of the arcs before it, its own, and those of the arcs
after it. Attributes that look at neighbouring words can sit on an arc only if all paths
through it show the same window. Outside the string, its place is the distance from it, negated:
-1 for the place next to either end.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import IntArray, freeze
from weft.automata.transducer import MOST_ARCS, check_size
from weft.structures.lattice import Lattice, arcs_of, lattice

_Context = tuple[int, ...]
_Split = tuple[int, _Context, _Context]
_Arcs = tuple[tuple[int, int], ...]


def split_windows(strings: Lattice, before: int, after: int, limit: int = MOST_ARCS) -> Lattice:
    """Return a lattice of the same strings in which each arc has one window.

    States are split by what the ``before`` last symbols on the way to them and the ``after`` next
    ones from them can be, as far as arcs can see these, and those with the same future are merged.
    Where ``after`` > 0 the result need not be deterministic, but strings still have one path.

    >>> from weft.structures.lattice import lattice
    >>> strings = lattice([(0, "a", 1), (0, "b", 1), (1, "c", 2), (1, "d", 2)], [2])
    >>> split_windows(strings, 1, 0).arc_count, split_windows(strings, 0, 1).arc_count
    (6, 6)

    Args:
        strings: The lattice.
        before: How many symbols before an arc's own its window has.
        after: How many symbols after it.
        limit: How many arcs the result may have.

    Returns:
        The lattice, with the same symbols.

    Raises:
        ValueError: If the window is negative.
        LimitError: If the result would have more arcs.
    """
    _check_window(before, after)
    rows = _rows(strings)
    nexts = _nexts(strings, after, limit)
    start: _Split = (0, tuple(range(-before, 0)), ())
    found: dict[_Split, list[tuple[int, _Split]]] = {start: []}
    waiting = [start]
    size = 0
    for split in waiting:
        state, past, ahead = split
        for symbol, target in rows[state]:
            for future in nexts[target]:
                # All that may follow the start starts there, and nothing leads to it.
                if state != 0 and (symbol, *future)[:after] != ahead:
                    continue
                seen = (*past, symbol)[1:]
                # Without arcs to see it, the past of an end does not matter.
                ended = not rows[target] or (after and future[0] < 0)
                reached = (target, () if ended else seen, future)
                found[split].append((symbol, reached))
                if reached not in found:
                    found[reached] = []
                    waiting.append(reached)
                size += 1
        check_size(size, limit, "the arcs with unique windows")
    return _merged(strings, found, after)


def windows(strings: Lattice, before: int, after: int) -> IntArray:
    """Return the window of each arc: numbers of symbols, and distances outside the string.

    >>> windows(Lattice.from_sentence(["time", "flies"]), 1, 1)
    array([[-1,  0,  1],
           [ 0,  1, -1]])

    Args:
        strings: A lattice in which each arc has one window; see :func:`split_windows`.
        before: How many symbols before an arc's own its window has.
        after: How many symbols after it.

    Returns:
        The numbers. [arcs, before + 1 + after]

    Raises:
        ValueError: If an arc has several windows, or the window is negative.
    """
    _check_window(before, after)
    arcs = list(arcs_of(strings))
    pasts: list[set[_Context]] = [set() for _ in range(strings.state_count)]
    pasts[0].add(tuple(range(-before, 0)))
    futures = _nexts(strings, after, max(MOST_ARCS, strings.arc_count))
    table = np.empty((len(arcs), before + 1 + after), np.int64)
    for number, (source, symbol, target) in enumerate(arcs):
        if len(pasts[source]) > 1 or len(futures[target]) > 1:
            raise ValueError(
                f"arc {number} has several windows of {before} symbols before and {after} after "
                "it; call split_windows first"
            )
        [past], [future] = pasts[source], futures[target]
        table[number] = (*past, symbol, *future)
        pasts[target].add((*past, symbol)[1:])
    return freeze(table)


def _check_window(before: int, after: int) -> None:
    if before < 0 or after < 0:
        raise ValueError(f"a window has 0 or more symbols before and after, not {before}, {after}")


def _rows(strings: Lattice) -> list[list[tuple[int, int]]]:
    rows: list[list[tuple[int, int]]] = [[] for _ in range(strings.state_count)]
    for source, symbol, target in arcs_of(strings):
        rows[source].append((symbol, target))
    return rows


def _nexts(strings: Lattice, after: int, limit: int) -> list[list[_Context]]:
    """Return the different futures of each state: the next symbols, then distances."""
    end = tuple(range(-1, -after - 1, -1))
    found: list[dict[_Context, None]] = [{end: None} if f else {} for f in strings.final.tolist()]
    size = 0
    for source, symbol, target in reversed(list(arcs_of(strings))):
        before = len(found[source])
        found[source].update({(symbol, *future)[:after]: None for future in found[target]})
        size += len(found[source]) - before
        check_size(size, limit, "the contexts of the states")
    return [list(each) for each in found]


def _merged(strings: Lattice, found: dict[_Split, list[tuple[int, _Split]]], after: int) -> Lattice:
    classes: dict[_Split, int] = {}
    merged: dict[tuple[_Context, _Context, bool, _Arcs], int] = {}
    # In the order of the states they were made of; the others of a state do not meet.
    for split in sorted(found, reverse=True):
        state, past, ahead = split
        final = bool(strings.final[state]) and (state == 0 or not after or ahead[0] < 0)
        arcs = tuple(sorted((symbol, classes[target]) for symbol, target in found[split]))
        classes[split] = merged.setdefault((past, ahead, final, arcs), len(merged))
    last = len(merged) - 1
    rows = [(last - number, key) for key, number in merged.items()]
    return lattice(
        [
            (number, strings.symbols[symbol], last - target)
            for number, (_, _, _, arcs) in rows
            for symbol, target in arcs
        ],
        [number for number, (_, _, final, _) in rows if final],
        strings.symbols,
    )
