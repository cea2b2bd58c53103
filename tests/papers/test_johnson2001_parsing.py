"""Table 1 of Johnson (2001) on a few trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.papers.johnson2001_parsing import (
    ESTIMATORS,
    count_kept,
    estimate,
    judge_row,
    read_over_tags,
)


@pytest.fixture(scope="module")
def parts(data_folder: Path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_DATA", str(data_folder))
        return {part: read_over_tags("redwoods-vm", part)[:60] for part in ("train", "dev", "test")}


@pytest.mark.slow
def test_figures_add_up(parts):
    parsers = {name: estimate(name, parts, 15) for name in ESTIMATORS}
    rows = {name: judge_row(name, parser, parts)[0] for name, parser in parsers.items()}
    mle, mcle = rows["MLE"], rows["MCLE"]
    for row in (mle, mcle):
        assert row.joint == pytest.approx(row.conditional + row.marginal)
    # Each is the best by its own measure.
    assert mle.joint <= mcle.joint
    assert mle.marginal <= mcle.marginal
    assert mcle.conditional <= mle.conditional
    assert all(0 < row.counts.f1 < 1 for row in rows.values())
    assert count_kept(parsers["free"], parts["test"]) == len(parts["test"])
