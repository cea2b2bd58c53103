"""The sums that a criterion compares: all derivations, the best, or the best rivals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.criteria.criterion import Criterion, Total
from weft.criteria.views import input_only
from weft.derivations.best import Best
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.pooled import Pooled
from weft.derivations.union import Union

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
    if Total.RIVAL in criterion.totals:
        return _with_rivals(members, every, observed)

    def pick(some: IntArray) -> DerivationSet:
        if criterion.denominator.breadth <= input_only.breadth:
            return every.select(some)
        # Where words vary, sentences may be in one sum with sets of strings.
        return derive([evidences[place] for place in some.tolist()])

    return _best_or_sum(np.array([m.total is Total.BEST for m in members], np.bool_), pick)


def _best_or_sum(best: BoolArray, pick: Callable[[IntArray], DerivationSet]) -> DerivationSet:
    """The members of which the best derivation counts, together with those that are sums."""
    sums = [pick(np.flatnonzero(~best))] if not best.all() else []
    places = np.where(best, np.cumsum(best), np.cumsum(~best)) - 1
    if not best.any():
        return sums[0]
    found = pick(np.flatnonzero(best))
    chosen = Best(found.select(np.arange(len(found))))  # which refuses sets that are only sums
    return Union([*sums, chosen], best.astype(np.int64), places) if sums else chosen


def _with_rivals(
    members: Sequence[Member], every: DerivationSet, observed: Sequence[Any]
) -> DerivationSet:
    """Members that are what was observed, alone or with its best rival."""
    rival = np.array([member.total is Total.RIVAL for member in members], np.bool_)
    if not rival.any():
        return every
    owners, within = rival.astype(np.int64), np.where(rival, np.cumsum(rival), np.cumsum(~rival))
    alone, others = (every.select(np.flatnonzero(which)) for which in (~rival, rival))
    rivals = others.without([observed[place] for place in np.flatnonzero(rival).tolist()])
    pools = [
        [member.observed, place] if member.total is Total.RIVAL else [place]
        for place, member in enumerate(members)
    ]
    return Pooled(Union([alone, rivals], owners, within - 1), pools)


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
