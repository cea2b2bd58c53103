"""Classification accuracy: how many examples have an observed analysis as their best one.

It is a step function of θ: its gradient is zero wherever there is one. It has a value only, for
reports and for searches that need no gradient.

Reference: Smith and Eisner (2005), "Contrastive Estimation", table 1; Johnson et al. (1999),
"Estimators for Stochastic Unification-Based Grammars", section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft import _native
from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray, dot, offsets_of, ranges
from weft.criteria.objective import Comparison
from weft.derivations.analyses import Analyses, right_shares
from weft.derivations.trellis import Trellis
from weft.errors import OptionError


class _Steps(Comparison):
    """A step function of θ, which has no gradient."""

    weights: FloatArray

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:  # noqa: ARG002
        """Refuse: there is no gradient.

        Raises:
            OptionError: Always, with what to do.
        """
        raise OptionError(
            "accuracy is a step function of the weights, without a gradient to climb: use the "
            "criterion expected-accuracy or local-accuracy, or a search that takes values only"
        )

    def value(self, theta: FloatArray) -> float:
        """Return the weighted number of examples whose best analysis is an observed one."""
        return dot(self.weights, self.per_example(theta))


@dataclass(frozen=True, slots=True, eq=False)
class Choices(_Steps):
    """Σ_i weight_i [the best sequence of B_i is in A_i]; of several best ones Viterbi's choice.

    Attributes:
        trellis: The distinct numerators and denominators.
        numerators: [examples], the member that is each example's A.
        denominators: [examples], and its B.
        weights: [examples].
    """

    trellis: Trellis
    numerators: IntArray
    denominators: IntArray
    weights: FloatArray

    def per_example(self, theta: FloatArray) -> FloatArray:
        """[examples]: 1 where the best analysis is an observed one, else 0."""
        scores, tags = self.trellis.best(theta)
        sets, allowed = self.trellis.members.sets, self.trellis.sets.bias
        right = np.zeros(len(self.weights))
        pairs = zip(self.numerators.tolist(), self.denominators.tolist(), strict=True)
        for place, (narrow, broad) in enumerate(pairs):
            observed = allowed[list(sets[narrow]), tags[broad]]
            right[place] = np.isfinite(scores[broad]) and bool(np.isfinite(observed).all())
        return right

    def impossible(self, theta: FloatArray) -> Iterator[tuple[int, int]]:  # noqa: ARG002
        """Yield the examples that no derivation explains, and the token where each one ends."""
        for place, member in enumerate(self.numerators.tolist()):
            position = self.trellis.impossible(member)
            if position is not None:
                yield place, position


@dataclass(frozen=True, slots=True, eq=False)
class SelectionChoices(_Steps):
    """Σ_i weight_i × the share of the right analyses among the best ones of sentence i.

    Attributes:
        analyses: The sentences with their analyses.
        offsets: Where each example's analyses begin. [examples + 1]
        choices: Numbers of analyses. [choices]
        right: Which of them are right. [choices]
        weights: [examples].
    """

    analyses: Analyses
    offsets: IntArray
    choices: IndexArray
    right: BoolArray
    weights: FloatArray

    def per_example(self, theta: FloatArray) -> FloatArray:
        """[examples]: 1 where the best analysis is a right one, 1/ℓ where it is one of ℓ."""
        bags = self.analyses.bags
        scores = bags.scores(theta, self.analyses.threads)[self.choices]
        return right_shares(scores, self.offsets, self.right)

    def landscape(self, size: int) -> SelectionLandscape:
        """Return the same as what annealing walks on, for so many weights."""
        return SelectionLandscape(self, size)

    def impossible(self, theta: FloatArray) -> Iterator[tuple[int, int]]:  # noqa: ARG002
        """Yield the examples without a right analysis."""
        for place in np.flatnonzero(np.add.reduceat(self.right, self.offsets[:-1]) == 0).tolist():
            yield place, 0


class SelectionLandscape:
    """The number of right choices, to be walked on; see :class:`weft.optimise.annealing.Landscape`.

    A change of one weight is seen by the analyses that have its feature, and by no others.

    Args:
        choices: What is counted.
        size: The number of weights.
    """

    def __init__(self, choices: SelectionChoices, size: int) -> None:
        self._choices = choices
        bags, rows = choices.analyses.bags, choices.choices
        lengths = np.diff(bags.offsets)[rows]
        entries = ranges(bags.offsets[rows], lengths)
        # By feature, and for each feature in the order of the analyses.
        order = np.argsort(bags.features[entries], kind="stable")
        counts = np.bincount(bags.features[entries], minlength=size)
        self._offsets = offsets_of(counts)
        self._rows = np.repeat(np.arange(len(rows), dtype=np.int32), lengths)[order]
        self._values = None if bags.values is None else bags.values[entries[order]]
        self._owners = np.repeat(
            np.arange(len(choices.weights), dtype=np.int32), np.diff(choices.offsets)
        )
        self._counter: _native.ChoiceCounter | None = None

    def settle(self, theta: FloatArray) -> float:
        """Go to θ, and return the value there."""
        choices = self._choices
        scores = choices.analyses.bags.scores(theta, choices.analyses.threads)[choices.choices]
        self._counter = _native.ChoiceCounter(
            self._offsets,
            self._rows,
            self._values,
            self._owners,
            choices.offsets,
            choices.right,
            choices.weights,
            scores,
        )
        return self._counter.total

    def walk(
        self,
        features: IndexArray,
        deltas: FloatArray,
        slacks: FloatArray,
        theta: FloatArray,
        best_theta: FloatArray,
        best: float,
    ) -> tuple[float, float]:
        """Try changes one after the other, from where it was settled.

        Raises:
            ValueError: If it was not.
        """
        if self._counter is None:
            raise ValueError("settle somewhere first")
        return self._counter.walk(features, deltas, slacks, theta, best_theta, best)


def selection_choices(
    analyses: Analyses, numerators: IntArray, denominators: IntArray, weights: FloatArray
) -> SelectionChoices:
    """Return the number of right choices, given the members that are each example's A and B."""
    members = analyses.members
    places = np.empty_like(analyses.order)
    places[analyses.order] = np.arange(len(members))
    narrow, broad = places[numerators], places[denominators]
    sizes = np.diff(members.offsets)
    choices = members.choices[ranges(members.offsets[broad], sizes[broad])]
    observed = members.choices[ranges(members.offsets[narrow], sizes[narrow])]
    # Analyses are of one sentence, which may be in several examples with other right ones.
    count = len(analyses.bags.base)
    of_broad = np.repeat(np.arange(len(broad)), sizes[broad]) * count + choices
    of_narrow = np.repeat(np.arange(len(narrow)), sizes[narrow]) * count + observed
    right = np.isin(of_broad, of_narrow)
    return SelectionChoices(analyses, offsets_of(sizes[broad]), choices, right, weights)
