"""Shapes of what is known of models, for plots and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from weft.commands.learning import LearningCurve
from weft.errors import FormatError, NotDefined, WeftError
from weft.evaluate.calibration import Calibration
from weft.evaluate.confusion import Confusion
from weft.models.progress import Progress
from weft.ranking import by_value
from weft.report.selection import strongest_weights
from weft.report.shapes import Axis, Bars, Grid, Lines
from weft.report.tables import percent, spread

_POINTS = 60  # of a curve in a page

LABELS = 20
"""How many labels a table of confusions shows, if nothing is said."""


def confusion_grid(found: Confusion, most: int = LABELS) -> Grid:
    """Return a table of gold labels against predicted ones, shaded by their shares of a row.

    These are shares of all that have the gold label, whether or not the others are shown.

    Raises:
        WeftError: If there is no label.
    """
    if not found.labels:
        raise WeftError("no label can be compared: give examples that have labels or trees")
    shown = found.most_mistaken(most)
    all_of = dict(zip(found.labels, found.counts.sum(axis=1).tolist(), strict=True))
    totals = np.array([[max(all_of[label], 1)] for label in shown.labels])
    texts = tuple(tuple(str(each) if each else "" for each in row) for row in shown.counts.tolist())
    rest = f"; {shown.left_out} labels with fewer mistakes left out" if shown.left_out else ""
    return Grid(
        f"Confusion{rest}",
        shown.labels,
        shown.labels,
        np.sqrt(shown.counts / totals),  # so that rare mistakes are seen
        texts,
        up="gold",
        across="predicted",
        diagonal=True,
    )


def sure_lines(found: Mapping[str, Calibration], *, errors: bool = True) -> Lines:
    """Return how often answers are right against their probabilities, by model.

    Args:
        found: By model, how often.
        errors: Whether names say the expected calibration error, too.
    """
    lines = {
        f"{name}: error {percent(each.error)}" if errors else name: list(
            zip(each.probs.tolist(), each.right.tolist(), strict=True)
        )
        for name, each in found.items()
    }
    return Lines("Calibration", Axis("probability"), Axis("share that is right"), lines)


def learning_lines(curves: Sequence[LearningCurve]) -> Lines:
    """Return how good recipes are with more and more examples, with intervals."""
    factor, unit = (100.0, ", %") if curves[0].share else (1.0, "")
    lines = {
        each.name: [(float(point.size), factor * point.score) for point in each.points]
        for each in curves
    }
    bands = {
        each.name: [
            (float(point.size), factor * point.low, factor * point.high)
            for point in each.points
            if point.low is not None and point.high is not None
        ]
        for each in curves
    }
    across = Axis("training sentences", log=True)
    return Lines("Learning curve", across, Axis(f"{curves[0].measure}{unit}"), lines, bands)


def path_lines(traces: Mapping[str, Sequence[Progress]]) -> Lines:
    """Return how far objectives are from those of the last iterations, by iterations.

    These are no maxima where training was cut short, as by patience.

    Raises:
        WeftError: If nothing was gained.
    """
    lines = {}
    for name, trace in traces.items():
        first, end = trace[0].iteration, trace[-1].value  # restarts are numbered through
        gaps = [(float(step.iteration - first), end - step.value) for step in trace]
        lines[name] = [(x, gap) for x, gap in gaps if 0 < gap < np.inf]
    if not any(lines.values()):
        raise WeftError("there is no path to draw: the objective was the same from start to end")
    up = Axis("objective of the last iteration − objective", log=True)
    return Lines("Way to the last iteration", Axis("iteration"), up, lines)


def trace_lines(trace: Sequence[Progress]) -> list[Lines]:
    """Return the objective and, where it is known, the held-out score, by iterations."""
    trace, across = spread(trace, _POINTS), Axis("iteration")
    values = [(float(each.iteration), each.value) for each in trace if np.isfinite(each.value)]
    scores = [
        (float(each.iteration), None if each.accuracy is None else 100 * each.accuracy)
        for each in trace
    ]
    found = [Lines("Objective", across, Axis("objective"), {"objective": values})]
    if any(score is not None for _, score in scores):
        up = Axis("held-out score, %")
        found.append(Lines("Held-out score", across, up, {"held-out": scores}))
    return found


def restart_values(notes: Mapping[str, str]) -> tuple[list[float], int]:
    """Return the objective at the end of each start, and the place of the one that was kept.

    Raises:
        WeftError: If there was one start only.
        FormatError: If the notes are not what training writes.
    """
    if "restart_values" not in notes:
        raise WeftError(
            "there are no restarts to draw: the model was trained from one start; if its recipe "
            f"has the setting restarts (see `weft recipes {notes.get('recipe', 'NAME')}`), train "
            "with --set restarts=10"
        )
    try:
        values = [float(each) for each in notes["restart_values"].split(", ")]
        kept = range(1, len(values) + 1).index(int(notes.get("restart_kept", "")))
    except ValueError:
        raise FormatError(
            "the model's notes on its restarts are not what training writes, numbers and which of "
            "them was kept: train it again"
        ) from None
    return values, kept


def weight_bars(trained: Any, count: int = 12, kind: str = "*") -> Bars:
    """Return the features with the largest weights of either sign.

    Where all weights are logs of probabilities, those are the most probable ones; what is certain
    decides nothing, and is left out.

    Raises:
        NotDefined: If the model has no weights.
        OptionError: If there is no such kind.
    """
    if not len(trained.weights):
        raise NotDefined("a model that is made of tables has no weights of features to draw")
    strongest = strongest_weights(trained, count, kind=kind)
    if strongest or trained.distributions is None:
        weakest = strongest_weights(trained, count, kind=kind, negative=True)
        kept = [pair for pair in [*strongest, *weakest] if np.isfinite(pair[1])]
        return Bars("Strongest features", "weight", _by_weight(kept))
    every = strongest_weights(trained, len(trained.weights), kind=kind, negative=True)
    probable = _by_weight((name, float(np.exp(weight))) for name, weight in every)
    return Bars("Most probable steps", "probability", probable[: 2 * count])


def _by_weight(bars: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    return tuple(by_value(bars, itemgetter(1), itemgetter(0)))
