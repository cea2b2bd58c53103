"""Cross-validation of recipes, of every family."""

from __future__ import annotations

import json
import os
import statistics
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from weft.commands.comparison import check_common_score, compare_headlines
from weft.commands.files.inputs import StrPath
from weft.commands.files.ledger import Ledger, contents
from weft.commands.folds import KeptFolds
from weft.commands.grid import points_of
from weft.commands.request import Options, Request
from weft.commands.tasks import Materials, Task, plan_request, read_materials, task_of
from weft.commands.training import forecast_of
from weft.commands.trials import Choose, Job
from weft.corpora.parses.profiles import is_profile
from weft.corpora.parses.xle.files import is_xle
from weft.errors import FormatError, OptionError, StuckError
from weft.evaluate.significance import PairedTest
from weft.files import Source, name_of
from weft.frames import Tabular
from weft.models.forecast import Forecast
from weft.models.too_large import TooLarge
from weft.ranking import by_value
from weft.recipes import find_recipe, fit_recipe
from weft.reprs import count_things, describe, show_figure
from weft.train.crossvalidation import (
    ESTIMATED,
    CrossValidation,
    Fold,
    Told,
    crossvalidation,
)

_OTHER_RECIPE = "compare recipes for the same kind of answers"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Validation(Tabular):
    """What the cross-validation of a recipe found.

    Attributes:
        name: What was estimated: the recipe, and what was changed in it by a grid.
        task: The family.
        found: What was counted, sentence by sentence.
        given: What was read.
    """

    name: str
    task: Task
    found: CrossValidation
    given: Materials

    def __repr__(self) -> str:
        folds = count_things(len(self.found.features), "fold")
        return describe(self, self.name, folds, show_figure(*self.score))

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of all folds together."""
        return self.task.figures(self.found.judged[ESTIMATED])

    @property
    def folds(self) -> list[dict[str, Any]]:
        """The figures of each fold."""
        numbers = range(len(self.found.features))
        return [self.task.figures(self.found.within(number)) for number in numbers]

    def columns(self) -> dict[str, list[Any]]:
        """Return the figures of each fold, a row each."""
        folds = [{"fold": number, **each} for number, each in enumerate(self.folds, 1)]
        names = [name for name, each in folds[0].items() if not isinstance(each, dict | list)]
        return {name: [each[name] for each in folds] for name in names}

    @property
    def score(self) -> tuple[str, float]:
        """The name and the value of the figure by which models are compared."""
        return self.task.scored(self.found.judged[ESTIMATED])

    @property
    def over_folds(self) -> tuple[float, float | None]:
        """The mean of that figure over folds, and its standard deviation, if two have it."""
        key, _ = self.score
        values = [fold[key] for fold in self.folds if fold[key] is not None]
        return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None

    @property
    def rows(self) -> Mapping[str, dict[str, Any]]:
        """The figures of each estimator, the baseline first."""
        found = {name: self.task.figures(each) for name, each in self.found.judged.items()}
        estimated = found.pop(ESTIMATED)
        first = {name: found.pop(name) for name in ("baseline",) if name in found}
        others = {f"{self.name}, {name}": each for name, each in found.items()}
        return {**first, self.name: estimated, **others}

    @property
    def messages(self) -> list[str]:
        """What reading said, and which sentences have no answer, as their charts are too large."""
        said = list(self.given.messages)
        lengths = self.found.judged[ESTIMATED].get("length")  # of those whose sums can be kept
        if lengths is None or not np.isnan(lengths).any():
            return said
        corpus = self.task.dealt(self.given.corpus)
        large = TooLarge(np.isnan(lengths), "would take more memory than a chart may", corpus)
        return [*said, f"without a tree: {large}"]

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        others = {
            f"{name}_{key}": value
            for name, columns in self.found.judged.items()
            if name != ESTIMATED
            for key, value in self.task.figures(columns).items()
        }
        key, score = self.score
        mean, spread = self.over_folds
        return {
            "recipe": self.given.plan.name,
            "name": self.name,
            **self.figures,
            **others,
            "score": {"name": key, "value": score, "mean": mean, "spread": spread},
            "features": list(self.found.features),
            "folds": self.folds,
            "broken": list(self.given.broken),
            "messages": self.messages,
        }


def crossvalidate(
    source: Source,
    *,
    folds: int = 10,
    seed: int = 0,
    threads: int | None = None,
    told: Told | None = None,
    foretold: Callable[[Forecast], None] | None = None,
    folder: StrPath | None = None,
    name: str | None = None,
    **options: Unpack[Options],
) -> Validation:
    """Estimate a recipe once for each fold of a file, and judge it on that fold.

    Args:
        source: Tagged or raw sentences, trees or parse sets.
        folds: How many.
        seed: Of the random numbers that deal sentences to folds.
        threads: How many folds to work on at a time; no result depends on it.
        told: Told of every fold that is done.
        foretold: Told what training on the whole file would take, where that is long.
        folder: Where to keep what is found on each fold, so that the same call goes on where one
            was stopped; nothing is kept by default.
        name: What the result is called; the recipe by default.
        options: The recipe, its settings, a dictionary and so on; see
            :class:`~weft.commands.request.Request`. By default the recipe is ``parse-selection``
            for parse sets, and ``crf`` for other files.

    Raises:
        OptionError: If an option does not exist, there are more folds than sentences, or nothing
            can be said of what is held out; or if the folder holds what was asked for otherwise.
        FormatError: If the file cannot be read.
    """
    for each in ("development", "start", "patience"):
        if options.get(each) is not None:
            raise OptionError(f"folds are held out in turns: cross-validation takes no {each}")
    request = Request([source], **{"recipe": usual_recipe(source), **options})  # type: ignore[arg-type]
    plan = plan_request(request)
    ledger = None if folder is None else _ledger(Path(folder), request, folds, seed)
    given = read_materials(request, plan)
    if foretold is not None and (forecast := forecast_of(given)) is not None:
        foretold(forecast)
    task = task_of(plan.model)
    leaving = threading.Event()

    def judged(seen: Sequence[Any], test: Sequence[Any]) -> Fold:
        trained = fit_recipe(
            given.plan, seen, raw=given.raw, progress=lambda _: leaving.is_set(), threads=1
        )
        found = task.judge(trained, seen, test, given.plan)
        task.scored(found.judged[ESTIMATED])
        return found

    kept = KeptFolds(ledger)
    with nullcontext() if ledger is None else ledger.going_on():
        found = crossvalidation(
            judged,
            task.dealt(given.corpus),
            folds=folds,
            seed=seed,
            threads=threads,
            told=told,
            known=kept.known,
            keep=kept.keep,
            leaving=leaving,
        )
    return Validation(name or plan.name, task, found, given)


def crossvalidate_grid(
    source: Source,
    grid: Mapping[str, Sequence[str]],
    *,
    folder: StrPath | None = None,
    told: Told | None = None,
    foretold: Callable[[Forecast], None] | None = None,
    folds: int = 10,
    seed: int = 0,
    threads: int | None = None,
    failed: Callable[[str, str], None] | None = None,
    **options: Unpack[Options],
) -> list[Validation]:
    """Cross-validate a recipe at every point of a grid, on the same folds.

    Args:
        source: The file, which is read for every point.
        grid: The values to try of ``penalty`` and of settings; all combinations are.
        folder: Where to keep what is found, in a folder a point.
        told: Told of every fold that is done, of all points together.
        foretold: As for :func:`crossvalidate`.
        folds: How many.
        seed: Of the random numbers that deal sentences to folds.
        threads: How many folds to work on at a time; no result depends on it.
        failed: Told the name of a point where training did not move, and why; the others go on.
            Without it, or if there is no other, that is an error.
        options: As for :func:`crossvalidate`.

    Raises:
        StuckError: See ``failed``.
    """
    request = Request([source], **{"recipe": usual_recipe(source), **options})  # type: ignore[arg-type]
    points = points_of(request, grid)
    for _, asked in points:
        plan_request(asked)  # so that a mistake is found before hours are spent
    found = []
    for place, (point, asked) in enumerate(points):

        def tell(done: int, of: int, place: int = place) -> None:
            if told is not None:
                told(place * of + done, len(points) * of)

        # Options that are settings are among these.
        unsaid: Options = {"criterion": None, "optimiser": None, "patience": None}
        changed: Options = {**options, **unsaid}
        changed |= {"penalty": asked.penalty, "settings": asked.settings}
        name = " ".join(f"{key}={value}" for key, value in point.items())
        work = None if folder is None else Path(folder) / f"{place + 1:03}"
        try:
            one = crossvalidate(
                source,
                folds=folds,
                seed=seed,
                threads=threads,
                told=tell,
                foretold=foretold,
                folder=work,
                name=name,
                **changed,
            )
            found.append(one)
        except StuckError as error:
            if failed is None or (place == len(points) - 1 and not found):
                raise
            failed(name, str(error))
    return found


def best_of(several: Sequence[Validation]) -> Validation:
    """Return the validation with the highest score, of equals the first."""
    return by_value(several, lambda each: each.score[1])[0]


def compare_validations(first: Validation, second: Validation, seed: int = 0) -> PairedTest:
    """Test whether one of two recipes is better on the same folds, or was lucky.

    Raises:
        OptionError: If they have no score in common, or there are no labels to compare by.
    """
    check_common_score(first.task, second.task, _OTHER_RECIPE)
    mine, theirs = (each.task.headline(each.found.judged[ESTIMATED]) for each in (first, second))
    if not mine.counts.any():
        raise OptionError("recipes are compared by what is right, and nothing here is labelled")
    return compare_headlines(mine, theirs, seed)


def for_other_recipe(options: Options, name: str) -> Options:
    """Return what is asked for with another recipe, whose model looks at the same.

    Settings of the model are kept, and those of estimation left to the recipe.

    Raises:
        OptionError: If the two recipes have no score in common, so that nothing is trained in vain.
    """
    first, second = (
        task_of(find_recipe(each).model) for each in (options.get("recipe", name), name)
    )
    check_common_score(first, second, _OTHER_RECIPE)
    known = {each.name for each in fields(find_recipe(name).model)}  # type: ignore[arg-type]
    settings = {key: text for key, text in options["settings"].items() if key in known}
    unsaid: Options = {"penalty": None, "criterion": None, "optimiser": None}
    return {**options, **unsaid, "recipe": name, "settings": settings}


def usual_recipe(source: Source) -> str:
    """Return the recipe of a file if none is named."""
    name = name_of(source).removesuffix(".gz")
    parses = name.endswith(".jsonl") or is_profile(source) or is_xle(source)
    return "parse-selection" if parses else "crf"


def _ledger(folder: Path, request: Request, folds: int, seed: int) -> Ledger:
    for source in request.files:
        if not isinstance(source, str | os.PathLike) or not Path(source).exists():
            message = "what is kept depends on its contents, so that it must be a file with --work"
            raise FormatError(message, path=name_of(source))
    asked = json.loads(Job(0, {}, "", Choose.CRITERION, request).text())["request"]
    arguments = {**asked, "folds": folds, "seed": seed, **contents(request.files)}
    return Ledger(folder, "cross-validation", "results", arguments, key="fold")
