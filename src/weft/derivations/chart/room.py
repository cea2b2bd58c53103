"""Which sentences are too long for their charts to be kept in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import BoolArray
from weft.derivations.chart.chart import MEMORY, Chart
from weft.derivations.chart.grammar import ChartGrammar
from weft.structures.evidence import Evidence, Sentence

_NUMBER = 16.0  # bytes, at most
_ENTRY = 2 * _NUMBER + 8.0  # of an item that is listed in a cell


def too_large(
    rules: ChartGrammar,
    evidences: Sequence[Evidence],
    threads: int | None = None,
    memory: int = MEMORY,
) -> BoolArray:
    """[members]: whether the chart of a sentence would take more memory than it may.

    Args:
        rules: The grammar.
        evidences: Sentences; of others nothing is said.
        threads: How many threads to use; no result depends on it.
        memory: How many bytes a chart may take.
    """
    lengths = [len(each.tokens) if isinstance(each.tokens, Sentence) else 0 for each in evidences]
    states = np.array(lengths, np.float64) + 1.0
    items, rows = len(rules.layout.row_of), len(rules.grammar.nonterminals)
    # Most sentences are so short that they need not be tried: every cell may list every item.
    most = (states + 8.0) ** 2 * (2 * rows * _NUMBER + items * _ENTRY / 2 + 16.0)
    most += items * (states + 8.0) * _NUMBER
    found = most > memory
    places = np.flatnonzero(found).tolist()
    if places:
        chart = Chart(rules, [evidences[place] for place in places], threads, memory=memory)
        found[places] = ~chart.fits()
    return found
