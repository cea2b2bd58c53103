"""Every family learns from every criterion that looks at labels, on a small part of the corpora."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from weft.criteria import CRITERIA, everything, input_only
from weft.optimise.solution import Reason

ROOT = Path(__file__).parents[2]
CHOSEN = [
    name
    for name, each in CRITERIA.items()
    if each.denominator in (input_only, everything) and each.numerator is not input_only
]
NAMES = ("crf", "memm", "hmm", "mrf", "pcfg", "wcfg-crf", "parse-selection")


@cache
def benchmark():
    sys.path.insert(0, str(ROOT))
    try:
        return import_module("benchmarks.criteria")
    finally:
        sys.path.remove(str(ROOT))


@cache
def rows():
    made = benchmark()
    criteria = [CRITERIA[name] for name in CHOSEN]
    found = made.rows(made.families(30), criteria, iterations=40, steps=200)
    return {(row.family, row.criterion): row for row in found}


@pytest.mark.parametrize("name", NAMES)
def test_it_beats_what_needs_no_training(name):
    mine = [row for (family, _), row in rows().items() if family == name]
    assert {"conditional", "margin", "perceptron", "rival"} <= {row.criterion for row in mine}
    for row in mine:
        assert row.right > row.baseline + 0.05, row


@pytest.mark.parametrize("name", NAMES)
def test_it_ends_with_a_reason(name):
    for row in (row for (family, _), row in rows().items() if family == name):
        assert row.stopped in tuple(Reason), row
        assert row.iterations > 0 or row.start, row


def test_what_is_flat_at_zeros_starts_from_a_likelihood():
    for criterion in ("expected-accuracy", "boosting", "accuracy", "local-accuracy"):
        assert rows()["crf", criterion].start == "30 iterations of conditional"
    for criterion in ("conditional", "softmax-margin", "local-likelihood", "margin"):
        assert not rows()["crf", criterion].start


def test_the_table_has_a_line_per_training():
    lines = benchmark().table(list(rows().values())).splitlines()
    assert len(lines) == len(rows()) + 2
    assert len({line.count("|") for line in lines}) == 1
