"""What is checked of a lattice, and how much of one is listed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import IntArray, are_offsets
from weft.errors import LimitError

if TYPE_CHECKING:
    from weft.structures.lattice import Lattice

_MOST_PAIRS = 5_000_000


def refuse_listing(count: int, limit: int) -> None:
    """Refuse to list more strings than a limit.

    Raises:
        LimitError: If there are more.

    >>> refuse_listing(3, 2)
    Traceback (most recent call last):
    weft.errors.LimitError: there are 3 strings, more than 2; raise the limit to list them
    """
    if count > limit:
        # A number of more digits is of use to nobody, and slow to write.
        text = f"{count:,}" if count.bit_length() < 200 else f"over 2^{count.bit_length() - 1}"
        message = f"there are {text} strings, more than {limit:,}"
        raise LimitError(f"{message}; raise the limit to list them")


def check_symbols(symbols: Sequence[str]) -> None:
    """Refuse a symbol that is there twice."""
    if len(set(symbols)) < len(symbols):
        twice, _ = Counter(symbols).most_common(1)[0]
        raise ValueError(f"the symbol {twice!r} is there twice; give each once")


def check_lattice(lattice: Lattice) -> None:
    """Check that the arrays of a lattice are what its class promises.

    Raises:
        ValueError: If they are not.
        LimitError: If it cannot be told, in reasonable time, whether a string has two paths.
    """
    check_symbols(lattice.symbols)
    _check_offsets(lattice)
    _check_targets(lattice)
    _check_states(lattice)
    _check_order(lattice)
    if not lattice.deterministic:
        _check_pairs(lattice)


def _check_offsets(lattice: Lattice) -> None:
    offsets, arcs = lattice.arc_offsets, lattice.arc_count
    if lattice.final.ndim != 1 or not 1 <= lattice.state_count < np.iinfo(np.int32).max:
        raise ValueError("a lattice needs between 1 and 2³¹ - 2 states, in a row")
    if len(offsets) != lattice.state_count + 1 or len(lattice.arc_symbols) != arcs:
        raise ValueError(
            f"{lattice.state_count} states need {lattice.state_count + 1} offsets, not "
            f"{len(offsets)}; {arcs} targets as many symbols, not {len(lattice.arc_symbols)}"
        )
    if not are_offsets(offsets, lattice.state_count, arcs):
        raise ValueError(f"offsets must ascend from 0 to the number of arcs, {arcs}")


def _check_targets(lattice: Lattice) -> None:
    for arc in np.flatnonzero(lattice.arc_symbols >= len(lattice.symbols))[:1]:
        raise ValueError(
            f"arc {arc} has symbol {lattice.arc_symbols[arc]}, but there are {len(lattice.symbols)}"
        )
    sources, targets = lattice.sources, lattice.targets
    for arc in np.flatnonzero((targets <= sources) | (targets >= lattice.state_count))[:1]:
        raise ValueError(
            f"arc {arc} leads from state {sources[arc]} to {targets[arc]}: number the "
            f"{lattice.state_count} states so that arcs lead from lower to higher ones"
        )


def _check_states(lattice: Lattice) -> None:
    # As arcs lead upwards, this is enough: states are reached one after the other.
    reached = np.zeros(lattice.state_count, bool)
    reached[lattice.targets] = reached[0] = True
    for state in np.flatnonzero(~reached)[:1]:
        raise ValueError(f"no path leads to state {state}; leave it out")
    ending = lattice.final | (lattice.arc_offsets[1:] > lattice.arc_offsets[:-1])
    for state in np.flatnonzero(~ending)[:1]:
        raise ValueError(f"no path leads from state {state} to a final one; leave it out")


def _check_order(lattice: Lattice) -> None:
    sources, symbols, targets = lattice.sources, lattice.arc_symbols, lattice.targets
    same = sources[1:] == sources[:-1]
    falling = (symbols[1:] < symbols[:-1]) | (
        (symbols[1:] == symbols[:-1]) & (targets[1:] <= targets[:-1])
    )
    for arc in np.flatnonzero(same & falling)[:1] + 1:
        raise ValueError(
            f"arc {arc} repeats arc {arc - 1} or belongs before it: sort a state's arcs by the "
            "numbers of their symbols and targets"
        )


def repeated_arcs(lattice: Lattice) -> IntArray:
    """Return the arcs whose source and symbol are those of the arc before."""
    sources, symbols = lattice.sources, lattice.arc_symbols
    return np.flatnonzero((sources[1:] == sources[:-1]) & (symbols[1:] == symbols[:-1])) + 1


def _check_pairs(lattice: Lattice) -> None:
    """Follow two paths of the same string from where they part; they must not both end."""
    rows: list[dict[int, list[int]]] = [{} for _ in range(lattice.state_count)]
    columns = (lattice.sources, lattice.arc_symbols, lattice.targets)
    for source, symbol, target in zip(*(column.tolist() for column in columns), strict=True):
        rows[source].setdefault(symbol, []).append(target)
    final = lattice.final.tolist()
    seen = {
        pair for row in rows for ends in row.values() for pair in itertools.combinations(ends, 2)
    }
    waiting = list(seen)
    while waiting:
        one, other = waiting.pop()
        if one == other or (final[one] and final[other]):
            raise ValueError(
                f"a string has two paths, through states {one} and {other}; determinise first"
            )
        for symbol in rows[one].keys() & rows[other].keys():
            for ends in itertools.product(rows[one][symbol], rows[other][symbol]):
                pair = (min(ends), max(ends))
                if pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
        if len(seen) > _MOST_PAIRS:
            raise LimitError(
                f"whether some string has two paths takes more than {_MOST_PAIRS:,} pairs of "
                "states to tell; determinise first"
            )
