"""How much large weights should cost: chosen by cross-validation on the training corpus."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.criteria import Criterion, Gaussian, Penalty, Unit, contrast
from weft.errors import OptionError
from weft.models.model import Spec, Trained
from weft.ranking import ranked
from weft.train.crossvalidation import ESTIMATED, Fold, crossvalidation
from weft.train.problem import too_large

SCALES = (0.03, 0.1, 0.3, 1.0, 3.0)
"""What the usual σ is multiplied by, the strongest penalty first."""

FOLDS = 5

Estimate = Callable[[Gaussian, Sequence[Any], Callable[[], bool]], Trained]
"""Estimates a model with a penalty, on one thread; gives up where it is told to."""


@dataclass(frozen=True, slots=True)
class ChosenPenalty:
    """A penalty, and what it was chosen by.

    Attributes:
        penalty: The chosen one.
        values: For each that was tried, as text, the criterion on what was held out, per example;
            empty where there was nothing to choose by, and it is the usual one.
        folds: How many.
    """

    penalty: Gaussian
    values: Mapping[str, float]
    folds: int

    def __str__(self) -> str:
        if not self.values:
            return f"{self.penalty}, the usual one: there is too little to choose it by"
        tried = ", ".join(f"{name} {value:.4f}" for name, value in self.values.items())
        return f"{self.penalty}, by {self.folds}-fold cross-validation ({tried})"


def scaled(penalty: Gaussian, scale: float) -> Gaussian:
    """Return a penalty with another standard deviation: the usual one times a scale.

    >>> str(scaled(Gaussian(10.0, {"bigram": 100.0}), 0.1))
    'gaussian:0.1,bigram=1'
    """
    kinds = {kind: scale**2 * variance for kind, variance in penalty.kinds.items()}
    return replace(penalty, variance=scale**2 * penalty.variance, kinds=kinds)


def check_scalable(penalty: Penalty | None) -> Gaussian:
    """Return a penalty whose scale can be chosen.

    Raises:
        OptionError: If it is none, or no Gaussian.
    """
    if not isinstance(penalty, Gaussian) or math.isinf(penalty.variance):
        shown = "nothing" if penalty is None else str(penalty)
        raise OptionError(
            "--penalty auto chooses the scale of a Gaussian penalty, and the recipe's penalty is "
            f"{shown}: name one, such as dirichlet:0.1 or none, or use a recipe with a Gaussian"
        )
    return penalty


def choose_penalty(
    spec: Spec[Any],
    corpus: Sequence[Any],
    criterion: Criterion,
    penalty: Gaussian,
    estimate: Estimate,
    *,
    seed: int = 0,
    threads: int | None = None,
) -> ChosenPenalty:
    """Choose the scale of a penalty by the criterion on held-out folds; of equals the strongest.

    Args:
        spec: What the model looks at.
        corpus: The examples.
        criterion: What is estimated by, and what held-out examples are judged by.
        penalty: The usual one.
        estimate: Estimates a model.
        seed: Deals examples to folds.
        threads: How many folds to work on at a time; no result depends on it.
    """
    examples, folds = list(spec.compile(corpus)), min(FOLDS, len(corpus))
    if folds < 2:
        return ChosenPenalty(penalty, {}, folds)
    leaving = threading.Event()

    def held_out(tried: Gaussian) -> FloatArray:
        def judged(seen: Sequence[Any], test: Sequence[Any]) -> Fold:
            trained = estimate(tried, seen, leaving.is_set)
            values = _values(spec, trained, test, criterion)
            return Fold({ESTIMATED: {"value": values}}, len(trained.weights))

        found = crossvalidation(
            judged, examples, folds=folds, seed=seed, threads=threads, leaving=leaving
        )
        return found.judged[ESTIMATED]["value"]

    several = [scaled(penalty, scale) for scale in SCALES]
    values = np.stack([held_out(each) for each in several])
    compared = np.isfinite(values).all(axis=0)
    if not compared.any():
        return ChosenPenalty(penalty, {}, folds)
    means = values[:, compared].mean(axis=1)
    best = several[int(ranked(means)[0])]
    return ChosenPenalty(best, dict(zip(map(str, several), means.tolist(), strict=True)), folds)


def _values(
    spec: Spec[Any], trained: Trained, test: Sequence[Any], criterion: Criterion
) -> FloatArray:
    """[examples]: their weighted values; NaN where the model has not what one is made of.

    Nor is there a value where an example's derivations cannot be kept in memory.
    """
    model, values = trained.model, np.full(len(test), np.nan)
    large = too_large(spec, model, test, criterion, 1)
    able = [
        place
        for place, each in enumerate(test)
        if not (large is not None and large.flags[place])
        and spec.covers(model, each)
        and (not criterion.denominator.any_word or model.closed([each.tokens.words]))
    ]
    if able:
        some = [test[place] for place in able]
        found = contrast(model, some, criterion, 1).per_example(trained.weights)
        linked = criterion.link.value(found) if criterion.unit is Unit.EXAMPLE else found
        values[able] = linked * np.array([each.weight for each in some])
    return values
