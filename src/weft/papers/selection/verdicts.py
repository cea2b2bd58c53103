"""Which of two estimators is better, by a paired test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weft.evaluate.significance import PairedTest

LEVEL = 0.05
"""What a p-value has to be below."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one estimator is better than another in C.

    Attributes:
        better: The one that should be better.
        worse: The other.
        verdict: ``holds``, ``the other way round`` or, if chance may explain it, ``undecided``.
        points: By how much it is better, in per cent of ambiguous sentences.
        p_value: Of the paired test.
    """

    better: str
    worse: str
    verdict: str
    points: float
    p_value: float


def verdicts_of(tests: Mapping[tuple[str, str], PairedTest]) -> list[Verdict]:
    """Return what paired tests say; the second of two estimators should be the better one."""
    found = []
    for (worse, better), test in tests.items():
        told = "undecided"
        if test.p_value < LEVEL:
            told = "holds" if test.difference > 0 else "the other way round"
        found.append(Verdict(better, worse, told, 100 * test.difference, test.p_value))
    return found
