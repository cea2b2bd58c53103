"""The program that compares two optimisers of margins, on few sentences."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from weft import Gaussian

pytestmark = pytest.mark.slow


ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def margins():
    sys.path.insert(0, str(ROOT))
    try:
        yield import_module("benchmarks.margins")
    finally:
        sys.path.remove(str(ROOT))


@pytest.mark.parametrize("name", ["bundled", "treebank", "parses"])
def test_two_optimisers_have_one_solution(margins, name):
    exact, other = margins.rows(margins.CORPORA[name](10), Gaussian(0.1), 1e-3, 2000)
    assert (exact.optimiser, other.optimiser) == ("FrankWolfe", "Subgradient")
    assert exact.passes < 100 < other.passes
    assert 0 <= exact.lack <= 1e-3 * max(1.0, abs(exact.value))
    assert 0 <= other.lack <= 0.05 * abs(other.value)
    assert exact.lack + exact.value == pytest.approx(other.lack + other.value)
    assert 0 < exact.apart == other.apart <= exact.most
    assert exact.line().count("|") == margins.HEADER[0].count("|")


def test_new_lines_take_the_places_of_old_ones(margins, tmp_path):  # noqa: ARG001
    pages = import_module("benchmarks.pages")
    page, header = tmp_path / "page.md", ("| a | b | c |", "|---|---|---|")
    page.write_text("What it is.\n\n<!-- mark -->\n\nold\n")
    assert pages.lines_of(page, "<!-- mark -->") == []
    pages.write_lines(page, "<!-- mark -->", header, ["| x | 1 | 2 |", "| y | 1 | 3 |"])
    merged = pages.merge_lines(
        pages.lines_of(page, "<!-- mark -->"), ["| x | 1 | 5 |", "| z | 1 | 4 |"], 2
    )
    pages.write_lines(page, "<!-- mark -->", header, merged)
    assert page.read_text() == (
        "What it is.\n\n<!-- mark -->\n\n| a | b | c |\n|---|---|---|\n"
        "| x | 1 | 5 |\n| y | 1 | 3 |\n| z | 1 | 4 |\n"
    )
