"""Cross-validation of choices among analyses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from weft.arrays import BoolArray, IntArray
from weft.evaluate import significance
from weft.evaluate.selection import Judgements
from weft.models.selection.scores import judge
from weft.models.selection.selector import Selector
from weft.structures.alternatives import Selected
from weft.train.crossvalidation import BASELINE, ESTIMATED, Fold, Judged
from weft.train.selection.scale import with_scale

SCALED = "scaled"
"""Judgements of the same model with one scale fitted to its training part."""

_WHOLE = 1_000_000  # a right choice in whole numbers, of which ties have a share


def judge_choices(
    selector: Selector, seen: Sequence[Selected], test: Sequence[Selected], *, scale: bool = False
) -> Fold:
    """Judge a selector, beside weights that are all 0.

    Args:
        selector: The selector.
        seen: What it was estimated from.
        test: What it is judged on.
        scale: Whether to judge it with a scale that is fitted to what it has seen, too.
    """
    weights = {ESTIMATED: selector.weights, BASELINE: np.zeros_like(selector.weights)}
    if scale:
        # log PL depends on the scale of weights, and what was maximised does not.
        weights[SCALED] = with_scale(selector, seen, 1)[0].weights
    model = selector.model
    found = {name: judge(model, each, test, 1).columns() for name, each in weights.items()}
    return Fold(found, len(selector.weights))


def choices_of(
    estimate: Callable[[Sequence[Selected]], Selector], *, scale: bool = False
) -> Judged:
    """Return how an estimator of selectors is judged; see :func:`judge_choices`."""
    return lambda seen, test: judge_choices(estimate(seen), seen, test, scale=scale)


def choice_counts(judged: Judgements, hard: BoolArray | None = None) -> IntArray:
    """[ambiguous sentences, (right, all)]: the right choices, in whole numbers."""
    right = np.rint(_WHOLE * judged.credits[judged.ambiguous if hard is None else hard])
    return np.stack([right, np.full(len(right), _WHOLE)], axis=1).astype(np.int64)


def compare_choices(
    first: Judgements, second: Judgements, seed: int = 0
) -> significance.PairedTest:
    """Compare the right choices of two selectors on the same ambiguous sentences.

    Args:
        first: Of the one, for example by :func:`~weft.train.crossvalidation.crossvalidation`.
        second: Of the other, on the same sentences in the same order.
        seed: Of the random numbers of the paired tests.
    """
    hard = first.ambiguous
    return significance.compare(choice_counts(first, hard), choice_counts(second, hard), seed=seed)
