"""Which attributes each token has, stored flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of, ranges


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


def of_tokens(occurrences: Occurrences, tokens: IntArray) -> Occurrences:
    """Return the attributes of some tokens, in their order.

    >>> both = Occurrences(np.array([0, 2, 3]), np.array([7, 8, 9], np.int32))
    >>> of_tokens(both, np.array([1, 0])).attributes
    array([9, 7, 8], dtype=int32)
    """
    lengths = np.diff(occurrences.offsets)[tokens]
    places = ranges(occurrences.offsets[:-1][tokens], lengths)
    values = None if occurrences.values is None else occurrences.values[places]
    return Occurrences(offsets_of(lengths), occurrences.attributes[places], values)


def with_single(occurrences: Occurrences, tokens: IntArray, attributes: IndexArray) -> Occurrences:
    """Return the same, but with one attribute, of value 1, for each of some tokens.

    >>> both = Occurrences(np.array([0, 2, 3]), np.array([7, 8, 9], np.int32))
    >>> with_single(both, np.array([0]), np.array([5], np.int32)).attributes
    array([5, 9], dtype=int32)
    """
    lengths = np.diff(occurrences.offsets)
    replaced = np.zeros(len(lengths), np.bool_)
    replaced[tokens] = True
    kept = ~np.repeat(replaced, lengths)
    offsets = offsets_of(np.where(replaced, 1, lengths))
    places = np.ones(int(offsets[-1]), np.bool_)
    places[offsets[tokens]] = False
    numbers = np.empty(len(places), np.int32)
    numbers[places], numbers[offsets[tokens]] = occurrences.attributes[kept], attributes
    if occurrences.values is None:
        return Occurrences(offsets, numbers)
    values = np.ones(len(places))
    values[places] = occurrences.values[kept]
    return Occurrences(offsets, numbers, values)
