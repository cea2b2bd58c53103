"""How much the features of a sentence differ between its analyses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.structures.alternatives import Alternatives
from weft.structures.hypergraph import Hypergraph, edges_of

_ROOM = 4_000_000  # numbers held at a time while a forest is gone through


def extremes(
    tokens: Alternatives, rows: Sequence[int] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest value of each of a sentence's features, [names] each.

    >>> from weft.structures.alternatives import alternatives
    >>> two = alternatives([{("rule", "a"): 2.0, ("rule", "b"): 1.0}, {("rule", "b"): 1.0}])
    >>> extremes(two)
    (array([0., 1.]), array([2., 1.]))
    >>> extremes(two, rows=[1])
    (array([0., 1.]), array([0., 1.]))

    Args:
        tokens: The sentence.
        rows: Look only at these analyses, or at derivations that only have these edges.
    """
    owners = np.repeat(np.arange(len(tokens)), np.diff(tokens.offsets))
    values = np.ones(len(tokens.columns)) if tokens.values is None else tokens.values
    kept = np.ones(len(tokens), np.bool_)
    if rows is not None:
        kept[:] = False
        kept[list(rows)] = True
    if tokens.forest is not None:
        return _over_derivations(tokens, tokens.forest, owners, values, kept)
    inside = kept[owners]
    columns, values = tokens.columns[inside], values[inside]
    count = len(tokens.names)
    least, largest = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, columns, values)
    np.maximum.at(largest, columns, values)
    absent = np.bincount(columns, minlength=count) < kept.sum()
    least[absent] = np.minimum(least[absent], 0.0)
    largest[absent] = np.maximum(largest[absent], 0.0)
    return least, largest


def _over_derivations(
    tokens: Alternatives,
    forest: Hypergraph,
    owners: IntArray,
    values: FloatArray,
    kept: BoolArray,
) -> tuple[FloatArray, FloatArray]:
    """The same in a forest, where values add up: some features at a time, all vertices once."""
    parts = []
    step = max(1, _ROOM // (2 * forest.vertex_count))
    for first in range(0, len(tokens.names), step):
        width = min(step, len(tokens.names) - first)
        here = (tokens.columns >= first) & (tokens.columns < first + width)
        least = np.full((forest.vertex_count, width), np.inf)
        largest = np.full((forest.vertex_count, width), -np.inf)
        starts = np.searchsorted(owners[here], np.arange(len(tokens) + 1))
        columns, amounts = tokens.columns[here] - first, values[here]
        for edge, (head, tails) in enumerate(edges_of(forest)):
            if not kept[edge]:
                continue
            own = np.zeros(width)
            mine = slice(starts[edge], starts[edge + 1])
            own[columns[mine]] = amounts[mine]
            below = list(tails)
            np.minimum(least[head], own + least[below].sum(axis=0), out=least[head])
            np.maximum(largest[head], own + largest[below].sum(axis=0), out=largest[head])
        parts.append((least[forest.root], largest[forest.root]))
    if not parts:
        return np.zeros(0), np.zeros(0)
    lows, highs = zip(*parts, strict=True)
    return np.concatenate(lows), np.concatenate(highs)
