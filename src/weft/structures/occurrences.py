"""Which attributes each token has, stored flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The attributes of tokens: those of token t are at ``offsets[t] : offsets[t + 1]``.

    Attributes:
        offsets: [tokens + 1].
        attributes: [occurrences], the attributes' numbers.
        values: [occurrences], or None where every value is 1.
    """

    offsets: IntArray
    attributes: IndexArray
    values: FloatArray | None = None

    @property
    def tokens(self) -> IntArray:
        """[occurrences], the token that each belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
