"""Scores of the parts that tags have in common: ``Case=Nom`` of every tag that has it.

Weights of attribute × part are a table beside that of attribute × tag. With T[y, p] = 1 where the
tag y has the part p,

    scores[t, y] += Σ_p T[y, p] scores[t, p]          marginals[t, p] = Σ_y T[y, p] marginals[t, y]

so that tags are summed over as ever, and only the map from weights to their scores has grown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.derivations.chain.rows import DirectSums, RowExpectations, RowSums, RowTable


@dataclass(frozen=True, slots=True, eq=False)
class PartRows:
    """Weights of attribute × part of a tag.

    Attributes:
        names: The parts.
        matrix: T, 1 where a tag has a part. [width, padded parts]
        table: Which weight belongs to which attribute and part.

    Raises:
        ValueError: If these do not fit together; kernels trust them.
    """

    names: tuple[str, ...]
    matrix: FloatArray
    table: RowTable

    def __post_init__(self) -> None:
        if self.matrix.shape[1:] != (self.table.width,) or len(self.names) > self.table.width:
            raise ValueError(f"{len(self.names)} parts are columns of {self.matrix.shape}")
        if self.table.columns.max(initial=-1) >= len(self.names):
            raise ValueError(f"columns are of {len(self.names)} parts")

    def of_tag(self, tag: int) -> IndexArray:
        """The numbers of a tag's parts."""
        return np.flatnonzero(self.matrix[tag]).astype(np.int32)

    def named(self, tags: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return the names of each tag's parts."""
        return {
            tag: frozenset(self.names[part] for part in self.of_tag(number).tolist())
            for number, tag in enumerate(tags)
        }

    def with_table(self, table: RowTable) -> PartRows:
        """Return the same parts with other weights."""
        return replace(self, table=table)


def matrix_of(parts: Sequence[Sequence[int]], width: int, columns: int) -> FloatArray:
    """Return T, given the numbers of each tag's parts.

    >>> matrix_of([[0, 1], [1]], 3, 2)
    array([[1., 1.],
           [0., 1.],
           [0., 0.]])
    """
    matrix = np.zeros((width, columns))
    for tag, mine in enumerate(parts):
        matrix[tag, list(mine)] = 1.0
    return matrix


class WithParts:
    """Scores of tokens with tags, those of their parts added.

    Args:
        tags: The scores of whole tags.
        parts: The scores of parts.
        matrix: T.
    """

    def __init__(
        self, tags: RowSums | DirectSums, parts: RowSums | DirectSums, matrix: FloatArray
    ) -> None:
        self._tags, self._parts, self._matrix = tags, parts, matrix

    def scores(self, number: int) -> FloatArray:
        """[tokens, width]: the scores of a batch's tokens, until the next batch's are asked for."""
        out, parts = self._tags.scores(number), self._parts.scores(number)
        excluded = np.isneginf(parts)
        if excluded.any():  # of which a product with 0 would make NaN
            out[excluded @ self._matrix.T > 0] = -np.inf
            parts[excluded] = 0.0
        out += parts @ self._matrix.T
        return out


class PartExpectations:
    """The expectations of parts, from the marginals of tags.

    Args:
        tags: Where the marginals of tags are filled in.
        parts: Where those of parts go.
        matrix: T.
    """

    def __init__(self, tags: RowExpectations, parts: RowExpectations, matrix: FloatArray) -> None:
        self._tags, self._parts, self._matrix = tags, parts, matrix

    def collect(self, number: int) -> None:
        """Add the expectations of the batch whose marginals of tags have been filled in."""
        mine = self._parts.marginals(number)
        np.matmul(self._tags.filled(number), self._matrix, out=mine)
        self._parts.collect(number)

    def finish(self) -> None:
        """Bring the totals home to the gradient."""
        self._parts.finish()
