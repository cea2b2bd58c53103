"""Deleted interpolation: mixtures of relative frequencies with bucketed weights.

Given several distributions of the same outcome y in ever wider contexts,

    P(y | x) = Σ_i λ_i(b(x)) P_i(y | x_i),      Σ_i λ_i(b) = 1.

The weights λ depend on x only through its *bucket* b(x), typically how often x was seen, and they
maximise the likelihood of events that the components know nothing of: a part of the corpus is
deleted from the counts, its events are predicted from the rest, and so on in turn for every part
(Jelinek 1997, the reference of Johnson 2001, section 3).

A component is *undefined* where its context never occurred. It then has weight zero: contexts are
told apart by which components are defined, and every such *pattern* has weights of its own. The
result is a proper distribution wherever at least one component is defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.models.smoothing.counts import count_table
from weft.models.smoothing.mixtures import Events, Mixture, fit_mixture


class Component(Protocol):
    """A distribution of outcomes in contexts, which are numbers."""

    def seen(self, contexts: IntArray) -> FloatArray:
        """Return how often each context occurred; the distribution is undefined where never."""
        ...

    def probs(self, contexts: IntArray, outcomes: IntArray) -> FloatArray:
        """Return the probabilities of outcomes, zero where the context never occurred."""
        ...

    def rows(self, contexts: IntArray) -> FloatArray:
        """Return the probabilities of all outcomes, [..., outcomes]."""
        ...


Buckets = Callable[[Sequence[FloatArray]], IntArray]
"""From how often each component's context was seen to the bucket: the components' arrays have
shapes that broadcast, and so has the result."""


def powers_of_two(seen: Sequence[FloatArray]) -> IntArray:
    """Bucket by how often the first context was seen: never, below 2, below 4 and so on.

    >>> powers_of_two([np.array([0, 0.5, 1, 2, 3, 4, 1000])]).tolist()
    [0, 1, 1, 2, 2, 3, 10]
    """
    counts = np.asarray(seen[0], np.float64)
    return np.where(counts > 0, np.frexp(np.maximum(counts, 1.0))[1], 0).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Interpolation:
    """A mixture of components.

    Contexts are given as one array per component, of shapes that broadcast: a wide context that
    many narrow ones share is then looked up once.

    Attributes:
        components: From the narrowest context to the widest.
        mixture: Their weights.
        bucket_of: What decides on a context's bucket.
    """

    components: tuple[Component, ...]
    mixture: Mixture
    bucket_of: Buckets = powers_of_two

    def classes(self, contexts: Sequence[IntArray]) -> IntArray:
        """Return numbers of contexts that are equal where their weights are the same ones."""
        seen = _seen(self.components, contexts)
        return self.mixture.classes(self.bucket_of(seen), _defined(seen))

    def weights_of(self, classes: IntArray) -> FloatArray:
        """Return the weights of the components in contexts of classes, [..., components]."""
        return self.mixture.weights.reshape(-1, len(self.components))[classes]

    def weights(self, contexts: Sequence[IntArray]) -> FloatArray:
        """Return the weights of the components in contexts, [..., components]."""
        return self.weights_of(self.classes(contexts))

    def probs(self, contexts: Sequence[IntArray], outcomes: IntArray) -> FloatArray:
        """Return the probabilities of outcomes, in the shape that contexts and outcomes make."""
        weights = self.weights(contexts)
        total = np.zeros(np.broadcast_shapes(weights.shape[:-1], outcomes.shape))
        for number, (component, where) in enumerate(zip(self.components, contexts, strict=True)):
            total += weights[..., number] * component.probs(where, outcomes)
        return total

    def rows(self, contexts: Sequence[IntArray]) -> FloatArray:
        """Return the probabilities of all outcomes, [..., outcomes]."""
        weights = self.weights(contexts)
        widest = self.components[-1].rows(contexts[-1])
        total = np.zeros((*weights.shape[:-1], widest.shape[-1]))
        for number, where in enumerate(contexts[:-1]):
            rows, own = self.components[number].rows, weights[..., number]
            if where.shape == own.shape:  # as narrow as can be: most were never seen
                seen = np.nonzero(own)
                total[seen] += own[seen][:, None] * rows(where[seen])
            else:
                total += own[..., None] * rows(where)
        total += weights[..., -1:] * widest
        return total


def _seen(components: Sequence[Component], contexts: Sequence[IntArray]) -> list[FloatArray]:
    return [component.seen(where) for component, where in zip(components, contexts, strict=True)]


def _defined(seen: Sequence[FloatArray]) -> BoolArray:
    return np.stack(np.broadcast_arrays(*(counts > 0 for counts in seen)), axis=-1)


def held_out_events(
    components: Sequence[Component],
    contexts: Sequence[IntArray],
    outcomes: IntArray,
    counts: FloatArray,
    bucket_of: Buckets = powers_of_two,
) -> Events:
    """Return held-out events as components see them that were counted elsewhere.

    Args:
        components: What was counted without these events.
        contexts: One array [events] a component.
        outcomes: [events].
        counts: [events], how often each happened.
        bucket_of: What decides on a context's bucket.
    """
    seen = _seen(components, contexts)
    probs = [
        component.probs(where, outcomes)
        for component, where in zip(components, contexts, strict=True)
    ]
    return Events(np.stack(probs, axis=-1), _defined(seen), bucket_of(seen), counts)


def deleted_events(
    contexts: Sequence[IntArray],
    outcomes: IntArray,
    counts: FloatArray,
    parts: IntArray,
    bucket_of: Buckets = powers_of_two,
) -> Events:
    """Return every event of a corpus, as seen by the counts of the other parts of the corpus.

    The counts of a part are subtracted from those of the whole, so that the number of parts does
    not matter: let parts be tenths of the corpus, or single sentences (leaving one out).

    Args:
        contexts: One array [events] a component.
        outcomes: [events].
        counts: [events], how often each happened.
        parts: [events], the part that each belongs to.
        bucket_of: What decides on a context's bucket.
    """
    seen = [_elsewhere([where], parts, counts) for where in contexts]
    both = [_elsewhere([where, outcomes], parts, counts) for where in contexts]
    probs = [
        pairs / np.where(totals > 0, totals, 1.0) for pairs, totals in zip(both, seen, strict=True)
    ]
    return Events(np.stack(probs, axis=-1), _defined(seen), bucket_of(seen), counts)


def _elsewhere(keys: Sequence[IntArray], parts: IntArray, counts: FloatArray) -> FloatArray:
    """[events]: how often each event's keys occur in other parts than its own."""
    whole = _number(keys)
    mine = _number([whole, parts])
    # What occurs in one part only is the same sum twice, in the same order, and cancels exactly.
    left = np.bincount(whole, counts)[whole] - np.bincount(mine, counts)[mine]
    elsewhere: FloatArray = np.maximum(left, 0.0)
    return elsewhere


