"""A criterion compares what was observed with what might have been.

For each example i it takes t_i = log Z(A_i) - log Z(B_i) ≤ 0, A_i ⊂ B_i, and maximises
Σ_i weight_i g(t_i), whose gradient is Σ_i weight_i g'(t_i) (E[f | A_i] - E[f | B_i]).

Z is a sum over derivations, or only the best of them; derivations of B may be charged for every
part that no observed derivation has (a tag of a token, a label over a span, an edge); and t may be
of whole examples or of each of their observed parts:

=======================  ==========  ==========  =========================================
criterion                A           B           and besides
=======================  ==========  ==========  =========================================
conditional              complete    input
joint                    complete    everything
marginal                 input       everything
contrastive              input       neighbours
supervised contrastive   complete    neighbours
expected accuracy        complete    input       g(t) = exp t
boosting                 complete    input       g(t) = -exp(-t)
perceptron               complete    input       the best of both
margin                   complete    input       the best of both, B charged
softmax margin           complete    input       B charged
rival                    complete    input       B is A and its best rival
local accuracy           complete    input       of parts, g(t) = exp t
local likelihood         complete    input       of parts
=======================  ==========  ==========  =========================================

Reference: Smith and Eisner (2005), "Contrastive Estimation", section 3, equation 5, and table 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from weft.automata.neighbourhoods import Neighbourhood
from weft.criteria.links import Link, boosting_loss, exponential, identity
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES, neighbours
from weft.criteria.views import View, complete, everything, input_only
from weft.errors import NotNestedError, OptionError, no_such
from weft.reprs import describe


class Total(StrEnum):
    """What stands for a set of derivations."""

    SUM = "sum"
    """All of them: the log of the sum of exp(score)."""

    BEST = "best"
    """The best one: its score."""

    RIVAL = "rival"
    """For B: those of A, and the best one that is not among them."""


class Unit(StrEnum):
    """What is compared."""

    EXAMPLE = "example"
    """Each example as a whole."""

    TOKEN = "token"  # noqa: S105
    """Each token, or other part: A has the observed tag there, and any tag elsewhere."""

    CHOICE = "choice"
    """Whether the best derivation of B is in A: a step function of θ, without a gradient."""


@dataclass(frozen=True, slots=True, repr=False)
class Criterion:
    """Two nested views of every example, and what is made of them.

    Attributes:
        name: What messages and files call it.
        numerator: The narrower view, A.
        denominator: The broader one, B.
        link: g, what is made of the difference of the two.
        totals: What stands for A, and for B.
        cost: What each part of B that no observed derivation has adds to a score: margins.
        unit: What is compared: examples, their parts, or best choices.

    Raises:
        NotNestedError: If A need not be part of B, or may weigh more.
        OptionError: If these do not go together; the message says why.
    """

    name: str
    numerator: View
    denominator: View
    link: Link = identity
    totals: tuple[Total, Total] = (Total.SUM, Total.SUM)
    cost: float = 0.0
    unit: Unit = Unit.EXAMPLE

    def __repr__(self) -> str:
        return describe(self, self.name)

    def __post_init__(self) -> None:
        _check_nested(self)
        if not 0 <= self.cost < math.inf:
            raise OptionError(f"a cost must be finite and ≥ 0, not {self.cost}")
        special = self.cost > 0 or Total.RIVAL in self.totals or self.unit is not Unit.EXAMPLE
        if special and (self.numerator, self.denominator) != (complete, input_only):
            raise OptionError(
                f"criterion '{self.name}': costs, rivals and parts are of the analyses of one "
                "sentence: compare 'complete' with 'input'"
            )
        plain = self.totals == (Total.SUM, Total.SUM) and not self.cost
        if self.unit is not Unit.EXAMPLE and not plain:
            raise OptionError(f"criterion '{self.name}': tokens and choices take plain sums")


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
    if criterion.totals not in _NESTED:
        raise NotNestedError(
            f"criterion '{criterion.name}' compares the {criterion.totals[0]} of A with the "
            f"{criterion.totals[1]} of B, which may be less: take sum and sum, best and sum, best "
            "and best, or sum and rival"
        )


_NESTED = {
    (Total.SUM, Total.SUM),
    (Total.BEST, Total.SUM),
    (Total.BEST, Total.BEST),
    (Total.SUM, Total.RIVAL),
}

conditional = Criterion("conditional", complete, input_only)
"""The likelihood of the analysis given the sentence: what a CRF maximises."""

joint = Criterion("joint", complete, everything)
"""The likelihood of sentence and analysis together: what a globally normalised MRF maximises."""

marginal = Criterion("marginal", input_only, everything)
"""The likelihood of the sentence alone, whatever its analysis."""

accuracy = Criterion("accuracy", complete, input_only, unit=Unit.CHOICE)
"""How many examples have the observed analysis as their best one. It has no gradient."""

expected_accuracy = Criterion("expected-accuracy", complete, input_only, exponential)
"""Expected accuracy: the sum of the probabilities of analyses given their sentences."""

boosting = Criterion("boosting", complete, input_only, boosting_loss)
"""The negated boosting loss: minus the sum of one over these probabilities."""

perceptron = Criterion("perceptron", complete, input_only, totals=(Total.BEST, Total.BEST))
"""By how much the best analysis outscores the observed one, negated."""

rival = Criterion("rival", complete, input_only, totals=(Total.SUM, Total.RIVAL))
"""The likelihood of the analysis if its best rival were the only other one."""

local_accuracy = Criterion("local-accuracy", complete, input_only, exponential, unit=Unit.TOKEN)
"""Expected local accuracy: how many tags, or other parts, are expected to be right."""

local_likelihood = Criterion("local-likelihood", complete, input_only, unit=Unit.TOKEN)
"""The sum of the log-probabilities of single tags, or other parts, given the sentence."""


def margin(cost: float = 1.0) -> Criterion:
    """Return the negated hinge loss of structured support vector machines.

    t = score(observed) - max over analyses y of (score(y) + cost × the number of y's wrong parts).

    >>> margin().totals[1]
    <Total.BEST: 'best'>

    References: Taskar, Guestrin and Koller (2003), "Max-Margin Markov Networks"; Tsochantaridis
    et al. (2005), "Large Margin Methods for Structured and Interdependent Output Variables".
    """
    best = (Total.BEST, Total.BEST)
    return Criterion(_charged("margin", cost), complete, input_only, totals=best, cost=cost)


def softmax_margin(cost: float = 1.0) -> Criterion:
    """Return the conditional likelihood with wrong analyses made likelier by their cost.

    >>> softmax_margin(2.0).name
    'softmax-margin:2'

    Reference: Gimpel and Smith (2010), "Softmax-Margin CRFs".
    """
    return Criterion(_charged("softmax-margin", cost), complete, input_only, cost=cost)


def _charged(name: str, cost: float) -> str:
    return name if cost == 1.0 else f"{name}:{cost:g}"


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
        accuracy,
        expected_accuracy,
        boosting,
        perceptron,
        margin(),
        softmax_margin(),
        rival,
        local_accuracy,
        local_likelihood,
    )
}
"""All criteria by name."""


def find_criterion(name: str) -> Criterion:
    """Return a criterion.

    >>> find_criterion("contrastive:del1word").denominator.name
    'neighbours by del1word'
    """
    if name not in CRITERIA:
        raise OptionError(no_such("criterion", name, CRITERIA))
    return CRITERIA[name]
