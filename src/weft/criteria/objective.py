"""Objectives: from θ to a value and its gradient; they add, and scale.

A *contrast* is a criterion on a corpus. All numerators and denominators are members of one set
of derivations, so one sweep with coefficients +weight and -weight gives value and gradient. With a
link g the coefficients are ±weight g'(t), and a sweep before that one finds t.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from weft.arrays import FloatArray, IntArray, dot
from weft.criteria.criterion import Criterion
from weft.criteria.links import Link, identity
from weft.criteria.views import Look
from weft.derivations.derivation_set import DerivationSet
from weft.errors import EvidenceError, NotNestedError
from weft.structures.evidence import Evidence, Example


class Objective(ABC):
    """What an optimiser maximises.

    >>> class Bowl(Objective):
    ...     def __call__(self, theta):
    ...         return -float(theta @ theta), -2 * theta
    >>> value, gradient = (2 * Bowl() + Bowl())(np.ones(1))
    >>> value, gradient
    (-3.0, array([-6.]))
    """

    @abstractmethod
    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient at θ."""

    def __add__(self, other: Objective) -> Objective:
        return Combination(((1.0, self), (1.0, other)))

    def __mul__(self, factor: float) -> Objective:
        return Combination(((factor, self),))

    __rmul__ = __mul__


@dataclass(frozen=True, slots=True)
class Combination(Objective):
    """A weighted sum of objectives over the same θ."""

    terms: tuple[tuple[float, Objective], ...]

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient at θ."""
        total, gradient = 0.0, np.zeros_like(theta)
        for factor, objective in self.terms:
            value, slope = objective(theta)
            total += factor * value
            gradient += slope if factor == 1.0 else factor * slope
        return total, gradient


class Model(Protocol):
    """All that a criterion asks of a model."""

    def derivations(
        self, evidences: Sequence[Evidence], threads: int | None = None
    ) -> DerivationSet:
        """Return the derivations that agree with each piece of evidence."""
        ...

    def closed(self, sentences: Iterable[Sequence[str]]) -> bool:
        """Whether sentences are made of the words that the model knows."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Contrast(Objective):
    """A criterion on a corpus: Σ_i weight_i g(t_i), t_i = log Z(A_i) - log Z(B_i).

    Attributes:
        derivations: The distinct numerators and denominators.
        numerators: [examples], the member that is each example's A.
        denominators: [examples], and its B.
        weights: [examples].
        link: g.
    """

    derivations: DerivationSet
    numerators: IntArray
    denominators: IntArray
    weights: FloatArray
    link: Link = identity

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient at θ; zeros for a gradient that is infinite."""
        if self.link is identity:
            log_partition, gradient = self._evaluate(theta, self.weights)
            return dot(self.weights, self._differences(log_partition)), gradient
        differences = self.per_example(theta)
        value = dot(self.weights, self.link.value(differences))
        if not math.isfinite(value):
            return value, np.zeros_like(theta)
        return value, self._evaluate(theta, self.weights * self.link.slope(differences))[1]

    def per_example(self, theta: FloatArray) -> FloatArray:
        """[examples]: log Z(A_i) - log Z(B_i); -inf where A_i is empty."""
        return self._differences(self.derivations.log_partition(theta))

    def _evaluate(self, theta: FloatArray, slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_i slope_i (E[f | A_i] - E[f | B_i]) [θ]."""
        coefficients = np.zeros(len(self.derivations))
        np.add.at(coefficients, self.numerators, slopes)
        np.subtract.at(coefficients, self.denominators, slopes)
        return self.derivations.evaluate(theta, coefficients)

    def _differences(self, log_partition: FloatArray) -> FloatArray:
        above, below = log_partition[self.numerators], log_partition[self.denominators]
        # Where B is empty so is A: the example is impossible whatever θ.
        return np.where(np.isneginf(above), -np.inf, above - np.maximum(below, above))


def contrast(
    model: Model,
    corpus: Sequence[Example],
    criterion: Criterion,
    threads: int | None = None,
) -> Contrast:
    """Return a criterion on a corpus as an objective.

    Args:
        model: Says which derivations agree with a piece of evidence.
        corpus: The examples.
        criterion: What to compare.
        threads: How many threads to use, all by default; no result depends on it.

    Returns:
        The objective, without penalty.

    Raises:
        NotNestedError: If a sentence is not among those that the denominator sums over.
        OptionError: If the model has no such sum; the message says why.
    """
    corpus = list(corpus)
    if criterion.denominator.any_word:
        _check_closed(model, corpus, criterion)
    numbers: dict[Hashable, int] = {}
    evidences: list[Evidence] = []

    def members(look: Look) -> IntArray:
        found = []
        for key, evidence in map(look, corpus):
            if key not in numbers:
                numbers[key] = len(evidences)
                evidences.append(evidence)
            found.append(numbers[key])
        return np.array(found, np.int64)

    narrow, broad = criterion.numerator, criterion.denominator
    look = narrow.over(corpus)
    numerators = members(look)
    denominators = members(look if broad == narrow else broad.over(corpus))
    weights = np.array([example.weight for example in corpus], np.float64)
    derivations = model.derivations(evidences, threads)
    return Contrast(derivations, numerators, denominators, weights, criterion.link)


def _check_closed(model: Model, corpus: Sequence[Example], criterion: Criterion) -> None:
    if model.closed(example.tokens.words for example in corpus):
        return
    for place, example in enumerate(corpus):
        for word in example.tokens.words:
            if not model.closed([[word]]):
                raise NotNestedError(
                    f"{example.tokens.source or f'example {place + 1}'}: the word '{word}' is not "
                    f"one of the model's, and so the sentence is not among what criterion "
                    f"'{criterion.name}' compares it with: give it to prepare or fit as well"
                )


def check_possible(objective: Contrast, corpus: Sequence[Example], theta: FloatArray) -> None:
    """Raise an error for the first example that no derivation explains, whatever the weights.

    Raises:
        EvidenceError: With the sentence, its token and what to do.
    """
    for place in np.flatnonzero(np.isneginf(objective.per_example(theta))).tolist():
        position = objective.derivations.impossible(int(objective.numerators[place]))
        if position is not None:
            raise EvidenceError(_impossible(corpus[place], place, position))


def _impossible(example: Example, place: int, position: int) -> str:
    label = None if example.analysis is None else example.analysis[position]
    shown = label if isinstance(label, str | None) else "|".join(sorted(label))
    return (
        f"{example.tokens.source or f'example {place + 1}'}: no tagging is possible at token "
        f"{position + 1}, '{example.tokens.words[position]}' (label {shown}): the "
        "dictionary or the forbidden transitions exclude it; mend the label, or allow it there"
    )
