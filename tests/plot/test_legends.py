"""Names in legends and at axes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from matplotlib import pyplot

from plot.test_plots import made
from weft import plot
from weft.plot.draw import draw as draw_shape
from weft.report.shapes import Axis, Grid, Lines


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """No figure is left open."""
    yield
    pyplot.close("all")


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


def grid_of(count):
    names = tuple(f"TAG{number}" for number in range(count))
    texts = tuple(("",) * count for _ in names)
    return draw_shape(Grid("t", names, names, np.zeros((count, count)), texts))


def test_labels_of_large_grids_can_be_read():
    """None overlaps the next one, and all are larger than a hundredth of the picture's width."""
    axes = grid_of(45)
    axes.figure.set_dpi(40)
    axes.figure.canvas.draw()
    for axis, side in ((axes.xaxis, "x"), (axes.yaxis, "y")):
        labels = axis.get_ticklabels()[:45]  # then those of the other side
        assert [each.get_text() for each in labels] == [f"TAG{number}" for number in range(45)]
        extents = [each.get_window_extent() for each in labels]
        bounds = sorted(sorted(getattr(each, f"interval{side}")) for each in extents)
        assert all(before[1] <= after[0] for before, after in pairwise(bounds))
        assert labels[0].get_fontsize() / 72 > 0.01 * axes.figure.get_size_inches()[0]


def test_some_labels_of_larger_grids_are_left_out():
    axes = grid_of(300)
    assert max(axes.figure.get_size_inches()) < 45
    assert [axis.get_ticklocs()[:3].tolist() for axis in (axes.xaxis, axes.yaxis)] == [
        [0, 2, 4],
        [0, 2, 4],
    ]
