"""The report in docs/results is of today's program."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.commands.reproduction import read_report, reproduce_papers
from weft.papers.check import compare_reports

KEPT = Path(__file__).parents[2] / "docs" / "results" / "report.json"

HERE = ("smith-johnson-2007", "smith-eisner-2005/figure-1", "beyond/label-bias")
"""Experiments of which a full run has parts that need no corpus, and little time."""


@pytest.mark.slow
def test_kept_figures_are_those_of_this_program(tmp_path):
    """`weft reproduce --check docs/results/report.json` names those of all corpora."""
    (tmp_path / "empty").mkdir()
    made = reproduce_papers(HERE, out=tmp_path, data=tmp_path / "empty", jobs=1)
    checked = compare_reports(read_report(KEPT), made.as_json())
    assert not made.failed
    assert checked.differences == ()
    assert checked.verdicts >= 12
