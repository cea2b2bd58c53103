"""What EM climbs: the likelihood of what was observed, and the counts expected of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, dot
from weft.criteria.criterion import Criterion
from weft.criteria.members import Member, derive_members
from weft.criteria.spread import Workers, spread_members
from weft.derivations.derivation_set import DerivationSet
from weft.models.model import Model
from weft.structures.evidence import Example


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedCounts:
    """Σ_i weight_i log Z(A_i) + Σ_j λ_j θ_j, where θ are the logs of probabilities.

    Attributes:
        derivations: The numerators, one per example.
        weights: [examples].
        pseudocounts: [θ], λ.
        closed_form: From counts to the weights that make them most likely.
    """

    derivations: DerivationSet
    weights: FloatArray
    pseudocounts: FloatArray
    closed_form: Callable[[FloatArray], FloatArray]

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value, penalties included, and the expected counts at θ."""
        log_partition, counts = self.derivations.evaluate(theta, self.weights)
        return dot(self.weights, log_partition) + self.penalty(theta), counts

    def penalty(self, theta: FloatArray) -> float:
        """Return Σ_j λ_j θ_j."""
        # What has no λ may have no probability either.
        return dot(self.pseudocounts, np.where(self.pseudocounts > 0, theta, 0.0))

    def reestimate(self, counts: FloatArray) -> FloatArray:
        """Return the weights that make these counts most likely."""
        return self.closed_form(counts + self.pseudocounts)


def expected_counts(
    model: Model,
    corpus: Sequence[Example],
    criterion: Criterion,
    pseudocounts: FloatArray,
    closed_form: Callable[[FloatArray], FloatArray],
    threads: int | None = None,
    workers: Workers | None = None,
) -> ExpectedCounts:
    """Return what EM climbs for a criterion whose denominator is one whatever the weights.

    Args:
        model: Says which derivations agree with a piece of evidence, with free weights.
        corpus: The examples.
        criterion: Its numerator is what was observed.
        pseudocounts: [θ], what is added to every count.
        closed_form: From counts to the weights that make them most likely.
        threads: How many threads to use, all by default; no result depends on it.
        workers: Those who sum; None for this process.
    """
    look = criterion.numerator.over(corpus)
    members = [
        Member(look(example)[1], criterion.totals[0], number)
        for number, example in enumerate(corpus)
    ]
    weights = np.array([example.weight for example in corpus], np.float64)
    derivations: DerivationSet
    if workers is None:
        derivations = derive_members(members, criterion, lambda e: model.derivations(e, threads))
    else:
        numbers = np.arange(len(members))
        derivations = spread_members(workers, model, criterion, members, numbers)
    return ExpectedCounts(derivations, weights, pseudocounts, closed_form)
