"""Tables of moves: how probable each is, given the labels on top of the stack and what is next.

With s₁ and s₂ the two labels on top and w the terminal that is next,

    joint         P(m | s₁, s₂)       relative frequencies
    conditional   P(m | s₁, s₂, w)    λ P̂(m | s₁, s₂, w) + (1 − λ) P̂(m | s₁, s₂)

with weights λ by deleted interpolation, in buckets of how often (s₁, s₂, w) was seen. Moves that
are impossible (:func:`~weft.structures.moves.is_possible`) are left out, and the rest is divided by
its sum: every context that has moves has a distribution.

Under the conditional one a shift is of what is next. The paper leaves open what P̂(m | s₁, s₂) of a
shift then is. Here it is by default that of any shift (``Shifts.TOGETHER``): whether to shift or to
reduce was seen at (s₁, s₂), and what is shifted is known. ``Shifts.APART`` takes the frequency of
this very shift, which is far lower than those of the reduce moves that it is compared with.

A pair (s₁, s₂) may come up that was never seen, and a pair that was seen may have no move that is
possible where w is next. Then the same is asked of s₁ alone, then of no label
(``Unseen.BACK_OFF``), so that no parse ends in a stack that has no moves; or such a stack has none
(``Unseen.LOSE``, as in the paper), and the probability of what leads there is lost.

A pair that was seen may still lack the one shift that a sentence needs: of 45 tags, few were seen
after most pairs, and then the joint parser has no parse. ``Unseen.INTERPOLATE`` mixes what was seen
at (s₁, s₂) with what was seen at s₁, by deleted interpolation as well: of the joint table, whether
to shift or what to reduce, and apart from that which terminal is shifted,

    P(m | s₁, s₂)         λ P̂(m | s₁, s₂) + (1 − λ) P̂(m | s₁)           all shifts are one m
    P(t | s₁, s₂, shift)  μ P̂(t | s₁, s₂) + ν P̂(t | s₁) + (1 − μ − ν) P̂(t)

and of the conditional table P̂(m | s₁) as a third component.

Reference: Johnson (2001), "Joint and conditional estimation of tagging and parsing models",
section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, offsets_of, ranges
from weft.derivations.stack.table import REDUCE_1, REDUCE_2, SHIFT, MoveTable
from weft.grammars.transforms.moves import states_of
from weft.models.smoothing.counts import CountTable, find_numbers
from weft.models.smoothing.interpolation import Interpolation, interpolate
from weft.models.stack.counts import MoveCounts, number_of
from weft.structures.moves import Move

_OTHER = -1  # a label that is neither ⋆ nor the start symbol
_WIDTHS = (2, 1, 0)  # how many labels may be looked at


class Unseen(StrEnum):
    """What happens where no move of a pair of labels was seen, or none that is possible."""

    INTERPOLATE = "interpolate"
    """Backed off, too, and what was seen is mixed with what wider contexts have."""

    BACK_OFF = "back-off"
    """The moves of the label on top are taken, or else any moves."""

    LOSE = "lose"
    """There are no moves, and the probability of what leads there is lost."""


class Shifts(StrEnum):
    """What the frequency of a shift is where the terminal that is next was not seen."""

    TOGETHER = "together"
    """That of all shifts: what is shifted is known."""

    APART = "apart"
    """That of the shift of this terminal."""


def joint_moves(counts: MoveCounts, unseen: Unseen = Unseen.BACK_OFF) -> MoveTable:
    """Return P(m | s₁, s₂).

    >>> from weft.grammars.transforms import moves_of
    >>> from weft.models.stack.counts import count_moves
    >>> from weft.structures.tree import Tree
    >>> trees = [Tree("S", (Tree("NP", ("N",)), "V")), Tree("S", ("V", "V"))]
    >>> counts = count_moves([moves_of(tree) for tree in trees])
    >>> found = joint_moves(counts, Unseen.LOSE)
    >>> row = found.rows[counts.labels.index("V"), 0]
    >>> np.exp(found.scores[slice(*found.offsets[row : row + 2])])
    array([1.])

    Args:
        counts: The moves of a treebank.
        unseen: What happens at pairs of labels that were never seen.
    """
    if unseen is not Unseen.INTERPOLATE:
        levels = [_Level(_interpolate(counts, [(width, 1)]), (width,)) for width in _WIDTHS]
        return _arrays(counts, levels, unseen, None)
    levels = []
    for width in _WIDTHS:
        widths, wider = _WIDTHS[2 - width :][: max(width, 1)], _WIDTHS[2 - width :]
        acts = _interpolate(counts, [(each, 1) for each in widths], together=True)
        levels.append(_Level(acts, widths, terminals=_terminals(counts, wider)))
    return _arrays(counts, levels, unseen, None)


def conditional_moves(
    counts: MoveCounts, unseen: Unseen = Unseen.BACK_OFF, shifts: Shifts = Shifts.TOGETHER
) -> MoveTable:
    """Return P(m | s₁, s₂, w); the looks are those of the counts.

    Args:
        counts: The moves of a treebank.
        unseen: What happens where no possible move was seen.
        shifts: What the frequency of a shift is where the terminal was not seen.
    """
    together, looks = shifts is Shifts.TOGETHER, len(counts.looks)
    levels = []
    for width in _WIDTHS:
        widths = (width, 1) if unseen is Unseen.INTERPOLATE and width == 2 else (width,)
        every = [(width, looks), *((each, 1) for each in widths)]
        levels.append(_Level(_interpolate(counts, every, together), widths, looks))
    numbers = {label: number for number, label in enumerate(counts.labels)}
    return _arrays(counts, levels, unseen, np.array([numbers[look] for look in counts.looks]))


def scores_of(moves: Sequence[Move], arrays: MoveTable, counts: MoveCounts) -> FloatArray:
    """Return the score of each move of a parse; -inf where the tables do not have it.

    Args:
        moves: The parse.
        arrays: The tables.
        counts: What they were made of, which says how labels are numbered.
    """
    labels = {label: number for number, label in enumerate(counts.labels)}
    looks = {label: number for number, label in enumerate(counts.looks)}
    scores = np.full(len(moves), -np.inf)
    for place, (move, state) in enumerate(zip(moves, states_of(moves), strict=True)):
        known = {state.top, state.below, move.label} <= labels.keys()
        row = int(arrays.rows[labels[state.top], labels[state.below]]) if known else -1
        ahead = looks.get(state.next.label, -1) if state.next and arrays.looks > 1 else 0
        if row >= 0 and ahead >= 0:
            context = row * arrays.looks + ahead
            where = slice(*arrays.offsets[context : context + 2].tolist())
            found = arrays.scores[where][arrays.moves[where] == number_of(move, labels)]
            scores[place] = found.sum() if len(found) else -np.inf
    return scores


def _key(stacks: IntArray, size: int, width: int) -> IntArray:
    """[stacks]: the contexts of so many labels, of ``size``: both, the one on top, or none."""
    tops, below = stacks[:, 0], stacks[:, 1]
    return (tops * 0, tops, tops * size + below)[width]


def _stacks(counts: MoveCounts) -> IntArray:
    """[moves, 2]: the labels on top of the stack, and below it."""
    return np.stack([counts.tops, counts.below], axis=1)


def _interpolate(
    counts: MoveCounts, contexts: Sequence[tuple[int, int]], together: bool = False
) -> Interpolation:
    """Interpolated frequencies of moves; the last outcome is any shift but that of ⋆.

    Args:
        counts: The moves.
        contexts: Of each component, how many labels it is given, and among how many terminals it
            tells what is next.
        together: Whether all shifts are one outcome.
    """
    size = 3 * len(counts.labels) + 1
    outcomes = np.where(together & _shifts(counts), size - 1, counts.moves)
    keys = [
        _key(_stacks(counts), len(counts.labels), width) * looks
        + (counts.nexts if looks > 1 else 0)
        for width, looks in contexts
    ]
    return interpolate(keys, outcomes, size, counts.parts, counts=counts.counts)


def _terminals(counts: MoveCounts, widths: Sequence[int]) -> Interpolation:
    """Interpolated frequencies of terminals that are shifted."""
    mine, size = _shifts(counts), len(counts.labels)
    keys = [_key(_stacks(counts)[mine], size, width) for width in widths]
    amounts = counts.counts[mine]
    return interpolate(keys, counts.moves[mine], size, counts.parts[mine], counts=amounts)


def _shifts(counts: MoveCounts) -> BoolArray:
    """[moves]: which shift a terminal."""
    return (counts.moves > 0) & (counts.moves < len(counts.labels))


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """Moves given some of the labels.

    Attributes:
        mixed: The moves; its last components are not told what is next.
        widths: Of these, how many labels each is given.
        looks: How many terminals are told apart that may be next.
        terminals: Which terminal is shifted, where that is apart from whether one is.
    """

    mixed: Interpolation
    widths: Sequence[int]
    looks: int = 1
    terminals: Interpolation | None = None

    @property
    def table(self) -> CountTable:
        """What was counted in the widest context."""
        found = self.mixed.components[-1]
        if not isinstance(found, CountTable):
            raise TypeError("moves are counted")
        return found

    def probs(self, stacks: IntArray, size: int, outcomes: IntArray) -> FloatArray:
        """[looks, outcomes]: probabilities of outcomes at stacks [outcomes, 2]."""
        contexts = [_key(stacks, size, width) for width in self.widths]
        if self.looks == 1:
            return self.mixed.probs(contexts, outcomes)[None]
        narrow = contexts[0] * self.looks + np.arange(self.looks)[:, None]
        return self.mixed.probs([narrow, *contexts], outcomes)

    def shifted(self, stacks: IntArray, size: int) -> FloatArray | None:
        """[stacks, labels]: the terminals that are shifted, where these are apart."""
        if self.terminals is None:
            return None
        widths = range(self.widths[0], -1, -1)
        return self.terminals.rows([_key(stacks, size, width) for width in widths])


class _Rows(NamedTuple):
    """Moves of rows and looks, a row after the other."""

    offsets: IntArray
    moves: IntArray
    probs: FloatArray


def _arrays(
    counts: MoveCounts, levels: Sequence[_Level], unseen: Unseen, shifted: IntArray | None
) -> MoveTable:
    """The rows of pairs that were seen, and of the labels on top with ⋆ below and with others."""
    size, looks = len(counts.labels), levels[0].looks
    pairs = np.unique(_key(_stacks(counts), size, 2))
    seen = np.stack(np.divmod(pairs, size), axis=1)
    rows = np.full((size, size), -1, np.int32)
    if unseen is not Unseen.LOSE:
        rows[1:] = len(pairs) + 2 * np.arange(1, size)[:, None] + (np.arange(size) > 0)
    rows[seen[:, 0], seen[:, 1]] = np.arange(len(pairs))
    found = _level_rows(counts, levels[0], seen, shifted)
    if unseen is not Unseen.LOSE:
        tops, below = np.repeat(np.arange(size), 2), np.tile([0, _OTHER], size)
        narrow = _level_rows(counts, levels[1], np.stack([tops, below], axis=1), shifted)
        # Where shift(⋆) is possible it was seen, at the end of every parse.
        stacks = np.array([[0, 0], [_OTHER, 0], [_OTHER, _OTHER]])
        wide = _level_rows(counts, levels[2], stacks, shifted)
        widest = np.where(below != 0, 2, tops != 0)
        narrow = _filled(narrow, wide, widest, looks)
        fallback = 2 * seen[:, 0] + (seen[:, 1] > 0)
        found = _joined(_filled(found, narrow, fallback, looks), narrow)
    moves = found.moves.astype(np.int32)
    return MoveTable(rows, looks, found.offsets, moves, np.log(found.probs))


def _level_rows(
    counts: MoveCounts, level: _Level, stacks: IntArray, shifted: IntArray | None
) -> _Rows:
    """The moves of stacks [rows, 2] at a level."""
    size = len(counts.labels)
    owners, moves, probs = _entries(level, stacks, size)
    able = probs > 0
    if shifted is not None:
        any_shift = moves == level.table.outcomes - 1
        moves = np.where(any_shift, shifted[:, None], moves)
        able &= ~any_shift | (shifted[:, None] > 0)
    else:
        moves = np.broadcast_to(moves, probs.shape)
    able &= _possible(moves, size, stacks[owners].T, counts.start, shifted)
    look, entry = np.nonzero(able)
    where = owners[entry] * level.looks + look
    kept = moves[look, entry]
    order = np.lexsort((kept, where))
    where, kept, mass = where[order], kept[order], probs[look, entry][order]
    count = len(stacks) * level.looks
    totals = np.bincount(where, mass, count)
    offsets = offsets_of(np.bincount(where, minlength=count))
    return _Rows(offsets, kept, mass / totals[where])


def _entries(level: _Level, stacks: IntArray, size: int) -> tuple[IntArray, IntArray, FloatArray]:
    """The rows [entries] of moves [entries], and probabilities [looks, entries]."""
    table = level.table
    contexts = _key(stacks, size, level.widths[-1])
    places = find_numbers(table.contexts, contexts)
    lengths = np.where(places >= 0, np.diff(table.starts)[places], 0)
    entries = ranges(np.where(places >= 0, table.starts[places], 0), lengths)
    owners = np.repeat(np.arange(len(contexts)), lengths)
    outcomes = table.keys[entries] % table.outcomes
    probs = level.probs(stacks[owners], size, outcomes)
    some = outcomes == table.outcomes - 1
    which = level.shifted(stacks[owners[some]], size)
    if which is None:
        return owners, outcomes, probs
    at, terminals = np.nonzero(which)
    return (
        np.concatenate([owners[~some], owners[some][at]]),
        np.concatenate([outcomes[~some], terminals]),
        np.concatenate([probs[:, ~some], probs[:, some][:, at] * which[at, terminals]], axis=1),
    )


def _possible(
    moves: IntArray, size: int, stacks: IntArray, start: int, shifted: IntArray | None
) -> BoolArray:
    """[looks, entries]: which moves are possible; see :func:`weft.structures.moves.is_possible`."""
    kinds, labels = np.divmod(moves, size)
    top, below = stacks
    able: BoolArray = np.where(kinds == REDUCE_2, below != 0, (kinds != REDUCE_1) | (top != 0))
    able &= (moves != 0) | ((top == start) & (below == 0))
    if shifted is not None:
        able &= (kinds != SHIFT) | (labels == shifted[:, None])
    return able


def _filled(narrow: _Rows, wide: _Rows, of_row: IntArray, looks: int) -> _Rows:
    """Rows in which contexts without moves have those of the wider rows."""
    lengths = np.diff(narrow.offsets)
    wider = (of_row[:, None] * looks + np.arange(looks)).reshape(-1)
    both = _joined(narrow, wide)
    context = np.where(lengths > 0, np.arange(len(lengths)), len(lengths) + wider)
    chosen = np.diff(both.offsets)[context]
    entries = ranges(both.offsets[context], chosen)
    return _Rows(offsets_of(chosen), both.moves[entries], both.probs[entries])


def _joined(first: _Rows, second: _Rows) -> _Rows:
    return _Rows(
        np.concatenate([first.offsets, first.offsets[-1] + second.offsets[1:]]),
        np.concatenate([first.moves, second.moves]),
        np.concatenate([first.probs, second.probs]),
    )
