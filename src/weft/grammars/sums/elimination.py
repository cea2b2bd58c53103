"""Linear systems (I - M) x = b with a sparse M of which a few unknowns cut every cycle.

Let F be unknowns without which the graph of M has no cycle, and R the others. Then I - M_RR is
triangular in a suitable order and solved by sweeping over its levels, and what is left is a small
dense system,

    (I - M_FF - M_FR (I - M_RR)⁻¹ M_RF) x_F = b_F + M_FR (I - M_RR)⁻¹ b_R.

A treebank grammar whose long rules have been cut into short ones has thousands of symbols, but
only the few dozen categories that it had before are needed in F. A small system is F as a whole.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.errors import LimitError

_SMALL = 128  # unknowns up to which looking for F is not worth the while
MOST_NUMBERS = 50_000_000
"""No system is made that takes more numbers than this: 400 megabytes of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Edges of M_RR whose rows are of one level, sorted by the row."""

    rows: IntArray  # each row once
    starts: IntArray  # where the edges of each row begin
    edges: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """How to solve systems with a given pattern, for any values at its places.

    Attributes:
        count: How many unknowns there are.
        sources: The row of each edge. [edges]
        targets: The column of each edge, no two edges having both alike. [edges]
        kept: The unknowns F, ascending.
        rest: The unknowns R, ascending.
        down: The edges among R in the order of solving.
        up: The same for the transposed system.
    """

    count: int
    sources: IntArray
    targets: IntArray
    kept: IntArray
    rest: IntArray
    down: tuple[Sweep, ...]
    up: tuple[Sweep, ...]

    def factorised(self, values: FloatArray) -> Factors:
        """Return what solves systems with M of these values [edges].

        Raises:
            LinAlgError: If I - M is singular.
        """
        return Factors(self, values)


class Factors:
    """I - M, ready to solve with."""

    def __init__(self, pattern: Elimination, values: FloatArray) -> None:
        self._pattern = pattern
        self._values = values
        count, kept = pattern.count, pattern.kept
        inside = np.full(count, -1)
        inside[kept] = np.arange(len(kept))
        to_kept = np.flatnonzero(inside[pattern.targets] >= 0)
        columns = np.zeros((count, len(kept)))  # M_F, all rows
        columns[pattern.sources[to_kept], inside[pattern.targets[to_kept]]] = values[to_kept]
        self._columns = columns
        direct = np.zeros((len(kept), len(kept)))  # how much of F arrives in F at its next stop
        if len(kept):
            swept = self._swept(np.where((inside >= 0)[:, None], 0.0, columns), pattern.down)
            direct = columns[kept] + self._from_rest(swept)
            if len(pattern.rest):
                self._swept_columns = swept[pattern.rest]
        self._direct = direct
        self._reduced = np.eye(len(kept)) - direct
        # Factorised for each right side: with few of them, this is faster than inverting.
        np.linalg.solve(self._reduced, np.zeros(len(kept)))  # complains now rather than later

    def _solve_reduced(self, right: FloatArray, transposed: bool = False) -> FloatArray:
        reduced = self._reduced.T if transposed else self._reduced
        return np.asarray(np.linalg.solve(reduced, right), np.float64)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return x with x = M x + b, for b [unknowns, several]."""
        pattern = self._pattern
        kept, rest = pattern.kept, pattern.rest
        whole = right.copy()
        whole[kept] = 0.0
        swept = self._swept(whole, pattern.down)
        out = np.empty_like(right)
        out[kept] = self._solve_reduced(right[kept] + self._from_rest(swept))
        if len(rest):
            out[rest] = swept[rest]
            if len(kept):
                out[rest] += self._swept_columns @ out[kept]
        return out

    def solve_transposed(self, right: FloatArray) -> FloatArray:
        """Return x with x = Mᵀ x + b, for b [unknowns, several]."""
        pattern = self._pattern
        kept, rest = pattern.kept, pattern.rest
        out = np.zeros_like(right)
        top = right[kept].copy()
        if len(rest) and len(kept):
            top += self._swept_columns.T @ right[rest]
        out[kept] = self._solve_reduced(top, transposed=True)
        if len(rest):
            whole = right + self._arriving(out, np.flatnonzero(self._leaves_kept()))
            whole[kept] = 0.0
            out[rest] = self._swept(whole, pattern.up)[rest]
        return out

    def product(self, vector: FloatArray) -> FloatArray:
        """Return M x for x [unknowns]."""
        pattern = self._pattern
        weights = self._values * vector[pattern.targets]
        return np.bincount(pattern.sources, weights, pattern.count).astype(np.float64, copy=False)

    def dense(self) -> FloatArray:
        """Return M as a matrix [unknowns, unknowns]."""
        pattern = self._pattern
        matrix = np.zeros((pattern.count, pattern.count))
        matrix[pattern.sources, pattern.targets] = self._values
        return matrix

    def _leaves_kept(self) -> IntArray:
        chosen = np.zeros(self._pattern.count, np.int64)
        chosen[self._pattern.kept] = 1
        return chosen[self._pattern.sources]

    def _from_rest(self, swept: FloatArray) -> FloatArray:
        """M_FR x for x [unknowns, several] that is 0 in F."""
        pattern = self._pattern
        out = np.zeros_like(swept)
        edges = np.flatnonzero(self._leaves_kept())
        np.add.at(
            out, pattern.sources[edges], self._values[edges, None] * swept[pattern.targets[edges]]
        )
        return out[pattern.kept]

    def _arriving(self, vector: FloatArray, edges: IntArray) -> FloatArray:
        """Mᵀ x by way of some of the edges."""
        pattern = self._pattern
        out = np.zeros_like(vector)
        np.add.at(
            out, pattern.targets[edges], self._values[edges, None] * vector[pattern.sources[edges]]
        )
        return out

    def _swept(self, right: FloatArray, sweeps: tuple[Sweep, ...]) -> FloatArray:
        """(I - M_RR)⁻¹ b, or its transpose's, in the order of the levels; b is 0 in F."""
        pattern = self._pattern
        far = pattern.targets if sweeps is pattern.down else pattern.sources
        out = right.copy()
        for sweep in sweeps:
            terms = self._values[sweep.edges, None] * out[far[sweep.edges]]
            out[sweep.rows] += np.add.reduceat(terms, sweep.starts, axis=0)
        return out


