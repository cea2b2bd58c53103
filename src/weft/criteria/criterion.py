"""A criterion compares what was observed with what might have been.

For each example i it takes t_i = log Z(A_i) - log Z(B_i) ≤ 0, A_i ⊂ B_i, and maximises
Σ_i weight_i t_i, whose gradient is Σ_i weight_i (E[f | A_i] - E[f | B_i]).

Reference: Smith and Eisner (2005), "Contrastive Estimation", section 2, equation 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.criteria.views import View, complete, everything, input_only
from weft.errors import NotNestedError


@dataclass(frozen=True, slots=True)
class Criterion:
    """Two nested views of every example.

    Attributes:
        name: What messages and files call it.
        numerator: The narrower view, A.
        denominator: The broader one, B.

    Raises:
        NotNestedError: If the numerator is the broader view.
    """

    name: str
    numerator: View
    denominator: View

    def __post_init__(self) -> None:
        if self.numerator.breadth > self.denominator.breadth:
            raise NotNestedError(
                f"criterion '{self.name}' compares '{self.numerator.name}' with the narrower "
                f"'{self.denominator.name}': the first view must be the narrower one"
            )


conditional = Criterion("conditional", complete, input_only)
"""The likelihood of the analysis given the sentence: what a CRF maximises."""

joint = Criterion("joint", complete, everything)
"""The likelihood of sentence and analysis together: what a globally normalised MRF maximises."""

marginal = Criterion("marginal", input_only, everything)
"""The likelihood of the sentence alone, whatever its analysis."""

CRITERIA = {each.name: each for each in (conditional, joint, marginal)}
"""All criteria by name."""
