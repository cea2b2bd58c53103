"""Cross-validation of selectors: every sentence is judged by a selector that has not seen it.

Sentences are dealt to folds at random. The scores of the folds are summed, as are those of the
baseline, by which all analyses are alike.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 5.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, IntArray
from weft.derivations.threads import thread_count
from weft.errors import OptionError
from weft.evaluate import significance
from weft.evaluate.selection import Judgements, joined
from weft.models.selection.scores import judge
from weft.models.selection.selector import Selector
from weft.structures.alternatives import Selected
from weft.train.selection.scale import with_scale

_WHOLE = 1_000_000  # a right choice in whole numbers, of which ties have a share

Estimate = Callable[[Sequence[Selected]], Selector]
"""From a corpus to a selector, on one thread."""

Told = Callable[[int, int], None]
"""Told how many folds are done, and of how many."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """What was found on one fold. Judgements are in the order of its sentences.

    Attributes:
        judgements: Of the selector that had not seen them.
        baseline: Of weights that are all 0.
        scaled: Of the selector with a scale fitted to its training part; None if not asked for.
        features: How many features it had.
    """

    judgements: Judgements
    baseline: Judgements
    scaled: Judgements | None
    features: int


Kept = Callable[[int, Fold], None]
"""Told the number of a fold, from 0, and what was found on it."""


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """What cross-validation found. Arrays are in the order of the sentences.

    Attributes:
        folds: The fold of each sentence that has a right analysis.
        judgements: Of the selectors that had not seen the sentence.
        baseline: Of weights that are all 0.
        scaled: Of the same selectors with one scale fitted to their training part; None if that
            was not asked for.
        features: How many features the selectors had, a number a fold.
    """

    folds: IntArray
    judgements: Judgements
    baseline: Judgements
    scaled: Judgements | None
    features: tuple[int, ...]


def crossvalidation(
    estimate: Estimate,
    corpus: Sequence[Selected],
    *,
    folds: int = 10,
    seed: int = 0,
    scale: bool = False,
    threads: int | None = None,
    told: Told | None = None,
    known: Mapping[int, Fold] | None = None,
    keep: Kept | None = None,
    leaving: threading.Event | None = None,
) -> CrossValidation:
    """Estimate a selector for each fold from the others, and judge it on that fold.

    Args:
        estimate: From a corpus to a selector.
        corpus: The examples; those without a right analysis are left out.
        folds: How many.
        seed: Of the random numbers that deal sentences to folds.
        scale: Whether to judge the selectors with a fitted scale, too.
        threads: How many folds to work on at a time; no result depends on it.
        told: Told of every fold that is done.
        known: What was found on some folds before; they are not worked on again.
        keep: Given what is found on each of the others, as soon as it is known.
        leaving: Set if an error or an interrupt ends all: estimates that look at it may give up.

    Raises:
        OptionError: If there are fewer than two folds, or more than sentences.
    """
    corpus = [each for each in corpus if each.analysis is not None]
    dealt = deal(len(corpus), folds, seed)

    def work(fold: int) -> Fold:
        return _fold(estimate, corpus, dealt == fold, scale)

    sizes = dict(enumerate(np.bincount(dealt, minlength=folds).tolist()))
    found = {
        number: part
        for number, part in (known or {}).items()
        if len(part.judgements) == sizes.get(number) and (part.scaled is not None) == scale
    }
    if told is not None and found:
        told(len(found), folds)
    with closing(_worked(work, set(range(folds)) - set(found), threads, leaving)) as done:
        for number, part in done:
            found[number] = part
            if keep is not None:
                keep(number, part)
            if told is not None:
                told(len(found), folds)
    parts = [found[number] for number in range(folds)]
    # The folds' sentences one after the other, put back into the order of the corpus.
    order = np.argsort(np.argsort(dealt, kind="stable"), kind="stable")

    def together(some: Iterable[Judgements]) -> Judgements:
        return joined(list(some)).pick(order)

    scaled = [part.scaled for part in parts if part.scaled is not None]
    return CrossValidation(
        dealt,
        together(part.judgements for part in parts),
        together(part.baseline for part in parts),
        together(scaled) if scaled else None,
        tuple(part.features for part in parts),
    )


def _worked(
    work: Callable[[int], Fold],
    numbers: Iterable[int],
    threads: int | None,
    leaving: threading.Event | None,
) -> Generator[tuple[int, Fold]]:
    """Work on folds, so many at a time, and yield each as soon as it is done."""
    with ThreadPoolExecutor(thread_count(threads)) as pool:
        running = {pool.submit(work, number): number for number in sorted(numbers)}
        try:
            for each in as_completed(running):
                yield running[each], each.result()
        except BaseException:
            # The pool waits for what has begun.
            if leaving is not None:
                leaving.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def deal(count: int, folds: int, seed: int) -> IntArray:
    """Return the fold of each of some sentences: at random, and in equal shares as far as may be.

    >>> np.bincount(deal(7, 3, seed=1)).tolist()
    [3, 2, 2]

    Raises:
        OptionError: If there are fewer than two folds, or more than sentences.
    """
    if count < 2:
        raise OptionError(f"{count} sentences cannot be dealt to folds: give at least two")
    if not 2 <= folds <= count:
        raise OptionError(f"there must be from 2 to {count} folds, as there are sentences")
    return np.random.default_rng(seed).permutation(count) % folds


def _fold(estimate: Estimate, corpus: Sequence[Selected], is_test: BoolArray, scale: bool) -> Fold:
    pairs = list(zip(corpus, is_test.tolist(), strict=True))
    seen = [each for each, unseen in pairs if not unseen]
    test = [each for each, unseen in pairs if unseen]
    selector = estimate(seen)
    model, weights = selector.model, selector.weights
    scaled = None
    if scale:
        scaled = judge(model, with_scale(selector, seen, 1)[0].weights, test, 1)
    return Fold(
        judge(model, weights, test, 1),
        judge(model, np.zeros_like(weights), test, 1),
        scaled,
        len(weights),
    )


def compare_choices(
    first: Judgements, second: Judgements, seed: int = 0
) -> significance.Comparison:
    """Compare the right choices of two selectors on the same ambiguous sentences.

    Args:
        first: Of the one, for example by :func:`crossvalidation`.
        second: Of the other, on the same sentences in the same order.
        seed: Of the random numbers of the paired tests.
    """
    hard = first.ambiguous

    def counts(found: Judgements) -> IntArray:
        right = np.rint(_WHOLE * found.credits[hard])
        return np.stack([right, np.full(len(right), _WHOLE)], axis=1).astype(np.int64)

    return significance.compare(counts(first), counts(second), seed=seed)
