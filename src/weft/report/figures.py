"""Pictures, for which matplotlib must be installed (the extra ``plot``)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weft.errors import OptionError, WeftError
from weft.files import replacing
from weft.models.progress import Progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
"""The names of pictures end in one of these."""

_VALUE_COLOUR, _ACCURACY_COLOUR = "tab:blue", "tab:orange"


def check_picture_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that does not say what kind of picture is meant.

    Raises:
        OptionError: With the endings there are.

    >>> check_picture_name("trace.svg")
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        message = f"'{os.fspath(path)}' does not end as a picture's name does"
        raise OptionError(f"{message}; end it in {', '.join(SUFFIXES)}")


def plot_trace(path: str | os.PathLike[str], trace: Sequence[Progress]) -> None:
    """Draw the objective, and the accuracy where it is known, against the iterations.

    Args:
        path: Where the picture is written, whole or not at all.
        trace: How training went.

    Raises:
        OptionError: If the name does not say what kind of picture is meant.
        WeftError: If matplotlib is not installed, or there is nothing to draw.
        FormatError: If the picture cannot be written.
    """
    check_picture_name(path)
    if not trace:
        raise WeftError("there is no trace to draw: the model was saved without one")
    _save(path, _figure(trace))


def plot_curve(
    path: str | os.PathLike[str],
    places: Sequence[int] | Sequence[str],
    shares: Mapping[str, Sequence[float | None]],
    label: str = "right choices",
    across: str = "features",
) -> None:
    """Draw shares against numbers, on a logarithmic scale, or against names, side by side.

    Args:
        path: Where the picture is written, whole or not at all.
        places: The numbers of features, say, or names.
        shares: By name, a share for each of them; None where there is none.
        label: What the shares are of.
        across: What the numbers or names are of.

    Raises:
        OptionError: If the name does not say what kind of picture is meant.
        WeftError: If matplotlib is not installed, or there is nothing to draw.
        FormatError: If the picture cannot be written.
    """
    check_picture_name(path)
    if not places:
        raise WeftError(f"there is no curve to draw: give some {across}")
    figure = _empty_figure()
    axes = figure.add_subplot()
    mark = "o" if isinstance(places[0], str) else None
    for name, values in shares.items():
        percents = [np.nan if each is None else 100 * each for each in values]
        axes.plot(places, percents, label=name, marker=mark)
    if not mark:
        axes.set_xscale("log")
    axes.set_xlabel(across)
    axes.set_ylabel(f"{label}, %")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper")
    _save(path, figure)


def _save(path: str | os.PathLike[str], figure: Figure) -> None:
    with replacing(path) as stream:
        figure.savefig(stream, format=Path(path).suffix.lower().removeprefix("."), dpi=150)


def _empty_figure() -> Figure:
    try:
        from matplotlib.figure import Figure  # an extra, and slow to import
    except ImportError:
        message = "a picture needs matplotlib, which is not installed"
        raise WeftError(f"{message}; run: pip install 'weft[plot]'") from None
    return Figure(figsize=(7, 4), layout="constrained")


def _figure(trace: Sequence[Progress]) -> Figure:
    figure = _empty_figure()
    axes = figure.add_subplot()
    iterations = [step.iteration for step in trace]
    axes.plot(iterations, [step.value for step in trace], color=_VALUE_COLOUR)
    axes.set_xlabel("iteration")
    axes.set_ylabel("objective", color=_VALUE_COLOUR)
    axes.grid(alpha=0.3)
    known = [(step.iteration, step.accuracy) for step in trace if step.accuracy is not None]
    if known:
        right = axes.twinx()
        right.plot(*zip(*known, strict=True), color=_ACCURACY_COLOUR)
        right.set_ylabel("held-out accuracy", color=_ACCURACY_COLOUR)
    return figure
