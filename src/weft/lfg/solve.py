"""Sentences solved by the kernel: a thin layer around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weft.arrays import IndexArray, freeze, offsets_of
from weft.interrupts import interruptible
from weft.kernels import kernels
from weft.lfg.branches import DEPTH, NotCompiled
from weft.lfg.compile import CompiledLfg
from weft.lfg.forest import Kernel, LfgForest, Word
from weft.lfg.language import Lfg
from weft.lfg.late import decide_late
from weft.lfg.reference.solve import Solver
from weft.lfg.tokens import TokenLattice
from weft.structures.hypergraph import Hypergraph
from weft.unification.limits import TOO_LARGE, TOO_LONG, TOO_MANY, ParseLimits, seconds_left

CYCLIC = 4


@dataclass(frozen=True, slots=True)
class Work:
    """What was done for a sentence.

    Attributes:
        nodes: How many categories over spans are part of some c-structure of it.
        vertices: How many solutions these have, together.
        attempts: How many descriptions were solved.
        successes: How many of them had a solution.
    """

    nodes: int
    vertices: int
    attempts: int
    successes: int


@dataclass(frozen=True, slots=True)
class Solved:
    """What the kernel gives for a sentence."""

    status: int
    work: Work
    forest: LfgForest


def solve_block(
    kernel: Kernel,
    lattices: Sequence[TokenLattice],
    limits: ParseLimits,
    *,
    restricted: bool = True,
    threads: int = 1,
    root: str | None = None,
) -> Iterator[Solved]:
    """Solve some sentences.

    Args:
        kernel: The grammar.
        lattices: The sentences, looked up.
        limits: How much each of them may take.
        restricted: Whether constituents are told apart only by what can be seen from outside;
            otherwise by all of their f-structures, which is slow and gives the same analyses.
        threads: They change no result.
        root: The category of the sentences; by default, the grammar's.

    Raises:
        NotCompiled: If an entry says something that the kernel does not know.
    """
    compiled = kernel.compiled
    words = [list_words(compiled, lattice) for lattice in lattices]
    rows = [
        (word.start, word.end, compiled.categories[word.entry.category], number)
        for some in words
        for word, number in some
    ]
    solve: Any = kernels.lfg_parse
    root_number = compiled.categories[root or compiled.grammar.root]
    facts, *flat = interruptible(
        solve,
        *compiled.arrays(),
        np.array(rows, np.int32).reshape(-1, 4),
        offsets_of(map(len, words)),
        np.array([lattice.last for lattice in lattices], np.int32),
        root_number,
        limits.edges,
        int(limits.megabytes * 250_000),
        min(limits.seconds, seconds_left()),
        restricted,
        threads,
    )
    spans, heads, arities, tails, lengths, steps = map(_Cursor, flat)
    for number, (status, vertices, edges, *work) in enumerate(facts.reshape(-1, 7).tolist()):
        found = spans.take(3 * vertices).reshape(-1, 3)
        edge_heads, edge_arities = heads.take(edges), arities.take(edges)
        edge_tails = tails.take(int(edge_arities.sum()))
        sizes = lengths.take(edges)
        pairs = steps.take(2 * int(sizes.sum())).reshape(-1, 2).tolist()
        forest = LfgForest(
            lattices[number],
            kernel,
            Hypergraph(max(1, vertices), edge_heads, offsets_of(edge_arities), edge_tails),
            tuple((start, end, category) for start, end, category in found.tolist()),
            tuple(_rows(pairs, sizes.tolist())),
            tuple(word for word, _ in words[number]),
            truncated=status in (TOO_MANY, TOO_LARGE, TOO_LONG),
        )
        decided = decide_late(forest)
        status = status or TOO_LONG * decided.truncated
        yield Solved(status, Work(*work), decided)


class Kernels:
    """A grammar, compiled in the ways that its sentences need.

    Paths without end that define something are followed `DEPTH` times, which is enough unless more
    words than that govern the attributes on the way. Where it is not, and where other paths wait
    for the whole sentence, for they are chosen in the order of the words, all of them do.
    """

    def __init__(self, grammar: Lfg, solver: Solver) -> None:
        self._grammar = grammar
        self._solver = solver

    @cached_property
    def _repeating(self) -> Kernel | None:
        return self._compile(DEPTH)

    @cached_property
    def _waiting(self) -> Kernel | None:
        return self._compile(0)

    def _compile(self, depth: int) -> Kernel | None:
        try:
            return Kernel(CompiledLfg(self._grammar, depth=depth), self._solver)
        except NotCompiled:
            return None

    def find(self, lattice: TokenLattice) -> Kernel | None:
        """Return the kernel for a sentence; None if none knows all that its words say."""
        kernel = self._repeating
        if kernel is not None and not _is_deep(kernel.compiled, lattice):
            return kernel if _knows(kernel, lattice) else None
        return self._waiting if self._waiting and _knows(self._waiting, lattice) else None


def _is_deep(compiled: CompiledLfg, lattice: TokenLattice) -> bool:
    if compiled.deep or compiled.late:
        return True
    entries = [entry for arc in lattice.arcs for entry in arc.entries]
    governors = sum(any(map(compiled.is_governor, arc.entries)) for arc in lattice.arcs)
    return governors > DEPTH or any(map(compiled.is_late, entries))


def _knows(kernel: Kernel, lattice: TokenLattice) -> bool:
    try:
        list_words(kernel.compiled, lattice)
    except NotCompiled:
        return False
    return True


def needs_plain_solver(solved: Solved) -> bool:
    """Say whether the kernel could not go on: a category is over itself with nothing else."""
    return solved.status == CYCLIC


def list_words(compiled: CompiledLfg, lattice: TokenLattice) -> list[tuple[Word, int]]:
    """Return the entries of a sentence, each with the number of what it says."""
    found: list[tuple[Word, int]] = []
    for arc in () if lattice.unknown else lattice.arcs:
        for entry in arc.entries:
            described = compiled.entry(entry)
            word = Word(arc.start, arc.end, arc.text, entry, described.branches)
            found.append((word, described.number))
    return found


def _rows(pairs: list[list[int]], sizes: list[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    place = 0
    for size in sizes:
        yield tuple((arc, branch) for arc, branch in pairs[place : place + size])
        place += size


class _Cursor:
    """An array that is taken piece by piece."""

    def __init__(self, array: IndexArray) -> None:
        self.array, self.place = freeze(array), 0

    def take(self, count: int) -> IndexArray:
        self.place += count
        return self.array[self.place - count : self.place]
