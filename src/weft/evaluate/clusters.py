"""How well tags without names agree with the gold ones.

A tagger that learns without a dictionary finds classes, not names. With n(k, c) the tokens of class
k with the gold tag c,

    many-to-one    Σ_k max_c n(k, c) / n: each class is given the gold tag that most of it has
    homogeneity    1 − H(C | K) / H(C): classes hold one gold tag each
    completeness   1 − H(K | C) / H(K): gold tags lie in one class each
    V-measure      the harmonic mean of the last two

Reference: Rosenberg and Hirschberg (2007), "V-Measure", EMNLP, section 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from weft.arrays import FloatArray
from weft.structures.evidence import Label


@dataclass(frozen=True, slots=True)
class ClusterScores:
    """Agreement of classes with gold tags; None where no token has a gold tag.

    Attributes:
        many_to_one_accuracy: Of classes named after their most frequent gold tag.
        homogeneity: From 0 to 1, where each class has a single gold tag.
        completeness: From 0 to 1, where each gold tag has a single class.
        v_measure: Their harmonic mean.
    """

    many_to_one_accuracy: float | None
    homogeneity: float | None
    completeness: float | None
    v_measure: float | None


def cluster_scores(
    gold: Sequence[Sequence[Label]], predicted: Sequence[Sequence[str]]
) -> ClusterScores:
    """Compare classes with gold tags; tokens whose gold label is not one tag are left out.

    Args:
        gold: A label per token per sentence.
        predicted: A class per token of the same sentences.

    Raises:
        ValueError: The two have different lengths.

    >>> cluster_scores([["A", "A", "B", "B"]], [["x", "x", "y", "y"]]).v_measure
    1.0
    >>> cluster_scores([["A", "A", "B", "B"]], [["x", "x", "x", "x"]]).many_to_one_accuracy
    0.5
    """
    pairs = chain.from_iterable(
        zip(*sentence, strict=True) for sentence in zip(gold, predicted, strict=True)
    )
    counts = _table((guess, label) for label, guess in pairs if isinstance(label, str))
    total = counts.sum()
    if not total:
        return ClusterScores(None, None, None, None)
    homogeneity, completeness = _purity(counts), _purity(counts.T)
    both = homogeneity + completeness
    return ClusterScores(
        many_to_one_accuracy=float(counts.max(axis=1).sum() / total),
        homogeneity=homogeneity,
        completeness=completeness,
        v_measure=2 * homogeneity * completeness / both if both else 0.0,
    )


def _table(pairs: Iterable[tuple[str, str]]) -> FloatArray:
    """[classes, gold tags]: how often each pair occurs."""
    counted = Counter(pairs)
    rows = {name: place for place, name in enumerate(sorted({k for k, _ in counted}))}
    columns = {name: place for place, name in enumerate(sorted({c for _, c in counted}))}
    table = np.zeros((len(rows), len(columns)))
    for (row, column), count in counted.items():
        table[rows[row], columns[column]] = count
    return table


def _purity(counts: FloatArray) -> float:
    """1 − H(column | row) / H(column), between 0 and 1; 1 where there is one column."""
    total = counts.sum()
    whole = _entropy(counts.sum(axis=0) / total)
    if whole == 0.0:
        return 1.0
    sizes = counts.sum(axis=1)
    within = sum(
        size / total * _entropy(row / size) for row, size in zip(counts, sizes, strict=True)
    )
    return float(np.clip(1.0 - within / whole, 0.0, 1.0))


def _entropy(probs: FloatArray) -> float:
    inside = probs[probs > 0]
    return float(-(inside * np.log(inside)).sum())
