"""Tables as the scores of a trellis: the logs of a model's factors, batch by batch.

Factors of the same item are the same: in every batch they are made once for each distinct item and
then given to the tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from weft.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    aligned_zeros,
    checked_weights,
    offsets_of,
)
from weft.derivations.chain.topology import pad
from weft.errors import NotDefined
from weft.models.tables.factors import Factors, end_probs, pair_probs, step_probs, token_probs
from weft.models.tables.form import Form

NO_GRADIENT = (
    "tables are counted, not climbed to: they have no gradient; use a weft.Chain for criteria that "
    "need one"
)
"""What is said to who asks for one."""

_CELLS = 2**20  # of the pairs that are made at a time, which bounds memory where tags are many


@dataclass(frozen=True, slots=True, eq=False)
class TableScoring:
    """How tables score the tokens of sentences, one sentence after the other.

    Attributes:
        factors: The tables.
        items: [tokens].
        lengths: [sentences], tokens in each.
    """

    factors: Factors
    items: IntArray
    lengths: IntArray

    @property
    def paired(self) -> bool:
        """Whether some factor depends on a token and two tags."""
        return self.factors.form is not Form.HMM

    @property
    def tripled(self) -> bool:
        """Whether some factor depends on a token and three tags."""
        return self.factors.tripled

    @property
    def step_items(self) -> IntArray:
        """[tokens], the item that decides on the step to a token."""
        return self.previous if self.factors.form is Form.PREVIOUS_WORD else self.items

    def over(self, bounds: IntArray, threads: int) -> TableScores:  # noqa: ARG002
        """Return the scores of tokens in batches."""
        return TableScores(self, bounds)

    @property
    def first(self) -> BoolArray:
        """[tokens], whether a sentence begins there."""
        return _marked(offsets_of(self.lengths[self.lengths > 0])[:-1], len(self.items))

    @property
    def last(self) -> BoolArray:
        """[tokens], whether a sentence ends there."""
        return _marked(offsets_of(self.lengths[self.lengths > 0])[1:] - 1, len(self.items))

    @property
    def previous(self) -> IntArray:
        """[tokens], the item before; the boundary at the beginning of a sentence."""
        return np.where(self.first, self.factors.boundary, np.roll(self.items, 1))


def _marked(places: IntArray, size: int) -> BoolArray:
    marks = np.zeros(size, np.bool_)
    marks[places] = True
    return marks


class TableScores:
    """Scores of tokens in batches.

    Args:
        scoring: What scores the tokens.
        bounds: [batches + 1], the tokens where batches begin and end.
    """

    def __init__(self, scoring: TableScoring, bounds: IntArray) -> None:
        self.factors = scoring.factors
        self.paired = scoring.paired
        self.items, self.last = scoring.items, scoring.last
        self.pair_items = scoring.step_items
        self.bounds = bounds
        self.longest = int(np.diff(bounds).max(initial=0))

    def at(self, theta: FloatArray, *, once: bool = False) -> TableSteps:  # noqa: ARG002
        """Return the scores, which depend on no θ."""
        checked_weights(theta, 0)
        return TableSteps(self)


class TableSteps:
    """The scores of all steps, batch by batch, in a buffer that is used again.

    Args:
        scores: The tokens in batches.
    """

    cells = None

    def __init__(self, scores: TableScores) -> None:
        self._scores = scores
        factors, tags = scores.factors, scores.factors.tags
        self._tags, self._width = tags, pad(tags + 1)
        groups = 1 if factors.order == 1 else self._width
        self.transitions = np.full((groups, self._width, self._width), -np.inf)
        steps = _log(step_probs(factors)).reshape(-1, tags + 1, tags + 1)
        self.transitions[: len(steps), : tags + 1, : tags + 1] = steps
        rows = scores.longest if scores.paired else 0
        self._pairs = aligned_zeros(rows, self._width ** (3 if factors.tripled else 2))

    def tokens(self, batch: int) -> tuple[FloatArray, FloatArray | None]:
        """The scores of a batch's tokens, until the next batch's are asked for."""
        scores = self._scores
        run = slice(*scores.bounds[batch : batch + 2].tolist())
        single = self._single(scores.items[run], scores.last[run])
        if not scores.paired:
            return single, None
        pairs = self._paired(scores.pair_items[run])
        if scores.factors.tripled:
            self._end(scores.items[run], scores.last[run], pairs)
        return single, pairs

    def expectations(self) -> NoReturn:
        """Refuse: tables have no gradient.

        Raises:
            NotDefined: Always.
        """
        raise NotDefined(NO_GRADIENT)

    def _single(self, items: IntArray, last: BoolArray) -> FloatArray:
        """[tokens, width]: a token with its tag, and the end after a last one."""
        distinct, places = _distinct(items)
        out = aligned_zeros(len(items), self._width)
        out[:, : self._tags] = _log(token_probs(self._scores.factors, distinct))[places]
        if self._scores.factors.order == 1:
            final, places = _distinct(items[last])
            out[last, : self._tags] += _log(end_probs(self._scores.factors, final))[places]
        return out

    def _end(self, items: IntArray, last: BoolArray, triples: FloatArray) -> None:
        """Add the end after last tokens to [tokens, width³]: it depends on two tags."""
        tags, width = self._tags, self._width
        shaped = triples.reshape(-1, width, width, width)
        for place in np.flatnonzero(last).tolist():
            [end] = _log(end_probs(self._scores.factors, items[place : place + 1]))
            shaped[place, : tags + 1, :, :tags] += end[:, None, :]

    def _paired(self, items: IntArray) -> FloatArray:
        """[tokens, width²]: a token with its tag and the tag before.

        Where the one before that matters, too, [tokens, width³], in the order of transitions.
        """
        tags, width = self._tags, self._width
        distinct, places = _distinct(items)
        order = np.argsort(places, kind="stable")
        axes = 2 if self._scores.factors.tripled else 1
        most = max(1, _CELLS // width ** (axes + 1))
        table = np.full((most, *(width,) * (axes + 1)), -np.inf)
        out = self._pairs[: len(items)]
        used = (*(slice(tags + 1),) * axes, slice(tags))
        for begin in range(0, len(distinct), most):
            some = distinct[begin : begin + most]
            table[(slice(len(some)), *used)] = _log(pair_probs(self._scores.factors, some))
            mine = order[slice(*np.searchsorted(places[order], [begin, begin + most]))]
            out[mine] = table.reshape(most, -1)[places[mine] - begin]
        return out


def _log(probs: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(probs)
    return logs


def _distinct(items: IntArray) -> tuple[IntArray, IntArray]:
    distinct, places = np.unique(items, return_inverse=True)
    return distinct, places.reshape(-1)
