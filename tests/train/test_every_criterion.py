"""Every family learns from every criterion that looks at labels, on a small part of the corpora."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from weft.criteria import CRITERIA, everything, input_only
from weft.optimise.solution import Reason
from weft.papers.families import families
from weft.papers.grid import CLEARLY
from weft.papers.grid import rows as grid_rows

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CHOSEN = [
    name
    for name, each in CRITERIA.items()
    if each.denominator in (input_only, everything) and each.numerator is not input_only
]
NAMES = ("crf", "memm", "hmm", "mrf", "pcfg", "wcfg-crf", "parse-selection")
NAMES += ("shift-reduce-maxent", "shift-reduce-global")


@cache
def benchmark():
    sys.path.insert(0, str(ROOT))
    try:
        return import_module("benchmarks.criteria")
    finally:
        sys.path.remove(str(ROOT))


@cache
def rows():
    criteria = [CRITERIA[name] for name in CHOSEN]
    found = grid_rows(families(30), criteria, iterations=40, steps=200)
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


def test_lines_of_the_table_have_a_verdict():
    made = benchmark()
    found = rows()["crf", "conditional"]
    assert found.verdict == "yes"
    assert replace(found, iterations=0).verdict == "nothing to climb"
    assert replace(found, iterations=0, start="30 iterations of conditional").verdict == "yes"
    assert replace(found, right=found.baseline, reason="so").verdict == "no: so"
    columns = {line.count("|") for line in (*made.HEADER, *(row.line() for row in rows().values()))}
    assert len(columns) == 1


def test_a_verdict_says_whether_criterion_or_optimiser_is_to_blame():
    [family] = [each for each in families(20) if each.name == "wcfg-crf"]
    hopeless = replace(family, baseline=1.0)
    [row] = grid_rows([hopeless], [CRITERIA["perceptron"]], iterations=5, steps=1)
    assert row.verdict.startswith("no: the ")
    value, other = map(float, re.findall(r"at (-?[\d.]+)", row.verdict))
    assert ("criterion prefers it" in row.verdict) == (value >= other)


def test_every_line_of_the_page_is_better_than_no_training_or_says_why_not():
    made = benchmark()
    pages = import_module("benchmarks.pages")
    lines = [pages.cells_of(each) for each in pages.lines_of(made.PAGE, made.MARK)]
    assert len(lines) > 100
    for family, criterion, right, untrained, verdict, *_ in lines:
        clearly = float(right) > float(untrained) + 100 * CLEARLY
        assert clearly == (verdict in ("yes", "nothing to climb")), (family, criterion)
        assert clearly or verdict.startswith("no: the criterion prefers it"), (family, criterion)
