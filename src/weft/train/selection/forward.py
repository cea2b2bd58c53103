"""Forward selection: features added a few at a time, the most useful first.

At each round every feature that is not in the model yet is worth the square of the slope of the
objective along it, in units of its spread: g² / h, with g the gradient and h the expected variance
of the feature at the current weights, twice the gain that a quadratic promises. The best ones join,
and all weights of the model are estimated anew.

Reference: Della Pietra, Della Pietra and Lafferty (1997), "Inducing Features of Random Fields",
section 3, whose gain this approximates; Johnson et al. (1999), section 5, for why to have fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IntArray, freeze
from weft.criteria import Gaussian, Penalty, conditional, contrast
from weft.errors import OptionError
from weft.evaluate.selection import SelectionScores
from weft.models.selection.model import prepare_selection
from weft.models.selection.scores import Judge
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.optimise.lbfgs import LBFGS
from weft.ranking import ranked
from weft.structures.alternatives import FeatureName, Selected
from weft.train.selection.scale import JOHNSON
from weft.train.selection.spread import Spread

_LEAST = 1e-9  # a feature of smaller variance is certain, and adds nothing


@dataclass(frozen=True, slots=True, eq=False)
class ModelOfSome:
    """A model of some of the features.

    Attributes:
        features: How many it has.
        added: Those that joined last, the best first.
        selector: The model, with all other weights 0.
        training: How good it is on the training corpus.
        test: How good it is on the test corpus.
    """

    features: int
    added: tuple[FeatureName, ...]
    selector: Selector
    training: SelectionScores
    test: SelectionScores


def selection_curve(
    selection: Selection,
    corpus: Sequence[Selected],
    test: Sequence[Selected],
    sizes: Sequence[int],
    *,
    penalty: Penalty | None = None,
    threads: int | None = None,
) -> Iterator[ModelOfSome]:
    """Yield models of growing numbers of features, and how good they are.

    Args:
        selection: What the models look at.
        corpus: What they are estimated from.
        test: What they are judged on besides.
        sizes: The numbers of features, growing; those beyond what there is are left out.
        penalty: What large weights cost; that of :func:`weft.train.fit` by default.
        threads: How many threads to use, all by default; no result depends on it.

    Raises:
        OptionError: If sizes do not grow, or the penalty is for EM.
    """
    if any(size < 1 for size in sizes) or list(sizes) != sorted(set(sizes)):
        raise OptionError("the numbers of features must be at least 1, and grow")
    penalty = penalty or JOHNSON
    if not isinstance(penalty, Gaussian):
        raise OptionError(f"the penalty {penalty} is for EM; use relative:7 or gaussian:1.0")
    return _grow(selection, corpus, test, sizes, penalty, threads)


def _grow(
    selection: Selection,
    corpus: Sequence[Selected],
    test: Sequence[Selected],
    sizes: Sequence[int],
    penalty: Gaussian,
    threads: int | None,
) -> Iterator[ModelOfSome]:
    model = prepare_selection(selection, corpus)
    objective = contrast(model, corpus, conditional, threads)
    spread = Spread(model, corpus, threads)
    judges = [Judge(model, each, threads) for each in (corpus, test)]
    cost = penalty.objective(model.parameters)
    weights = np.zeros(model.parameters.size)
    chosen = np.zeros(0, np.int64)
    for size in sizes:
        if size > len(weights):
            break
        gradient = objective(weights)[1]
        added = _best(gradient, spread(weights), chosen, size - len(chosen))
        chosen = np.concatenate([chosen, added])
        weights = _climbed(objective + cost, weights, chosen)
        selector = Selector(model, freeze(weights.copy()), (), {"features": str(size)})
        names = tuple(model.names[place] for place in added.tolist())
        scores = [judge(weights).scores() for judge in judges]
        yield ModelOfSome(size, names, selector, *scores)


def _best(gradient: FloatArray, variance: FloatArray, chosen: IntArray, count: int) -> IntArray:
    worth = np.where(variance > _LEAST, gradient**2 / np.maximum(variance, _LEAST), 0.0)
    worth[chosen] = -1.0
    return ranked(worth, count=count)


def _climbed(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    weights: FloatArray,
    chosen: IntArray,
) -> FloatArray:
    """Climb along the chosen weights only."""
    whole = weights.copy()

    def part(some: FloatArray) -> tuple[float, FloatArray]:
        whole[chosen] = some
        value, gradient = objective(whole)
        return value, gradient[chosen]

    found = LBFGS().maximise(part, weights[chosen]).weights
    whole[chosen] = found
    return whole
