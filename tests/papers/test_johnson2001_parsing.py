"""Table 1 of Johnson (2001) on a few trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.papers.johnson2001_parsing import parsing_table


@pytest.fixture(scope="module")
def made(data_folder: Path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_DATA", str(data_folder))
        return parsing_table("redwoods-vm", trees=60, iterations=15)


def test_figures_add_up(made):
    assert [row.name for row in made.rows] == ["MLE", "MCLE", "free"]
    for row in made.rows[:2]:
        assert row.joint == pytest.approx(row.conditional + row.marginal)
    mle, mcle, _ = made.rows
    # Each is the best by its own measure.
    assert mle.joint <= mcle.joint
    assert mle.marginal <= mcle.marginal
    assert mcle.conditional <= mle.conditional
    assert all(0 < row.counts.f1 < 1 for row in made.rows)
    assert len(made.tests) == 2
    assert made.kept == made.sizes["test"]
