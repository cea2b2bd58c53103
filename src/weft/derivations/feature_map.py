"""Φ: the scores of parts from weights, and back from what is expected of parts to weights.

    w = w₀ + Φ θ,    ∂/∂θ = Φᵀ μ

A part is whatever is scored as a whole: an edge, a rule, an analysis, a derivation. Chains score
tokens with tags, for which Φ is a product of attributes and tags that is never written out: see
:mod:`weft.derivations.chain.rows`, whose sums are those of the forest that a chain expands to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.arrays import (
    FloatArray,
    IndexArray,
    IntArray,
    are_numbers,
    are_offsets,
    flatten,
    offsets_of,
    ranges,
)
from weft.kernels import kernels


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMap:
    """Φ, a sparse matrix with a row for each part.

    Attributes:
        offsets: Where each part's features begin, and where the last ones end. [parts + 1]
        features: Coordinates of θ. [entries]
        values: None where every value is 1. [entries]
        size: How many coordinates θ has.

    Raises:
        ValueError: If these do not fit together; kernels trust them.
    """

    offsets: IntArray
    features: IndexArray
    values: FloatArray | None
    size: int

    def __post_init__(self) -> None:
        count = len(self.features)
        if not are_offsets(self.offsets, len(self), count):
            raise ValueError(f"offsets must ascend from 0 to {count}, one for each row")
        if self.values is not None and len(self.values) != count:
            raise ValueError("features and values differ in number")
        if not are_numbers(self.features, self.size):
            raise ValueError(f"features are coordinates of {self.size} weights")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def scores(
        self, theta: FloatArray, base: FloatArray | None = None, threads: int = 1
    ) -> FloatArray:
        """[parts]: w₀ + Φ θ.

        >>> from_lists([[0, 2, 0], []], 3).scores(np.array([1.0, 5.0, 10.0]))
        array([12.,  0.])

        Args:
            theta: The weights. [θ]
            base: w₀; zeros by default. [parts]
            threads: How many threads to use; no result depends on it.
        """
        if theta.shape != (self.size,):
            raise ValueError(f"this takes {self.size} weights in a row, not {theta.shape}")
        base = np.zeros(len(self)) if base is None else base
        scores = np.empty(len(self))
        kernels.score_analyses(
            self.offsets, self.features, self.values, base, theta, scores, threads
        )
        return scores

    def gradient(self, amounts: FloatArray) -> FloatArray:
        """[θ]: Φᵀ μ.

        >>> from_lists([[0, 2, 0], [2]], 3).gradient(np.array([1.0, 10.0]))
        array([ 2.,  0., 11.])

        Args:
            amounts: μ, or any other amount of each part. [parts]
        """
        shares = np.repeat(amounts, np.diff(self.offsets))
        if self.values is not None:
            shares *= self.values
        found = np.bincount(self.features, shares, minlength=self.size)
        return found.astype(np.float64, copy=False)

    def row(self, part: int) -> IndexArray:
        """Return the coordinates of one part, once for every time that it has them."""
        return self.features[slice(*self.offsets[part : part + 2].tolist())]

    def rows(self, parts: IntArray | IndexArray) -> FeatureMap:
        """Return the features of some of the parts, in the order given."""
        lengths = np.diff(self.offsets)[parts]
        entries = ranges(self.offsets[parts], lengths)
        values = None if self.values is None else self.values[entries]
        return FeatureMap(offsets_of(lengths), self.features[entries], values, self.size)

    def transposed(self) -> FeatureMap:
        """Return Φᵀ: the parts that have each feature, in their order.

        >>> from_lists([[0, 2], [2]], 3).transposed().features
        array([0, 0, 1], dtype=int32)
        """
        order = np.argsort(self.features, kind="stable")
        owners = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))
        offsets = offsets_of(np.bincount(self.features, minlength=self.size))
        values = None if self.values is None else self.values[order]
        return FeatureMap(offsets, owners[order], values, len(self))


def from_lists(features: Sequence[Sequence[int]], size: int) -> FeatureMap:
    """Return the map of parts with these coordinates of θ, once for every time that they have them.

    Args:
        features: Those of each part.
        size: How many coordinates θ has.
    """
    offsets, numbers = flatten(features)
    return FeatureMap(offsets, np.array(numbers, np.int32), None, size)


def from_columns(columns: IntArray | IndexArray, size: int) -> FeatureMap:
    """Return the map of parts that have at most one coordinate of θ in each of several columns.

    >>> from_columns(np.array([[0, 3], [1, -1]]), 4).scores(np.array([1.0, 2.0, 3.0, 4.0]))
    array([5., 2.])

    Args:
        columns: Coordinates of θ, or -1 for none. [parts] or [parts, columns]
        size: How many coordinates θ has.
    """
    rows = columns if columns.ndim == 2 else columns[:, None]
    known = rows >= 0
    return FeatureMap(offsets_of(known.sum(axis=1)), rows[known].astype(np.int32), None, size)


def concatenate(maps: Sequence[FeatureMap], size: int) -> FeatureMap:
    """Return the map of all parts of several maps, one after the other, over ``size`` weights."""
    lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(each.offsets) for each in maps)])
    features = np.concatenate([np.zeros(0, np.int32), *(each.features for each in maps)])
    whole = FeatureMap(offsets_of(lengths), features, None, size)
    if all(each.values is None for each in maps):
        return whole
    values = np.concatenate(
        [np.ones(len(each.features)) if each.values is None else each.values for each in maps]
    )
    return whole if (values == 1.0).all() else replace(whole, values=values)
