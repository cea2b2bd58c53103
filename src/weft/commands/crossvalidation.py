"""Cross-validation of selectors: every sentence is judged by a selector that has not seen it.

Sentences are dealt to folds at random. The scores of the folds are summed, as are those of the
baseline, by which all analyses are alike.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import IntArray
from weft.commands.request import Request, plan_of
from weft.commands.selecting import Chosen, check_some, compiled_file, scores_json
from weft.derivations.threads import thread_count
from weft.errors import OptionError
from weft.evaluate import significance
from weft.evaluate.selection import Judgements, SelectionScores, joined, judge
from weft.files import Source, name_of
from weft.models.selection import Selection
from weft.recipes import Recipe, fit_selector
from weft.structures.alternatives import Selected
from weft.train import with_scale

_WHOLE = 1_000_000  # a right choice in whole numbers, of which ties have a share

Told = Callable[[int, int], None]
"""Told how many folds are done, and of how many."""


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """What cross-validation found. Arrays are in the order of the sentences.

    Attributes:
        recipe: What was estimated.
        folds: The fold of each sentence that has a right analysis.
        judgements: Of the selectors that had not seen the sentence.
        baseline: Of weights that are all 0.
        scaled: Of the same selectors with one scale fitted to their training part: where what was
            maximised does not depend on the scale of weights, but log PL does; None elsewhere.
        features: How many features the selectors had, a number a fold.
        broken: What was wrong with records that were left out.
    """

    recipe: Recipe
    folds: IntArray
    judgements: Judgements
    baseline: Judgements
    scaled: Judgements | None
    features: tuple[int, ...]
    broken: tuple[str, ...] = ()

    @property
    def rows(self) -> Mapping[str, SelectionScores]:
        """The scores of each estimator."""
        rows = {"baseline": self.baseline.scores(), self.recipe.name: self.judgements.scores()}
        if self.scaled is not None:
            rows[f"{self.recipe.name}, scaled"] = self.scaled.scores()
        return rows

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; accuracies are fractions of ambiguous sentences."""
        baseline = scores_json(self.baseline.scores())
        numbers = range(len(self.features))
        parts = [scores_json(self.judgements.pick(self.folds == k).scores()) for k in numbers]
        return {
            "recipe": self.recipe.name,
            **scores_json(self.judgements.scores()),
            **{f"baseline_{key}": value for key, value in baseline.items()},
            "scaled_neg_log_pl": self.scaled and self.scaled.scores().neg_log_pl,
            "features": list(self.features),
            "folds": parts,
            "broken": list(self.broken),
        }


def crossvalidate(
    source: Source,
    *,
    recipe: str = "parse-selection",
    folds: int = 10,
    seed: int = 0,
    penalty: str | None = None,
    settings: Mapping[str, str] | None = None,
    chosen: Chosen | None = None,
    threads: int | None = None,
    told: Told | None = None,
) -> CrossValidation:
    """Estimate a recipe once for each fold of a file, and judge it on that fold.

    Args:
        source: Parse sets.
        recipe: The name of a recipe for parse sets.
        folds: How many.
        seed: Of the random numbers that deal sentences to folds.
        penalty: What large weights cost, if not what the recipe says.
        settings: Settings of the recipe.
        chosen: Which parse sets of the file are taken.
        threads: How many folds to work on at a time; no result depends on it.
        told: Told of every fold that is done.

    Raises:
        OptionError: If an option does not exist, or there are more folds than sentences.
        FormatError: If the file cannot be read, or says of no sentence what is right.
    """
    request = Request([source], recipe=recipe, penalty=penalty, settings=settings or {})
    plan = plan_of(request)
    if not isinstance(plan.chain, Selection):
        raise OptionError(f"the recipe {plan.name} is not for parse sets: use parse-selection")
    chosen = chosen or Chosen()
    corpus = list(compiled_file(chosen, source, plan.chain.properties))
    check_some(corpus, [name_of(source)])
    found = crossvalidate_on(plan, corpus, folds=folds, seed=seed, threads=threads, told=told)
    return replace(found, broken=tuple(map(str, chosen.broken)))


def crossvalidate_on(
    plan: Recipe,
    corpus: Sequence[Selected],
    *,
    folds: int = 10,
    seed: int = 0,
    threads: int | None = None,
    told: Told | None = None,
) -> CrossValidation:
    """Cross-validate a recipe on parse sets that are compiled; see :func:`crossvalidate`."""
    corpus = [each for each in corpus if each.analysis is not None]
    dealt = deal(len(corpus), folds, seed)

    def work(fold: int) -> _Fold:
        return _estimate(plan, corpus, dealt, fold)

    parts: list[_Fold] = []
    with ThreadPoolExecutor(thread_count(threads)) as pool:
        for part in pool.map(work, range(folds)):
            parts.append(part)
            if told is not None:
                told(len(parts), folds)
    # The folds' sentences one after the other, put back into the order of the corpus.
    order = np.argsort(np.argsort(dealt, kind="stable"), kind="stable")

    def together(some: Iterable[Judgements]) -> Judgements:
        return joined(list(some)).pick(order)

    scaled = [part.scaled for part in parts if part.scaled is not None]
    return CrossValidation(
        plan,
        dealt,
        together(part.judgements for part in parts),
        together(part.baseline for part in parts),
        together(scaled) if scaled else None,
        tuple(part.features for part in parts),
    )


def deal(count: int, folds: int, seed: int) -> IntArray:
    """Return the fold of each of some sentences: at random, and in equal shares as far as may be.

    >>> np.bincount(deal(7, 3, seed=1)).tolist()
    [3, 2, 2]

    Raises:
        OptionError: If there are fewer than two folds, or more than sentences.
    """
    if not 2 <= folds <= count:
        raise OptionError(f"there must be from 2 to {count} folds, as there are sentences")
    return np.random.default_rng(seed).permutation(count) % folds


@dataclass(frozen=True, slots=True, eq=False)
class _Fold:
    judgements: Judgements
    baseline: Judgements
    scaled: Judgements | None
    features: int


def _estimate(plan: Recipe, corpus: Sequence[Selected], dealt: IntArray, fold: int) -> _Fold:
    seen = [each for each, number in zip(corpus, dealt.tolist(), strict=True) if number != fold]
    unseen = [each for each, number in zip(corpus, dealt.tolist(), strict=True) if number == fold]
    selector = fit_selector(plan, seen, threads=1)
    model, weights = selector.model, selector.weights
    scaled = None
    if plan.criterion is not None and plan.criterion.name == "accuracy":
        scaled = judge(model, with_scale(selector, seen, 1)[0].weights, unseen, 1)
    return _Fold(
        judge(model, weights, unseen, 1),
        judge(model, np.zeros_like(weights), unseen, 1),
        scaled,
        len(weights),
    )


def compare_choices(
    first: Judgements, second: Judgements, seed: int = 0
) -> significance.Comparison:
    """Compare the right choices of two selectors on the same ambiguous sentences.

    Args:
        first: Of the one, for example by :func:`crossvalidate_on`.
        second: Of the other, on the same sentences in the same order.
        seed: Of the random numbers of the paired tests.
    """
    hard = first.ambiguous

    def counts(found: Judgements) -> IntArray:
        right = np.rint(_WHOLE * found.credits[hard])
        return np.stack([right, np.full(len(right), _WHOLE)], axis=1).astype(np.int64)

    return significance.compare(counts(first), counts(second), seed=seed)
