"""The report in docs/results is of today's program, and the pages quote it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import stale_figures

from weft.commands.reproduction import read_report, reproduce_papers
from weft.papers.check import compare_reports

DOCS = Path(__file__).parents[2] / "docs"
KEPT = DOCS / "results" / "report.json"

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


def test_the_tally_on_the_guide_is_that_of_the_kept_report():
    kept = read_report(KEPT)
    results = [each["result"] for each in kept["experiments"] if each["result"]]
    verdicts = [each["verdict"] for result in results for each in result["findings"]]
    counts = [verdicts.count(each) for each in ("holds", "does not hold", "not significant")]
    said = "Of {} findings {} hold, {} do not hold, and {} are not significant"
    quoted = " ".join((DOCS / "guide" / "reproduce.md").read_text(encoding="utf-8").split())
    assert said.format(len(verdicts), *counts) in quoted


def test_stale_figures_are_found(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("| 95.74 | 94.25 |\n\n1,234 sentences, .617 and 0.05\n")
    monkeypatch.setattr(stale_figures, "PAGES", (page,))
    monkeypatch.setattr(stale_figures, "ROOT", tmp_path)

    def report(name: str, *row: object) -> str:
        tables = [{"title": "12 trees", "rows": [row]}]
        gain = {"difference": 0.05, "low": 0.01}
        finding = {"ours": "94.25 and 93", "paper": "", "gain": gain}
        result = {"tables": tables, "findings": [finding]}
        path = tmp_path / name
        path.write_text(json.dumps({"experiments": [{"result": result}, {"result": None}]}))
        return str(path)

    old = report("old.json", 0.957361, 1234, 0.6168, None)
    for new, lines in (
        (old, []),
        (report("new.json", 0.957361, 1235, 0.6161, None), ["page.md:3: 1,234", "page.md:3: .617"]),
    ):
        monkeypatch.setattr(sys, "argv", ["stale_figures.py", old, new])
        assert stale_figures.main() == bool(lines)
        assert capsys.readouterr().out.splitlines()[:-1] == lines
