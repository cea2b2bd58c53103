"""Whether training can lead anywhere, and whether it did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.criteria import (
    Criterion,
    Dirichlet,
    Gaussian,
    Unit,
    complete,
    exponential,
    input_only,
)
from weft.criteria.choices import NO_GRADIENT
from weft.criteria.guides import guide_of
from weft.errors import NotDefined, OptionError, StuckError
from weft.models.model import Spec
from weft.optimise.annealing import Annealing
from weft.optimise.mert import LineSearchAscent
from weft.optimise.solution import Reason, Solution
from weft.structures.stream import example_at
from weft.train.climbs import Term, shown
from weft.train.penalty_scale import scaled
from weft.train.problem import Problem
from weft.train.usual import is_unlabelled

_SMALL = 1e-4  # in proportion to the value: below that, what a step gains may be lost in rounding
_KEPT = 0.5  # the share of its start's value that a criterion may not lose to a penalty
_NEAR = 1e-6  # what examples lack to be perfect, on average, if they are

_ENDED = (Reason.INTERRUPTED, Reason.STOPPED, Reason.VALUE, Reason.GAP, Reason.NO_CHANGE)
"""Reasons that are somebody's wish, or say that the start was the maximum."""


def check_types(
    spec: object, corpus: object, criterion: object, penalty: object, optimiser: object
) -> None:
    """Refuse what would fail later, with a message that says less.

    Raises:
        TypeError: If something is not what it should be.
    """
    if not isinstance(spec, Spec):
        message = "a weft.Chain, weft.Tables, weft.Cfg or weft.Selection"
        raise TypeError(f"the model must be {message}, not {type(spec).__name__}")
    if not isinstance(penalty, Gaussian | Dirichlet | None):
        message = "a weft.Gaussian or a weft.Dirichlet"
        raise TypeError(f"the penalty must be {message}, not {type(penalty).__name__}")
    if not isinstance(criterion, Criterion | None):
        message = "a criterion, such as weft.conditional or weft.criteria.find_criterion('joint')"
        raise TypeError(f"the criterion must be {message}, not {criterion!r}")
    if optimiser is not None and not hasattr(optimiser, "maximise"):
        raise TypeError(f"the optimiser must be one, such as weft.LBFGS(), not {optimiser!r}")
    if isinstance(corpus, str | bytes | Mapping):
        message = "a sequence of examples, such as weft.example(['a', 'dog'], ['DT', 'NN'])"
        raise TypeError(f"the corpus must be {message}, not {type(corpus).__name__}")


def check_compared(term: Term, spec: Spec[Any], optimiser: Any) -> None:
    """Refuse a criterion that has nothing to compare, or nothing that the optimiser can climb.

    Raises:
        OptionError: With what to do.
    """
    criterion, corpus = term.criterion, term.corpus
    if criterion.unit is Unit.CHOICE and not isinstance(optimiser, Annealing | LineSearchAscent):
        raise NotDefined(NO_GRADIENT)
    if not corpus or (criterion.numerator, criterion.denominator) != (complete, input_only):
        return
    if all(map(is_unlabelled, corpus)):
        first = example_at(corpus, 0).tokens.source or "example 1"
        raise OptionError(
            f"{first}: the criterion '{criterion.name}' compares "
            f"labels with others, and none of {len(corpus):,} examples has any: give labelled ones "
            f"({spec.files}), or a criterion that looks at sentences alone, such as marginal or "
            f"contrastive:del1word ({spec.unlabelled_files})"
        )


def check_moved(problem: Problem, optimiser: Any, solution: Solution) -> None:
    """Refuse weights that are those of the start, unless they were given or are a maximum.

    Raises:
        StuckError: With the reason, and what to try.
    """
    count = max(0, len(solution.trace) - 1)
    moved = count and not np.array_equal(solution.weights, problem.start)
    if moved or problem.given or solution.reason in _ENDED or not problem.start.size:
        return
    if solution.reason is Reason.LINE_SEARCH:
        stuck = solution.gradient_norm > _SMALL * max(1.0, abs(solution.value))
    else:  # a limit of no iterations is somebody's wish
        stuck = (count > 0 or solution.reason is not Reason.LIMIT) and not _is_best(
            problem, solution
        )
    if stuck:
        raise StuckError(
            f"training did not move: {solution.reason}, after {count} iterations of "
            f"{shown(problem.terms)} by {type(optimiser).__name__} from "
            f"{problem.begun or 'the usual start'}. Its weights would be those of the start, which "
            "are no maximum. Try another optimiser (adagrad, subgradient or, for margin and "
            "perceptron, pa), another start (a model, counts or uniform), random starts "
            "(restarts=5), a weaker penalty or, for annealing, another seed"
        )


def check_kept(problem: Problem, weights: FloatArray) -> None:
    """Refuse weights that gave up probabilities that a likelihood had led to, for the penalty.

    Probabilities fall to 0 and no further: where good weights cost more than all examples are
    worth, those that cost nothing are the best.

    Raises:
        StuckError: With how much was given up, and what to try.
    """
    links = {term.criterion.link for term in problem.terms}
    if not problem.guided or links != {exponential} or not isinstance(problem.penalty, Gaussian):
        return
    pairs = list(zip(problem.terms, problem.objectives, strict=True))

    def worth(theta: FloatArray) -> float:
        return sum(term.weight * each.value(theta) for term, each in pairs)

    begun, kept = worth(problem.start), worth(weights)
    if kept < _KEPT * begun:
        cost = problem.penalty.objective(problem.model.parameters, problem.own)(problem.start)[0]
        weaker = scaled(problem.penalty, 10.0)
        raise StuckError(
            f"the penalty {problem.penalty} outweighs the criterion {shown(problem.terms)}: it was "
            f"{begun:,.1f} at the start ({problem.begun}), whose weights cost {-cost:,.1f}, and is "
            f"{kept:,.1f} in the end. Probabilities are worth at most 1 each, and so weights that "
            f"say nothing are better under this penalty: take a weaker one, such as {weaker}"
        )


def _is_best(problem: Problem, solution: Solution) -> bool:
    """Whether there is no more to gain, as far as can be known.

    Likelihoods have no flat places, and lead away from those of others, which have a bound.
    """
    if problem.guided:
        return True
    for term, objective in zip(problem.terms, problem.objectives, strict=True):
        criterion = term.criterion
        if guide_of(criterion) is None or criterion.unit is Unit.TOKEN:
            continue
        total = sum(example.weight for example in term.corpus)
        right = criterion.unit is Unit.CHOICE
        most = 1.0 if right else float(criterion.link.value(np.zeros(1))[0])
        lack = most * total - objective.value(solution.weights)
        if lack > _NEAR * max(1.0, total):
            return False
    return True
