"""Lattices: finite sets of strings as acyclic automata, one path a string.

A lattice has states and arcs; an arc leads from its source to its target and bears a symbol. The
strings of the lattice are those of its paths from the initial state to a final one, and no
string has two paths: a sum over paths is a sum over a *set* of strings.

Reference: Smith and Eisner (2005), "Contrastive Estimation", sections 3.2 and 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, IndexArray, IntArray, freeze, integers, offsets_of
from weft.reprs import Brief, Pictured
from weft.structures.lattice_checks import check_lattice, refuse_listing, repeated_arcs

MOST_STRINGS = 1_000_000
"""A listing of more strings has to be asked for."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lattice(Brief, Pictured):
    """A set of strings in flat arrays, ready to be swept.

    State 0 is the initial one. Every arc leads to a higher state, and every state lies on a path
    from the initial state to a final one, so that one pass over the arcs meets each state after
    all that lead to it. The arrays are copied, checked and read-only: kernels trust them.

    Usually a lattice is *deterministic*: the symbols of a state's arcs differ. It need not be
    (:func:`weft.automata.split_windows` tells arcs apart by what follows them), but no string may
    have two paths.

    Attributes:
        symbols: The symbols, each once. Not all of them need to occur.
        arc_offsets: Where the arcs of each state begin, and where the last ones end. [states + 1]
        arc_symbols: The number of each arc's symbol, ascending in each state. [arcs]
        targets: The state that each arc leads to, ascending among equal symbols. [arcs]
        final: Whether a string may end in a state. [states]

    Raises:
        ValueError: If the arrays do not describe such a set; the message names the arc or state.
    """

    symbols: tuple[str, ...]
    arc_offsets: IntArray
    arc_symbols: IndexArray
    targets: IndexArray
    final: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "symbols", tuple(self.symbols))
        object.__setattr__(self, "arc_offsets", integers("offsets", self.arc_offsets, np.int64))
        object.__setattr__(self, "arc_symbols", integers("symbols", self.arc_symbols, np.int32))
        object.__setattr__(self, "targets", integers("targets", self.targets, np.int32))
        object.__setattr__(self, "final", freeze(np.array(self.final, dtype=bool)))
        check_lattice(self)

    @classmethod
    def from_sentence(cls, words: Sequence[str]) -> Lattice:
        """Return the set that holds one sentence.

        >>> list(Lattice.from_sentence(["time", "flies"]).strings())
        [('time', 'flies')]

        Raises:
            ValueError: If the words are one string, whose characters would pass for words.
        """
        numbers, symbols = number_states(words)
        states = np.arange(len(numbers) + 1, dtype=np.int32)
        offsets = np.append(states, len(numbers))
        return cls(symbols, offsets, np.array(numbers), states[1:], states == len(numbers))

    @property
    def state_count(self) -> int:
        """How many states there are."""
        return len(self.final)

    @property
    def arc_count(self) -> int:
        """How many arcs there are."""
        return len(self.targets)

    @property
    def sources(self) -> IndexArray:
        """[arcs]: the state that each arc leaves, ascending."""
        states = np.arange(self.state_count, dtype=np.int32)
        return np.repeat(states, np.diff(self.arc_offsets))

    @property
    def deterministic(self) -> bool:
        """Whether the symbols of each state's arcs differ."""
        return not len(repeated_arcs(self))

    def count(self) -> int:
        """Return how many strings there are, exactly.

        >>> lattice([(0, "a", 1), (0, "b", 1), (1, "a", 2)], [1, 2]).count()
        4
        """
        counts = [int(final) for final in self.final]
        for source, _, target in reversed(list(arcs_of(self))):
            counts[source] += counts[target]
        return counts[0]

    def strings(self, limit: int = MOST_STRINGS) -> Iterator[tuple[str, ...]]:
        """List the strings, in the order of their symbols' numbers, a prefix before the rest.

        They are made one at a time, and so take no memory.

        >>> list(lattice([(0, "a", 1), (0, "b", 1), (1, "a", 2)], [1, 2]).strings())
        [('a',), ('a', 'a'), ('b',), ('b', 'a')]

        Raises:
            LimitError: If there are more than ``limit``.
        """
        refuse_listing(self.count(), limit)
        return _listed(self)


