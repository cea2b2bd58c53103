"""Classification accuracy: how many examples have an observed analysis as their best one.

It is a step function of θ: its gradient is zero wherever there is one. It has a value only, for
reports and for searches that need no gradient.

Reference: Smith and Eisner (2005), "Contrastive Estimation", table 1; Johnson et al. (1999),
"Estimators for Stochastic Unification-Based Grammars", section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from weft.arrays import FloatArray, IntArray, dot
from weft.criteria.members import impossible
from weft.criteria.objective import CorpusTerm
from weft.derivations.derivation_set import DerivationSet, Hits
from weft.derivations.envelopes import Envelopes
from weft.derivations.landscape import ChoiceLandscape
from weft.errors import NotDefined

NO_GRADIENT = (
    "accuracy is a step function of the weights, without a gradient to climb: use the criterion "
    "expected-accuracy or local-accuracy, or an optimiser that takes values only, line-search or "
    "annealing"
)
"""Why it is refused where a gradient is needed."""


@dataclass(frozen=True, slots=True, eq=False)
class RightChoices(CorpusTerm):
    """Σ_i weight_i [the best derivation of B_i is in A_i].

    Attributes:
        hits: Whether the best derivations are observed ones, one per example.
        derivations: The distinct numerators and denominators.
        numerators: [examples], the member that is each example's A.
        weights: [examples].
        inputs: The derivations that are chosen from, a member per example.
        observed: What was observed of each.
    """

    hits: Hits
    derivations: DerivationSet
    numerators: IntArray
    weights: FloatArray
    inputs: DerivationSet
    observed: Sequence[Any]

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:  # noqa: ARG002
        """Refuse: there is no gradient.

        Raises:
            NotDefined: Always, with what to do.
        """
        raise NotDefined(NO_GRADIENT)

    def value(self, theta: FloatArray) -> float:
        """Return the weighted number of examples whose best analysis is an observed one."""
        return dot(self.weights, self.per_example(theta))

    def per_example(self, theta: FloatArray) -> FloatArray:
        """[examples]: 1 where the best analysis is an observed one, else 0.

        Where several listed analyses are the best, it is the share of those observed.
        """
        return self.hits.shares(theta)

    def impossible(self, theta: FloatArray) -> Iterator[tuple[int, int]]:
        """Yield the examples that no derivation explains, and the token where each one ends."""
        return impossible(self.derivations, self.numerators, theta)

    def landscape(self) -> ChoiceLandscape | None:
        """Return the same as what annealing walks on, where one weight is followed alone."""
        walks = self.hits.landscape
        return None if walks is None else walks(self.weights)

    def steps(self) -> ChoiceLandscape | Envelopes:
        """Return the same as what an exact line search follows."""
        return self.landscape() or Envelopes(self.inputs, self.observed, self.hits, self.weights)
