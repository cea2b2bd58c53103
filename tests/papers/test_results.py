"""Findings have a verdict that is computed; results are read back as they were written."""

from __future__ import annotations

import json

import pytest

from weft.papers.results import (
    LEVEL,
    Finding,
    Gain,
    Picture,
    Result,
    Verdict,
    judge,
    make_table,
    read_result,
    show_cell,
    show_gain,
)

ABOVE, BELOW = LEVEL + 0.001, LEVEL - 0.001


@pytest.mark.parametrize(
    ("gain", "holds", "verdict"),
    [
        (Gain(0.02, 0.01, 0.03, BELOW), None, Verdict.HOLDS),
        (Gain(-0.02, -0.03, -0.01, BELOW), None, Verdict.FAILS),
        (Gain(0.02, -0.01, 0.03, ABOVE), None, Verdict.OPEN),
        (Gain(-0.02, -0.03, 0.01, ABOVE), None, Verdict.OPEN),
        (Gain(0.02, 0.0, 0.03, LEVEL), None, Verdict.OPEN),  # less than the level is asked for
        (Gain(0.0, 0.0, 0.0, 0.0), None, Verdict.OPEN),  # no difference is no finding
        (Gain(0.02, 0.01, 0.03, float("nan")), None, Verdict.OPEN),
        (Gain(0.02, 0.01, 0.03, ABOVE), True, Verdict.OPEN),  # a test counts more than a look
        (None, True, Verdict.HOLDS),
        (None, False, Verdict.FAILS),
        (None, None, Verdict.OPEN),
    ],
)
def test_verdicts(gain, holds, verdict):
    assert judge(gain, holds) is verdict
    assert Finding("", "", "", "", gain, holds).verdict is verdict


def test_results_are_read_back():
    finding = Finding("a > b", "here", "1 and 2", "3 and 4", Gain(1.0, 0.5, 1.5, 0.01), unit="nats")
    table = make_table("t", {"": "", "share": "%"}, [("x", 0.5), ("y", None), ("z", float("inf"))])
    result = Result(
        (table,), (Picture("p", "<svg/>"),), (finding, Finding("c", "", "", "", holds=True)), ("n",)
    )
    written = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert [each["verdict"] for each in written["findings"]] == ["holds", "holds"]
    assert read_result(written) == result
    assert table.rows[2] == ("z", "∞")


def test_a_row_has_as_many_cells_as_columns():
    with pytest.raises(ValueError, match="2 columns, but a row of 1"):
        make_table("t", {"a": "", "b": ""}, [(1,)])


def test_numbers_are_shown_by_the_form_of_their_column():
    shown = [show_cell(0.12345, form) for form in ("", "%", ".2f")]
    assert shown == ["0.12345", "12.35", "0.12"]
    assert [show_cell(each) for each in (1234, None, "x")] == ["1,234", "—", "x"]
    points = Finding("", "", "", "", Gain(0.01, -0.02, 0.03, 0.5))
    assert show_gain(points) == ("+1.00", "−2.00 to +3.00", "0.500")
    nats = Finding("", "", "", "", Gain(0.01, -0.02, 0.03, 0.0), unit="nats")
    assert show_gain(nats) == ("+0.01", "−0.02 to +0.03", "< 0.001")
    assert show_gain(Finding("", "", "", "", holds=True)) == ("", "", "")
