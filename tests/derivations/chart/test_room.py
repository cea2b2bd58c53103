"""Sentences that are too long for their charts are told beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.derivations.chart.chart import Chart
from weft.derivations.chart.grammar import chart_grammar
from weft.derivations.chart.room import too_large
from weft.errors import LimitError
from weft.structures.evidence import Evidence, sentence
from weft.structures.grammar import Rule, Terminal, grammar

RULES = chart_grammar(
    grammar([Rule("S", ("S", "S")), Rule("S", ("S", "S", "S")), Rule("S", (Terminal("a"),))])
)


def refuses(evidence: Evidence, memory: int) -> bool:
    try:
        Chart(RULES, [evidence], memory=memory).sweep(np.full(3, -1.0), np.ones(1))
    except LimitError:
        return True
    return False


@pytest.mark.parametrize("memory", [3_000, 10_000, 30_000, 100_000])
def test_what_is_too_large_is_what_charts_refuse(memory):
    evidences = [Evidence(sentence(["a"] * length)) for length in range(1, 40, 2)]
    found = too_large(RULES, evidences, memory=memory)
    assert 0 < found.sum() < len(found)
    assert found.tolist() == [refuses(each, memory) for each in evidences]
