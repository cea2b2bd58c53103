"""Starts that lead somewhere: a likelihood leads to where another criterion can be climbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.criteria import Criterion, contrast
from weft.criteria.guides import guide_of, has_kinks
from weft.models.model import Spec
from weft.optimise.annealing import Annealing
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.mert import LineSearchAscent
from weft.optimise.passes import ByPasses
from weft.optimise.solution import Reason
from weft.optimise.subgradient import Subgradient
from weft.optimise.variational import VariationalBayes
from weft.train.climbs import shown
from weft.train.problem import Problem, climb_by_gradient

GUIDED = 30
"""How many iterations of a likelihood there are."""


def guided(problem: Problem, optimiser: Any) -> Problem:
    """Return the same from where likelihoods lead, if its criteria need such a guide."""
    guides = [guide_of(term.criterion) for term in problem.terms]
    if problem.begun is not None or not any(guides) or _finds_its_way(problem, optimiser):
        return problem
    terms, objectives = [], []
    for term, guide, own in zip(problem.terms, guides, problem.objectives, strict=True):
        terms.append(term._replace(criterion=guide or term.criterion))
        objectives.append(
            own
            if guide is None
            else contrast(
                problem.model, term.corpus, guide, problem.threads, workers=problem.workers
            )
        )
    climb = climb_by_gradient(replace(problem, objectives=objectives), LBFGS(max_iterations=GUIDED))
    solution = climb(problem.start, 1.0, None)
    if solution.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt
    begun = f"{len(solution.trace) - 1} iterations of {shown(terms)}"
    return replace(problem, start=solution.weights, begun=begun, guided=True)


def perturbed(problem: Problem, noise: FloatArray) -> FloatArray:
    """[θ]: another start, given a perturbation.

    Around where a likelihood has led to that is as large as weights are there: elsewhere a
    criterion that needs a guide is flat.
    """
    if not problem.guided:
        return problem.spec.perturb(problem.model, problem.own, noise)
    scale: float = np.sqrt(np.mean(problem.start**2)) if problem.start.size else 1.0
    return problem.start + scale * noise


def _finds_its_way(problem: Problem, optimiser: Any) -> bool:
    """Whether an optimiser gets away from a start where a criterion is flat or has a kink."""
    if isinstance(optimiser, EM | VariationalBayes | LineSearchAscent):
        return True  # line search has the solution of the likelihood among its starts
    if isinstance(optimiser, Annealing):
        # It does where a step is cheap.
        return problem.objectives[0].landscape() is not None
    return leaves_kinks([term.criterion for term in problem.terms], problem.spec, optimiser)


def leaves_kinks(criteria: Sequence[Criterion], spec: Spec[Any], optimiser: Any) -> bool:
    """Whether criteria that need a guide have kinks at most, and an optimiser gets away from these.

    Best analyses of single examples differ also where those of all of them balance.
    """
    steps = isinstance(optimiser, ByPasses) and all(
        has_kinks(criterion) or guide_of(criterion) is None for criterion in criteria
    )
    return steps and (spec.linear or isinstance(optimiser, Subgradient))
