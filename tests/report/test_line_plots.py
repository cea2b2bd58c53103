"""Plots of lines."""

from __future__ import annotations

import re

from weft.report.plots import Axis, line_plot
from weft.report.trees import text_width

LINE = [(1.0, 2.0), (2.0, 3.0)]


def test_long_names_of_lines_are_whole_and_within_the_picture():
    names = ("crf", "a name that is much longer than the room that most names need")
    for name in names:
        picture = line_plot("Sizes", Axis("words"), Axis("right, %"), {name: LINE})
        [width] = re.findall(r'viewBox="0 0 ([\d.]+) ', picture)
        [place] = re.findall(rf'<text x="([\d.]+)" [^>]*text-anchor="start">{name}</text>', picture)
        assert float(place) + text_width(name) < float(width)


def test_lines_that_end_together_are_named_in_their_order():
    for ends in ([0.3, 0.3 + 1e-12], [0.3 + 1e-12, 0.3]):
        lines = {name: [(1.0, 0.0), (2.0, end)] for name, end in zip("ab", ends, strict=True)}
        picture = line_plot("Sizes", Axis("words"), Axis("right, %"), lines)
        assert re.findall(r'text-anchor="start">([ab])</text>', picture) == ["a", "b"]
