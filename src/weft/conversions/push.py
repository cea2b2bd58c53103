"""Pushing the weights of a chain until its steps are distributions.

With A, a and b as in :mod:`~weft.conversions.growth`, a scale c above the growth rate, and
h = (I - A/c)⁻¹ b, the weight of all that may follow a state,

    p(y | k) = A[k, y]/c · h_y / h_k,    p(end | k) = b_k / h_k

are distributions. Along a sentence the factors h cancel and the scale is the same for all its
taggings, so that p(tags | words) is what it was. This is what Chi's algorithm (Smith & Johnson
2007, section 2.1) does to a right-linear grammar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.derivations.chain import steps as chain_steps
from weft.derivations.chain.topology import Topology
from weft.errors import DivergenceError, OptionError
from weft.grammars.sums.steps import StepWeights

_CLOSE = 1e-9  # of logs of lengths: where the search ends
_NEAR = 1e-6  # what is still an answer where rounding ends it
_FARTHEST = 40
_MOST_STEPS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Pushed:
    """A chain whose steps have become distributions.

    Attributes:
        begin: [states], log p(state | start).
        go: [states, states], log p(state | state before).
        end: [states], log p(end | state).
        mean_length: The mean number of words of a sentence.
    """

    begin: FloatArray
    go: FloatArray
    end: FloatArray
    mean_length: float


def push(steps: StepWeights, log_scale: float) -> Pushed:
    """Return the distributions that steps become when each word is divided by a scale.

    Args:
        steps: Log-steps among states that sentences pass, in one group.
        log_scale: The log of the scale, above that of the growth rate.

    Raises:
        DivergenceError: If the scale is too small, or so close that nothing can be told.
    """
    go, begin = steps.go[0] - log_scale, steps.begin - log_scale
    heaviest = _heaviest(go, steps.end)
    # Nothing that follows a state outweighs the heaviest, so that none of these is above 1.
    system = np.eye(len(go)) - np.exp(go + heaviest - heaviest[:, None])
    try:
        following = np.linalg.solve(system, np.exp(steps.end - heaviest))
        good = bool(np.isfinite(following).all() and (following > 0).all())
        lasting = np.linalg.solve(system, following) / following if good else following
    except np.linalg.LinAlgError:
        good = False
    if not (good and np.isfinite(lasting).all() and (lasting > 0).all()):
        raise DivergenceError(
            "the sum over all sentences is infinite at this scale: it must be above the growth "
            "rate, by more than rounding"
        )
    weights = heaviest + np.log(following)
    total = np.logaddexp.reduce(begin + weights)
    shares = begin + weights - total
    return Pushed(
        shares,
        go + weights - weights[:, None],
        steps.end - weights,
        float(np.exp(shares) @ lasting),
    )


def _heaviest(go: FloatArray, end: FloatArray) -> FloatArray:
    """[states]: the weight of the heaviest way to the end."""
    heaviest = end
    for _ in range(len(end)):
        longer = np.maximum(heaviest, (go + heaviest).max(axis=1))
        if (longer == heaviest).all():
            break
        heaviest = longer
    return heaviest


def shortest_sentence(steps: StepWeights) -> int:
    """The number of words of the shortest sentence."""
    arcs, length = np.isfinite(steps.go[0]), 1
    here: BoolArray = np.isfinite(steps.begin)
    while not np.isfinite(steps.end[here]).any():
        here, length = np.any(arcs[here], axis=0), length + 1
    return length


def log_scale_for(steps: StepWeights, growth: float, mean_length: float) -> float:
    """Return the log of the scale at which sentences have a mean length.

    The larger the scale, the shorter they are. As a function of log(log c - log ρ) the log of the
    length is close to a line, so that false position (with halved weights, Dowell & Jarratt 1971)
    needs few steps.

    Args:
        steps: Log-steps among states that sentences pass, in one group.
        growth: The log of their growth rate.
        mean_length: The length.

    Raises:
        OptionError: If no scale gives that length.
    """
    shortest = shortest_sentence(steps)
    if not shortest < mean_length < np.inf:
        raise OptionError(
            f"a mean length of {mean_length:g} is impossible: the shortest sentence has "
            f"{shortest} words, and the mean must be above that"
        )

    def scale_at(place: float) -> float:
        return place if np.isneginf(growth) else growth + float(np.exp(place))

    @cache
    def excess(place: float) -> float:
        try:
            return float(np.log(push(steps, scale_at(place)).mean_length / mean_length))
        except DivergenceError:  # closer to the growth rate than can be told: longer than any
            return np.inf

    # Close to the pole, lengths are as 1 / (log c - log ρ).
    ends = _bracket(excess, -float(np.log(mean_length)))
    place = None if ends is None else _root(excess, *ends)
    if place is None or abs(excess(place)) > _NEAR:
        reason = (
            "there is a longest sentence"
            if np.isneginf(growth)
            else "close to the growth rate, lengths change faster than numbers can tell"
        )
        raise OptionError(
            f"no scale gives a mean length of {mean_length:g}: {reason}; ask for another length, "
            "or give a scale"
        )
    return scale_at(place)


def _bracket(excess: Callable[[float], float], near: float) -> tuple[float, float] | None:
    """Two places between which a falling function changes its sign, one of them near."""
    step = 1.0
    sign = 1.0 if excess(near) > 0 else -1.0
    for _ in range(_FARTHEST):
        far = near + sign * step
        if (excess(far) > 0) != (sign > 0):
            return min(near, far), max(near, far)
        near, step = far, 2 * step
    return None


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function is zero, by false position with the weight of a stale end halved."""
    above, below, side = excess(low), excess(high), 0
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        if np.isfinite(above):
            middle = (high * above - low * below) / (above - below)
        value = excess(middle)
        if abs(value) <= _CLOSE or not low < middle < high:
            return middle
        if value > 0:
            low, above, below = middle, value, below / 2 if side > 0 else below
        else:
            high, below, above = middle, value, above / 2 if side < 0 else above
        side = 1 if value > 0 else -1
    return high


def table_of(topology: Topology, pushed: Pushed, useful: BoolArray) -> FloatArray:
    """Return the steps among useful states as transitions, [groups, width, width].

    Args:
        topology: The tags.
        pushed: The steps.
        useful: [states], which of all states they are among; no others are ever entered.
    """
    begin, end = np.full((2, len(useful)), -np.inf)
    go = np.full((len(useful), len(useful)), -np.inf)
    begin[useful], end[useful], go[np.ix_(useful, useful)] = pushed.begin, pushed.end, pushed.go
    steps = StepWeights(begin, go[None], end)
    if topology.order == 2:
        shape, middle = (topology.tags + 1, topology.tags), np.arange(topology.tags)
        blocks = go.reshape(*shape, *shape)[:, middle, middle, :].transpose(1, 0, 2)
        steps = StepWeights(begin.reshape(shape), blocks, end.reshape(shape))
    return chain_steps.table_of(topology, steps, -np.inf)
