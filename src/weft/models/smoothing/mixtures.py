"""Mixtures of distributions whose weights are fitted to held-out events by EM.

With p_{ei} the probability that component i gives to what happened in event e, and g(e) the group
that the event belongs to, EM climbs

    Σ_e n_e log Σ_i λ_{g(e) i} p_{ei},      Σ_i λ_{gi} = 1,

by sharing every event out to the components in proportion to λ_{gi} p_{ei}, and making the weights
of a group proportional to what its components got. Groups are buckets of contexts in which the same
components are defined (a *pattern*); buckets with few events are merged with their neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.errors import OptionError

_MOST_COMPONENTS = 8  # whose patterns are 256


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Weights of components by pattern and bucket.

    Attributes:
        weights: [patterns, buckets, components]. Component i is defined in pattern number n if
            bit i of n is set; the weights sum to one over the defined components.
    """

    weights: FloatArray

    def classes(self, buckets: IntArray, defined: BoolArray) -> IntArray:
        """Return the places [...] of contexts' weights, as patterns and buckets lie in a row.

        Buckets beyond the last one are the last one.
        """
        count = self.weights.shape[1]
        places: IntArray = _patterns(defined) * count + np.minimum(buckets, count - 1)
        return places


def _patterns(defined: BoolArray) -> IntArray:
    """The pattern numbers of contexts, [...], given [..., components]."""
    numbers: IntArray = np.packbits(defined, axis=-1, bitorder="little")[..., 0].astype(np.int64)
    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """What happened in held-out data, as the components see it.

    Attributes:
        probs: [events, components], each component's probability of what happened.
        defined: [events, components], whether the component's context occurred.
        buckets: [events].
        counts: [events], how often each event happened.
    """

    probs: FloatArray
    defined: BoolArray
    buckets: IntArray
    counts: FloatArray


def join_events(parts: Sequence[Events]) -> Events:
    """Return the events of several parts of a corpus together."""
    return Events(
        np.concatenate([part.probs for part in parts]),
        np.concatenate([part.defined for part in parts]),
        np.concatenate([part.buckets for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


def fit_mixture(
    events: Events, *, enough: float = 50.0, prior: float = 1.0, iterations: int = 200
) -> Mixture:
    """Return the weights under which held-out events are most probable.

    Args:
        events: What happened; see :func:`~weft.models.smoothing.interpolation.deleted_events`.
        enough: A bucket with fewer events than that is merged with its neighbours.
        prior: So many imaginary events are added to each bucket, shared evenly by its components,
            which keeps all weights positive.
        iterations: Steps of EM at most.

    Returns:
        The mixture. Where a pattern never occurred in the events, its components share evenly.

    Raises:
        OptionError: If there are too many components, whose patterns would be too many.
    """
    components = events.probs.shape[1]
    if not 1 <= components <= _MOST_COMPONENTS:
        raise OptionError(f"a mixture has 1 to {_MOST_COMPONENTS} components, not {components}")
    patterns = _patterns(events.defined)
    buckets = int(events.buckets.max(initial=0)) + 1
    weights = np.empty((1 << components, buckets, components))
    for pattern in range(1 << components):
        used = (pattern >> np.arange(components)) & 1 == 1
        mine = patterns == pattern
        sizes = np.bincount(events.buckets[mine], events.counts[mine], buckets).astype(float)
        groups = merge_sparse(sizes, enough)
        start = np.tile(used / max(int(used.sum()), 1), (int(groups[-1]) + 1, 1))
        probs, rows, counts = events.probs[mine], groups[events.buckets[mine]], events.counts[mine]
        weights[pattern] = climb(probs, rows, counts, start, prior, iterations)[0][groups]
    return Mixture(weights)


def merge_sparse(sizes: FloatArray, enough: float) -> IntArray:
    """Return the group of each bucket, [buckets], so that neighbours make groups of enough events.

    >>> merge_sparse(np.array([9.0, 1.0, 8.0, 2.0]), 5.0).tolist()
    [0, 1, 1, 1]
    """
    groups = np.empty(len(sizes), np.int64)
    number, inside = 0, 0.0
    for bucket, size in enumerate(sizes.tolist()):
        if inside >= enough:
            number, inside = number + 1, 0.0
        groups[bucket] = number
        inside += size
    if inside < enough and number > 0:
        groups[groups == number] = number - 1
    return groups


def climb(
    probs: FloatArray,
    groups: IntArray,
    counts: FloatArray,
    weights: FloatArray,
    prior: float = 1.0,
    iterations: int = 200,
    tolerance: float = 1e-7,
) -> tuple[FloatArray, list[float]]:
    """Climb the likelihood of mixtures by EM.

    Events that no component thinks possible say nothing about the weights and are left out.

    Args:
        probs: [events, components].
        groups: [events], which row of the weights belongs to each.
        counts: [events].
        weights: [groups, components], where to begin; what is zero stays zero.
        prior: Imaginary events in each group, shared evenly by the components of positive weight.
        iterations: Steps at most.
        tolerance: A smaller relative gain ends the climb.

    Returns:
        The weights, and the objective before each step and at the end: the log-likelihood plus
        the logs of the weights, each times its share of the prior.
    """
    used = weights > 0
    possible = (probs * used[groups]).sum(axis=1) > 0
    probs, groups, counts = probs[possible], groups[possible], counts[possible]
    imaginary = prior * used / np.maximum(used.sum(axis=1, keepdims=True), 1)
    trace: list[float] = []
    while True:
        shares = weights[groups] * probs
        totals = shares.sum(axis=1)
        logs = np.log(weights, where=imaginary > 0, out=np.zeros_like(weights))
        trace.append(float((counts * np.log(totals)).sum() + (imaginary * logs).sum()))
        gained = len(trace) < 2 or trace[-1] - trace[-2] > tolerance * abs(trace[-1])
        if len(trace) > iterations or not gained:
            return weights, trace
        shares *= (counts / totals)[:, None]
        sums = imaginary + _sum_groups(shares, groups, len(weights))
        filled = sums.sum(axis=1, keepdims=True)
        weights = np.where(filled > 0, sums / np.where(filled > 0, filled, 1.0), weights)


def _sum_groups(shares: FloatArray, groups: IntArray, size: int) -> FloatArray:
    """[size, components]: the sums of the rows of each group."""
    columns = [np.bincount(groups, column, size) for column in shares.T]
    return np.stack(columns, axis=1).astype(np.float64)
