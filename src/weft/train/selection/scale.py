"""One scale for all weights of a selector, so that its probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import FloatArray, dot
from weft.criteria import Gaussian, conditional, contrast
from weft.models.selection.selector import Selector
from weft.optimise.lbfgs import LBFGS
from weft.structures.alternatives import Selected

JOHNSON = Gaussian(49.0, relative=True)
"""The penalty of Johnson et al. (1999), equation 10: σ is 7 times a feature's largest value."""


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

    >>> from weft import Selection, fit
    >>> from weft.structures.alternatives import alternatives
    >>> both = alternatives([{("given", "low"): 1.0}, {("given", "high"): 1.0}])
    >>> corpus = [Selected(both, (0,))] * 3 + [Selected(both, (1,))]
    >>> selector, scale = with_scale(fit(Selection(), corpus), corpus)
    >>> round(selector.best([both])[0].probability, 2)
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
