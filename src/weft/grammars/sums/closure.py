"""Linear systems x = M x + b of nonnegative numbers, all of them as logarithms.

Let F be unknowns without which the graph of M has no cycle, and R the others. Then I - M_RR is
triangular in a suitable order and solved by sweeping over its levels, and what is left is small,

    (I - M_FF - M_FR (I - M_RR)⁻¹ M_RF) x_F = b_F + M_FR (I - M_RR)⁻¹ b_R.

Nothing is ever subtracted but a diagonal element from 1, so that what is 0 stays 0, what is not
never becomes 0, and numbers of any size, and of very different sizes, keep their digits.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.errors import DivergenceError
from weft.grammars.sums.elimination import Pattern, check_size
from weft.grammars.sums.feedback import feedback
from weft.grammars.sums.systems import log_sums
from weft.inference.components import components


def log_total(terms: FloatArray) -> FloatArray:
    """Return log Σ exp along the first axis, which is not empty.

    >>> log_total(np.log([[0.25, 0.5], [0.5, 0.5]])).round(3)
    array([-0.288,  0.   ])
    """
    every = np.zeros(len(terms), np.int64)
    total: FloatArray = log_sums(terms, every[:1], every)[0]
    return total


class LogAdder:
    """Adds up logarithms that go to given places.

    >>> LogAdder(np.array([2, 0, 2]), 3).added(np.log([1.0, 2.0, 3.0])).round(3)
    array([0.693,  -inf, 1.386])

    Args:
        places: The place of each term. [terms]
        count: How many places there are.
    """

    def __init__(self, places: IntArray, count: int) -> None:
        self._count = count
        self._order = np.argsort(places, kind="stable")
        self._rows, self._starts, self._runs = np.unique(
            places[self._order], return_index=True, return_inverse=True
        )

    def added(self, terms: FloatArray) -> FloatArray:
        """Return log Σ exp of the terms of each place, −inf where there are none [count, ...]."""
        sums = np.full((self._count, *terms.shape[1:]), -np.inf)
        if len(self._rows):
            sums[self._rows] = log_sums(terms[self._order], self._starts, self._runs)
        return sums


class LogClosure:
    """M, ready to solve with.

    >>> loop = LogClosure(2, np.array([0, 0]), np.array([0, 1]), np.log([0.5, 0.25]))
    >>> np.exp(loop.solve(np.log([1.0, 4.0])))
    array([4., 4.])

    Args:
        count: How many unknowns there are.
        sources: The row of each element of M that is not 0. [elements]
        targets: Its column; elements of the same place are added up. [elements]
        logs: Its logarithm. [elements]

    Raises:
        DivergenceError: If there is no solution, to rounding.
        LimitError: If the system would take too much memory.
    """

    def __init__(self, count: int, sources: IntArray, targets: IntArray, logs: FloatArray) -> None:
        keys, places = np.unique(sources * count + targets, return_inverse=True)
        self._pattern = pattern = Pattern(count, keys // count, keys % count)
        self._logs = LogAdder(places, len(keys)).added(logs)
        self._kept = kept = feedback(count, pattern.sources, pattern.targets)
        check_size(count, len(kept))
        inside = np.zeros(count, bool)
        inside[kept] = True
        self._sweeps = _sweeps(pattern, inside)
        self._from_kept = np.flatnonzero(inside[pattern.targets])
        self._into_kept = np.flatnonzero(inside[pattern.sources])
        self._downward = LogAdder(pattern.sources[self._from_kept], count)
        self._upward = LogAdder(pattern.sources[self._into_kept], count)
        columns = np.full((count, len(kept)), -np.inf)
        own = (
            pattern.sources[self._from_kept],
            np.searchsorted(kept, pattern.targets[self._from_kept]),
        )
        columns[own] = self._logs[self._from_kept]
        self._star, endless = log_star(self._returned(columns))
        if endless:
            raise DivergenceError(
                "a cycle that adds no word keeps all of its weight, to rounding; lower the weights "
                "of its rules"
            )

    def solve(self, right: FloatArray) -> FloatArray:
        """Return log x for log b [unknowns]."""
        pattern, kept = self._pattern, self._kept
        if len(kept):
            back = np.logaddexp(right[kept], self._returned(right))
            whole = np.full(pattern.count, -np.inf)
            whole[kept] = log_total((self._star + back).T)
            flows = self._logs[self._from_kept] + whole[pattern.targets[self._from_kept]]
            right = np.logaddexp(right, self._downward.added(flows))
        out = self._swept(right)
        if len(kept):
            out[kept] = whole[kept]
        return out

    def _returned(self, right: FloatArray) -> FloatArray:
        """M_FR (I - M_RR)⁻¹ b_R, and the direct way too where b has a column for each of F."""
        pattern, kept = self._pattern, self._kept
        outer = right.copy()
        outer[kept] = -np.inf
        swept = self._swept(outer)
        edges = self._into_kept
        terms = (self._logs[edges] + swept[pattern.targets[edges]].T).T
        back: FloatArray = self._upward.added(terms)[kept]
        return np.logaddexp(back, right[kept]) if right.ndim == 2 else back

    def _swept(self, right: FloatArray) -> FloatArray:
        """(I - M_RR)⁻¹ b, in the order of the levels."""
        out = right.copy()
        for edges, targets, rows, starts, runs in self._sweeps:
            terms = (self._logs[edges] + out[targets].T).T
            out[rows] = np.logaddexp(out[rows], log_sums(terms, starts, runs))
        return out


def _sweeps(pattern: Pattern, kept: BoolArray) -> list[tuple[IntArray, ...]]:
    """The edges of M_RR by the level of their row: each row after all the columns that it needs.

    With a level's edges come their columns, the rows, where each row begins, and that of each edge.
    """
    among = np.flatnonzero(~kept[pattern.sources] & ~kept[pattern.targets])
    rows = pattern.sources[among]
    found = components(pattern.count, rows, pattern.targets[among])
    levels = found.levels[found.numbers[rows]]
    order = np.lexsort((rows, levels))
    cuts = np.flatnonzero(np.diff(levels[order])) + 1
    parts = np.split(among[order], cuts) if len(among) else []
    return [
        (part, pattern.targets[part], *np.unique(pattern.sources[part], True, True))
        for part in parts
    ]


def log_star(matrices: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the logarithms of (I - M)⁻¹ by Gauss and Jordan's elimination.

    >>> found, endless = log_star(np.log([[[0.5]], [[1.0]]]))
    >>> float(np.exp(found[0, 0, 0])), endless
    (2.0, array([False,  True]))

    Args:
        matrices: The logarithms of M, one or several. [..., unknowns, unknowns]

    Returns:
        Those of the inverses, and which matrices have none, to rounding. [...]
    """
    found = matrices.copy()
    endless = np.zeros(found.shape[:-2], np.bool_)
    for place in range(found.shape[-1]):
        again = found[..., place, place]
        endless |= ~(again < 0)
        more = -np.log(-np.expm1(np.where(again < 0, again, -1.0)))
        row = found[..., place, :] + more[..., None]
        found = np.logaddexp(found, found[..., :, place, None] + row[..., None, :])
    places = np.arange(found.shape[-1])
    found[..., places, places] = np.logaddexp(0.0, found[..., places, places])
    return found, endless
