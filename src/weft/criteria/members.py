"""The sums that a criterion compares: all derivations, the best, or the best rivals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import BoolArray, IntArray
from weft.criteria.criterion import Criterion, Total
from weft.derivations.analyses import Analyses
from weft.derivations.charges import charged
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.paths import Paths, rivals
from weft.derivations.pooled import Pooled
from weft.derivations.trellis import Trellis
from weft.derivations.union import Union
from weft.errors import OptionError

Derive = Callable[[Sequence[Any]], DerivationSet]
"""From evidence to the derivations that agree with it."""


@dataclass(frozen=True, slots=True)
class Member:
    """One of the sums of a criterion.

    Attributes:
        evidence: What the derivations agree with.
        total: What stands for them.
        observed: The number of the member that has the observed tags; its own if it is that one.
    """

    evidence: Any
    total: Total
    observed: int


def derive_members(
    members: Sequence[Member], criterion: Criterion, derive: Derive
) -> DerivationSet:
    """Return the members as one set of derivations.

    Raises:
        OptionError: If some are not summed over tag by tag, and so have no best derivation.
    """
    evidences = [member.evidence for member in members]
    every = derive(evidences)
    if criterion.totals == (Total.SUM, Total.SUM) and not criterion.cost:
        return every
    best = np.array([member.total is Total.BEST for member in members], np.bool_)
    if isinstance(every, Analyses):
        rival = [member.total is Total.RIVAL for member in members]
        observed = [member.observed for member in members]
        return every.compared(observed, best.tolist(), rival, criterion.cost)
    if Total.RIVAL in criterion.totals:
        return _with_rivals(members, as_trellis(every, criterion))
    if criterion.cost:
        trellis = as_trellis(every, criterion)
        sets = [trellis.members.sets[member.observed] for member in members]
        return _best_or_sum(best, charged(trellis, sets, criterion.cost).select, criterion)
    if isinstance(every, Trellis):
        return _best_or_sum(best, every.select, criterion)
    return _best_or_sum(
        best, lambda some: derive([evidences[place] for place in some.tolist()]), criterion
    )


def _best_or_sum(
    best: BoolArray,
    select: Callable[[IntArray], DerivationSet],
    criterion: Criterion,
) -> DerivationSet:
    """The members of which the best derivation counts, together with those that are sums."""
    sums = [select(np.flatnonzero(~best))] if not best.all() else []
    chosen = [Paths(as_trellis(select(np.flatnonzero(best)), criterion))] if best.any() else []
    if not sums or not chosen:
        return [*sums, *chosen][0]
    places = np.where(best, np.cumsum(best), np.cumsum(~best)) - 1
    return Union([*sums, *chosen], best.astype(np.int64), places)


def _with_rivals(members: Sequence[Member], trellis: Trellis) -> Pooled:
    """Members that are what was observed, alone or with its best rival."""
    places = np.arange(len(members))
    rival = np.array([member.total is Total.RIVAL for member in members], np.bool_)
    observed = [trellis.members.sets[members[place].observed] for place in places[rival]]
    owners, within = rival.astype(np.int64), np.where(rival, np.cumsum(rival), np.cumsum(~rival))
    alone, others = (trellis.select(places[which]) for which in (~rival, rival))
    pools = [
        [member.observed, place] if member.total is Total.RIVAL else [place]
        for place, member in enumerate(members)
    ]
    return Pooled(Union([alone, rivals(others, observed)], owners, within - 1), pools)


def as_trellis(derivations: DerivationSet, criterion: Criterion) -> Trellis:
    """Return derivations that are the tag sequences of sentences, or say why they are not."""
    if not isinstance(derivations, Trellis):
        raise OptionError(
            f"criterion '{criterion.name}' looks at single tag sequences of sentences, and the "
            f"model has none for '{criterion.numerator.name}' or '{criterion.denominator.name}': "
            "the words vary there, its steps sum to one, or its analyses are packed or no tag "
            "sequences; use a criterion of plain sums"
        )
    return derivations
