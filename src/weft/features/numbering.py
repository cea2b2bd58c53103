"""Texts with numbers, and where known texts occur."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from weft.arrays import BoolArray, FloatArray, offsets_of
from weft.kernels import kernels
from weft.structures.evidence import Attributes
from weft.structures.occurrences import Occurrences


class Numbering(dict[str, int]):
    """The numbers of texts; those that have none look up -1.

    >>> Numbering(a=0)["b"]
    -1
    """

    _table: kernels.TextTable | None = None

    def __missing__(self, text: str) -> int:
        return -1

    def __reduce__(self) -> tuple[type[Numbering], tuple[dict[str, int]]]:
        return Numbering, (dict(self),)  # without the table, which is made again where it is needed

    def occurrences(
        self, sentences: list[Sequence[Attributes]], values: FloatArray | None = None
    ) -> Occurrences:
        """Return where known texts occur.

        Args:
            sentences: The texts of each token of each sentence.
            values: [texts], the value of each; None where every value is 1.

        >>> number_names(["b", "a"]).occurrences([[["a", "c"], []], [["a", "b"]]]).attributes
        array([1, 1, 0], dtype=int32)
        """
        return self.occurrences_at_once(sentences, values) or self._singly(sentences, values)

    def occurrences_at_once(
        self, sentences: list[Sequence[Attributes]], values: FloatArray | None = None
    ) -> Occurrences | None:
        """Return the same, much faster; None where it does not pay, or cannot be.

        It cannot where there is something else than lists and tuples of plain strings.
        """
        if self._table is None:
            # A token has ten attributes or more, and making the table takes as long as using it.
            if sum(map(len, sentences)) < len(self) // 100 or not set(map(type, self)) <= {str}:
                return None
            numbers = np.fromiter(self.values(), np.int32, len(self))
            self._table = kernels.TextTable(list(self), numbers)
        found = self._table.find(sentences, values)
        return None if found is None else Occurrences(*found)

    def _singly(
        self, sentences: list[Sequence[Attributes]], values: FloatArray | None
    ) -> Occurrences:
        tokens = list(chain.from_iterable(sentences))
        numbers = np.array([self[text] for token in tokens for text in token], np.int32)
        known: BoolArray = numbers >= 0
        offsets = offsets_of(known)[offsets_of(map(len, tokens))]
        return Occurrences(offsets, numbers[known], None if values is None else values[known])


def number_names(texts: Iterable[str], start: int = 0) -> Numbering:
    """Number distinct texts in the order of their first appearance.

    >>> number_names(["b", "a", "b"], 5)
    {'b': 5, 'a': 6}
    """
    return Numbering((text, start + n) for n, text in enumerate(dict.fromkeys(texts)))
