"""Sums over listed analyses, each of them a bag of features.

    score(a) = w₀(a) + Σ_f value(a, f) θ_f,    Z = Σ_a exp score(a),    E[f] = Σ_a p(a) value(a, f)

All members, which are sets of analyses of the same sentences, share the scores: the features are
read once an evaluation. A member may take the best of its analyses only (:class:`Members`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft import _native
from weft.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    are_numbers,
    are_offsets,
    checked_weights,
    offsets_of,
    ranges,
)


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """The analyses of several sentences, one after the other.

    Attributes:
        sentences: Where each sentence's analyses begin, and where the last ones end.
            [sentences + 1]
        offsets: Where each analysis's features begin. [analyses + 1]
        features: Coordinates of θ. [entries]
        values: None where every value is 1. [entries]
        base: w₀. [analyses]
        size: How many coordinates θ has.

    Raises:
        ValueError: If these do not fit together; kernels trust them.
    """

    sentences: IntArray
    offsets: IntArray
    features: IndexArray
    values: FloatArray | None
    base: FloatArray
    size: int

    def __post_init__(self) -> None:
        levels = (
            (self.sentences, len(self.sentences) - 1, len(self.base)),
            (self.offsets, len(self.base), len(self.features)),
        )
        for offsets, rows, count in levels:
            if not are_offsets(offsets, rows, count):
                raise ValueError(f"offsets must ascend from 0 to {count}, one for each row")
        if self.values is not None and len(self.values) != len(self.features):
            raise ValueError("features and values differ in number")
        if not are_numbers(self.features, self.size):
            raise ValueError(f"features are coordinates of {self.size} weights")

    def scores(self, theta: FloatArray, threads: int) -> FloatArray:
        """[analyses]: w₀ + Φ θ."""
        theta = checked_weights(theta, self.size)
        scores = np.empty(len(self.base))
        _native.score_analyses(
            self.offsets, self.features, self.values, self.base, theta, scores, threads
        )
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Which analyses each member is made of.

    Attributes:
        owners: The sentence of each member, ascending. [members]
        offsets: Where each member's choices begin. [members + 1]
        choices: Numbers of analyses of that sentence, each once. [choices]
        summed: How many of a member's first choices are summed over; of the others only the best
            one counts, and if several are, each of them in part. [members]
        bias: What is added to the score of a choice; None for nothing. [choices]
    """

    owners: IntArray
    offsets: IntArray
    choices: IndexArray
    summed: IndexArray
    bias: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.owners)


def members_of(bags: Bags, owners: IntArray, picked: Sequence[Sequence[int] | None]) -> Members:
    """Return members that sum over the picked analyses of a sentence, or over all of them.

    Args:
        bags: The analyses.
        owners: The sentence of each member, ascending. [members]
        picked: For each member, numbers of analyses within its sentence; None for all.
    """
    starts = bags.sentences[owners]
    sizes = np.array(
        [
            size if some is None else len(some)
            for some, size in zip(picked, np.diff(bags.sentences)[owners].tolist(), strict=True)
        ],
        np.int64,
    )
    choices = ranges(starts, sizes)
    offsets = offsets_of(sizes)
    for member, some in enumerate(picked):
        if some is not None:
            choices[offsets[member] : offsets[member + 1]] = starts[member] + np.array(some)
    return Members(owners, offsets, choices.astype(np.int32), sizes.astype(np.int32))


class Analyses:
    """Members that are sets of listed analyses.

    Args:
        bags: The analyses.
        members: Which of them each member sums over, in the order of their sentences.
        threads: How many threads to use; no result depends on it.
        order: [members], the place that each member has outside; by default its own.
    """

    def __init__(
        self, bags: Bags, members: Members, threads: int, order: IntArray | None = None
    ) -> None:
        self.bags = bags
        self.members = members
        self.threads = threads
        self.order = np.arange(len(members)) if order is None else order
        count = len(bags.sentences) - 1
        self._owners = offsets_of(np.bincount(members.owners, minlength=count))

    def __len__(self) -> int:
        return len(self.members)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        return self._sweep(theta, None, None)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        gradient = np.empty_like(theta)
        return self._sweep(
            theta, np.ascontiguousarray(coefficients[self.order]), gradient
        ), gradient

    def impossible(self, member: int) -> int | None:
        """0 where a member has no analysis of finite weight: there are no tokens to name."""
        place = int(np.flatnonzero(self.order == member)[0])
        first, last = self.members.offsets[place : place + 2].tolist()
        weights = self.bags.base[self.members.choices[first:last]]
        return None if np.isfinite(weights).any() else 0

    def compared(
        self, observed: Sequence[int], best: Sequence[bool], rival: Sequence[bool], cost: float
    ) -> Analyses:
        """Return members of which only the best analysis counts, or that are charged.

        Args:
            observed: For each member the one that has the right analyses; its own if it is that.
            best: Whether only a member's best analysis counts.
            rival: Whether the right analyses are summed with the best of the others.
            cost: What is added to the score of each analysis that is not a right one.
        """
        places = np.empty_like(self.order)
        places[self.order] = np.arange(len(self))
        offsets, choices = self.members.offsets.tolist(), self.members.choices
        parts: list[IndexArray] = []
        summed, bias = self.members.summed.copy(), np.zeros(len(choices))
        for outside, inside in enumerate(places.tolist()):
            own = choices[offsets[inside] : offsets[inside + 1]]
            right = int(places[observed[outside]])
            is_right = np.isin(own, choices[offsets[right] : offsets[right + 1]])
            order = np.argsort(~is_right, kind="stable")
            bias[offsets[inside] : offsets[inside + 1]] = np.where(is_right[order], 0.0, cost)
            if rival[outside]:
                summed[inside] = is_right.sum()
            elif best[outside]:
                summed[inside] = 0
            parts.append(own[order])
        by_place = [parts[outside] for outside in self.order.tolist()]
        members = replace(
            self.members,
            choices=np.concatenate([*by_place, np.zeros(0, np.int32)]),
            summed=summed,
            bias=bias if cost else None,
        )
        return Analyses(self.bags, members, self.threads, self.order)

    def _sweep(
        self, theta: FloatArray, coefficients: FloatArray | None, gradient: FloatArray | None
    ) -> FloatArray:
        bags, members = self.bags, self.members
        theta = checked_weights(theta, bags.size)
        values = np.empty(len(members))
        _native.sum_analyses(
            bags.sentences,
            bags.offsets,
            bags.features,
            bags.values,
            bags.base,
            self._owners,
            members.offsets,
            members.choices,
            members.bias,
            members.summed,
            theta,
            coefficients,
            values,
            gradient,
            self.threads,
        )
        outside = np.empty_like(values)
        outside[self.order] = values
        return outside


def right_shares(scores: FloatArray, offsets: IntArray, right: BoolArray) -> FloatArray:
    """Return, for each sentence, the share of right analyses among its best ones.

    >>> scores, right = np.array([0.0, 1.0, 1.0, 2.0]), np.array([False, True, False, False])
    >>> right_shares(scores, np.array([0, 3, 4]), right)
    array([0.5, 0. ])

    Args:
        scores: [analyses].
        offsets: Where each sentence's analyses begin; each has at least one. [sentences + 1]
        right: [analyses].
    """
    starts = offsets[:-1]
    if not len(starts):
        return np.zeros(0)
    best = scores == np.repeat(np.maximum.reduceat(scores, starts), np.diff(offsets))
    shares: FloatArray = np.add.reduceat((best & right).astype(np.float64), starts)
    return shares / np.add.reduceat(best.astype(np.float64), starts)
