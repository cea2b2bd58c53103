"""Pictures of models and of how they were trained, for which matplotlib must be installed.

Each function draws into the axes that it is given, or into those of a new figure, and returns them.
Colours can be read on light and on dark ground, and the ground is transparent. :func:`save` writes
the figure, by its name as SVG, PNG or PDF.
"""

from weft.plot.figure import avoid_windows, check_picture_name, close, save
from weft.plot.kinds import (
    calibration,
    confusion,
    curve,
    draw_calibration,
    learning,
    marginals,
    path,
    restarts,
    spans,
    training,
    transitions,
    weights,
)

__all__ = [
    "avoid_windows",
    "calibration",
    "check_picture_name",
    "close",
    "confusion",
    "curve",
    "draw_calibration",
    "learning",
    "marginals",
    "path",
    "restarts",
    "save",
    "spans",
    "training",
    "transitions",
    "weights",
]
