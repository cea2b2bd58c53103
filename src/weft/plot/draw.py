"""Shapes, as matplotlib draws them."""

from __future__ import annotations

import math
from collections import defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray
from weft.errors import WeftError
from weft.plot.figure import add_legend, axes_of, legend_name, literal, title_axes
from weft.ranking import by_value
from weft.report.palette import AGAINST, COLOURS, DASHES, FOR, INK, RIGHT
from weft.report.shapes import Bars, Grid, Lines, Shape, Spans

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TEXTS = 24  # rows or columns with more cells have no texts
_LABEL = 0.17  # inches that a label takes up
_MOST_INCHES = 40.0  # of the cells of a grid
_LEAST = 0.01  # probability of a label that is shown
_SECOND = 0.2  # and of a second label over the same span


def draw(shape: Shape, ax: Axes | None = None) -> Axes:
    """Draw a shape, and return the axes that it is in.

    Raises:
        WeftError: If there is nothing to draw, or matplotlib is not installed.
    """
    if isinstance(shape, Lines):
        return draw_lines(shape, ax)
    if isinstance(shape, Grid):
        return draw_grid(shape, ax)
    if isinstance(shape, Bars):
        return draw_bars(shape, ax)
    return draw_spans(shape, ax)


def draw_lines(shape: Lines, ax: Axes | None = None, width: float = 6.4) -> Axes:
    """Draw curves, told apart by colours and dashes, with bands where there are some."""
    known = {name: [p for p in points if p[1] is not None] for name, points in shape.lines.items()}
    if not any(known.values()):
        raise WeftError(f"there is nothing to draw: {shape.title}")
    axes = axes_of(ax, width, 4.0)
    for number, (name, points) in enumerate(known.items()):
        style = line_style(number)
        mark = "o" if len(points) <= 30 else None
        xs, ys = [x for x, _ in points], [y for _, y in points]
        axes.plot(xs, ys, label=legend_name(name), marker=mark, markersize=4, **style)  # type: ignore[arg-type]
        band = shape.bands.get(name, ())
        if band:
            places, low, high = zip(*band, strict=True)
            axes.fill_between(places, low, high, color=style["color"], alpha=0.15, linewidth=0)
    if shape.across.log:
        axes.set_xscale("log")
    if shape.up.log:
        axes.set_yscale("log")
    axes.tick_params(colors=INK, which="both")
    title_axes(axes, shape.title, shape.across.label, shape.up.label)
    axes.grid(color=INK, alpha=0.25)
    if len(known) > 1:
        add_legend(axes)
    return axes


