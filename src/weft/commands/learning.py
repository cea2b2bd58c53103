"""Learning curves: how good a recipe is with more and more of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np

from weft.commands.crossvalidation import usual_recipe
from weft.commands.request import Options, Request
from weft.commands.tasks import Task, plan_request, read_materials, task_of
from weft.errors import OptionError, WeftError
from weft.evaluate.significance import interval
from weft.files import Source
from weft.frames import Tabular
from weft.recipes import Recipe, fit_recipe
from weft.reprs import Brief
from weft.train.crossvalidation import ESTIMATED

_MOST = 7  # sizes, if none are named: halves of halves
_LEAST = 8  # sentences

Told = Callable[[int, int], None]
"""Told how many sizes are done, and of how many."""


@dataclass(frozen=True, slots=True, repr=False)
class LearntPoint(Brief):
    """How good a recipe is with part of a corpus.

    Attributes:
        size: How many sentences it learnt from.
        score: What models are compared by.
        low: Where the 95 % interval of that begins; None where there is none.
        high: Where it ends.
        features: How many features the model has.
    """

    size: int
    score: float
    low: float | None
    high: float | None
    features: int


@dataclass(frozen=True, slots=True, repr=False)
class LearningCurve(Brief, Tabular):
    """How good a recipe is with more and more of a corpus.

    Attributes:
        name: The recipe.
        measure: What its scores are.
        share: Whether they are shares.
        points: From the fewest sentences to all.
        failed: By number of sentences, why there is no point.
        broken: What was wrong with parse sets that were left out.
    """

    name: str
    measure: str
    share: bool
    points: tuple[LearntPoint, ...]
    failed: tuple[tuple[int, str], ...] = ()
    broken: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """Return the points, a row each."""
        rows = [asdict(each) for each in self.points]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        return {
            "recipe": self.name,
            "measure": self.measure,
            "points": [asdict(each) for each in self.points],
            "failed": [{"size": size, "reason": reason} for size, reason in self.failed],
            "broken": list(self.broken),
        }


def learning_curve(
    source: Source,
    test: Source,
    *,
    sizes: Sequence[int] = (),
    seed: int = 0,
    threads: int | None = None,
    told: Told | None = None,
    **options: Unpack[Options],
) -> LearningCurve:
    """Estimate a recipe from parts of a file, each within the next, and judge it on another.

    Args:
        source: Tagged sentences, trees or parse sets to learn from.
        test: Others to judge by.
        sizes: How many sentences the parts have; by default all, a half, a quarter and so on.
        seed: Of the random numbers that shuffle sentences.
        threads: How many threads to use, all by default; no result depends on it.
        told: Told of every size that is done.
        options: The recipe, its settings and so on; see :class:`~weft.commands.request.Request`.

    Raises:
        OptionError: If an option does not exist, or a size is more than there is.
        FormatError: If a file cannot be read.
        WeftError: If the recipe learns nothing from any part.
    """
    named = {"recipe": usual_recipe(source), **options, "development": test}
    request = Request([source], **named)  # type: ignore[arg-type]
    if request.stream:
        raise OptionError("parts of a corpus are drawn in memory: leave --stream out")
    plan = plan_request(request)
    given = read_materials(request, plan)
    task, held_out = task_of(plan.model), list(given.held_out or ())
    corpus = task.dealt(given.corpus)
    order = np.random.default_rng(seed).permutation(len(corpus)).tolist()
    wanted = _checked(sizes, len(corpus)) if sizes else _usual_sizes(len(corpus))
    points, failed = [], []
    for done, size in enumerate(wanted, 1):
        seen = [corpus[place] for place in sorted(order[:size])]
        try:
            trained = fit_recipe(given.plan, seen, raw=given.raw, threads=threads)
            points.append(_point(task, trained, seen, held_out, given.plan))
        except WeftError as error:
            failed.append((size, str(error)))
            if len(failed) == len(wanted):
                raise
        if told is not None:
            told(done, len(wanted))
    measure = points[0][0]
    kept = tuple(point for _, point in points)
    shown = measure or "log p per token"
    return LearningCurve(plan.name, shown, bool(measure), kept, tuple(failed), given.broken)


def _point(
    task: Task, trained: Any, seen: Sequence[Any], test: Sequence[Any], plan: Recipe
) -> tuple[str, LearntPoint]:
    columns = task.judge(trained, seen, test, plan).judged[ESTIMATED]
    name, score = task.scored(columns)
    head = task.headline(columns)
    if name != head.key:
        return "", LearntPoint(len(seen), score, None, None, len(trained.weights))
    low, high = interval(head.counts, head.statistic)
    return head.measure, LearntPoint(len(seen), score, low, high, len(trained.weights))


def _usual_sizes(count: int) -> list[int]:
    sizes = {count >> halves for halves in range(_MOST)}
    return sorted(size for size in sizes if size >= min(_LEAST, max(count, 1)))


def _checked(sizes: Sequence[int], count: int) -> list[int]:
    for size in sizes:
        if not 0 < size <= count:
            raise OptionError(f"--sizes: a part has 1 to {count:,} sentences here, not {size:,}")
    return sorted(set(sizes))
