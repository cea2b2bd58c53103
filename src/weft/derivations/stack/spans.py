"""The labels over spans of words that the moves of a forest make."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import IntArray
from weft.derivations.stack.parses import Parses
from weft.derivations.stack.rounds import SETTLED
from weft.structures.constituents import Span


def number_spans(
    parses: Parses, names: Sequence[str | None], *, tagged: bool
) -> tuple[IntArray, list[Span]]:
    """Return the number of the label over a span that each row [rows] makes, and these.

    It is -1 where a row makes none.

    Args:
        parses: The forest.
        names: The labels; None for one that is not of the corpus.
        tagged: Whether terminals are labels over words.
    """
    labels = {name: number for number, name in enumerate(dict.fromkeys(names))}
    numbers = np.array([-1 if name is None else labels[name] for name in names])
    graph, levels = parses.hypergraph, parses.items[:, 4]
    made = numbers[parses.items[:, 1]]
    turns = np.zeros(0, np.int64) if parses.rounds is None else parses.rounds.targets
    here = (made >= 0) & (parses.items[:, 0] >= 0) & (levels >= 0) & (levels < SETTLED)
    able = here[graph.heads] & (tagged | (np.diff(graph.tail_offsets) > 0))
    able = np.append(able, made[turns] >= 0)
    starts, ends = parses.spans.T.astype(np.int64)
    keys = (starts * (ends.max() + 1) + ends) * len(labels) + made
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    shown = list(labels)
    several = zip(starts[first].tolist(), ends[first].tolist(), made[first].tolist(), strict=True)
    spans = [Span(start, end, shown[name]) for start, end, name in several]
    return np.where(able, places[np.append(graph.heads, turns)], -1), spans
