"""The best tag sequence of each member, or the best that was not observed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, flatten
from weft.derivations.best import BestPaths
from weft.derivations.chain.layout import ChainArguments, Choose, best_sequences
from weft.derivations.chain.scoring import LogLinear, free_weights
from weft.derivations.feature_map import FeatureMap
from weft.derivations.landscape import Remembered
from weft.kernels import kernels

if TYPE_CHECKING:
    from weft.derivations.chain.trellis import Trellis


_ALONE = 8  # how many sentences are found together in the time of one alone


class Paths(BestPaths):
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
        arguments: ChainArguments, tokens: slice, scores: FloatArray, tags: IndexArray, threads: int
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
        offsets, sets = flatten(observed)
        self._sets = np.array(sets, np.int64)
        self._owners = np.repeat(np.arange(len(observed)), np.diff(offsets))
        self._memory = Remembered()
        self._alone: dict[int, SequenceHits] = {}

    @property
    def landscape(self) -> None:
        """None: single weights are followed by values that are remembered."""
        return

    def shares(self, theta: FloatArray) -> FloatArray:
        """[members]: 1 where the best sequence was observed, else 0."""
        return self._memory.recall(theta, self._find, self._watching)

    def _find(self, theta: FloatArray, members: IntArray | None) -> FloatArray:
        if members is not None:
            found = [self._hits_of(member)._find(theta, None) for member in members.tolist()]
            return np.concatenate([np.zeros(0), *found])
        scores, tags = self._trellis.best(theta)
        chosen = np.concatenate([np.zeros(0, np.int32), *tags])
        wrong = np.isneginf(self._trellis.sets.bias[self._sets, chosen])
        misses = np.bincount(self._owners[wrong], minlength=len(scores))
        return np.where(np.isfinite(scores) & (misses == 0), 1.0, 0.0)

    def _hits_of(self, member: int) -> SequenceHits:
        """The hits of one member, over its sentence alone."""
        if member not in self._alone:
            alone = self._trellis.alone(member)
            self._alone[member] = SequenceHits(alone, [self._observed[member]])
        return self._alone[member]

    def _watching(self, feature: int) -> IntArray | None:
        """The members whose sentences have a feature; None for most, or for n-grams of tags."""
        free = self._trellis.scoring
        # Weights that are normalised depend on all others.
        place = free.attribute(feature) if isinstance(free, LogLinear) else None
        if place is None:
            return None
        owners = self._trellis.members.sentences
        members = np.flatnonzero(np.isin(owners, self._sentences.row(place)))
        # Many at once are faster all together than one by one.
        return members if _ALONE * len(members) < len(owners) else None

    @cached_property
    def _sentences(self) -> FeatureMap:
        """The sentences that have each attribute."""
        free = free_weights(self._trellis.scoring)
        return free.attributes(self._trellis.lengths).transposed()
