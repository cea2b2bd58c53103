"""Members of which one tag sequence counts: the best, or the best that was not observed.

Log Z is then the score of that sequence, and what is expected are its features: a maximum in the
place of a sum. Where several sequences are the best, the features are those of one of them, and the
gradient is a subgradient.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft import _native
from weft.arrays import FloatArray, IndexArray
from weft.derivations.trellis import Arguments, Trellis


class Best:
    """The best sequence of each member of a trellis.

    Args:
        trellis: The members.
    """

    def __init__(self, trellis: Trellis) -> None:
        self._trellis = trellis

    def __len__(self) -> int:
        return len(self._trellis)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: the best score, -inf where a member has no derivation."""
        return self._trellis.best(theta)[0]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k f_k [θ] of the sequences that have them."""
        return self._trellis.follow(theta, coefficients)

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        return self._trellis.impossible(member)


class Rivals:
    """The best sequence of each member with a tag that was not observed.

    Args:
        trellis: The members.
        observed: For each member the number of each token's set of observed tags.
    """

    def __init__(self, trellis: Trellis, observed: Sequence[Sequence[int]]) -> None:
        self._trellis = trellis
        self._observed = trellis.flat(observed)

    def __len__(self) -> int:
        return len(self._trellis)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: the score, -inf where every sequence was observed."""
        return self._trellis.best(theta, self._choose)[0]

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores [members] and Σ_k c_k f_k [θ] of the sequences that have them."""
        return self._trellis.follow(theta, coefficients, self._choose)

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        return self._trellis.impossible(member)

    def _choose(
        self,
        arguments: Arguments,
        tokens: slice,
        scores: FloatArray,
        tags: IndexArray,
        threads: int,
    ) -> None:
        _native.chain_rival(*arguments, self._observed[tokens], scores, tags, threads)
