"""Linear systems (I - M) x = b with M ≥ 0, by factors of I - M.

Small systems and full ones are factorised as they are, by LAPACK. Large ones are sparse: a treebank
grammar whose long rules have been cut into short ones has thousands of symbols, most of which
depend on one or two others, and SuperLU finds an order of elimination in which few numbers are
filled in. It keeps to the diagonal where it can: as long as the radius of M is below 1, numbers are
then subtracted from the diagonal alone, and no others lose digits.

Where many unknowns depend on each other, a step of plain iteration, x ← M x + b, costs thousands of
times less than factors do, and some ten to a hundred steps find the last digit unless the radius is
near 1. So that is tried first, for as long as it is cheaper. Its sums of b, M b, M² b, … are of
numbers that are never negative if b is not, and lie below x until they are x: each unknown is
summed to its own last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.arrays import FloatArray, IntArray
from weft.errors import LimitError
from weft.grammars.sums.feedback import feedback

_SMALL = 128  # unknowns up to which a system is taken for a full one
_FULL = 64  # and beyond that, if one number in this many may differ from 0
_MANY, _FEW = 400, 60  # steps of iteration that are cheaper than factors, full ones or sparse
_LARGEST = 1e100  # where a sum is that size, it has no end
_ROUND = 4  # steps after which it is looked whether that is all: cycles of 2 and 4 look even then
_DIGITS = 2.0**-56  # of the sum that is still to come when iteration ends
MOST_NUMBERS = 50_000_000
"""No system is made that takes more numbers than this: 400 megabytes of them."""

_Solver = Callable[[FloatArray, bool], npt.NDArray[np.floating[Any]]]


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Where M may differ from 0.

    Attributes:
        count: How many unknowns there are.
        sources: The row of each such place. [edges]
        targets: Its column; no place comes twice. [edges]
    """

    count: int
    sources: IntArray
    targets: IntArray

    def check_size(self) -> None:
        """Refuse a system whose factors may not fit into memory.

        Eliminated last, the unknowns that cut every cycle fill one column each.

        Raises:
            LimitError: If they would take too much.
        """
        if self.count**2 > MOST_NUMBERS:
            check_size(self.count, len(feedback(self.count, self.sources, self.targets)))

    def dense(self, values: FloatArray) -> FloatArray:
        """Return M with these values [edges] as a matrix [unknowns, unknowns]."""
        matrix = np.zeros((self.count, self.count))
        matrix[self.sources, self.targets] = values
        return matrix

    def factorised(self, values: FloatArray) -> Eliminated:
        """Return what solves systems with M of these values [edges].

        >>> ring = Pattern(3, np.array([0, 1, 2]), np.array([1, 2, 0]))
        >>> ring.factorised(np.full(3, 0.5)).solve(np.eye(3))[0].round(3)
        array([1.143, 0.571, 0.286])

        Raises:
            LinAlgError: If I - M is singular; if it is small or full, when it is solved.
        """
        if self.count <= _SMALL:
            return factorise(self.dense(values))
        return Eliminated(_Iterated(self, values))

    def direct(self, values: FloatArray) -> _Solver:
        """Return what solves systems with M of these values by factors.

        Raises:
            LinAlgError: Likewise.
        """
        if self.count**2 <= min(_FULL * len(values), MOST_NUMBERS):
            return factorise(self.dense(values)).solver
        return self._sparse(values)

    def _sparse(self, values: FloatArray) -> _Solver:
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        every = np.arange(self.count)
        places = np.append(self.sources, every), np.append(self.targets, every)
        numbers = np.append(-values, np.ones(self.count))
        matrix = csc_array((numbers, places), shape=(self.count, self.count))
        settings = {"SymmetricMode": True}
        try:
            found = splu(matrix, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=settings)
        except RuntimeError as error:  # what it says of a singular matrix
            raise np.linalg.LinAlgError(str(error)) from error
        return lambda right, back: found.solve(right, "T" if back else "N")


@dataclass(frozen=True, slots=True, eq=False)
class Eliminated:
    """I - M, ready to solve with.

    Attributes:
        solver: From b, and whether M is transposed, to x.
    """

    solver: _Solver

    def solve(self, right: FloatArray) -> FloatArray:
        """Return x with x = M x + b, for b [unknowns] or [unknowns, several]."""
        return np.asarray(self.solver(right, False), np.float64)

    def solve_transposed(self, right: FloatArray) -> FloatArray:
        """Return x with x = Mᵀ x + b, likewise."""
        return np.asarray(self.solver(right, True), np.float64)


class _Iterated:
    """Solves by plain iteration as long as that is cheaper, and else by factors."""

    def __init__(self, pattern: Pattern, values: FloatArray) -> None:
        from scipy.sparse import csr_array

        self._pattern, self._values = pattern, values
        shape = (pattern.count, pattern.count)
        self._matrix = csr_array((values, (pattern.sources, pattern.targets)), shape=shape)
        full = pattern.count**2 <= min(_FULL * len(values), MOST_NUMBERS)
        self._most = _MANY if full else _FEW
        self._direct: _Solver | None = None

    def __call__(self, right: FloatArray, back: bool) -> npt.NDArray[np.floating[Any]]:
        if self._direct is None:
            found = self._iterate(self._matrix.T if back else self._matrix, right)
            if found is not None:
                return found
            self._direct = self._pattern.direct(self._values)
        return self._direct(right, back)

    def _iterate(self, matrix: Any, right: FloatArray) -> FloatArray | None:
        """The sum of b, M b, M² b, … to its last digit; None if that takes too many steps."""
        total, term = right.copy(), right
        sizes, before = abs(right), abs(right)
        for _ in range(0, self._most, _ROUND):
            added = np.zeros_like(total)
            for _ in range(_ROUND):
                term = matrix @ term
                total += term
                added += abs(term)
            sizes = sizes + added
            if not (sizes < _LARGEST).all():
                return None
            if _is_settled(added, before, sizes):
                return total
            before = added
        return None


def _is_settled(added: FloatArray, before: FloatArray, sizes: FloatArray) -> bool:
    """Whether what is still to come changes no digit of any unknown.

    Where M and b are not negative, and what a round of steps added is at most r times what the
    round before it added, for every unknown, then so it is for all rounds to come, as M keeps the
    order: these add at most r / (1 - r) of the last round.
    """
    if (added[before == 0.0] > 0.0).any():  # some unknown has been reached only now
        return False
    ratio = np.divide(added, before, out=np.zeros_like(added), where=before > 0).max(axis=0)
    return bool((added * ratio <= _DIGITS * sizes * (1.0 - ratio)).all())


def factorise(matrix: FloatArray) -> Eliminated:
    """Return what solves systems with a full M [unknowns, unknowns].

    >>> factorise(np.array([[0.5]])).solve(np.ones(1))
    array([2.])
    """
    system = np.eye(len(matrix)) - matrix
    # Factorised for each right side: SciPy's routines that need not do so wait for threads.
    return Eliminated(lambda right, back: np.linalg.solve(system.T if back else system, right))


def check_size(count: int, cut: int) -> None:
    """Refuse a system of this many unknowns, of which some cut every cycle.

    Raises:
        LimitError: If a column for each of these takes more than :data:`MOST_NUMBERS`.
    """
    if count * cut > MOST_NUMBERS:
        raise LimitError(
            f"{count:,} symbols depend on each other, and {cut:,} of them on all others: solving "
            f"would take {count * cut:,} numbers, more than {MOST_NUMBERS:,}; make the grammar "
            "smaller"
        )
