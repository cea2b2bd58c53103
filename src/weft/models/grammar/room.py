"""Sentences that are too long for the charts of a grammar model."""

from __future__ import annotations

from collections.abc import Sequence

from weft.derivations.chart.chart import MEMORY
from weft.models.grammar.model import GrammarModel
from weft.models.too_large import TooLarge
from weft.structures.evidence import Evidence, Example


def large_charts(
    model: GrammarModel,
    corpus: Sequence[Example],
    threads: int | None = None,
    memory: int = MEMORY,
) -> TooLarge | None:
    """Return the sentences whose charts would take too much memory; None where there are none."""
    flags = model.too_large([Evidence(example.tokens) for example in corpus], threads, memory)
    if not flags.any():
        return None
    reason = f"would take more than {memory / 2**20:,.0f} MiB each with this grammar"
    return TooLarge(flags, reason, corpus)