def line_style(number: int) -> dict[str, object]:
    """Return the look of one of several lines."""
    dashes = [float(each) for each in DASHES[number // 2 % len(DASHES)].split()]
    colour = COLOURS[number % len(COLOURS)]
    return {"color": colour, "linestyle": (0, tuple(dashes)) if dashes else "-"}


def draw_grid(shape: Grid, ax: Axes | None = None) -> Axes:
    """Draw shaded cells, with texts where there is room.

    A large grid has labels on all sides. The picture grows with it up to 40 inches; where labels
    would then overlap, every second one is shown, every third, and so on.
    """
    if not shape.values.size:
        raise WeftError(f"there is nothing to draw: {shape.title}")
    height, width = shape.values.shape
    few = max(height, width) <= _TEXTS
    cell = 0.42 if few else min(_LABEL, _MOST_INCHES / max(height, width))
    every = max(1, math.ceil(_LABEL / cell - 1e-9))
    longest = max((len(text) for texts in shape.texts for text in texts), default=0)
    wide = max(cell, 0.095 * longest) if few else cell
    axes = axes_of(ax, max(3.2, wide * width + 1.6), max(2.4, cell * height + 1.4))
    colours = _colours(shape)
    axes.imshow(colours, aspect="auto", interpolation="none")
    columns = list(map(literal, shape.columns))[::every]
    turned = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"} if few else {"rotation": 90}
    axes.set_xticks(range(0, width, every), columns, **turned)
    axes.set_yticks(range(0, height, every), list(map(literal, shape.rows))[::every])
    axes.tick_params(length=0, labelsize=9, colors=INK, labeltop=not few, labelright=not few)
    for spine in axes.spines.values():
        spine.set_visible(False)
    title_axes(axes, shape.title, shape.across, shape.up)
    for row, texts in enumerate(shape.texts if few else ()):
        for column, text in enumerate(texts):
            ink = ink_on(colours[row, column])
            axes.text(column, row, literal(text), ha="center", va="center", size=8, color=ink)
    return axes


def _colours(shape: Grid) -> FloatArray:
    """[rows, columns, 3]: a colour per cell, as strong as its value is large."""
    signs = shape.values < 0
    if shape.diagonal:
        signs = ~np.eye(*shape.values.shape, dtype=np.bool_)
    colours = np.stack([as_rgb(RIGHT if shape.diagonal else FOR), as_rgb(AGAINST)])
    return shade(colours[signs.astype(int)], abs(shape.values)[..., None])


def as_rgb(colour: str) -> FloatArray:
    """[3]: a colour as shares of red, green and blue."""
    from matplotlib.colors import to_rgb

    return np.array(to_rgb(colour))


def shade(colours: FloatArray, strength: FloatArray | float) -> FloatArray:
    """Return colours that are mixed with white, and so look alike on any ground.

    >>> shade(np.array([0.0, 0.0, 1.0]), 0.25).tolist()
    [0.75, 0.75, 1.0]
    """
    share = np.clip(strength, 0.0, 1.0)
    return np.asarray(1.0 - share * (1.0 - colours))


def ink_on(colour: FloatArray) -> str:
    """Return black or white, whichever is easier to read on a colour: by WCAG's contrast.

    >>> ink_on(np.array([0.9, 0.9, 1.0])), ink_on(np.array([0.0, 0.0, 0.5]))
    ('#000000', '#ffffff')
    """
    return "#000000" if luminance(colour) > 0.179 else "#ffffff"


def luminance(colour: FloatArray) -> float:
    """Return how bright a colour is, from 0 to 1, as WCAG defines it."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def draw_bars(shape: Bars, ax: Axes | None = None) -> Axes:
    """Draw bars, one below the other; those below 0 in another colour."""
    if not shape.bars:
        raise WeftError(f"there is nothing to draw: {shape.title}")
    names = [name for name, _ in shape.bars]
    values = [value for _, value in shape.bars]
    longest = min(60, max(map(len, names)))
    axes = axes_of(ax, 4.2 + 0.075 * longest, 1.1 + 0.24 * len(names))
    axes.barh(range(len(names)), values, color=[AGAINST if v < 0 else FOR for v in values])
    axes.set_yticks(range(len(names)), [literal(_shortened(name)) for name in names])
    axes.invert_yaxis()
    axes.margins(y=0.01)
    if min(values) < 0 < max(values):
        axes.axvline(0, color=INK, linewidth=0.8)
    title_axes(axes, shape.title, shape.label)
    axes.grid(axis="x", color=INK, alpha=0.25)
    axes.set_axisbelow(True)
    return axes


def _shortened(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"


def draw_spans(shape: Spans, ax: Axes | None = None) -> Axes:
    """Draw a chart: over each span of words its likeliest labels, as dark as they are likely."""
    from matplotlib.patches import Rectangle

    count = len(shape.words)
    over: dict[tuple[int, int], list[tuple[float, str]]] = defaultdict(list)
    for span, prob in shape.probs.items():
        if prob >= _LEAST:
            over[span.start, span.end].append((min(prob, 1.0), span.label or ""))
    if not over:
        raise WeftError(f"there is nothing to draw: {shape.title}")
    tallest = max(end - start for start, end in over)
    width = max(0.45, 0.1 * max(map(len, shape.words)))
    axes = axes_of(ax, max(3.5, width * count + 0.6), max(2.0, 0.34 * tallest + 1.2))
    for (start, end), labels in over.items():
        likely = by_value(labels, itemgetter(0), itemgetter(1))
        prob, label = likely[0]
        level = end - start - 1
        left = (start + end) / 2 - 0.5
        ground = shade(as_rgb(FOR), prob)
        axes.add_patch(Rectangle((left + 0.03, level + 0.06), 0.94, 0.88, color=tuple(ground)))
        seen = [name for share, name in likely[:2] if share >= _SECOND]
        text = "\n".join(seen) or label
        size = 8 if len(seen) < 2 else 6
        middle, ink = ((start + end) / 2, level + 0.5), ink_on(ground)
        axes.text(*middle, literal(text), ha="center", va="center", size=size, color=ink)
    axes.set(xlim=(0, count), ylim=(0, tallest))
    title_axes(axes, shape.title, up="words in the span")
    words = list(map(literal, shape.words))
    axes.set_xticks([place + 0.5 for place in range(count)], words, rotation=60, ha="right")
    axes.set_yticks([level + 0.5 for level in range(tallest)], map(str, range(1, tallest + 1)))
    axes.tick_params(length=0, labelsize=9, colors=INK)
    axes.spines["left"].set_visible(False)
    return axes
