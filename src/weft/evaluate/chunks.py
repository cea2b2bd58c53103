"""Precision, recall and F1 of chunks, counted as conlleval counts them.

A predicted chunk is correct iff a gold chunk has its first token, its last token and its type.
With c correct of p predicted and g gold chunks,

    precision = c / p,   recall = c / g,   F1 = 2 · precision · recall / (precision + recall),

each 0 where its denominator is 0. conlleval prints them in per cent, this module in [0, 1].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from weft.structures.chunking import is_chunking, spans
from weft.structures.evidence import Label


@dataclass(frozen=True, slots=True)
class ChunkCounts:
    """How many chunks there are, were predicted, and agree.

    >>> ChunkCounts(gold=4, predicted=2, correct=1).f1
    0.3333333333333333
    """

    gold: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """The share of the predicted chunks that are correct."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of the gold chunks that were found."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.gold + self.predicted
        return 2 * self.correct / total if total else 0.0


class ChunkMeans(NamedTuple):
    """Means of precision, recall and F1 over types of chunks."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class ChunkScores:
    """Counts over all chunks and for each type.

    Attributes:
        overall: All chunks.
        types: The chunks of each type, gold or predicted, in alphabetical order.
        sentences: The number of sentences scored.
    """

    overall: ChunkCounts
    types: Mapping[str, ChunkCounts]
    sentences: int

    @property
    def macro(self) -> ChunkMeans:
        """The means over types, each of which counts the same; seqeval's "macro avg"."""
        return _means(self.types.values(), [1] * len(self.types))

    @property
    def weighted(self) -> ChunkMeans:
        """The means over types, by how many gold chunks each has; seqeval's "weighted avg"."""
        return _means(self.types.values(), [each.gold for each in self.types.values()])


def chunk_scores(
    gold: Sequence[Sequence[Label]], predicted: Sequence[Sequence[str]]
) -> ChunkScores:
    """Compare the chunks of several sentences.

    Sentences in which some gold tag is not fully known are not scored, since neither are their
    chunks.

    Args:
        gold: A label per token per sentence.
        predicted: A tag per token of the same sentences.

    Returns:
        The counts.

    Raises:
        ValueError: The two have different lengths.

    >>> gold = [["B-NP", "I-NP", "O", "B-VP"]]
    >>> chunk_scores(gold, [["B-NP", "I-NP", "B-NP", "B-VP"]]).overall
    ChunkCounts(gold=2, predicted=3, correct=2)
    """
    scored = _fully_known(gold, predicted)
    counts: Counter[tuple[str, str]] = Counter()
    for right, guess in scored:
        found, made = set(spans(right)), set(spans(guess))
        counts.update(("gold", kind) for _, _, kind in found)
        counts.update(("predicted", kind) for _, _, kind in made)
        counts.update(("correct", kind) for _, _, kind in found & made)
    types = {kind: _counts_of(counts, kind) for kind in sorted({kind for _, kind in counts})}
    return ChunkScores(_total(types), types, len(scored))


def find_chunks(
    gold: Sequence[Sequence[Label]], predicted: Sequence[Sequence[str]]
) -> ChunkScores | None:
    """Compare the chunks of several sentences; None where labels are no chunks.

    Nor is anything known of chunks where no sentence is labelled as a whole.

    >>> find_chunks([["DT", "NN"]], [["DT", "DT"]]) is None
    True
    >>> find_chunks([["B-NP", None]], [["B-NP", "O"]]) is None
    True
    """
    known = {label for labels in gold for label in labels if isinstance(label, str)}
    return known_chunks(gold, predicted) if is_chunking(known.union(*predicted)) else None


def known_chunks(
    gold: Sequence[Sequence[Label]], predicted: Sequence[Sequence[str]]
) -> ChunkScores | None:
    """Compare chunks; None where no sentence is labelled as a whole, and so none is known."""
    whole = any(labels and all(isinstance(label, str) for label in labels) for labels in gold)
    return chunk_scores(gold, predicted) if whole else None


def _means(several: Iterable[ChunkCounts], weights: Sequence[int]) -> ChunkMeans:
    rows = [(each.precision, each.recall, each.f1) for each in several]
    total = sum(weights)
    sums = (sum(w * row[place] for w, row in zip(weights, rows, strict=True)) for place in range(3))
    return ChunkMeans(*(each / total if total else 0.0 for each in sums))


def _fully_known(
    gold: Sequence[Sequence[Label]], predicted: Sequence[Sequence[str]]
) -> list[tuple[list[str], Sequence[str]]]:
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} gold sentences but {len(predicted)} predicted ones")
    pairs = []
    for number, (labels, guess) in enumerate(zip(gold, predicted, strict=True), 1):
        if len(labels) != len(guess):
            raise ValueError(
                f"sentence {number} has {len(labels)} gold labels but {len(guess)} predicted tags"
            )
        right = [label for label in labels if isinstance(label, str)]
        if len(right) == len(labels):
            pairs.append((right, guess))
    return pairs


def _counts_of(counts: Counter[tuple[str, str]], kind: str) -> ChunkCounts:
    return ChunkCounts(counts["gold", kind], counts["predicted", kind], counts["correct", kind])


def _total(types: Mapping[str, ChunkCounts]) -> ChunkCounts:
    parts = types.values()
    return ChunkCounts(
        sum(part.gold for part in parts),
        sum(part.predicted for part in parts),
        sum(part.correct for part in parts),
    )
