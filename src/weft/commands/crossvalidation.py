"""Cross-validation of recipes for parse sets."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.commands.files.inputs import StrPath
from weft.commands.files.ledger import Ledger, contents
from weft.commands.folds import KeptFolds
from weft.commands.request import Request
from weft.commands.selecting import Chosen, check_some, compiled_file, scores_json
from weft.commands.tasks import planned
from weft.errors import FormatError, OptionError
from weft.evaluate.selection import SelectionScores
from weft.files import Source, name_of
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.recipes import Recipe, fit_recipe
from weft.structures.alternatives import Selected
from weft.train.crossvalidation import CrossValidation, Told, crossvalidation


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """What the cross-validation of a recipe found.

    Attributes:
        recipe: What was estimated.
        found: The judgements, sentence by sentence.
        broken: What was wrong with records that were left out.
    """

    recipe: Recipe
    found: CrossValidation
    broken: tuple[str, ...] = ()

    @property
    def scores(self) -> SelectionScores:
        """The scores of all folds, summed."""
        return self.found.judgements.scores()

    @property
    def rows(self) -> Mapping[str, SelectionScores]:
        """The scores of each estimator, the baseline first."""
        rows = {"baseline": self.found.baseline.scores(), self.recipe.name: self.scores}
        if self.found.scaled is not None:
            # log PL depends on the scale of weights, and what was maximised does not.
            rows[f"{self.recipe.name}, scaled"] = self.found.scaled.scores()
        return rows

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; accuracies are fractions of ambiguous sentences."""
        found = self.found
        baseline = scores_json(found.baseline.scores())
        numbers = range(len(found.features))
        parts = [scores_json(found.judgements.pick(found.folds == k).scores()) for k in numbers]
        return {
            "recipe": self.recipe.name,
            **scores_json(self.scores),
            **{f"baseline_{key}": value for key, value in baseline.items()},
            "scaled_neg_log_pl": None if found.scaled is None else found.scaled.scores().neg_log_pl,
            "features": list(found.features),
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
    folder: StrPath | None = None,
) -> Validation:
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
        folder: Where to keep what is found on each fold, so that the same call goes on where one
            was stopped; nothing is kept by default.

    Raises:
        OptionError: If an option does not exist, or there are more folds than sentences; or if the
            folder holds what was asked for otherwise.
        FormatError: If the file cannot be read, or says of no sentence what is right.
    """
    request = Request([source], recipe=recipe, penalty=penalty, settings=settings or {})
    plan = planned(request)
    if not isinstance(plan.model, Selection):
        raise OptionError(f"the recipe {plan.name} is not for parse sets: use parse-selection")
    chosen = chosen or Chosen()
    corpus = list(compiled_file(chosen, source, plan.model.properties))
    check_some(corpus, [name_of(source)])

    leaving = threading.Event()

    def estimate(part: Sequence[Selected]) -> Selector:
        selector: Selector = fit_recipe(plan, part, progress=lambda _: leaving.is_set(), threads=1)
        return selector

    scale = plan.criterion is not None and plan.criterion.name == "accuracy"
    ledger = None if folder is None else _ledger(Path(folder), request, chosen, folds, seed)
    kept = KeptFolds(ledger)
    with nullcontext() if ledger is None else ledger.going_on():
        found = crossvalidation(
            estimate,
            corpus,
            folds=folds,
            seed=seed,
            scale=scale,
            threads=threads,
            told=told,
            known=kept.known,
            keep=kept.keep,
            leaving=leaving,
        )
    return Validation(plan, found, tuple(map(str, chosen.broken)))


def _ledger(folder: Path, request: Request, chosen: Chosen, folds: int, seed: int) -> Ledger:
    [source] = request.sources
    if not isinstance(source, str | os.PathLike) or not Path(source).exists():
        message = "what is kept depends on its contents, so that it must be a file with --work"
        raise FormatError(message, path=name_of(source))
    arguments = {
        "recipe": request.recipe,
        "penalty": request.penalty,
        "settings": dict(request.settings),
        "only": chosen.only,
        "skip_broken": chosen.skip_broken,
        "folds": folds,
        "seed": seed,
        **contents([source]),
    }
    return Ledger(folder, "cross-validation", "results", arguments, key="fold")
