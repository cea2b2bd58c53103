"""How far to go along a direction: a search for the strong Wolfe conditions.

With φ(t) the objective at θ + t·d, a step t is accepted iff

    φ(t) ≥ φ(0) + c₁ t φ'(0)    and    |φ'(t)| ≤ c₂ φ'(0).

A step of infinite value counts as one that is too low; steps are then halved, and since nothing
is known of φ there, the first that meets the first condition is accepted.

Reference: J. Nocedal and S. Wright, Numerical Optimization, 2nd edition, algorithms 3.5 and 3.6
and equation 3.59, for −φ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

RISE = 1e-4
"""c₁."""
FLAT = 0.9
"""c₂."""
_EXPANSION = 4.0
_LIMIT = 20
_MARGIN = 0.1


class Probe(NamedTuple):
    """φ and its derivative at one step; where it is infinite, −inf and 0."""

    step: float
    value: float
    slope: float


def wolfe_search(
    probe: Callable[[float], Probe], origin: Probe, first_step: float, flat: float = FLAT
) -> Probe | None:
    """Find a step that meets the strong Wolfe conditions, or at least the first of them.

    Args:
        probe: Evaluates φ; the last call is for the step that is returned.
        origin: φ at 0, of positive slope.
        first_step: The step to try first.
        flat: c₂.

    Returns:
        The step with its value, or None where no step was found to rise.

    >>> def parabola(t):
    ...     return Probe(t, -((t - 3.0) ** 2), -2.0 * (t - 3.0))
    >>> round(wolfe_search(parabola, parabola(0.0), 10.0).step, 9)
    3.0
    """
    previous, step = origin, first_step
    for _ in range(_LIMIT):
        trial = probe(step)
        if not _rises(trial, origin) or (previous.step > 0 and trial.value <= previous.value):
            return _zoom(probe, origin, previous, trial, flat)
        if _is_flat(trial, origin, flat):
            return trial
        if trial.slope <= 0:
            return _zoom(probe, origin, trial, previous, flat)
        previous, step = trial, step * _EXPANSION
    return previous


def _zoom(
    probe: Callable[[float], Probe], origin: Probe, high: Probe, other: Probe, flat: float
) -> Probe | None:
    """Search between ``high``, the highest step known to rise, and ``other``."""
    for _ in range(_LIMIT):
        if _is_rounding(origin, high, other):
            break
        trial = probe(_between(high, other))
        if not _rises(trial, origin) or trial.value <= high.value:
            other = trial
            continue
        if _is_flat(trial, origin, flat) or other.value == -math.inf:
            return trial
        if trial.slope * (other.step - high.step) <= 0:
            other = high
        high = trial
    return probe(high.step) if high.step > 0 else None


def _rises(trial: Probe, origin: Probe) -> bool:
    return trial.value >= origin.value + RISE * trial.step * origin.slope


def _is_flat(trial: Probe, origin: Probe, flat: float) -> bool:
    return abs(trial.slope) <= flat * origin.slope


def _is_rounding(origin: Probe, high: Probe, other: Probe) -> bool:
    """Tell whether the interval is too short for any change of value to be seen."""
    return abs(other.step - high.step) * origin.slope <= 1e-16 * abs(origin.value)


def _between(high: Probe, other: Probe) -> float:
    """Return where the cubic through both has its maximum, or the middle if that is no guide.

    It is kept off ``high``, so that the search moves, by a margin that still lets an interval
    of a quite wrong scale shrink tenfold a trial.
    """
    width = other.step - high.step
    middle = high.step + 0.5 * width
    d1 = 3.0 * (high.value - other.value) / width + high.slope + other.slope
    radicand = d1 * d1 - high.slope * other.slope
    if not 0.0 <= radicand < math.inf:
        return middle
    d2 = math.copysign(math.sqrt(radicand), width)
    denominator = high.slope - other.slope + 2.0 * d2
    share = 1.0 - (d2 + d1 - other.slope) / denominator if denominator else 0.5
    return high.step + max(share, _MARGIN) * width if share <= 1.0 - _MARGIN else middle
