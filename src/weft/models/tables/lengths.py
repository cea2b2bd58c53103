"""All sentences of a length by tables: how probable it is that a sentence has that length.

Summed over the items at every token, tables are a chain of tags,

    P(length m) = a W^(m-1) b,

a and b the probabilities of beginning and ending; for order 2, a chain of pairs of tags. Where tags
depend on the word before, that word is summed out with the tag that follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import OnlySums
from weft.errors import NotDefined
from weft.models.tables.factors import Factors, end_probs, pair_probs, step_probs, token_probs
from weft.models.tables.form import Form
from weft.models.tables.scores import NO_GRADIENT

_CELLS = 2**20  # of items with pairs of tags that are made at a time


class TableLengths(OnlySums):
    """Members that are all sentences of a length, with every tag sequence.

    Args:
        factors: The tables.
        lengths: Of the sentences of each member, at least 1.
    """

    why = "all sentences of a length are in this sum, and single tag sequences are of one sentence"

    def __init__(self, factors: Factors, lengths: Sequence[int]) -> None:
        self._factors = factors
        self._lengths = np.array(lengths, np.int64)

    def __len__(self) -> int:
        return len(self._lengths)

    def log_partition(self, theta: FloatArray) -> FloatArray:  # noqa: ARG002
        """[members]: the log of the probability of the length; θ is empty."""
        if not len(self):
            return np.zeros(0)
        begin, go, end = _chain(self._factors)
        logs, scale, state = [-np.inf], 0.0, begin
        for _ in range(int(self._lengths.max())):
            with np.errstate(divide="ignore"):
                logs.append(float(np.log((state * end).sum())) + scale)
            # For order 2: Σ over t″ of [t″, t′] and [t′, t″, t].
            state = state @ go if go.ndim == 2 else np.matmul(state.T[:, None], go)[:, 0]
            state = (
                np.pad(state, ((0, end.shape[0] - len(state)), (0, 0))) if go.ndim > 2 else state
            )
            total = float(state.sum())
            if not total:
                logs += [-np.inf] * int(self._lengths.max())
                break
            state, scale = state / total, scale + float(np.log(total))
        found: FloatArray = np.array(logs)[self._lengths]
        return found

    def evaluate(
        self,
        theta: FloatArray,  # noqa: ARG002
        coefficients: FloatArray,  # noqa: ARG002
    ) -> tuple[FloatArray, FloatArray]:
        """Refuse: tables have no gradient."""
        raise NotDefined(NO_GRADIENT)

    def impossible(self, member: int) -> int | None:
        """The last token, where no sentence has the length; None if some has."""
        possible = self.log_partition(np.zeros(0))[member] > -np.inf
        return None if possible else int(self._lengths[member]) - 1


def _chain(factors: Factors) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The probabilities of beginning, going on and ending, all items summed over.

    They are [tags], [tags, tags] and [tags]. For order 2 a state is two tags, the first of which
    may be the boundary, and they are [tags + 1, tags], [tags, tags + 1, tags] and [tags + 1, tags]:
    what one goes on from is the second tag, then the first.
    """
    tags, order, lagging = factors.tags, factors.order, factors.form is Form.PREVIOUS_WORD
    steps = step_probs(factors)
    table = np.zeros((*steps.shape[:-1], tags))  # as steps are, without the end
    end = np.zeros(((tags + 1),) * (order - 1) + (tags,))
    most = max(1, _CELLS // (tags + 1) ** (order + 1))
    for first in range(0, factors.boundary, most):
        items: IntArray = np.arange(first, min(first + most, factors.boundary))
        token, final = token_probs(factors, items), end_probs(factors, items)
        pairs = np.ones((len(items), tags + 1, tags))
        if factors.form is not Form.HMM:
            pairs = pair_probs(factors, items)
        if lagging:  # an item, with its tag, and the tag after it
            own = np.pad(token, ((0, 0), (0, 1)))
            table += (own.reshape(len(items), tags + 1, *(1,) * order) * pairs).sum(axis=0)
            end += (token.reshape(len(items), *(1,) * (order - 1), tags) * final).sum(axis=0)
        else:  # the tag before, an item, and its tag
            both = (pairs * token.reshape(len(items), *(1,) * (pairs.ndim - 2), tags)).sum(axis=0)
            table += both if both.ndim == table.ndim else both[:, None, :]
            end = final[0]
    boundary = (tags,) * order
    if lagging:
        table[boundary] = pair_probs(factors, np.array([factors.boundary]))[0][boundary]
    table *= steps[..., :tags]
    begin = np.zeros(end.shape)
    begin[boundary[1:]] = table[boundary]
    return begin, table[:tags], end * steps[:tags, ..., tags].T
