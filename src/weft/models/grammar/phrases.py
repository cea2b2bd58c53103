"""Features of phrases: a label with the phrase's length, its first or its last word.

A phrase is a node of a tree, over the words i … j − 1. Such a feature does not depend on how the
phrase is expanded, and so its weight is a score of label and span alone:

    s(X, i, j) = θ[X, length(j − i)] + θ[X, first word w_i] + θ[X, last word w_{j−1}]

Reference: Finkel, Kleeman and Manning (2008), "Efficient, feature-based, conditional random field
parsing", ACL, for features of spans in a discriminative grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.arrays import IndexArray, IntArray
from weft.grammars.transforms import is_made
from weft.models.options import PhraseFeature
from weft.structures.tree import Tree, placed_subtrees

_LENGTHS = (1, 2, 3, 4, 5, 10, 20, 40)
_LENGTH_NAMES = ("1", "2", "3", "4", "5", "6-10", "11-20", "21-40", "41-")


class Phrase(NamedTuple):
    """A label over words.

    Attributes:
        label: The label.
        start: The position before the first word, from 0.
        end: The position after the last word.
    """

    label: str
    start: int
    end: int


def phrases_of(tree: Tree) -> Iterator[Phrase]:
    """Yield the phrases of a tree that have words.

    Nodes that only make a tree binary are no phrases.

    >>> list(phrases_of(Tree("S", (Tree("NP", ("time",)), "flies"))))
    [Phrase(label='NP', start=0, end=1), Phrase(label='S', start=0, end=2)]
    """
    for node, start, end in placed_subtrees(tree):
        if start < end and not is_made(node.label):
            yield Phrase(node.label, start, end)


@dataclass(frozen=True, slots=True, eq=False)
class PhraseTable:
    """One kind of feature: which label goes with which value, and which weight that has.

    Attributes:
        feature: What it looks at.
        values: The row of each value, of a length's name or of a word.
        weights: [values + 1, labels], the coordinate of θ; -1 where there is none, as in the last
            row, which is for values that are not known.
    """

    feature: PhraseFeature
    values: Mapping[str, int]
    weights: IndexArray

    def rows(self, words: Sequence[str], starts: IntArray, ends: IntArray) -> IndexArray:
        """[spans]: the row of each span of a sentence."""
        if self.feature is PhraseFeature.LENGTH:
            return self._rows(map(_length, range(len(words) + 1)), ends - starts)
        return self._rows(words, starts if self.feature is PhraseFeature.FIRST else ends - 1)

    def _rows(self, names: Iterable[str], places: IntArray) -> IndexArray:
        rows = np.array([self.values.get(name, len(self.values)) for name in names], np.int32)
        found: IndexArray = rows[places]
        return found


def value_of(feature: PhraseFeature, words: Sequence[str], phrase: Phrase) -> str:
    """Return what a feature looks at in a phrase.

    >>> value_of(PhraseFeature.LENGTH, ["time", "flies"], Phrase("S", 0, 2))
    '2'
    """
    if feature is PhraseFeature.LENGTH:
        return _length(phrase.end - phrase.start)
    return words[phrase.start if feature is PhraseFeature.FIRST else phrase.end - 1]


def _length(length: int) -> str:
    return _LENGTH_NAMES[int(np.searchsorted(_LENGTHS, length))]


def phrase_tables(
    features: Sequence[PhraseFeature],
    trees: Iterable[Tree],
    texts: Iterable[Sequence[str]],
    labels: Sequence[str],
    start: int,
) -> tuple[PhraseTable, ...]:
    """Read tables off trees: the labels and values that occur together there.

    Args:
        features: What to look at.
        trees: The trees.
        texts: Their words.
        labels: The labels, in the order of their numbers.
        start: The first coordinate of θ that is free; each table takes a run of them.
    """
    numbers = {label: number for number, label in enumerate(labels)}
    tables = []
    for feature in features:
        found = dict.fromkeys(
            (value_of(feature, words, phrase), numbers[phrase.label])
            for tree, words in zip(trees, texts, strict=True)
            for phrase in phrases_of(tree)
        )
        values = {value: row for row, value in enumerate(dict.fromkeys(v for v, _ in found))}
        weights = np.full((len(values) + 1, len(labels)), -1, np.int32)
        for place, (value, label) in enumerate(found):
            weights[values[value], label] = start + place
        tables.append(PhraseTable(feature, values, weights))
        start += len(found)
    return tuple(tables)


def phrase_coordinates(
    tables: Sequence[PhraseTable], tree: Tree, words: Sequence[str], labels: Mapping[str, int]
) -> list[int]:
    """Return the coordinates of θ that the phrases of a tree have, once for every time."""
    found = []
    for phrase in phrases_of(tree):
        for table in tables:
            row = table.values.get(value_of(table.feature, words, phrase), len(table.values))
            found.append(int(table.weights[row, labels[phrase.label]]))
    return [weight for weight in found if weight >= 0]
