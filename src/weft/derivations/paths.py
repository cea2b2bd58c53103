"""Members of which one tag sequence counts: the best, or the best that was not observed.

Log Z is then the score of that sequence, and what is expected are its features: a maximum in the
place of a sum. Where several sequences are the best, the features are those of one of them, and the
gradient is a subgradient.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft import _native
from weft.arrays import FloatArray, IndexArray
from weft.derivations.trellis import Arguments, Choose, Trellis, best_sequences


class Paths:
    """One sequence of each member of a trellis: the best, or another choice.

    Args:
        trellis: The members.
        choose: How the sequence is chosen.
    """

    def __init__(self, trellis: Trellis, choose: Choose = best_sequences) -> None:
        self._trellis = trellis
        self._choose = choose

    def __len__(self) -> int:
        return len(self._trellis)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: the score of the sequence, -inf where there is none."""
        return self._trellis.best(theta, self._choose)[0]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores [members] and Σ_k c_k f_k [θ] of the sequences that have them."""
        return self._trellis.follow(theta, coefficients, self._choose)

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        return self._trellis.impossible(member)


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
        _native.chain_rival(*arguments, seen[tokens], scores, tags, threads)

    return Paths(trellis, choose)
