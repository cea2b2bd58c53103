"""Neighbourhoods written down directly, as minimal deterministic lattices.

Each function knows the futures that a prefix of a neighbour can have, and makes one state of each.
With x the sentence, xᵢ… its words from number i (from 0) to the end, the futures are

=============  ======================================================================
main i         all that one change in xᵢ… can make of it, and xᵢ… itself
rest i         xᵢ… alone: the change is behind
either i       xᵢ… or xᵢ₊₁…: the change is behind, but there are two ways to see it
swapped i      xᵢ₊₁ came in the place of xᵢ: xᵢ and xᵢ₊₂…, or, if xᵢ may be deleted, xᵢ₊₂…
set S          xⱼ… for every j in S: where the deleted span ended is yet open
=============  ======================================================================

Two words that are equal are not transposed, and of a run of equal words the first is deleted, so
that no string is made twice. From u on, the first number with all of x_u… equal, the futures of
main coincide with simpler ones. Different futures are different states: nothing is left to
minimise. :mod:`weft.automata.neighbourhoods` makes the same lattices by transducers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from weft.arrays import offsets_of
from weft.automata.transducer import MOST_ARCS, check_size
from weft.structures.lattice import Lattice, numbered

KeyT = TypeVar("KeyT", int, tuple[int, ...])
_Rows = dict[KeyT, list[tuple[int, KeyT]]]

_KINDS = 4


def deletions(words: Sequence[str]) -> Lattice:
    """Return the sentence and what remains of it without one of its words.

    >>> list(deletions(["a", "rose", "is"]).strings())
    [('a', 'rose'), ('a', 'rose', 'is'), ('a', 'is'), ('rose', 'is')]
    """
    x, symbols = numbered(words)
    size = len(x)
    rows: _Rows[int] = {_rest(size): []}
    for i in reversed(range(size)):
        rows[_rest(i)] = [(x[i], _rest(i + 1))]
        rows[_main(i)] = [(x[i], _main(i + 1) if i + 1 < size else _rest(size))]
        if i + 1 < size and x[i] != x[i + 1]:
            rows[_main(i)].append((x[i + 1], _rest(i + 2)))
    return _assembled(symbols, rows, _main(0), {_rest(size), _main(size - 1)})


def transpositions(words: Sequence[str]) -> Lattice:
    """Return the sentence, and the sentence with two neighbouring words exchanged.

    >>> list(transpositions(["a", "rose", "is"]).strings())
    [('a', 'rose', 'is'), ('a', 'is', 'rose'), ('rose', 'a', 'is')]
    """
    x, symbols = numbered(words)
    size, uniform = len(x), _uniform(x)
    rows: _Rows[int] = {_rest(size): []}

    def main(i: int) -> int:
        return _rest(i) if i >= uniform else _main(i)

    for i in reversed(range(size)):
        rows[_rest(i)] = [(x[i], _rest(i + 1))]
        if i < uniform:
            rows[main(i)] = [(x[i], main(i + 1))]
            if x[i] != x[i + 1]:
                rows[main(i)].append((x[i + 1], _swapped(i)))
                rows[_swapped(i)] = [(x[i], _rest(i + 2))]
    return _assembled(symbols, rows, main(0), {_rest(size)})


def deletions_and_transpositions(words: Sequence[str]) -> Lattice:
    """Return the sentence, and what deleting or transposing can make of it.

    >>> list(deletions_and_transpositions(["a", "rose"]).strings())
    [('a',), ('a', 'rose'), ('rose',), ('rose', 'a')]
    """
    x, symbols = numbered(words)
    size, uniform = len(x), _uniform(x)
    rows: _Rows[int] = {_rest(size): []}

    def main(i: int) -> int:
        return _main(i) if i < uniform else _either(i) if i < size else _rest(size)

    for i in reversed(range(size)):
        rows[_rest(i)] = [(x[i], _rest(i + 1))]
        if i + 1 == size:
            rows[_either(i)] = [(x[i], _rest(size))]
        elif x[i] == x[i + 1]:
            rows[_either(i)] = [(x[i], _either(i + 1))]
        else:
            rows[_either(i)] = [(x[i], _rest(i + 1)), (x[i + 1], _rest(i + 2))]
        if i < uniform:
            rows[main(i)] = [(x[i], main(i + 1))]
            if x[i] != x[i + 1]:
                rows[main(i)].append((x[i + 1], _swapped(i)))
                rows[_swapped(i)] = _deleted_or_swapped(x, i)
    final = {_rest(size), _either(size - 1), _swapped(size - 2)}
    return _assembled(symbols, rows, main(0), final)


def span_deletions(words: Sequence[str], limit: int = MOST_ARCS) -> Lattice:
    """Return the sentence and what remains of it without one span of words.

    >>> list(span_deletions(["a", "rose", "is"]).strings())
    [('a',), ('a', 'rose'), ('a', 'rose', 'is'), ('a', 'is'), ('rose', 'is'), ('is',)]

    Raises:
        LimitError: If the lattice would have more than ``limit`` arcs, or places in its sets.
    """
    x, symbols = numbered(words)
    size, uniform = len(x), _uniform(x)
    rows: _Rows[tuple[int, ...]] = {}
    waiting: list[tuple[int, ...]] = []
    # For each word where its occurrences after i end, the first one first.
    ends: dict[int, tuple[int, ...]] = {}
    room = 0

    def main(i: int) -> tuple[int, ...]:
        # No set has a negative member, and so these keys are no sets.
        return (i, -1) if i < uniform else tuple(range(i, size + 1))

    waiting.append(main(uniform))
    for i in reversed(range(size)):
        if i < uniform:
            others = {word: after for word, after in ends.items() if word != x[i]}
            rows[main(i)] = [(x[i], main(i + 1)), *others.items()]
            waiting += others.values()
            room += sum(map(len, others.values()))
            check_size(room, limit, "the arcs of the spans")
        ends[x[i]] = (i + 1, *ends.get(x[i], ()))
    for state in waiting:
        if state not in rows:
            rows[state] = list(_followers(x, state).items())
            waiting += (target for _, target in rows[state])
            room += len(state)
            check_size(room, limit, "the arcs of the spans")
    final = {state for state in rows if state[-1] in (size, -1)}
    return _assembled(symbols, rows, main(0), final)


def _uniform(x: Sequence[int]) -> int:
    """Return the first number from which on all words are equal."""
    first = len(x) - 1
    while first > 0 and x[first - 1] == x[-1]:
        first -= 1
    return first


# States of the same i come one after the other, in an order in which arcs lead upwards.
def _main(i: int) -> int:
    return _KINDS * i


def _swapped(i: int) -> int:
    return _KINDS * (i + 1) + 1


def _either(i: int) -> int:
    return _KINDS * i + 2


def _rest(i: int) -> int:
    return _KINDS * i + 3


def _deleted_or_swapped(x: Sequence[int], i: int) -> list[tuple[int, int]]:
    """Return the arcs after xᵢ₊₁ where xᵢ was expected."""
    if i + 2 == len(x):
        return [(x[i], _rest(i + 2))]
    if x[i] == x[i + 2]:
        return [(x[i], _either(i + 2))]
    return [(x[i], _rest(i + 2)), (x[i + 2], _rest(i + 3))]


def _followers(x: Sequence[int], places: Sequence[int]) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {}
    for place in places:
        if place < len(x):
            found.setdefault(x[place], []).append(place + 1)
    return {word: tuple(after) for word, after in found.items()}


def _assembled(
    symbols: tuple[str, ...], rows: _Rows[KeyT], start: KeyT, final: set[KeyT]
) -> Lattice:
    """Return the lattice of what is reached from the start, where no string may end."""
    numbers: dict[KeyT, int] = {}
    reached = {start}
    for key in sorted(rows):
        if key in reached:
            numbers[key] = len(numbers)
            reached.update(target for _, target in rows[key])
    arcs = [(symbol, numbers[target]) for key in numbers for symbol, target in sorted(rows[key])]
    arc_symbols, targets = np.array(arcs, np.int32).reshape(-1, 2).T
    ends = np.fromiter((key in final and key != start for key in numbers), bool)
    offsets = offsets_of(len(rows[key]) for key in numbers)
    return Lattice(symbols, offsets, arc_symbols, targets, ends)
