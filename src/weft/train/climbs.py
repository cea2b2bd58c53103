"""What training is made of, whatever the model: terms, optimisers, climbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from weft.arrays import FloatArray
from weft.criteria import (
    CorpusTerm,
    Criterion,
    Dirichlet,
    Gaussian,
    Penalty,
    complete,
    conditional,
    contrast,
    expected_counts,
    no_penalty,
    weighted_sum,
)
from weft.criteria import Objective as SummableObjective
from weft.criteria.guides import has_closed_form
from weft.criteria.spread import Workers
from weft.errors import OptionError
from weft.features.parameters import Parameters
from weft.models.distributions import Distributions
from weft.models.model import Model
from weft.optimise.annealing import Annealing, Plain
from weft.optimise.batches import Problem, Terms
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.mert import LineSearchAscent, WeightedSteps
from weft.optimise.passes import ByPasses
from weft.optimise.search import Climb, Tempered
from weft.optimise.solution import Callback, Objective, Reason, Solution
from weft.optimise.variational import VariationalBayes, VariationalBound
from weft.structures.stream import Stream, through


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
        corpus: The examples; those of the first term may be a stream.
        criterion: Which two sums over derivations to compare there.
    """

    weight: float
    corpus: Any
    criterion: Criterion


def term_of(given: Term | tuple[float, Sequence[Any], Criterion]) -> Term:
    """Return a criterion with its corpus, as a term whose weight is one.

    Raises:
        OptionError: If the weight is negative or infinite.
    """
    weight, corpus, criterion = given
    if not 0 <= weight < float("inf"):
        raise OptionError(f"the weight of a criterion must be finite and ≥ 0, not {weight}")
    return Term(weight, list(corpus), criterion)


def visible(term: Term) -> Any:
    """The examples of a term with the labels that its criterion looks at."""
    numerator = term.criterion.numerator

    def look(examples: list[Any]) -> list[Any]:
        seen = zip(examples, map(numerator.over(examples), examples), strict=True)
        return [
            replace(each, analysis=known.analysis, parse=known.parse) for each, (_, known) in seen
        ]

    return term.corpus if numerator is complete else through(term.corpus, look)


def together(corpora: Sequence[Any]) -> Any:
    """The examples of all corpora; a stream is by itself."""
    if len(corpora) == 1 and isinstance(corpora[0], Stream):
        return corpora[0]
    return [example for corpus in corpora for example in corpus]


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
    if not has_closed_form(criterion):
        raise OptionError(
            f"EM maximises joint and marginal likelihood, not '{criterion.name}': use L-BFGS there"
        )
    if penalty == no_penalty:
        return Dirichlet(0.0)
    if not isinstance(penalty, Dirichlet):
        raise OptionError(f"EM adds to counts: use the penalty dirichlet:0.1, not {penalty}")
    return penalty


_LEAST = 1e-6  # added to a count: what is shared is a difference, and has fewer digits below


def is_counted(term: Term, optimiser: Any, penalty: Penalty | None) -> bool:
    """Whether labels are counted, and something is added to all counts."""
    if not isinstance(optimiser, EM) or term.criterion.numerator is not complete:
        return False
    if penalty is None:
        return True
    smallest = (
        (penalty.pseudocount, *penalty.kinds.values()) if isinstance(penalty, Dirichlet) else (0.0,)
    )
    return min(smallest) >= _LEAST


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


def batch_climb(
    optimiser: ByPasses,
    terms: Terms,
    penalty: Gaussian,
    parameters: Parameters,
    centre: FloatArray,
) -> Climb:
    """Return how an objective with a penalty is climbed a few examples at a time.

    Args:
        optimiser: How the weights move.
        terms: What is climbed, example by example.
        penalty: What large weights cost.
        parameters: The layout of θ.
        centre: What costs nothing [θ].
    """
    problem = Problem(terms, penalty.precisions(parameters), centre)

    def climb(start: FloatArray, power: float, callback: Callback | None) -> Solution:
        if power < 1.0:
            raise OptionError(
                "annealing is for optimisers that look at all examples at once: leave anneal at 1"
            )
        return optimiser.maximise(problem, start, callback)

    return climb


