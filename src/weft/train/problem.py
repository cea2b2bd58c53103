"""What is to be climbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.arrays import FloatArray
from weft.criteria import (
    CorpusTerm,
    Criterion,
    Gaussian,
    Penalty,
    complete,
    everything,
    weighted_sum,
)
from weft.criteria.spread import Workers
from weft.errors import LimitError, OptionError
from weft.models.model import Spec
from weft.models.too_large import TooLarge
from weft.optimise.search import Climb
from weft.structures.stream import Stream
from weft.train.climbs import Term, gradient_climb


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What is to be climbed, before it is known how.

    Attributes:
        spec: The family.
        model: The model.
        terms: The criteria with their corpora.
        seen: The examples of all of them, with the labels that these look at.
        objectives: The terms as functions of θ.
        own: [θ], where the family's models start.
        start: [θ], where this one does.
        begun: What these weights are; None for the family's own.
        given: Whether they are somebody's, and so may be the best already.
        alike: Whether nothing is told apart at the start.
        penalty: What large weights cost, or what is added to counts.
        threads: How many threads to use.
        workers: Those who sum; None for this process.
        guided: Whether a likelihood has led to the start.
        left_out: The examples that were left out, and why; empty where none were.
    """

    spec: Spec[Any]
    model: Any
    terms: Sequence[Term]
    seen: Sequence[Any]
    objectives: Sequence[CorpusTerm]
    own: FloatArray
    start: FloatArray
    begun: str | None
    given: bool
    alike: bool
    penalty: Penalty
    threads: int | None
    workers: Workers | None = None
    guided: bool = False
    left_out: str = ""


def leave_out(
    spec: Spec[Any], model: Any, terms: Sequence[Term], threads: int | None
) -> tuple[list[Term], str]:
    """Return terms without the examples whose derivations cannot be kept, and what these are.

    Raises:
        LimitError: If no example is left.
    """
    kept, said = [], []
    for term in terms:
        if isinstance(term.corpus, Stream):
            kept.append(term)
            continue
        large = too_large(spec, model, term.corpus, term.criterion, threads)
        if large is not None:
            said.append(str(large))
            term = term._replace(corpus=large.kept())
            if not term.corpus:
                raise LimitError(f"no sentence is left to learn from: left out are {large}")
        kept.append(term)
    return kept, "; ".join(said)


def too_large(
    spec: Spec[Any],
    model: Any,
    corpus: Sequence[Any],
    criterion: Criterion,
    threads: int | None = None,
) -> TooLarge | None:
    """Return the examples whose value cannot be computed, as their derivations cannot be kept.

    Where labels are complete and are compared with everything, nothing is summed over a sentence.
    """
    if (criterion.numerator, criterion.denominator) == (complete, everything):
        return None
    return spec.too_large(model, corpus, threads)


def gaussian_of(problem: Problem) -> Gaussian:
    """Return what large weights cost.

    Raises:
        OptionError: If the penalty is on counts.
    """
    if not isinstance(problem.penalty, Gaussian):
        raise OptionError(f"the penalty {problem.penalty} is for EM; use gaussian:1.0 or none here")
    return problem.penalty


def climb_by_gradient(problem: Problem, optimiser: Any) -> Climb:
    """How the objective is climbed by its gradient."""
    # What costs nothing is where the family's models start: zeros, or the relative frequencies.
    centre = problem.own if problem.own.any() else None
    weights = [term.weight for term in problem.terms]
    objective = weighted_sum(weights, problem.objectives)
    penalty, parameters = gaussian_of(problem), problem.model.parameters
    return gradient_climb(optimiser, objective, penalty, parameters, centre)
