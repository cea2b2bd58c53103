"""What rows of several papers share: counts per sentence, and findings about two of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from weft.evaluate.brackets import BracketScores
from weft.evaluate.significance import Statistic, accuracy, compare, f1
from weft.evaluate.tagging import is_right
from weft.papers.results import Finding, gain_of
from weft.structures.evidence import Label

_WHOLE = 1_000_000  # a right choice, or a nat, in whole numbers

Counts = list[list[int]]
"""For each sentence what is counted in it, ready for JSON."""


def tag_counts(
    gold: Iterable[Sequence[Label]],
    predicted: Iterable[Sequence[str]],
    counted: Iterable[Sequence[bool]] | None = None,
) -> Counts:
    """Return for each sentence how many tags are right, and how many there are.

    Args:
        gold: The right labels.
        predicted: Tags of the same tokens.
        counted: Which of the tokens count; all by default.
    """
    rows = []
    which = iter(counted) if counted is not None else None
    for labels, tags in zip(gold, predicted, strict=True):
        mask = next(which) if which is not None else [True] * len(labels)
        marks = [
            is_right(label, tag)
            for label, tag, own in zip(labels, tags, mask, strict=True)
            if own and label is not None
        ]
        rows.append([sum(map(bool, marks)), len(marks)])
    return rows


def bracket_counts(scores: BracketScores) -> Counts:
    """Return for each sentence its right brackets, those of the gold tree, and the predicted."""
    return [
        [each.counts.correct, each.counts.gold, each.counts.predicted] for each in scores.sentences
    ]


def whole_counts(values: Sequence[float]) -> Counts:
    """Return a share, or a number of nats, of each sentence in whole numbers.

    >>> whole_counts([0.5, 1.0])
    [[500000, 1000000], [1000000, 1000000]]
    """
    return [[round(_WHOLE * each), _WHOLE] for each in values]


def share(counts: Counts) -> float:
    """Return the accuracy over all sentences."""
    return float(accuracy(np.array(counts).sum(axis=0)))


def find_better(
    claim: str,
    corpus: str,
    better: Counts,
    worse: Counts,
    *,
    paper: tuple[float, float] | None = None,
    statistic: Statistic = accuracy,
    bootstrap: bool = False,
) -> Finding:
    """Return the finding that one of two systems is better on the same sentences.

    Args:
        claim: What is said.
        corpus: Where.
        better: The counts of the one that is said to be better.
        worse: Those of the other.
        paper: The paper's figures of both, as shares.
        statistic: What is compared.
        bootstrap: Whether p is the bootstrap's.
    """
    test = compare(np.array(worse), np.array(better), statistic)
    return Finding(
        claim,
        corpus,
        "" if paper is None else f"{100 * paper[0]:.1f} and {100 * paper[1]:.1f}",
        f"{100 * test.second:.2f} and {100 * test.first:.2f}",
        gain_of(test, bootstrap=bootstrap),
    )


def find_better_parser(
    claim: str, corpus: str, better: Counts, worse: Counts, **more: Any
) -> Finding:
    """Return the finding that one of two parsers has the higher F1, by the bootstrap."""
    return find_better(claim, corpus, better, worse, statistic=f1, bootstrap=True, **more)
