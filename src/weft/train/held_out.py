"""How good weights are on held-out examples, while they are estimated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.criteria import complete, contrast
from weft.criteria.guides import has_kinks
from weft.errors import OptionError
from weft.models.model import Judge
from weft.train.problem import Problem, too_large
from weft.train.report import Watched


def judge_of(problem: Problem, held_out: Sequence[Any], decoder: Any) -> Judge | None:
    """How good the answers of the model that would be saved are on the development corpus."""
    if not held_out:
        return None
    spec, model, threads = problem.spec, problem.model, problem.threads
    same = spec.judge(model, held_out, threads, decoder)
    if same is None:
        return None

    def judge(theta: FloatArray) -> float | None:
        final, weights = spec.finish(model, theta, problem.seen)
        if final is model:
            return same(weights)
        other = spec.judge(final, held_out, threads, decoder)
        return None if other is None else other(weights)

    return judge


def watched_by(
    watched: Watched, judge: Judge | None, problem: Problem, held_out: Sequence[Any]
) -> tuple[Judge, ...]:
    """What patience looks at: the score of held-out examples, the criterion's value, or both.

    None of them where there is nothing to look at. Where labels are learnt from it is both: the
    likelihood of held-out labels may fall long before fewer of them are right, and their number
    goes up and down from one iteration to the next.

    Raises:
        OptionError: If there are no examples, or the score was asked for and there is none.
    """
    if not held_out:
        raise OptionError("patience is with a development corpus: give one, or no patience")
    criterion = problem.terms[0].criterion
    scored = judge is not None and judge(problem.start) is not None
    if watched is Watched.AUTO and has_kinks(criterion):
        # The loss of a wrong best analysis grows with the scale of weights, and is small at zeros.
        return (judge,) if judge is not None and scored else ()
    if watched is Watched.SCORE:
        if judge is None or not scored:
            raise OptionError(
                "watched=score looks at how good held-out answers are, and nothing says so here: "
                "give a development corpus with labels, or say watched=criterion"
            )
        return (judge,)
    if watched is Watched.AUTO and criterion.numerator is complete and not scored:
        labelled = (each.evidence() != each.evidence(labelled=False) for each in held_out)
        if judge is not None or not any(labelled):
            return ()  # there are no labels, not even in part
    value = _value_of(problem, held_out)
    if value is None:
        return ()
    both = watched is Watched.AUTO and criterion.numerator is complete and scored
    return (value, judge) if judge is not None and both else (value,)


def _value_of(problem: Problem, held_out: Sequence[Any]) -> Callable[[FloatArray], float] | None:
    """The first criterion's value on the development corpus, where the model has its analyses.

    None where it has the analyses of no example, or charts of all are too large: then there is
    nothing to watch.
    """
    spec, model, criterion = problem.spec, problem.model, problem.terms[0].criterion
    large = too_large(spec, model, held_out, criterion, problem.threads)
    if large is not None:
        held_out = large.kept()
    able = [each for each in held_out if spec.covers(model, each)]
    if able:
        possible = contrast(model, able, criterion, problem.threads).per_example(problem.start)
        able = [each for each, value in zip(able, possible, strict=True) if np.isfinite(value)]
    if not able:
        return None
    objective = contrast(model, able, criterion, problem.threads)
    return lambda theta: float(objective.per_example(theta).sum())
