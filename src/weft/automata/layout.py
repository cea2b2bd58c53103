"""Where the states of a drawn lattice stand.

Columns are the places of a string, counted from the end: a state stands as many columns before the
last as its longest path to an end has arcs, so that all arcs lead to the right. Rows are
departures: the states of one longest string, the *spine*, stand in row 0, and others in the row
that says how many arcs differ from the spine's on the way to them, or below if that is taken.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from weft.structures.lattice import Lattice, arcs_of, path_lengths


@dataclass(frozen=True, slots=True)
class StatePlaces:
    """The places of a lattice's states.

    Attributes:
        spine: The states of the string that is drawn straight, in their order.
        columns: The column of each state. [states]
        rows: The row of each state, 0 at the top. [states]
    """

    spine: tuple[int, ...]
    columns: tuple[int, ...]
    rows: tuple[int, ...]


def layout(strings: Lattice, words: Sequence[str] | None = None) -> StatePlaces:
    """Place the states of a lattice.

    >>> from weft.automata import del1word
    >>> layout(del1word(["a", "rose", "is"]))
    StatePlaces(spine=(0, 1, 2, 4), columns=(0, 1, 2, 2, 3), rows=(0, 0, 0, 1, 0))

    Args:
        strings: The lattice.
        words: The string to draw straight, if it is one of the longest; otherwise one of these.

    Returns:
        The layout.
    """
    longest = path_lengths(strings)[1].tolist()
    columns = [longest[0] - length for length in longest]
    spine, symbols = _spine(strings, longest, words)
    departures = _departures(strings, columns, symbols)
    taken = {(columns[state], 0) for state in spine}
    rows = [0] * strings.state_count
    others = set(range(strings.state_count)) - set(spine)
    for departed, state in sorted((departures[state], state) for state in others):
        free = (row for row in itertools.count(departed) if (columns[state], row) not in taken)
        rows[state] = next(free)
        taken.add((columns[state], rows[state]))
    used = {row: number for number, row in enumerate(sorted(set(rows)))}
    return StatePlaces(tuple(spine), tuple(columns), tuple(used[row] for row in rows))


def _spine(
    strings: Lattice, longest: Sequence[int], words: Sequence[str] | None
) -> tuple[list[int], list[int]]:
    """Return the states and the symbols of a longest string."""
    numbers = {symbol: number for number, symbol in enumerate(strings.symbols)}
    wanted = [numbers.get(word, -1) for word in words or ()]
    known = len(wanted) == longest[0]
    # For each state that a longest string reaches, the ways there; the first one is taken.
    ways: dict[int, tuple[int, int]] = {}
    for source, symbol, target in arcs_of(strings):
        place = longest[0] - longest[source]
        direct = longest[target] == longest[source] - 1 and (source == 0 or source in ways)
        if direct and (not known or symbol == wanted[place]):
            ways.setdefault(target, (source, symbol))
    ends = [state for state in ways if longest[state] == 0]
    if longest[0] and not ends:
        return _spine(strings, longest, None)
    states, symbols = ends[:1] or [0], []
    while states[-1] in ways:
        source, symbol = ways[states[-1]]
        states.append(source)
        symbols.append(symbol)
    return states[::-1], symbols[::-1]


def _departures(strings: Lattice, columns: Sequence[int], symbols: Sequence[int]) -> list[int]:
    """Return the least number of arcs on the way to each state that are not the spine's."""
    found = [0] + [strings.state_count] * (strings.state_count - 1)
    for source, symbol, target in arcs_of(strings):
        along = columns[target] == columns[source] + 1 and symbol == symbols[columns[source]]
        found[target] = min(found[target], found[source] + (not along))
    return found
