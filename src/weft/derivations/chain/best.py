"""The best tag sequence of each member, or the best that was not observed; see :class:`Best`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.derivations.best import Best
from weft.derivations.chain.layout import Arguments, Choose, best_sequences
from weft.kernels import kernels

if TYPE_CHECKING:
    from weft.derivations.chain.trellis import Trellis


class Paths(Best):
    """One sequence of each member of a trellis: the best, or another choice.

    Args:
        trellis: The members.
        choose: How the sequence is chosen.
    """

    def __init__(self, trellis: Trellis, choose: Choose = best_sequences) -> None:
        super().__init__(trellis)
        self._trellis = trellis
        self._choose = choose

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the score [members] and the tags of the sequence."""
        return self._trellis.best(theta, self._choose)

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores [members] and Σ_k c_k f_k [θ]."""
        return self._trellis.follow(theta, coefficients, self._choose)


def rivals(trellis: Trellis, observed: Sequence[Sequence[int]]) -> Paths:
    """Return the best sequence of each member with a tag that was not observed.

    Args:
        trellis: The members.
        observed: For each member the number of each token's set of observed tags.
    """
    seen = trellis.flat(observed)

    def choose(
        arguments: Arguments, tokens: slice, scores: FloatArray, tags: IndexArray, threads: int
    ) -> None:
        kernels.chain_rival(*arguments, seen[tokens], scores, tags, threads)

    return Paths(trellis, choose)


class SequenceHits:
    """Whether all tags of the best sequences are observed ones; of several Viterbi's choice.

    Args:
        trellis: The members.
        observed: For each member the number of each token's set of observed tags.
    """

    def __init__(self, trellis: Trellis, observed: Sequence[Sequence[int]]) -> None:
        self._trellis = trellis
        self._observed = observed

    @property
    def landscape(self) -> None:
        """None: all weights are looked at anew."""
        return

    def shares(self, theta: FloatArray) -> FloatArray:
        """[members]: 1 where the best sequence was observed, else 0."""
        scores, tags = self._trellis.best(theta)
        bias = self._trellis.sets.bias
        right = np.isfinite(scores)
        for member, (sets, chosen) in enumerate(zip(self._observed, tags, strict=True)):
            right[member] &= bool(np.isfinite(bias[list(sets), chosen]).all())
        return right.astype(np.float64)
