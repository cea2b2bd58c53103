"""Objectives: from θ to a value and its gradient; they add, and scale."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray


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
            del slope  # which may be large, before the next one is made
        return total, gradient


def weighted_sum(weights: Sequence[float], objectives: Sequence[Objective]) -> Objective:
    """Return Σ_k weight_k objective_k; the objective itself if it is one that counts 1."""
    terms = tuple(zip(weights, objectives, strict=True))
    return terms[0][1] if len(terms) == 1 and terms[0][0] == 1.0 else Combination(terms)


class CorpusTerm(Objective):
    """A criterion on a corpus."""

    @abstractmethod
    def per_example(self, theta: FloatArray) -> FloatArray:
        """[examples]: what each example is worth at θ, before its weight."""

    @abstractmethod
    def impossible(self, theta: FloatArray) -> Iterator[tuple[int, int]]:
        """Yield the examples that no derivation explains, and the token where each one ends."""

    def value(self, theta: FloatArray) -> float:
        """Return the value at θ alone, which a criterion without a gradient has, too."""
        return self(theta)[0]

    def landscape(self) -> Any | None:
        """Return the criterion as what annealing walks on, if there is a faster way than values."""
        return None

    def steps(self) -> Any | None:
        """Return the criterion as what an exact line search follows; None if it has no steps."""
        return None
