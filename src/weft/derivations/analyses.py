"""Sums over listed analyses, each of them a bag of features.

    score(a) = w₀(a) + Σ_f value(a, f) θ_f,    Z = Σ_a exp score(a),    E[f] = Σ_a p(a) value(a, f)

All members, which are sets of analyses of the same sentences, share the scores: the features are
read once an evaluation. A member may take the best of its analyses only (:class:`AnalysisMembers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from weft.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    are_offsets,
    checked_weights,
    offsets_of,
    ranges,
)
from weft.derivations.combine import with_rivals
from weft.derivations.derivation_set import Ranked
from weft.derivations.feature_map import FeatureMap
from weft.derivations.landscape import AnalysisHits
from weft.errors import NotDefined
from weft.kernels import kernels
from weft.ranking import ranked

if TYPE_CHECKING:
    from weft.structures.alternatives import Picked


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """The analyses of several sentences, one after the other.

    Attributes:
        sentences: Where each sentence's analyses begin, and where the last ones end.
            [sentences + 1]
        features: Φ.
        base: w₀. [analyses]

    Raises:
        ValueError: If these do not fit together; kernels trust them.
    """

    sentences: IntArray
    features: FeatureMap
    base: FloatArray

    def __post_init__(self) -> None:
        count = len(self.features)
        if len(self.base) != count:
            raise ValueError(f"{count} analyses have {len(self.base)} base weights")
        if not are_offsets(self.sentences, len(self.sentences) - 1, count):
            raise ValueError(f"offsets must ascend from 0 to {count}, one for each row")

    def scores(self, theta: FloatArray, threads: int) -> FloatArray:
        """[analyses]: w₀ + Φ θ."""
        theta = checked_weights(theta, self.features.size)
        return self.features.scores(theta, self.base, threads)


@dataclass(frozen=True, slots=True, eq=False)
class AnalysisMembers:
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


def members_of(
    bags: Bags, owners: IntArray, picked: Sequence[Sequence[int] | None]
) -> AnalysisMembers:
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
    return AnalysisMembers(owners, offsets, choices.astype(np.int32), sizes.astype(np.int32))


class Analyses:
    """Members that are sets of listed analyses.

    Args:
        bags: The analyses.
        members: Which of them each member sums over, in the order of their sentences.
        threads: How many threads to use; no result depends on it.
        order: [members], the place that each member has outside; by default its own.
    """

    def __init__(
        self, bags: Bags, members: AnalysisMembers, threads: int, order: IntArray | None = None
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

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[int | None]]:
        """Return the score [members] and the number of each member's best analysis.

        It is counted within its sentence; the first of equals.
        """
        ranked = [ranks[0] if ranks else (-np.inf, None) for ranks in self.kbest(theta, 1)]
        return np.array([score for score, _ in ranked]), [number for _, number in ranked]

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k f(best_k) [θ]; of equals each in part."""
        return self._only_best().evaluate(theta, coefficients)

    def _only_best(self) -> Analyses:
        none = np.zeros_like(self.members.summed)
        return self._made(replace(self.members, summed=none))

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` analyses of each member; equals by their numbers."""
        found: list[Ranked] = []
        for numbers, scores in self._listed(theta):
            order = ranked(scores, numbers.__getitem__, count, least=1.0)
            pairs = zip(scores[order].tolist(), numbers[order].tolist(), strict=True)
            found.append([pair for pair in pairs if pair[0] > -np.inf])
        return found

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[int]]:
        """Draw analyses of each member in proportion to their weights."""
        return [
            rng.choice(numbers, size=count, p=probs).tolist() if len(probs) else []
            for numbers, probs in self._probable(theta)
        ]

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and the probability of each analysis of its sentence."""
        sizes = np.diff(self.bags.sentences)[self.members.owners].tolist()
        found = []
        for (numbers, probs), place in zip(self._probable(theta), self._places(), strict=True):
            of_all = np.zeros(sizes[place])
            of_all[numbers] = probs
            found.append(of_all)
        return self.log_partition(theta), found

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: the entropy of each distribution over analyses, in nats."""
        return np.array(
            [-float((probs * np.log(probs)).sum()) + 0.0 for _, probs in self._probable(theta)]
        )

    def charged(self, observed: Sequence[Picked], cost: float) -> Analyses:
        """Return the same analyses, each that is not a right one adding to its score."""
        bias = np.where(self._right(observed), 0.0, cost)
        before = self.members.bias
        return self._made(replace(self.members, bias=bias if before is None else before + bias))

    def without(self, observed: Sequence[Picked]) -> Analyses:
        """Return the best analysis of each member that is not a right one; of equals in part."""
        members = self.members
        wrong = ~self._right(observed)
        sizes = np.bincount(self._members_of_choices()[wrong], minlength=len(members))
        return self._made(
            replace(
                members,
                offsets=offsets_of(sizes),
                choices=members.choices[wrong],
                summed=np.zeros_like(members.summed),
                bias=None if members.bias is None else members.bias[wrong],
            )
        )

    def with_rivals(self, rival: BoolArray, observed: Sequence[Picked]) -> Analyses:
        """Return some members as their right analyses with the best of the others."""
        members, mine = self.members, rival[self.order]
        owners = self._members_of_choices()
        others = mine[owners] & ~self._right(observed)
        order = np.lexsort((others, owners))  # the best one counts of those that come last
        sizes = np.bincount(owners[~others], minlength=len(members))
        return self._made(
            replace(
                members,
                choices=members.choices[order],
                summed=np.where(mine, sizes, members.summed).astype(np.int32),
                bias=None if members.bias is None else members.bias[order],
            )
        )

    def _members_of_choices(self) -> IntArray:
        return np.repeat(np.arange(len(self)), np.diff(self.members.offsets))

    def parts(self, observed: Sequence[Picked]) -> NoReturn:  # noqa: ARG002
        """Refuse: an analysis has no parts.

        Raises:
            NotDefined: Always.
        """
        raise NotDefined(
            "a listed analysis is a bag of features, right or wrong as a whole, and has no parts "
            "that could be right one by one: use expected-accuracy, or pack the analyses"
        )

    def hits(self, observed: Sequence[Picked]) -> AnalysisHits:
        """Return the share of right analyses among the best ones."""
        right = self._right(observed)
        places, sizes = self._places(), np.diff(self.members.offsets)
        entries = ranges(self.members.offsets[places], sizes[places])
        choices = self.members.choices[entries]
        return AnalysisHits(self, offsets_of(sizes[places]), choices, right[entries])

    def select(self, members: IntArray) -> Analyses:
        """Return some members, in the order given."""
        places = self._places()[members]
        order = np.argsort(self.members.owners[places], kind="stable")
        chosen, mine = places[order], self.members
        sizes = np.diff(mine.offsets)[chosen]
        entries = ranges(mine.offsets[chosen], sizes)
        found = AnalysisMembers(
            mine.owners[chosen],
            offsets_of(sizes),
            mine.choices[entries],
            mine.summed[chosen],
            None if mine.bias is None else mine.bias[entries],
        )
        return Analyses(self.bags, found, self.threads, order)

    def _made(self, members: AnalysisMembers) -> Analyses:
        return Analyses(self.bags, members, self.threads, self.order)

    def _places(self) -> IntArray:
        """[members]: the place among the sentences' that each member has."""
        places = np.empty_like(self.order)
        places[self.order] = np.arange(len(self))
        return places

    def _right(self, observed: Sequence[Picked]) -> BoolArray:
        """[choices]: whether each is one of the observed analyses of its member."""
        members = self.members
        right = np.ones(len(members.choices), np.bool_)
        for outside, inside in enumerate(self._places().tolist()):
            known = observed[outside].analysis
            if known is not None:
                mine = slice(*members.offsets[inside : inside + 2].tolist())
                numbers = members.choices[mine] - self.bags.sentences[members.owners[inside]]
                right[mine] = np.isin(numbers, np.array(known))
        return right

    def _listed(self, theta: FloatArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """The numbers of each member's analyses within the sentence, and their scores."""
        members = self.members
        scores = self.bags.scores(theta, self.threads)[members.choices]
        if members.bias is not None:
            scores = scores + members.bias
        starts = np.repeat(self.bags.sentences[members.owners], np.diff(members.offsets))
        numbers = members.choices - starts
        for place in self._places().tolist():
            mine = slice(*members.offsets[place : place + 2].tolist())
            yield numbers[mine], scores[mine]

    def _probable(self, theta: FloatArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """The analyses of positive probability of each member, with these."""
        for numbers, scores in self._listed(theta):
            top = scores.max(initial=-np.inf)
            weights = np.exp(scores - top) if top > -np.inf else np.zeros(len(scores))
            used = weights > 0
            yield numbers[used], weights[used] / weights.sum()

    def _sweep(
        self, theta: FloatArray, coefficients: FloatArray | None, gradient: FloatArray | None
    ) -> FloatArray:
        bags, members = self.bags, self.members
        features = bags.features
        theta = checked_weights(theta, features.size)
        values = np.empty(len(members))
        kernels.sum_analyses(
            bags.sentences,
            features.offsets,
            features.features,
            features.values,
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


@with_rivals.register(Analyses)
def _(
    derivations: Analyses,
    rival: BoolArray,
    own: Sequence[int],  # noqa: ARG001
    observed: Sequence[Picked],
) -> Analyses:
    return derivations.with_rivals(rival, observed)
