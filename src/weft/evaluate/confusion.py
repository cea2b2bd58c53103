"""Which labels are taken for which others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import IntArray
from weft.frames import Tabular

NOTHING = "(none)"
"""What stands for a label that is missing on one side, as of a span that only one of two trees
has."""


@dataclass(frozen=True, slots=True, eq=False)
class Confusion(Tabular):
    """How often a gold label was predicted as each label.

    Attributes:
        labels: The labels.
        counts: [gold, predicted].
        left_out: How many labels there are beside these.
    """

    labels: tuple[str, ...]
    counts: IntArray
    left_out: int = 0

    def columns(self) -> dict[str, list[Any]]:
        """Return the pairs that occur: the gold label, the predicted one, and how often."""
        gold, predicted = (each.tolist() for each in np.nonzero(self.counts))
        return {
            "gold": [self.labels[place] for place in gold],
            "predicted": [self.labels[place] for place in predicted],
            "count": self.counts[gold, predicted].tolist(),
        }

    @property
    def mistakes(self) -> list[tuple[str, str, int]]:
        """The gold label, the wrong one and how often, the most frequent first."""
        rows = zip(*self.columns().values(), strict=True)
        return sorted((each for each in rows if each[0] != each[1]), key=lambda row: -row[2])

    def most_mistaken(self, count: int) -> Confusion:
        """Return the same of the labels that most mistakes are about, in their order."""
        wrong = self.counts - np.diag(np.diag(self.counts))
        involved = wrong.sum(axis=0) + wrong.sum(axis=1)
        kept = np.sort(np.argsort(-involved, kind="stable")[:count])
        names = tuple(self.labels[place] for place in kept.tolist())
        left_out = self.left_out + len(self.labels) - len(kept)
        return Confusion(names, self.counts[np.ix_(kept, kept)], left_out)


def confusion_of(pairs: Iterable[tuple[str, str]]) -> Confusion:
    """Count pairs of a gold label and the predicted one.

    >>> found = confusion_of([("NN", "NN"), ("NN", "VB"), ("VB", "VB")])
    >>> found.labels, found.counts.tolist(), found.mistakes
    (('NN', 'VB'), [[1, 1], [0, 1]], [('NN', 'VB', 1)])
    """
    counted = Counter(pairs)
    labels = sorted({label for pair in counted for label in pair})
    places = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), np.int64)
    for (gold, predicted), count in counted.items():
        counts[places[gold], places[predicted]] = count
    return Confusion(tuple(labels), counts)
