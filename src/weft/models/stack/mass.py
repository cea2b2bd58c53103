"""How much of its probability a joint shift-reduce parser gives to finished parses.

A stack of labels grows and shrinks, and so what becomes of it is a matter of the two on top. Let
H_Y[X, Z] be the probability that X, on top of Y, is sooner or later reduced with it to Z, by all
that happens above Y. With S, U and B the probabilities of shifts, reduce₁ and reduce₂ moves,

    H_Y = B_Y + (U_Y + C_Y) H_Y,    C_Y[X, Z] = Σ_t S_Y[X, t] H_X[t, Z].

The least solution is found from below, Y by Y, each by a linear system; so whenever it is stopped,
what it gives is a lower bound. How often pairs come on top is then a linear system, too, and

    finished   Σ_X visits(X, ⋆) P(shift ⋆ | X, ⋆)
    lost       visits(X, Y) (1 − Σ_m P(m | X, Y)), which is 0 where a pair has moves

and what is missing to 1 never ends, or was not yet found.

Reference: J. Esparza, A. Kučera and R. Mayr (2004), "Model checking probabilistic pushdown
automata", LICS.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.stack.table import REDUCE_1, REDUCE_2, SHIFT, MoveTable
from weft.errors import LimitError, NotDefined
from weft.grammars.transforms.canonical import NEVER, PLAIN
from weft.models.stack.model import StackModel
from weft.ranking import by_value

MOST_LABELS = 200
"""With more labels there are too many unknowns, the third power of this."""

SWEEPS = 40
"""How often all systems are solved at most."""

DRAWS, LONGEST = 2_000, 5_000
"""How many parses are drawn by default, and of how many moves at most."""

_CLOSE = 1e-7  # how little the last sweep changes
_ROUNDING = 1e-13  # by which probabilities are lowered, so that what never ends has a solution: 0


@dataclass(frozen=True, slots=True, eq=False)
class Mass:
    """What becomes of a parser's probability.

    Attributes:
        finished: The mass of finished parses.
        lost: By the labels on top and below, what is lost at pairs that have no moves, the most
            first.
        change: By how much the last sweep has changed these at most. It is no bound of what later
            ones would find.
        sweeps: How many sweeps there were at most.
    """

    finished: float
    lost: dict[tuple[int, int], float]
    change: float
    sweeps: int = SWEEPS

    @property
    def stuck(self) -> float:
        """All that is lost at pairs that have no moves."""
        return sum(self.lost.values())

    @property
    def converged(self) -> bool:
        """Whether the last sweep has changed next to nothing."""
        return self.change < _CLOSE

    @property
    def endless(self) -> float:
        """What never ends, and, unless the sweeps have converged, what they have not found."""
        return max(0.0, 1.0 - self.finished - self.stuck)


def mass_of(table: MoveTable, sweeps: int = SWEEPS) -> Mass:
    """Return what becomes of a joint parser's probability.

    Args:
        table: The moves, which look at nothing ahead.
        sweeps: How often all systems are solved at most.

    Raises:
        NotDefined: If moves are given what is next: then there is no distribution over sentences.
        LimitError: If there are too many labels.

    >>> from weft.grammars.transforms import moves_of
    >>> from weft.models.stack.counts import count_moves
    >>> from weft.models.stack.tables import Unseen, joint_moves
    >>> from weft.structures.tree import Tree
    >>> trees = [Tree("S", ("a",)), Tree("S", ("a", Tree("S", ("a",))))]
    >>> counts = count_moves([moves_of(tree) for tree in trees])
    >>> round(mass_of(joint_moves(counts, Unseen.LOSE)).finished, 3)
    1.0
    """
    if table.looks > 1:
        raise NotDefined(
            "moves that are given what is next have no distribution over sentences, and so no mass"
        )
    if table.labels > MOST_LABELS:
        raise LimitError(
            f"the mass of finished parses has {table.labels}³ unknowns, more than the "
            f"{MOST_LABELS}³ that are solved for"
        )
    shift, unary, binary = _probs(table)
    made = np.flatnonzero((unary + binary).any(axis=(0, 1)))  # labels that are reduced to
    shifted = np.flatnonzero(shift.any(axis=(0, 1)))
    unary, rest = unary[:, :, made], binary[:, :, made]
    reduced: FloatArray = np.zeros_like(rest)
    change, within = np.inf, unary
    for _ in range(sweeps):
        within = unary + _returns(shift, reduced, shifted)
        inner = np.linalg.solve(_less(within[:, made]), rest[:, made])
        better = rest + within @ inner
        change = float(np.abs(better - reduced).max(initial=0.0))
        reduced = better.astype(np.float64)
        if change < _CLOSE:
            break
    within = unary + _returns(shift, reduced, shifted)
    visits, last = _visits(shift, within, made, sweeps)
    ended = visits[0] * shift[0, :, 0]
    moves = shift.sum(axis=2) + unary.sum(axis=2) + rest.sum(axis=2)
    missing = (visits * (1.0 - moves)).T
    missing[0] = 0.0  # the bottom of the stack
    places = np.argwhere(missing > _ROUNDING)
    lost = {(int(top), int(below)): float(missing[top, below]) for top, below in places}
    ranked = dict(by_value(lost.items(), itemgetter(1), itemgetter(0)))
    return Mass(float(ended.sum()), ranked, max(change, last), sweeps)


def canonical_share(model: StackModel, draws: int = DRAWS, seed: int = 0) -> tuple[float, float]:
    """Estimate the mass of finished parses whose binary trees are canonical.

    Args:
        model: A joint parser.
        draws: How many parses to draw, move by move; one of more than ``LONGEST`` moves does not
            count as finished.
        seed: Random seed.

    Returns:
        The share of such parses among those drawn, and its standard error.
    """
    rng = np.random.default_rng(seed)
    share = sum(_draw(model, rng) for _ in range(draws)) / draws
    return share, float(np.sqrt(share * (1.0 - share) / draws))


def _draw(model: StackModel, rng: np.random.Generator) -> bool:
    """Draw moves until a parse is finished: True; or lost, or not canonical."""
    table, trees = model.table, model.binary_trees
    stack = [(0, PLAIN), (0, PLAIN)]
    for _ in range(LONGEST):
        where = table.context(stack[-1][0], stack[-2][0])
        if where.start == where.stop:
            return False
        sums = np.cumsum(np.exp(table.scores[where]))
        place = min(int(np.searchsorted(sums, rng.random() * sums[-1])), len(sums) - 1)
        kind, label = divmod(int(table.moves[where][place]), table.labels)
        if kind == SHIFT:
            if not label:
                return True
            stack.append((label, PLAIN))
            continue
        right = stack.pop()
        state = (
            trees.above(label, right[0])
            if kind == REDUCE_1
            else trees.over(label, stack.pop(), right)
        )
        if state == NEVER:
            return False
        stack.append((label, state))
    return False


def _probs(table: MoveTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """[below, top, label] each: the probabilities of moves, by kind."""
    size = table.labels
    found = np.zeros((3, size, size, size))
    for top, below in np.argwhere(table.rows >= 0).tolist():
        where = table.context(top, below)
        kinds, labels = np.divmod(table.moves[where], size)
        found[kinds, below, top, labels] = np.exp(table.scores[where])
    return found[SHIFT], found[REDUCE_1], found[REDUCE_2]


def _returns(shift: FloatArray, reduced: FloatArray, shifted: IntArray) -> FloatArray:
    """C [below, top, made]: what the label on top is after a shift and all that is made of it."""
    # A terminal t comes on top of X, which is then below it. After ⋆, which is 0, there is nothing.
    terminals = shifted[shifted > 0]
    ends = shift[:, :, terminals].transpose(1, 0, 2)
    found: FloatArray = (ends @ reduced[:, terminals]).transpose(1, 0, 2)
    return found


def _less(matrices: FloatArray) -> FloatArray:
    found: FloatArray = np.eye(matrices.shape[-1]) - (1.0 - _ROUNDING) * matrices
    return found


def _visits(
    shift: FloatArray, within: FloatArray, made: IntArray, sweeps: int
) -> tuple[FloatArray, float]:
    """[below, top]: how often each pair is expected on top; and the last change."""
    solved = np.linalg.inv(_less(within[:, made]))  # [below, top before, top after]
    visits, change = np.zeros(shift.shape[:2]), np.inf
    for _ in range(10 * sweeps):
        inflow = (visits.T[:, None] @ shift.transpose(1, 0, 2))[:, 0]  # t comes on top of X
        inflow[0] += shift[0, 0]  # the first of a sentence, on the bottom
        inflow[:, 0] = 0.0
        # What comes on top becomes something else in some way, and that goes on.
        better = inflow.copy()
        better[:, made] += ((inflow[:, None] @ within) @ solved)[:, 0]
        change = float(np.abs(better - visits).max())
        visits = better
        if change < _CLOSE:
            break
    return visits, change