def _number(keys: Sequence[IntArray]) -> IntArray:
    """[events]: equal numbers from 0 for equal keys."""
    numbers: IntArray = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        distinct, places = np.unique(key, return_inverse=True)
        joined = numbers * max(len(distinct), 1) + places.reshape(-1)
        numbers = np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers


def interpolate(
    contexts: Sequence[IntArray],
    outcomes: IntArray,
    size: int,
    parts: IntArray,
    *,
    counts: FloatArray | None = None,
    bucket_of: Buckets = powers_of_two,
) -> Interpolation:
    """Return the interpolated relative frequencies of outcomes in contexts.

    What follows "a b" is predicted from both letters, from the second one, and from nothing:

    >>> a, b, c = np.array([[0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 1, 2]])
    >>> mixed = interpolate([a * 2 + b, b, b * 0], c, 3, parts=np.arange(4))
    >>> mixed.rows([np.array([1]), np.array([1]), np.array([0])]).round(2)
    array([[0.59, 0.29, 0.12]])

    Args:
        contexts: One array [events] a component, from the narrowest context to the widest.
        outcomes: [events].
        size: How many outcomes there are.
        parts: [events], the part of the corpus that each is deleted with.
        counts: [events], how often each happened; once by default.
        bucket_of: What decides on a context's bucket.
    """
    counts = np.ones(len(outcomes)) if counts is None else counts
    tables = tuple(count_table(where, outcomes, size, counts) for where in contexts)
    events = deleted_events(contexts, outcomes, counts, parts, bucket_of)
    return Interpolation(tables, fit_mixture(events), bucket_of)
