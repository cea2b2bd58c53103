"""How much the features of a sentence differ between its analyses."""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray
from weft.structures.alternatives import Alternatives


def extremes(tokens: Alternatives) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest value of each of a sentence's features, [names] each.

    In a forest these are the extremes over edges: what a derivation has may be more, since it has
    several edges.

    >>> from weft.structures.alternatives import alternatives
    >>> two = alternatives([{("rule", "a"): 2.0, ("rule", "b"): 1.0}, {("rule", "b"): 1.0}])
    >>> extremes(two)
    (array([0., 1.]), array([2., 1.]))
    """
    count = len(tokens.names)
    values = np.ones(len(tokens.columns)) if tokens.values is None else tokens.values
    least, largest = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, tokens.columns, values)
    np.maximum.at(largest, tokens.columns, values)
    absent = np.bincount(tokens.columns, minlength=count) < len(tokens)
    least[absent] = np.minimum(least[absent], 0.0)
    largest[absent] = np.maximum(largest[absent], 0.0)
    return least, largest
