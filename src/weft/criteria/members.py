"""The sums that a criterion compares: all derivations, the best, or the best rivals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.criteria.criterion import Criterion, Total
from weft.criteria.views import input_only
from weft.derivations.best import BestPaths
from weft.derivations.combine import derive_kinds, with_rivals
from weft.derivations.derivation_set import DerivationSet

Derive = Callable[[Sequence[Any]], DerivationSet]
"""From evidence to the derivations that agree with it."""


@dataclass(frozen=True, slots=True)
class Member:
    """One of the sums of a criterion.

    Attributes:
        evidence: What the derivations agree with.
        total: What stands for them.
        observed: The number of the member that has what was observed; its own if it is that one.
    """

    evidence: Any
    total: Total
    observed: int


def derive_members(
    members: Sequence[Member], criterion: Criterion, derive: Derive
) -> DerivationSet:
    """Return the members as one set of derivations.

    Raises:
        NotDefined: If what is asked for does not exist; the message says why.
    """
    evidences = [member.evidence for member in members]
    every = derive(evidences)
    if criterion.totals == (Total.SUM, Total.SUM) and not criterion.cost:
        return every
    observed = [evidences[member.observed] for member in members]
    if criterion.cost:
        every = every.charged(observed, criterion.cost)
    rival = np.array([member.total is Total.RIVAL for member in members], np.bool_)
    if rival.any():
        return with_rivals(every, rival, [member.observed for member in members], observed)

    def pick(some: IntArray) -> DerivationSet:
        if criterion.denominator.breadth <= input_only.breadth:
            return every.select(some)
        # Where words vary, sentences may be in one sum with sets of strings.
        return derive([evidences[place] for place in some.tolist()])

    def best_or_sum(is_best: int, some: IntArray) -> DerivationSet:
        found = pick(some)
        # To select refuses sets that are only sums.
        return BestPaths(found.select(np.arange(len(found)))) if is_best else found

    best = np.array([member.total is Total.BEST for member in members], np.int64)
    return derive_kinds(best, best_or_sum)


def impossible(
    derivations: DerivationSet, members: IntArray, theta: FloatArray
) -> Iterator[tuple[int, int]]:
    """Yield the places of members that have no derivation, and the token where each one ends.

    Args:
        derivations: The set.
        members: [places], the member at each place.
        theta: Finite weights.
    """
    values = derivations.log_partition(theta)[members]
    for place in np.flatnonzero(np.isneginf(values)).tolist():
        position = derivations.impossible(int(members[place]))
        if position is not None:
            yield place, position
