"""What an optimiser sees that looks at a few terms of an objective at a time.

The objective is a sum of many terms, less a quadratic penalty:

    F(θ) = Σ_i f_i(θ) − ½ Σ_j precision_j (θ_j − centre_j)²

A *batch* is the sum of some terms, as a function of those weights only that they depend on: what
it costs grows with these, never with all weights there are. A batch's gradient may be noisy: an
estimate whose expectation is the gradient serves as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from weft.arrays import FloatArray, IntArray, dot

Places = IntArray | slice
"""Coordinates of θ, ascending; a slice where they are all of them."""


class Batch(Protocol):
    """The sum of some terms."""

    @property
    def places(self) -> Places:
        """The coordinates of θ that the sum depends on."""
        ...

    def __call__(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient, both given and in these coordinates only."""
        ...


class Rule(NamedTuple):
    """How weights answer to one example; see :mod:`weft.optimise.online`.

    Attributes:
        name: Which rule.
        strength: What it depends on: C of passive–aggressive steps, r of AROW.
    """

    name: str
    strength: float = 1.0


class Terms(Protocol):
    """Σ_i f_i(θ), term by term."""

    @property
    def hinges(self) -> bool:
        """Whether terms compare best analyses, by scores that are linear in θ."""
        ...

    @property
    def concave(self) -> bool:
        """Whether, besides, one analysis of each was observed: the least of linear functions."""
        ...

    @property
    def size(self) -> int:
        """The number of weights."""
        ...

    def __len__(self) -> int:
        """The number of terms."""
        ...

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient of the sum of all terms."""
        ...

    def batch(self, terms: IntArray) -> Batch:
        """Return the sum of some terms."""
        ...

    def sweep(
        self, rule: Rule, order: IntArray, arrays: Mapping[str, FloatArray], before: int
    ) -> tuple[float, int] | None:
        """Let weights answer to one term after the other, if there is a faster way than batches.

        Args:
            rule: How they answer.
            order: The terms, in the order in which they come.
            arrays: ``weights``, ``drift`` and, for AROW, ``variances`` [θ]; changed in place.
            before: How many terms came before these.

        Returns:
            The sum of the terms' values when their turn came, and how many changed the weights;
            None if there is no faster way.
        """
        ...

    def ascend(
        self,
        groups: Sequence[IntArray],
        rate: float,
        factor: float,
        weights: FloatArray,
        sums: FloatArray | None,
    ) -> float | None:
        """Make a step on one batch after the other, if there is a faster way than batches.

        A step is θ ← factor × θ + rate × the gradient of the batch.

        Args:
            groups: The terms of each batch.
            rate: See there.
            factor: See there.
            weights: θ; changed in place.
            sums: [θ], to which θ is added after every step; None if that is not wanted.

        Returns:
            The sum of the batches' values when their turn came; None if there is no faster way.
        """
        ...


@dataclass(frozen=True, eq=False)
class Problem:
    """The sum of terms, less its penalty.

    Attributes:
        terms: The terms.
        precisions: [θ].
        centre: [θ], the weights that cost nothing.
    """

    terms: Terms
    precisions: FloatArray
    centre: FloatArray
    _kept: dict[tuple[int, int | None], tuple[Batch, ...]] = field(
        default_factory=dict, init=False, repr=False
    )

    def penalty(self, theta: FloatArray) -> float:
        """Return ½ Σ_j precision_j (θ_j − centre_j)²."""
        distance = theta - self.centre
        return 0.5 * dot(self.precisions * distance, distance)

    def value(self, theta: FloatArray) -> float:
        """Return the objective at θ."""
        return self.terms(theta)[0] - self.penalty(theta)

    def batches(self, size: int, seed: int | None = None) -> tuple[Batch, ...]:
        """Return all terms in batches, compiled once; shuffled before if there is a seed."""
        if (size, seed) not in self._kept:
            self._kept[size, seed] = tuple(map(self.terms.batch, self.groups(size, seed)))
        return self._kept[size, seed]

    def groups(self, size: int, seed: int | None = None) -> list[IntArray]:
        """Return the terms of each of these batches."""
        numbers = np.arange(len(self.terms))
        if seed is not None:
            numbers = np.random.default_rng([seed, 0]).permutation(numbers)
        return np.split(numbers, range(size, len(numbers), size)) if len(numbers) else []


def shuffled(count: int, seed: int, turn: int) -> IntArray:
    """Return the order in which this many things come in a pass; the same whenever it is asked.

    >>> shuffled(4, 0, 1).tolist() == shuffled(4, 0, 1).tolist() != shuffled(4, 0, 2).tolist()
    True
    """
    return np.random.default_rng([seed, 1, turn]).permutation(count).astype(np.int64)