def lattice(
    arcs: Iterable[tuple[int, str, int]], final: Iterable[int], symbols: Iterable[str] = ()
) -> Lattice:
    """Make a lattice of its arcs, in any order.

    >>> lattice([(0, "time", 1), (1, "flies", 2)], [2]).symbols
    ('time', 'flies')

    Args:
        arcs: The source, the symbol and the target of each arc. State 0 is the initial one, and
            targets are higher than sources.
        final: The states in which a string may end.
        symbols: Symbols that are to have the first numbers; others follow as they come.

    Returns:
        The lattice.

    Raises:
        ValueError: If this is no lattice; the message names the arc or state.
    """
    numbers = {symbol: number for number, symbol in enumerate(dict.fromkeys(symbols))}
    ends = sorted(set(final))
    rows = sorted((s, numbers.setdefault(symbol, len(numbers)), t) for s, symbol, t in arcs)
    if min([0, *ends[:1], *(row[0] for row in rows[:1])]) < 0:
        raise ValueError("states are numbered from 0, the initial one")
    states = 1 + max([0, *ends[-1:], *(max(s, t) for s, _, t in rows)])
    if states > len(rows) + 1:
        raise ValueError(f"no path can lead to all of {states} states by {len(rows)} arcs")
    sources, arc_symbols, targets = np.array(rows, np.int32).reshape(-1, 3).T
    mask = np.zeros(states, bool)
    mask[ends] = True
    offsets = offsets_of(np.bincount(sources, minlength=states))
    return Lattice(tuple(numbers), offsets, arc_symbols, targets, mask)


def number_states(words: Sequence[str]) -> tuple[list[int], tuple[str, ...]]:
    """Return the number of each word, by first occurrence, and the distinct words.

    >>> number_states(["a", "rose", "is", "a", "rose"])
    ([0, 1, 2, 0, 1], ('a', 'rose', 'is'))

    Raises:
        ValueError: If the words are one string, whose characters would pass for words.
    """
    if isinstance(words, str):
        raise ValueError(f"a sentence is a list of words, not the string {words!r}: split it first")
    numbers: dict[str, int] = {}
    return [numbers.setdefault(word, len(numbers)) for word in words], tuple(numbers)


def arcs_of(lattice: Lattice) -> Iterator[tuple[int, int, int]]:
    """Yield the source, the symbol's number and the target of each arc.

    >>> list(arcs_of(Lattice.from_sentence(["time", "flies"])))
    [(0, 0, 1), (1, 1, 2)]
    """
    rows = (lattice.sources, lattice.arc_symbols, lattice.targets)
    return zip(*(row.tolist() for row in rows), strict=True)


def accepts(lattice: Lattice, words: Sequence[str]) -> bool:
    """Say whether a string is in the set.

    >>> accepts(lattice([(0, "a", 1), (1, "b", 2)], [1, 2]), ["a"])
    True
    """
    numbers = {symbol: number for number, symbol in enumerate(lattice.symbols)}
    states = {0}
    for word in words:
        states = set(_step(lattice, states, numbers.get(word, -1)))
    return any(lattice.final[state] for state in states)


def path_lengths(lattice: Lattice) -> tuple[IntArray, IntArray]:
    """Return how many arcs the shortest and the longest path from each state to an end have.

    Those of state 0 are the lengths of the shortest and the longest string.

    >>> shortest, longest = path_lengths(lattice([(0, "a", 1), (1, "b", 2)], [1, 2]))
    >>> shortest, longest
    (array([1, 0, 0]), array([2, 1, 0]))

    Returns:
        The shortest and the longest lengths. [states], [states]
    """
    longest = [0] * lattice.state_count
    # Longer than any path; where no string ends, there is an arc that makes it shorter.
    shortest = [0 if final else lattice.state_count for final in lattice.final.tolist()]
    for source, _, target in reversed(list(arcs_of(lattice))):
        shortest[source] = min(shortest[source], shortest[target] + 1)
        longest[source] = max(longest[source], longest[target] + 1)
    return np.array(shortest), np.array(longest)


def _step(lattice: Lattice, states: Iterable[int], symbol: int) -> Iterator[int]:
    for state in states:
        start, end = lattice.arc_offsets[state : state + 2]
        for arc in np.flatnonzero(lattice.arc_symbols[start:end] == symbol):
            yield int(lattice.targets[start + arc])


def _listed(lattice: Lattice) -> Iterator[tuple[str, ...]]:
    rows: list[list[tuple[int, int]]] = [[] for _ in range(lattice.state_count)]
    for source, symbol, target in arcs_of(lattice):
        rows[source].append((symbol, target))
    final = lattice.final.tolist()
    if final[0]:
        yield ()
    words: list[str] = []
    waiting = [iter(rows[0])]
    while waiting:
        arc = next(waiting[-1], None)
        if arc is None:
            waiting.pop()
            del words[-1:]
            continue
        words.append(lattice.symbols[arc[0]])
        waiting.append(iter(rows[arc[1]]))
        if final[arc[1]]:
            yield tuple(words)
