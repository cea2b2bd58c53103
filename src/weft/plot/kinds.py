"""The kinds of plots: what is asked of models, and how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.commands.pictures import (
    LABELS,
    confusion_grid,
    learning_lines,
    path_lines,
    restart_values,
    sure_lines,
    weight_bars,
)
from weft.commands.tasks import task_of
from weft.errors import WeftError
from weft.evaluate.calibration import BINS, Calibration, calibrate
from weft.plot.draw import draw, draw_lines
from weft.plot.figure import add_legend, axes_of, legend_name, literal
from weft.ranking import ranked
from weft.report.palette import COLOURS, INK
from weft.report.shapes import Axis, Lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weft.commands.learning import LearningCurve

Named = Any | Mapping[str, Any]
"""A model, or several by their names."""


def _named(models: Named) -> dict[str, Any]:
    return dict(models) if isinstance(models, Mapping) else {"": models}


def training(models: Named, *, ax: Axes | None = None) -> Axes:
    """Draw how training went: the objective and, at the right, the score on held-out examples.

    Args:
        models: A model, or several by their names.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        WeftError: If a model has no trace, since it was counted, or saved without one.
    """
    several = _named(models)
    for name, each in several.items():
        if not each.trace:
            raise WeftError(_no_trace(name))
    axes = axes_of(ax, 6.4, 4.0)
    scored = {
        name: [(step.iteration, step.accuracy) for step in each.trace if step.accuracy is not None]
        for name, each in several.items()
    }
    alone = len(several) == 1
    for number, (name, each) in enumerate(several.items()):
        points = [step.iteration for step in each.trace], [step.value for step in each.trace]
        axes.plot(*points, color=COLOURS[number % len(COLOURS)], label=legend_name(name))
    axes.set(xlabel="iteration", ylabel="objective", title="Training")
    axes.grid(color=INK, alpha=0.25)
    if any(scored.values()):
        right = axes.twinx()
        for number, some in enumerate(scored.values()):
            if some:
                colour = COLOURS[1 if alone else number % len(COLOURS)]
                right.plot(*zip(*some, strict=True), color=colour, linestyle="--")
        right.set_ylabel("held-out score (dashed)", color=INK)
        right.tick_params(colors=INK)
        for spine in right.spines.values():
            spine.set_visible(False)
    if not alone:
        add_legend(axes)
    return axes


def _no_trace(name: str) -> str:
    which = f"{name}: " if name else ""
    return (
        f"{which}there is no trace to draw: the model was counted or converted, or saved without "
        "one; train it by an optimiser"
    )


def path(models: Named, *, ax: Axes | None = None) -> Axes:
    """Draw EM's path, or any optimiser's: how far the objective is from its last.

    On its logarithmic scale, linear convergence, as of EM, is a straight line, whose slope is the
    rate.

    Args:
        models: A model, or several by their names.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        WeftError: If a model has no trace, or nothing was gained.
    """
    several = _named(models)
    for name, each in several.items():
        if not each.trace:
            raise WeftError(_no_trace(name))
    return draw(path_lines({name: each.trace for name, each in several.items()}), ax)


def restarts(trained: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the objective that each start of a search led to; the one that was kept is marked.

    Args:
        trained: A model that was trained with restarts.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        WeftError: If it was trained from one start.
    """
    values, kept = restart_values(trained.notes)
    axes = axes_of(ax, 5.4, 3.4)
    order = ranked([-value for value in values]).tolist()
    for rank, place in enumerate(order):
        mine = place == kept
        axes.plot(
            rank,
            values[place],
            marker="D" if mine else "o",
            markersize=9 if mine else 6,
            color=COLOURS[1] if mine else COLOURS[0],
            linestyle="none",
            label="kept" if mine else None,
        )
    axes.set_xticks(range(len(values)), [str(place + 1) for place in order])
    axes.set(xlabel="start, by its end", ylabel="objective", title="Restarts")
    axes.grid(axis="y", color=INK, alpha=0.25)
    add_legend(axes)
    return axes


def learning(curves: LearningCurve | Sequence[LearningCurve], *, ax: Axes | None = None) -> Axes:
    """Draw how good recipes are with more and more examples.

    Args:
        curves: What :func:`weft.commands.learning_curve` finds, for one recipe or several.
        ax: The axes to draw in; those of a new figure by default.
    """
    several = list(curves) if isinstance(curves, Sequence) else [curves]
    return draw(learning_lines(several), ax)


