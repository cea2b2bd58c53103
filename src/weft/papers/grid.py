"""Every family with every criterion that it has, on the corpora that come with the package."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.criteria import Criterion, Gaussian, Penalty, Unit, complete, conditional, contrast
from weft.errors import NotDefined, OptionError
from weft.models.instances import instances
from weft.optimise.annealing import Annealing
from weft.optimise.lbfgs import LBFGS
from weft.papers.families import GridFamily, tree_judge
from weft.recipes import find_recipe
from weft.train import fit
from weft.train.grid import cells
from weft.train.usual import usual_optimiser, usual_penalty

CLEARLY = 0.05
"""By how much more must be right than without training."""

COUNTED = "counted"
"""What stands for a criterion where a family is counted."""


@dataclass(frozen=True, slots=True)
class GridRow:
    """How one training went; shares are of 1."""

    family: str
    criterion: str
    right: float
    baseline: float
    iterations: int
    seconds: float
    optimiser: str
    start: str
    stopped: str
    reason: str = ""

    @property
    def verdict(self) -> str:
        """Whether training is clearly better than none; if not, why."""
        if self.right <= self.baseline + CLEARLY:
            return f"no: {self.reason}" if self.reason else "no"
        return "yes" if self.iterations or self.start else "nothing to climb"

    def line(self) -> str:
        """Return the row in Markdown."""
        before = f", after {self.start.replace(' iterations', '')}" if self.start else ""
        return (
            f"| {self.family} | {self.criterion} | {100 * self.right:.1f} | "
            f"{100 * self.baseline:.1f} | {self.verdict} | {self.seconds:.1f} | {self.optimiser}, "
            f"{self.iterations}{before} | {self.stopped} |"
        )


def rows(
    several: Sequence[GridFamily],
    criteria: Sequence[Criterion],
    iterations: int,
    steps: int,
    seed: int = 0,
) -> Iterator[GridRow]:
    """Train each family with each criterion that it has; what is counted, once.

    Args:
        several: The families.
        criteria: The criteria.
        iterations: The largest number of iterations.
        steps: Of simulated annealing.
        seed: Of what is drawn, by optimisers that draw.
    """
    for family in several:
        if family.spec.counted:
            yield _count(family)
            continue
        for criterion in criteria:
            labelled = criterion.numerator is complete
            spec = family.spec if labelled else family.raw
            if spec is None or not _takes(spec, criterion):
                continue
            with suppress(NotDefined):
                yield _row(family, spec, criterion, iterations, steps, seed)


def missing_cells(
    family: GridFamily, criteria: Sequence[Criterion], known: Collection[str]
) -> dict[str, str]:
    """Return why a family has no row of a criterion: what ``weft recipes --grid`` says of it.

    Args:
        family: The family.
        criteria: The criteria.
        known: The names of those that have a row.
    """
    left = [each for each in criteria if each.name not in known]
    blind = {each.name for each in left if each.numerator is not complete}
    said = {
        cell.criterion: cell.reason or cell.flat
        for cell in cells([instances()[family.of]], left)
        if cell.data == ("raw" if cell.criterion in blind else "complete")
    }
    return {name: reason for name, reason in said.items() if reason is not None}


def _count(family: GridFamily) -> GridRow:
    began = time.perf_counter()
    trained = fit(family.spec, family.train, criterion=None)
    seconds = time.perf_counter() - began
    right = tree_judge(family.spec, trained.model, family.test)(trained.weights)
    return GridRow(
        family.name, COUNTED, right, family.baseline, 0, seconds, "—", COUNTED, "all is counted"
    )


def _takes(spec: Any, criterion: Criterion) -> bool:
    try:
        spec.check(criterion)
    except OptionError:
        return False
    return True


def penalty_of(criterion: Criterion) -> Penalty:
    """Return what large weights cost."""
    return usual_penalty(criterion, Gaussian(10.0))


def _row(
    family: GridFamily, spec: Any, criterion: Criterion, iterations: int, steps: int, seed: int
) -> GridRow:
    options: dict[str, Any] = {}
    penalty = penalty_of(criterion)
    if criterion.unit is Unit.CHOICE:
        options["optimiser"] = Annealing(steps=steps)
    elif (usual := usual_optimiser(spec, criterion, penalty)) is not None:
        options["optimiser"] = usual
    else:
        options["optimiser"] = replace(find_recipe("crf").optimiser, max_iterations=iterations)
    if hasattr(options["optimiser"], "seed"):
        options["optimiser"] = replace(options["optimiser"], seed=seed)
    began = time.perf_counter()
    trained = fit(spec, family.train, criterion=criterion, penalty=penalty, adapt=False, **options)
    seconds = time.perf_counter() - began
    right = tree_judge(spec, trained.model, family.test)(trained.weights)
    failed = right <= family.baseline + CLEARLY
    return GridRow(
        family.name,
        criterion.name,
        right,
        family.baseline,
        trained.trace[-1].iteration,
        seconds,
        type(options["optimiser"]).__name__,
        trained.notes.get("start", ""),
        trained.notes["stopped"],
        _reason(family, spec, criterion, penalty, trained) if failed else "",
    )


def _reason(family: GridFamily, spec: Any, criterion: Criterion, penalty: Any, trained: Any) -> str:
    """Why a model is no good: whether its criterion likes it better than one that learnt labels."""
    model, corpus = trained.model, spec.compile(family.train)
    cost = penalty.objective(model.parameters)
    start = np.zeros(model.parameters.size)
    labels = LBFGS().maximise(contrast(model, corpus, conditional) + cost, start).weights
    objective = contrast(model, corpus, criterion) + cost
    mine, other = (float(objective(theta)[0]) for theta in (trained.weights, labels))
    share = 100 * tree_judge(spec, model, family.test)(labels)
    blamed = "criterion prefers it" if mine >= other else "optimiser stops"
    return f"the {blamed}, at {mine:.1f}; weights with {share:.1f} % right are at {other:.1f}"