def elimination(
    count: int, sources: IntArray, targets: IntArray, small: int = _SMALL
) -> Elimination:
    """Choose F and the order of the others.

    >>> ring = elimination(3, np.array([0, 1, 2]), np.array([1, 2, 0]), small=0)
    >>> len(ring.kept), len(ring.rest)
    (1, 2)
    >>> ring.factorised(np.full(3, 0.5)).solve(np.eye(3))[0].round(3)
    array([1.143, 0.571, 0.286])

    Args:
        count: How many unknowns there are.
        sources: The row of each place where M may differ from 0. [edges]
        targets: Its column; no place comes twice. [edges]
        small: The number of unknowns up to which F is all of them.

    Raises:
        LimitError: If the system would take more memory than it should.
    """
    kept = np.arange(count) if count <= small else _cutting(count, sources, targets)
    if count * max(len(kept), 1) > MOST_NUMBERS:
        raise LimitError(
            f"{count:,} symbols depend on each other, and {len(kept):,} of them on all others: "
            f"solving would take {count * len(kept):,} numbers, more than {MOST_NUMBERS:,}; make "
            "the grammar smaller"
        )
    is_kept = np.zeros(count, bool)
    is_kept[kept] = True
    among = np.flatnonzero(~is_kept[sources] & ~is_kept[targets])
    down = _sweeps(count, sources, targets, among)
    up = _sweeps(count, targets, sources, among)
    return Elimination(count, sources, targets, kept, np.flatnonzero(~is_kept), down, up)


def _cutting(count: int, sources: IntArray, targets: IntArray) -> IntArray:
    """Unknowns that every cycle passes: greedily those with most edges in times edges out."""
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


def _sweeps(count: int, rows: IntArray, columns: IntArray, among: IntArray) -> tuple[Sweep, ...]:
    """The edges by the level of their row: each row after all the columns that it needs."""
    order = among[np.argsort(rows[among], kind="stable")]
    levels = np.zeros(count, np.int64)
    missing = np.bincount(rows[order], minlength=count)
    by_column = among[np.argsort(columns[among], kind="stable")]
    starts = np.searchsorted(columns[by_column], np.arange(count + 1))
    ready = np.flatnonzero(missing == 0)
    level = 0
    while len(ready):
        levels[ready] = level
        lengths = starts[ready + 1] - starts[ready]
        places = np.repeat(starts[ready] - (np.cumsum(lengths) - lengths), lengths)
        reached = rows[by_column[places + np.arange(len(places))]]
        missing -= np.bincount(reached, minlength=count)
        ready = np.unique(reached[missing[reached] == 0])
        level += 1
    sweeps: list[Sweep] = []
    edge_levels = levels[rows[order]]
    for number in range(1, level):
        edges = order[edge_levels == number]
        firsts = np.flatnonzero(np.diff(rows[edges], prepend=-1))
        sweeps.append(Sweep(rows[edges][firsts], firsts, edges))
    return tuple(sweeps)
