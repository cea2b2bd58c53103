"""Views of columns: a function of the values of each, numbered, and gathered by templates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np

from weft.arrays import IndexArray, IntArray
from weft.errors import EvidenceError, OptionError
from weft.features.numbering import Numbering
from weft.features.templates import Template, find_function, window_of
from weft.structures.evidence import Sentence

View = tuple[int, str]
"""A column and a function of its values: what the atoms at different offsets share."""


def name_boundary(distance: int) -> str:
    """Return the name of what is so far before or after a sentence."""
    return f"<{distance:+d}>"


@dataclass(frozen=True, slots=True)
class _Padded:
    """A column of all sentences: type numbers, with boundary types around each sentence."""

    types: list[str]
    numbers: IndexArray


def _positions(lengths: IntArray, before: int, after: int) -> IntArray:
    """Where each token stands in the padded sequence."""
    tokens = np.arange(int(lengths.sum()))
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    return tokens + before + sentence * (before + after)


def _pad(sentences: Sequence[Sentence], column: int, before: int, after: int) -> _Padded:
    words = chain.from_iterable(sentence.columns[column] for sentence in sentences)
    numbering: defaultdict[str, int] = defaultdict(
        count().__next__
    )  # a new word has the next number
    distances = [*range(-before, 0), *range(1, after + 1)]
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    width = before + after
    numbers = np.fromiter(map(numbering.__getitem__, words), np.int32, int(lengths.sum()))
    padded = np.empty(len(numbers) + width * len(sentences), np.int32)
    ends = np.cumsum(lengths + width)
    for slot in range(width):
        at = ends - lengths - width + slot if slot < before else ends - width + slot
        padded[at] = len(numbering) + slot
    padded[_positions(lengths, before, after)] = numbers
    return _Padded([*numbering, *map(name_boundary, distances)], padded)


def check_columns(sentences: Sequence[Sentence], several: Sequence[Template]) -> None:
    """Refuse sentences with fewer columns than templates look at."""
    needed = max((atom.column + 1 for each in several for atom in each.atoms), default=1)
    for sentence in sentences:
        if len(sentence.columns) < needed:
            raise EvidenceError(
                f"{sentence.source or 'a sentence'}: the templates look at {needed} input columns, "
                f"and there is only {len(sentence.columns)}"
            )


class ViewNumbers(dict[str, int]):
    """The numbers of a view's values by the types that have them, found when first asked for."""

    def __init__(self, view: View, numbering: Numbering) -> None:
        self.numbering = numbering
        self._view = view
        self._function = find_function(view[1])

    def __reduce__(self) -> tuple[type[ViewNumbers], tuple[View, Numbering]]:
        """Copies and pickles find the numbers again."""
        return ViewNumbers, (self._view, self.numbering)

    def __missing__(self, word: str) -> int:
        if len(self) > _REMEMBERED:
            self.clear()
        # An absent value is None, which is no key of the numbering.
        number = self[word] = self.numbering[self._function(word)]  # type: ignore[index]
        return number


_REMEMBERED = 500_000  # types, so that texts without end do not fill the memory


class ViewReader:
    """The value numbers of views over a batch of sentences."""

    def __init__(self, sentences: Sequence[Sentence], several: Sequence[Template]) -> None:
        check_columns(sentences, several)
        low, high = window_of(several)
        self._before, self._after = max(-low, 0), max(high, 0)
        self._sentences = sentences
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        self._positions = _positions(lengths, self._before, self._after)
        self._columns: dict[int, _Padded] = {}
        self._views: dict[View, IndexArray] = {}

    def tokens(self) -> int:
        """Return how many tokens there are."""
        return len(self._positions)

    def column(self, column: int) -> _Padded:
        """Return a column of all sentences."""
        if column not in self._columns:
            self._columns[column] = _pad(self._sentences, column, self._before, self._after)
        return self._columns[column]

    def look_up(self, view: View, numbers: ViewNumbers) -> None:
        """Number a view's values; unknown and absent ones become -1."""
        column = self.column(view[0])
        words = len(column.types) - self._before - self._after
        ends = map(numbers.numbering.__getitem__, column.types[words:])
        found = chain(map(numbers.__getitem__, column.types[:words]), ends)
        table = np.fromiter(found, np.int32, len(column.types))
        self._views[view] = table[column.numbers]

    def keys(self, template: Template, sizes: Mapping[View, int]) -> IntArray:
        """[tokens]: each token's key of a template, -1 where it has none."""
        keys = np.zeros(self.tokens(), np.int64)
        missing = np.zeros(self.tokens(), np.bool_)
        radix = 1
        for atom in template.atoms:
            view = (atom.column, atom.function)
            values = self._views[view][self._positions + atom.offset]
            missing |= values < 0
            keys = keys * sizes[view] + values
            radix *= max(sizes[view], 1)
        if radix >= 2**63:
            raise OptionError(
                f"template {template} joins too many values ({radix}); use fewer atoms"
            )
        keys[missing] = -1
        return keys


def views_of(several: Sequence[Template]) -> list[View]:
    """Return the distinct views of templates, in the order of their first appearance."""
    return list(dict.fromkeys((a.column, a.function) for each in several for a in each.atoms))


def values_of(view: View, types: Iterable[str], boundaries: Iterable[str]) -> Iterator[str | None]:
    """A view's value of each type; boundaries stand for themselves."""
    return chain(map(find_function(view[1]), types), boundaries)
