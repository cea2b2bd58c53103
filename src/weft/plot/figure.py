"""Matplotlib, which is an extra: axes, their look, and pictures in files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.errors import OptionError, WeftError, not_installed
from weft.files import replacing
from weft.report.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".png", ".svg", ".pdf")
"""The names of pictures end in one of these."""

_MISSING = not_installed("a picture", "matplotlib", "plot")


def check_picture_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that does not say what kind of picture is meant.

    Raises:
        OptionError: With the endings there are.

    >>> check_picture_name("trace.svg")
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        message = f"'{os.fspath(path)}' does not end as a picture's name does"
        raise OptionError(f"{message}; end it in {', '.join(SUFFIXES)}")


def avoid_windows() -> None:
    """Let figures be drawn for files alone, as a program does that shows none.

    Raises:
        WeftError: If matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise WeftError(_MISSING) from None
    matplotlib.use("agg")


def axes_of(given: Axes | None, width: float, height: float) -> Axes:
    """Return axes to draw in: those that are given, or those of a new figure of this size.

    Args:
        given: A user's axes; None for new ones, which notebooks show.
        width: In inches.
        height: Likewise.

    Raises:
        WeftError: If matplotlib is not installed.
    """
    if given is None:
        try:
            from matplotlib import pyplot  # slow to import
        except ImportError:
            raise WeftError(_MISSING) from None
        given = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    dress(given)
    return given


def dress(axes: Axes) -> None:
    """Give axes colours that can be read on light and on dark ground, and no ground of their own.

    What is already there keeps its colours.
    """
    axes.set_facecolor("none")
    axes.tick_params(colors=INK, which="both")
    for text in (axes.xaxis.label, axes.yaxis.label, axes.title):
        text.set_color(INK)
    for place, spine in axes.spines.items():
        spine.set_color(INK)
        spine.set_visible(place in ("left", "bottom"))


def literal(text: str) -> str:
    r"""Return a text that matplotlib shows as it is: what stands between two $ is mathematics else.

    >>> literal("word[0]=$ → $")
    'word[0]=\\$ → \\$'
    """
    return text.replace("$", r"\$")


def legend_name(text: str) -> str:
    """Return the name of a line, as legends show it.

    >>> legend_name("a"), legend_name("_a")
    ('a', ' _a')
    """
    # Matplotlib leaves out of legends what begins with an underscore.
    return f" {literal(text)}" if text.startswith("_") else literal(text)


def title_axes(axes: Axes, title: str, across: str = "", up: str = "") -> None:
    """Say what axes show."""
    axes.set(title=literal(title), xlabel=literal(across), ylabel=literal(up))


def add_legend(axes: Axes) -> None:
    """Say below the axes which line is which."""
    axes.legend(
        frameon=False,
        labelcolor=INK,
        ncols=3,
        fontsize=9,
        loc="upper left",
        bbox_to_anchor=(0.0, -0.16),
        borderaxespad=0.0,
    )


def save(axes: Axes, path: str | os.PathLike[str]) -> None:
    """Write the figure of some axes as .svg, .png or .pdf, whole or not at all.

    The ground is transparent, and texts stay texts. The same figure gives the same file.

    Raises:
        OptionError: If the name does not say what kind of picture is meant.
        FormatError: If the picture cannot be written.
    """
    from matplotlib import rc_context

    check_picture_name(path)
    kind = Path(path).suffix.lower().removeprefix(".")
    dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    stable: Any = {"svg.fonttype": "none", "svg.hashsalt": "weft"}
    figure: Any = axes.figure
    with rc_context(stable), replacing(path) as stream:
        figure.savefig(stream, format=kind, dpi=150, transparent=True, metadata=dates.get(kind, {}))


def close(axes: Axes) -> None:
    """Forget the figure of some axes, which pyplot would keep."""
    from matplotlib import pyplot

    figure: Any = axes.figure
    pyplot.close(figure)
