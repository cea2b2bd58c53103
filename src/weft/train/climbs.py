"""What training is made of, whatever the model: terms, optimisers, climbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from weft.arrays import FloatArray
from weft.criteria import Criterion, Dirichlet, Gaussian, Penalty, everything, identity, no_penalty
from weft.criteria import Objective as SummableObjective
from weft.errors import OptionError
from weft.features.parameters import Parameters
from weft.optimise.search import Climb
from weft.optimise.solution import Callback, Objective, Solution
from weft.structures.evidence import Example


class Optimiser(Protocol):
    """Anything that climbs from a start, seeing θ → (value, gradient) only."""

    def maximise(
        self, objective: Objective, start: FloatArray, callback: Callback | None = None
    ) -> Solution:
        """Return the best weights found."""
        ...


class Term(NamedTuple):
    """One more criterion that estimation is to satisfy, on a corpus of its own.

    Attributes:
        weight: How much it counts beside the first criterion, which counts 1.
        corpus: The examples.
        criterion: Which two sums over derivations to compare there.
    """

    weight: float
    corpus: Sequence[Example]
    criterion: Criterion


def term_of(given: Term | tuple[float, Sequence[Example], Criterion]) -> Term:
    """Return a criterion with its corpus, as a term whose weight is one.

    Raises:
        OptionError: If the weight is negative or infinite.
    """
    weight, corpus, criterion = given
    if not 0 <= weight < float("inf"):
        raise OptionError(f"the weight of a criterion must be finite and ≥ 0, not {weight}")
    return Term(weight, list(corpus), criterion)


def visible(term: Term) -> list[Example]:
    """The examples of a term with the labels that its criterion looks at."""
    look = term.criterion.numerator.over(term.corpus)
    seen = ((example, look(example)[1]) for example in term.corpus)
    return [replace(each, analysis=known.analysis, parse=known.parse) for each, known in seen]


def shown(terms: Sequence[Term]) -> str:
    """Write terms as the notes of a model have them."""
    first, *others = terms
    more = (f"{term.weight:g} {term.criterion.name}" for term in others)
    return " + ".join([first.criterion.name, *more])


def counted_penalty(criterion: Criterion, penalty: Penalty) -> Dirichlet:
    """Return what EM adds to counts.

    Raises:
        OptionError: If EM does not climb such a criterion, or the penalty is on weights.
    """
    if criterion.denominator is not everything or criterion.link is not identity:
        raise OptionError(
            f"EM maximises joint and marginal likelihood, not '{criterion.name}': use L-BFGS there"
        )
    if penalty == no_penalty:
        return Dirichlet(0.0)
    if not isinstance(penalty, Dirichlet):
        raise OptionError(f"EM adds to counts: use the penalty dirichlet:0.1, not {penalty}")
    return penalty


def gradient_climb(
    optimiser: Optimiser,
    objective: SummableObjective,
    penalty: Gaussian,
    parameters: Parameters,
    centre: FloatArray | None,
) -> Climb:
    """Return how an objective with a penalty is climbed; annealing loosens the penalty.

    Args:
        optimiser: How the weights move.
        objective: What is climbed.
        penalty: What large weights cost.
        parameters: The layout of θ.
        centre: What costs nothing [θ]; zeros by default.
    """
    cost = penalty.objective(parameters, centre)

    def climb(start: FloatArray, power: float, callback: Callback | None) -> Solution:
        if power < 1.0 and penalty == no_penalty:
            raise OptionError(
                "annealing a criterion that is climbed by its gradient loosens the penalty step "
                "by step, and there is none: use gaussian:1.0, say"
            )
        penalised = objective + (cost if power == 1.0 else (1.0 / power) * cost)
        return optimiser.maximise(penalised, start, callback)

    return climb
