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

from weft.arrays import FloatArray, IntArray, dot
from weft.criteria.objective import Comparison
from weft.derivations.trellis import Trellis
from weft.errors import OptionError


@dataclass(frozen=True, slots=True, eq=False)
class Choices(Comparison):
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