def curve(
    places: Sequence[int | str],
    shares: Mapping[str, Sequence[float | None]],
    *,
    label: str = "right choices",
    across: str = "features",
    ax: Axes | None = None,
) -> Axes:
    """Draw shares against numbers, on a logarithmic scale, or against names, side by side.

    Args:
        places: The numbers of features, say, or names.
        shares: By name, a share for each of them; None where there is none.
        label: What the shares are of.
        across: What the numbers or names are of.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        WeftError: If there is nothing to draw.
    """
    named = any(isinstance(each, str) for each in places)
    numbers = [place if isinstance(each, str) else each for place, each in enumerate(places)]
    lines = {
        name: [
            (float(x), None if share is None else 100 * share)
            for x, share in zip(numbers, several, strict=True)
        ]
        for name, several in shares.items()
    }
    axes = draw_lines(Lines("", Axis(across, log=not named), Axis(f"{label}, %"), lines), ax)
    if named:
        axes.set_xticks(range(len(places)), [literal(str(each)) for each in places])
    return axes


def confusion(
    trained: Any,
    corpus: Sequence[Any],
    *,
    most: int = LABELS,
    threads: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw which labels are taken for which others: of tokens, or over spans of trees.

    Args:
        trained: A tagger or a parser.
        corpus: Examples with labels or trees.
        most: How many labels to show: those that most mistakes are about.
        threads: How many threads to use, all by default; no result depends on it.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        NotDefined: If answers have no labels that could be confused.
        WeftError: If no example has a label.
    """
    found = task_of(trained).looks.confuse(trained, trained.examples(corpus), threads)
    return draw(confusion_grid(found, most), ax)


def calibration(
    models: Named,
    corpus: Sequence[Any],
    *,
    bins: int = BINS,
    threads: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how often answers are right against how probable the model says they are.

    Of taggers that is asked of each token, of parsers of each label over a span, of others of whole
    answers.

    Args:
        models: A model, or several by their names.
        corpus: Examples with labels.
        bins: How many bins of probability there are.
        threads: How many threads to use, all by default; no result depends on it.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        OptionError: If no example has a label.
    """
    return draw_calibration(
        {
            name or "model": calibrate(
                *task_of(each).looks.judge(each, each.examples(corpus), threads), bins
            )
            for name, each in _named(models).items()
        },
        ax=ax,
    )


def draw_calibration(found: Mapping[str, Calibration], *, ax: Axes | None = None) -> Axes:
    """Draw how often the answers of several models are right; see :func:`calibration`."""
    axes = draw_lines(sure_lines(found), ax, width=4.6)
    axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=":", zorder=0)
    axes.set_aspect("equal")
    add_legend(axes)
    return axes


def transitions(trained: Any, *, ax: Axes | None = None) -> Axes:
    """Draw an HMM's probabilities of tags after tags, or another chain's weights of pairs.

    Args:
        trained: A tagger.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        NotDefined: If the model has none.
    """
    return draw(task_of(trained).looks.transitions(trained), ax)


def marginals(trained: Any, given: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how probable the parts of answers to a sentence are.

    Those are tags of tokens, labels over spans, or analyses.

    Args:
        trained: A model.
        given: A sentence, or just its words; of a selector, a parse set.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        EvidenceError: If there is no answer.
    """
    return draw(task_of(trained).looks.marginals(trained, given), ax)


def spans(trained: Any, given: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a chart of how probable labels over the spans of a sentence are.

    Args:
        trained: A parser.
        given: A sentence, or just its words.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        NotDefined: If answers are no trees.
        EvidenceError: If there is no tree.
    """
    return draw(task_of(trained).looks.spans(trained, given), ax)


def weights(trained: Any, *, count: int = 12, kind: str = "*", ax: Axes | None = None) -> Axes:
    """Draw the features with the largest weights, for and against.

    Args:
        trained: A model with weights.
        count: How many of either sign.
        kind: Only features of the kinds that match this pattern.
        ax: The axes to draw in; those of a new figure by default.

    Raises:
        NotDefined: If the model has no weights.
        OptionError: If there is no such kind.
    """
    return draw(weight_bars(trained, count, kind), ax)
