"""A criterion compares what was observed with what might have been.

For each example i it takes t_i = log Z(A_i) - log Z(B_i) ≤ 0, A_i ⊂ B_i, and maximises
Σ_i weight_i g(t_i), whose gradient is Σ_i weight_i g'(t_i) (E[f | A_i] - E[f | B_i]).

=======================  ==========  ==========  =========================================
criterion                A           B
=======================  ==========  ==========  =========================================
conditional              complete    input
joint                    complete    everything
marginal                 input       everything
contrastive              input       neighbours
supervised contrastive   complete    neighbours
expected accuracy        complete    input       g(t) = exp t
boosting                 complete    input       g(t) = -exp(-t)
=======================  ==========  ==========  =========================================

Reference: Smith and Eisner (2005), "Contrastive Estimation", section 3, equation 5, and table 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weft.automata.neighbourhoods import Neighbourhood
from weft.criteria.links import Link, boosting_loss, exponential, identity
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES, neighbours
from weft.criteria.views import View, complete, everything, input_only
from weft.errors import NotNestedError, OptionError


@dataclass(frozen=True, slots=True)
class Criterion:
    """Two nested views of every example, and what is made of them.

    Attributes:
        name: What messages and files call it.
        numerator: The narrower view, A.
        denominator: The broader one, B.
        link: g, what is made of the difference of the two.

    Raises:
        NotNestedError: If A need not be part of B.
    """

    name: str
    numerator: View
    denominator: View
    link: Link = identity

    def __post_init__(self) -> None:
        _check_nested(self)


def _check_nested(criterion: Criterion) -> None:
    narrow, broad = criterion.numerator, criterion.denominator
    if narrow.breadth > broad.breadth:
        raise NotNestedError(
            f"criterion '{criterion.name}' compares '{narrow.name}' with the narrower "
            f"'{broad.name}': the first view must be the narrower one"
        )
    if narrow.breadth == broad.breadth and narrow != broad:
        raise NotNestedError(
            f"criterion '{criterion.name}' compares '{narrow.name}' with '{broad.name}', and "
            "neither need contain the other: compare a view with a broader one"
        )


conditional = Criterion("conditional", complete, input_only)
"""The likelihood of the analysis given the sentence: what a CRF maximises."""

joint = Criterion("joint", complete, everything)
"""The likelihood of sentence and analysis together: what a globally normalised MRF maximises."""

marginal = Criterion("marginal", input_only, everything)
"""The likelihood of the sentence alone, whatever its analysis."""

expected_accuracy = Criterion("expected-accuracy", complete, input_only, exponential)
"""Expected accuracy: the sum of the probabilities of analyses given their sentences."""

boosting = Criterion("boosting", complete, input_only, boosting_loss)
"""The negated boosting loss: minus the sum of one over these probabilities."""


def contrastive(neighbourhood: str | Neighbourhood) -> Criterion:
    """Return contrastive estimation: the likelihood of a sentence among its neighbours.

    >>> contrastive("trans1").name
    'contrastive:trans1'

    Args:
        neighbourhood: See :func:`~weft.criteria.neighbours.neighbours`.
    """
    return Criterion(_named("contrastive", neighbourhood), input_only, neighbours(neighbourhood))


def supervised_contrastive(neighbourhood: str | Neighbourhood) -> Criterion:
    """Return the likelihood of a sentence with its analysis among its neighbours with any.

    >>> supervised_contrastive("length").numerator.name
    'complete'

    Args:
        neighbourhood: See :func:`~weft.criteria.neighbours.neighbours`.
    """
    return Criterion(
        _named("supervised-contrastive", neighbourhood), complete, neighbours(neighbourhood)
    )


def _named(family: str, neighbourhood: str | Neighbourhood) -> str:
    return f"{family}:{neighbours(neighbourhood).name.removeprefix('neighbours by ')}"


CRITERIA: Mapping[str, Criterion] = {
    each.name: each
    for each in (
        conditional,
        joint,
        marginal,
        *map(contrastive, NEIGHBOURHOOD_NAMES),
        *map(supervised_contrastive, NEIGHBOURHOOD_NAMES),
        expected_accuracy,
        boosting,
    )
}
"""All criteria by name."""


def criterion_named(name: str) -> Criterion:
    """Return a criterion.

    >>> criterion_named("contrastive:del1word").denominator.name
    'neighbours by del1word'
    """
    if name not in CRITERIA:
        raise OptionError(f"there is no criterion '{name}'; there are {', '.join(CRITERIA)}")
    return CRITERIA[name]
