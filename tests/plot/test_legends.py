"""Names in legends."""

from __future__ import annotations

from plot.test_plots import made
from weft import plot
from weft.plot.draw import draw as draw_shape
from weft.report.shapes import Axis, Lines


def test_names_that_begin_with_an_underscore_are_in_legends():
    points = [(0.0, 1.0), (1.0, 2.0)]
    axes = draw_shape(Lines("t", Axis("x"), Axis("y"), {"_a": points, "b": points}))
    assert [each.get_text().strip() for each in axes.get_legend().get_texts()] == ["_a", "b"]
    trained, corpus = made("free chain")
    for axes in (
        plot.training({"_a": trained, "b": trained}),
        plot.calibration({"_a": trained, "b": trained}, corpus),
    ):
        names = [each.get_text().strip()[:2] for each in axes.get_legend().get_texts()]
        assert names in (["_a", "b"], ["_a", "b:"])  # with an error, or without
