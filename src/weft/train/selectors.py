"""Training of models that select analyses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from weft.arrays import FloatArray, dot
from weft.criteria import (
    Comparison,
    Criterion,
    Gaussian,
    Penalty,
    check_possible,
    conditional,
    contrast,
    input_only,
)
from weft.criteria.choices import SelectionChoices
from weft.errors import OptionError
from weft.evaluate.selection import Judge
from weft.features.compile import compiled
from weft.models.selection import Selection, SelectionModel, prepare_selection
from weft.models.selector import Selector
from weft.models.tagger import Progress
from weft.optimise.annealing import Annealing, Plain
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Climb, Search, Terrain
from weft.optimise.search import search as run_search
from weft.optimise.solution import Callback, Solution, Step
from weft.structures.alternatives import Selected
from weft.structures.parse_set import ParseSet
from weft.train.climbs import Optimiser, gradient_climb

JOHNSON = Gaussian(49.0, relative=True)
"""The penalty of Johnson et al. (1999), equation 10: σ is 7 times a feature's largest value."""


def fit_selection(
    selection: Selection,
    corpus: Sequence[ParseSet | Selected],
    *,
    criterion: Criterion | None = None,
    penalty: Penalty | None = None,
    optimiser: Optimiser | Annealing | None = None,
    search: Search | None = None,
    development: Sequence[ParseSet | Selected] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Selector:
    """Estimate a selection model's weights; see :func:`weft.train.fit` for the arguments.

    >>> from weft.structures.alternatives import alternatives
    >>> both = alternatives([{("given", "low"): 1.0}, {("given", "high"): 1.0}])
    >>> selector = fit_selection(Selection(), [Selected(both, (0,))])
    >>> [each.analysis for each in selector.rank(both)]
    [0, 1]
    """
    criterion, optimiser = criterion or conditional, optimiser or LBFGS()
    penalty, search = penalty or JOHNSON, search or Search()
    if isinstance(optimiser, Annealing) and search.seed:
        optimiser = replace(optimiser, seed=search.seed)
    if criterion.denominator is not input_only:
        raise OptionError(
            f"criterion '{criterion.name}' compares analyses with those of other sentences, which "
            "a selection model does not have: use one that compares with 'input'"
        )
    examples = selected(selection, corpus)
    model = prepare_selection(selection, [each for each in examples if each.weight > 0])
    objective = contrast(model, examples, criterion, threads)
    start = np.zeros(model.parameters.size)
    check_possible(objective, examples, start)
    report = _Report(model, selected(selection, development or ()), progress, threads)
    if isinstance(optimiser, Annealing):
        climb = _walk(optimiser, objective, len(start))
        penalty = Gaussian(np.inf)
    else:
        if not isinstance(penalty, Gaussian):
            raise OptionError(f"the penalty {penalty} is for EM; use relative:7 or gaussian:1.0")
        climb = gradient_climb(optimiser, objective, penalty, model.parameters, None)
    terrain = Terrain(climb, np.add, lambda weights: _entropy(model, examples, weights, threads))
    solution = run_search(search, terrain, start, report)
    made = {"criterion": criterion.name, "penalty": str(penalty), "stopped": str(solution.reason)}
    kept = {step.iteration for step in solution.trace}
    trace = tuple(each for each in report.trace if each.iteration in kept)
    return Selector(model, solution.weights, trace, {**made, **(notes or {})})


def selected(selection: Selection, corpus: Sequence[ParseSet | Selected]) -> list[Selected]:
    """Return examples as estimation needs them: parse sets are compiled, others are ready."""
    return [
        each if isinstance(each, Selected) else compiled(each, selection.properties)
        for each in corpus
    ]


def with_scale(
    selector: Selector,
    corpus: Sequence[Selected],
    threads: int | None = None,
    penalty: Gaussian = JOHNSON,
) -> tuple[Selector, float]:
    """Multiply all weights by the number that makes a corpus most likely, and return that, too.

    Which analyses are best does not change, but how sure the selector is of them does: estimators
    that only count right choices say nothing of it. The penalty keeps the number finite where all
    choices are right, and would be the more probable the surer they are.

    >>> from weft.structures.alternatives import alternatives
    >>> both = alternatives([{("given", "low"): 1.0}, {("given", "high"): 1.0}])
    >>> corpus = [Selected(both, (0,))] * 3 + [Selected(both, (1,))]
    >>> selector, scale = with_scale(fit_selection(Selection(), corpus), corpus)
    >>> round(selector.rank(both)[0].probability, 2)
    0.75
    """
    largest = float(abs(selector.weights).max(initial=0.0))
    if not largest:
        return selector, 1.0
    likelihood = contrast(selector.model, corpus, conditional, threads)
    objective = likelihood + penalty.objective(selector.model.parameters)
    unit = selector.weights / largest

    def along(scale: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(float(scale[0]) * unit)
        return value, np.array([dot(gradient, unit)])

    best = LBFGS(tolerance=1e-9, gradient_tolerance=1e-9).maximise(along, np.ones(1)).weights
    scaled = Selector(selector.model, float(best[0]) * unit, selector.trace, selector.notes)
    return scaled, float(best[0]) / largest


def _walk(optimiser: Annealing, objective: Comparison, size: int) -> Climb:
    landscape = (
        objective.landscape(size)
        if isinstance(objective, SelectionChoices)
        else Plain(lambda theta: objective(theta)[0])
    )

    def walk(start: FloatArray, power: float, callback: Callback | None) -> Solution:
        if power != 1.0:
            raise OptionError("simulated annealing cools by itself: leave anneal at 1")
        return optimiser.maximise(landscape, start, callback)

    return walk


def _entropy(
    model: SelectionModel, corpus: Sequence[Selected], weights: FloatArray, threads: int | None
) -> float:
    """Σ over sentences of the entropy of their analyses: log Z less the expected score."""
    derivations = model.derivations([each.evidence(labelled=False) for each in corpus], threads)
    values, expected = derivations.evaluate(weights, np.ones(len(derivations)))
    return float(values.sum()) - dot(expected, weights)


class _Report:
    """Keeps the trace of training, with the share of right choices in a corpus compiled once."""

    def __init__(
        self,
        model: SelectionModel,
        corpus: Sequence[Selected],
        progress: Callable[[Progress], bool | None] | None,
        threads: int | None,
    ) -> None:
        self.trace: list[Progress] = []
        self._progress = progress
        self._judge = Judge(model, corpus, threads) if corpus else None

    def __call__(self, step: Step, theta: FloatArray) -> bool | None:
        accuracy = self._judge(theta).scores().accuracy if self._judge else None
        self.trace.append(
            Progress(step.iteration, step.value, step.gradient_norm, step.seconds, accuracy)
        )
        return self._progress(self.trace[-1]) if self._progress else None
