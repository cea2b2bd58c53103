"""Models and how they were trained, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from weft.models.progress import Progress
from weft.ranking import by_value, ranked
from weft.report.features import feature_name, kind_summaries
from weft.report.notebook.style import heading, rows_table
from weft.report.tables import percent
from weft.report.trees import FONT, escaped

_NOTES = ("recipe", "criterion", "penalty", "stopped", "start", "files", "sentences", "tokens")
_MOST_KINDS, _MOST_WEIGHTS = 8, 8
_WIDTH, _HEIGHT = 280.0, 90.0


def model_card(trained: Any) -> str:
    """Return what is known of a model: how it was made, how training went, what weighs most."""
    return heading(repr(trained)) + f'<div class="parts">{"".join(_parts(trained))}</div>'


def _parts(trained: Any) -> Iterator[str]:
    notes = [(name, trained.notes[name]) for name in _NOTES if trained.notes.get(name)]
    if notes:
        yield rows_table(("made", ""), notes)
    if len(trained.trace) > 1:
        yield f"<div>{trace_card(trained.trace)}</div>"
    if len(trained.weights):
        yield _kinds(trained)
        yield _weights(trained)


def _kinds(trained: Any) -> str:
    kinds = by_value(kind_summaries(trained), lambda each: each.norm, lambda each: each.name)
    rows = [(each.name, each.features, each.norm) for each in kinds[:_MOST_KINDS]]
    return rows_table(("kind", "features", "norm"), rows)


def _weights(trained: Any) -> str:
    sizes = np.where(np.isfinite(trained.weights), abs(trained.weights), -1.0)
    largest = ranked(sizes, trained.model.named, _MOST_WEIGHTS)
    names = trained.model.named(largest)
    rows = [
        (feature_name(kind, name), f"{weight:+.3f}")
        for (kind, name), weight in zip(names, trained.weights[largest].tolist(), strict=True)
    ]
    return rows_table(("feature", "weight"), rows)


def trace_card(trace: Sequence[Progress]) -> str:
    """Return the curve of the objective, and the first and last values."""
    known = [each for each in trace if np.isfinite(each.value)]
    if not known:
        return '<div class="faint">no iterations</div>'
    first, last = known[0], known[-1]
    held_out = "" if last.accuracy is None else f", held-out {percent(last.accuracy)}"
    said = (
        f"iterations {first.iteration} to {last.iteration}: "
        f"{first.value:,.2f} → {last.value:,.2f}{held_out}"
    )
    return f'{_curve(known)}<div class="faint">{escaped(said)}</div>'


def _curve(trace: Sequence[Progress]) -> str:
    """The objective against the iterations."""
    places = np.array([each.iteration for each in trace], float)
    values = np.array([each.value for each in trace])
    x = FONT + _scaled(places) * (_WIDTH - 2 * FONT)
    y = FONT + (1 - _scaled(values)) * (_HEIGHT - 2 * FONT)
    points = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH:.0f}" '
        f'height="{_HEIGHT:.0f}"><title>the objective by iterations</title>'
        f'<rect class="page" width="{_WIDTH:.0f}" height="{_HEIGHT:.0f}" fill="none"/>'
        f'<path d="M{FONT:.0f} {FONT:.0f}V{_HEIGHT - FONT:.0f}H{_WIDTH - FONT:.0f}" fill="none" '
        f'stroke="#888"/><path class="line" d="M{points}" fill="none" stroke="#1d5f9e" '
        f'stroke-width="2"/></svg>'
    )


def _scaled(numbers: Any) -> Any:
    span = float(np.ptp(numbers))
    return (numbers - numbers.min()) / span if span else np.full(len(numbers), 0.5)
