"""The optimiser that suits a criterion, where none is named."""

from __future__ import annotations

from typing import Any

from weft.criteria import Criterion
from weft.criteria.guides import is_hinge
from weft.models.model import Spec
from weft.optimise.online import Perceptron
from weft.optimise.stochastic import SGD


def usual_optimiser(spec: Spec[Any], criterion: Criterion | None) -> Any | None:
    """Return the optimiser that a criterion asks for; None if it is content with any.

    A difference of best scores that no cost keeps apart is highest where all scores are the same:
    it is the way of the weights that counts, and not its end. So that way is gone: by the
    perceptron's rule, or, where scores are not linear in the weights, by short steps.

    >>> from weft import Chain
    >>> from weft.criteria import conditional, perceptron
    >>> usual_optimiser(Chain(), perceptron)
    Perceptron(epochs=20, tolerance=0.0001, seed=0, averaged=True)
    >>> usual_optimiser(Chain(), conditional) is None
    True
    """
    if criterion is None or not is_hinge(criterion) or criterion.cost:
        return None
    return Perceptron() if spec.linear else SGD()
