"""Cross-validation: every sentence is judged by a model that has not seen it.

Sentences are dealt to folds at random. What is counted of the sentences of all folds is put
together, so that figures are those of the whole corpus.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 5.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.threads import thread_count
from weft.errors import OptionError

Columns = Mapping[str, FloatArray]
"""What is counted of sentences, by name, [sentences] each."""

ESTIMATED, BASELINE = "estimated", "baseline"
"""What judgements are of: the model, and what it is compared with."""

Told = Callable[[int, int], None]
"""Told how many folds are done, and of how many."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """What was found on one fold.

    Attributes:
        judged: By what they are of, the counts of its sentences, in their order.
        features: How many features the model had.
    """

    judged: Mapping[str, Columns]
    features: int

    def __len__(self) -> int:
        return max(len(column) for column in self.judged[ESTIMATED].values())


Kept = Callable[[int, Fold], None]
"""Told the number of a fold, from 0, and what was found on it."""

Judged = Callable[[Sequence[Any], Sequence[Any]], Fold]
"""Estimates a model from some examples, on one thread, and judges it on others."""


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """What cross-validation found.

    Attributes:
        folds: [sentences], the fold of each.
        judged: By what they are of, the counts of all sentences, in the order of the corpus.
        features: How many features the models had, a number per fold.
    """

    folds: IntArray
    judged: Mapping[str, Columns]
    features: tuple[int, ...]

    def within(self, fold: int, of: str = ESTIMATED) -> Columns:
        """Return the counts of the sentences of one fold."""
        mine = self.folds == fold
        return {name: column[mine] for name, column in self.judged[of].items()}


def crossvalidation(
    judged: Judged,
    corpus: Sequence[Any],
    *,
    folds: int = 10,
    seed: int = 0,
    threads: int | None = None,
    told: Told | None = None,
    known: Mapping[int, Fold] | None = None,
    keep: Kept | None = None,
    leaving: threading.Event | None = None,
) -> CrossValidation:
    """Judge each fold by a model of the others.

    Args:
        judged: Estimates a model, and judges it.
        corpus: The examples.
        folds: How many.
        seed: Of the random numbers that deal sentences to folds.
        threads: How many folds to work on at a time; no result depends on it.
        told: Told of every fold that is done.
        known: What was found on some folds before; they are not worked on again.
        keep: Given what is found on each of the others, as soon as it is known.
        leaving: Set if an error or an interrupt ends all: estimates that look at it may give up.

    Raises:
        OptionError: If there are fewer than two folds, or more than sentences.
    """
    dealt = deal(len(corpus), folds, seed)

    def work(fold: int) -> Fold:
        pairs = list(zip(corpus, (dealt == fold).tolist(), strict=True))
        parts = [[each for each, unseen in pairs if unseen is wanted] for wanted in (False, True)]
        return judged(*parts)

    sizes = dict(enumerate(np.bincount(dealt, minlength=folds).tolist()))
    found = {
        number: part for number, part in (known or {}).items() if len(part) == sizes.get(number)
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
    # What only some folds have, as where there is nothing to compare with, is left out.
    names = [name for name in parts[0].judged if all(name in part.judged for part in parts)]
    together = {
        name: {
            column: np.concatenate([part.judged[name][column] for part in parts])[order]
            for column in parts[0].judged[name]
        }
        for name in names
    }
    return CrossValidation(dealt, together, tuple(part.features for part in parts))


def _worked(
    work: Callable[[int], Fold],
    numbers: Iterable[int],
    threads: int | None,
    leaving: threading.Event | None,
) -> Generator[tuple[int, Fold]]:
    """Work on folds, this many at a time, and yield each as soon as it is done."""
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