def closed_climb(
    optimiser: EM | VariationalBayes,
    model: Model,
    term: Term,
    penalty: Penalty,
    distributions: Distributions,
    parameters: Parameters,
    threads: int | None,
    workers: Workers | None = None,
) -> Climb:
    """Return how EM or variational Bayes climbs: through counts, in closed form.

    Args:
        optimiser: Either of them.
        model: The model with free weights.
        term: What is observed, and the criterion.
        penalty: What is added to counts.
        distributions: Which weights are the logs of one distribution.
        parameters: The layout of θ.
        threads: How many threads to use.
        workers: Those who sum; None for this process.

    Raises:
        OptionError: If the criterion is not the likelihood of what is observed.
    """
    prior = counted_penalty(term.criterion, penalty)
    pseudocounts = prior.pseudocounts(parameters) * distributions.times
    counts = expected_counts(
        model, term.corpus, term.criterion, pseudocounts, distributions.weights, threads, workers
    )
    if isinstance(optimiser, EM):
        return lambda start, power, callback: optimiser.maximise(
            counts if power == 1.0 else Tempered(counts, power), start, callback
        )
    bound = VariationalBound(
        replace(counts, pseudocounts=np.zeros_like(pseudocounts)),
        pseudocounts,
        distributions.groups,
        distributions.members,
        np.where(distributions.possible, 0.0, -np.inf),
    )

    def climb(start: FloatArray, power: float, callback: Callback | None) -> Solution:
        if power < 1.0:
            raise OptionError("annealing is for EM and for gradients, not for variational Bayes")
        return optimiser.maximise(bound, start, callback)

    return climb


def walk(optimiser: Annealing, weights: Sequence[float], objectives: Sequence[CorpusTerm]) -> Climb:
    """Return how simulated annealing walks on a sum of criteria, which need no gradient."""
    alone = objectives[0].landscape() if list(weights) == [1.0] else None
    pairs = list(zip(weights, objectives, strict=True))
    landscape = alone or Plain(
        lambda theta: sum(factor * each.value(theta) for factor, each in pairs)
    )

    def climb(start: FloatArray, power: float, callback: Callback | None) -> Solution:
        if power != 1.0:
            raise OptionError("simulated annealing cools by itself: leave anneal at 1")
        return optimiser.maximise(landscape, start, callback)

    return climb


def follow_steps(
    optimiser: LineSearchAscent,
    terms: Sequence[Term],
    objectives: Sequence[CorpusTerm],
    likely: Climb,
    *,
    linear: bool,
) -> Climb:
    """Return how exact line search climbs a sum of criteria that are step functions.

    Args:
        optimiser: The line search.
        terms: The criteria.
        objectives: The same as functions of θ.
        likely: Climbs what is conditional of them, whose solution is one more start.
        linear: Whether scores are linear in θ.

    Raises:
        OptionError: If a criterion is no step function, or scores are not linear.
    """
    several = []
    for term, each in zip(terms, objectives, strict=True):
        steps = each.steps()
        if steps is None:
            raise OptionError(
                f"line search follows steps, and the criterion '{term.criterion.name}' has none, "
                "but a gradient: use it with the criterion accuracy, or the optimiser lbfgs"
            )
        several.append((term.weight, steps))
    if not linear:
        raise OptionError(
            "line search follows scores that are linear in the weights, and those of a model that "
            "is normalised are not: use the optimiser annealing, or normalisation=none"
        )

    def climb(start: FloatArray, power: float, callback: Callback | None) -> Solution:
        if power != 1.0:
            raise OptionError("line search takes the best step at once: leave anneal at 1")
        first = likely(start, 1.0, None)
        if first.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt
        return optimiser.maximise(WeightedSteps(several), start, callback, [first.weights])

    return climb


def likelihood_climb(
    model: Model,
    terms: Sequence[Term],
    penalty: Gaussian,
    centre: FloatArray | None,
    threads: int | None,
) -> Climb:
    """Return how the conditional likelihood of all terms is climbed, whatever their criteria."""
    objective = weighted_sum(
        [term.weight for term in terms],
        [contrast(model, term.corpus, conditional, threads) for term in terms],
    )
    return gradient_climb(LBFGS(), objective, penalty, model.parameters, centre)
