"""What an optimiser sees that looks at a few terms of an objective at a time.

The objective is a sum of many terms, less a quadratic penalty:

    F(θ) = Σ_i f_i(θ) − ½ Σ_j precision_j (θ_j − centre_j)²

A *batch* is the sum of some terms, as a function of those weights only that they depend on: what
it costs grows with these, never with all weights there are. A batch's gradient may be noisy: an
estimate whose expectation is the gradient serves as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
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


class Section(Protocol):
    """Terms that are in memory at the same time."""

    def __len__(self) -> int:
        """The number of terms."""
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

    @property
    def streamed(self) -> bool:
        """Whether sections are compiled whenever their turn comes, and not kept."""
        ...

    def __len__(self) -> int:
        """The number of terms."""
        ...

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient of the sum of all terms."""
        ...

    @property
    def sizes(self) -> Sequence[int]:
        """How many terms each section has."""
        ...

    def sections(self) -> Iterator[Section]:
        """Yield all terms, as many as are in memory at a time; one section if all of them are."""
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
        """Return all terms in batches, compiled once; shuffled before if there is a seed.

        Only terms that are in memory are kept so.
        """
        if (size, seed) not in self._kept:
            made = (cut.batch(n) for cut in self._cuts(size, seed) for n in range(len(cut.groups)))
            self._kept[size, seed] = tuple(made)
        return self._kept[size, seed]

    def cuts(self, size: int, seed: int | None = None) -> Iterator[Cut]:
        """Yield all sections, cut into batches of so many terms; see :meth:`batches`."""
        for cut in self._cuts(size, seed):
            kept = None if self.terms.streamed else partial(self.batches, size, seed)
            yield replace(cut, kept=kept)

    def _cuts(self, size: int, seed: int | None) -> Iterator[Cut]:
        for number, section in enumerate(self.terms.sections()):
            yield Cut(number, section, _groups(len(section), size, seed, number))

    def batch_count(self, size: int) -> int:
        """Return how many batches there are of so many terms."""
        return sum(-(-each // size) for each in self.terms.sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A section, cut into batches.

    Attributes:
        number: Of the section, from 0.
        section: The terms.
        groups: The terms of each batch.
        kept: Gives the batches, where they are compiled only once.
    """

    number: int
    section: Section
    groups: Sequence[IntArray]
    kept: Callable[[], Sequence[Batch]] | None = None

    def batch(self, number: int) -> Batch:
        """Return a batch."""
        if self.kept is None:
            return self.section.batch(self.groups[number])
        return self.kept()[number]

    def order(self, seed: int, turn: int) -> list[int]:
        """Return the order in which batches come in a pass."""
        order: list[int] = shuffled(len(self.groups), seed, turn, self.number).tolist()
        return order


def _groups(count: int, size: int, seed: int | None, section: int) -> list[IntArray]:
    """The terms of each batch of a section."""
    numbers = np.arange(count)
    if seed is not None:
        numbers = _generator(seed, 0, section).permutation(numbers)
    return np.split(numbers, range(size, count, size)) if count else []


def shuffled(count: int, seed: int, turn: int, section: int = 0) -> IntArray:
    """Return the order in which this many things come in a pass; the same whenever it is asked.

    >>> shuffled(4, 0, 1).tolist() == shuffled(4, 0, 1).tolist() != shuffled(4, 0, 2).tolist()
    True
    """
    return _generator(seed, 1, turn, section).permutation(count).astype(np.int64)


def _generator(*numbers: int) -> np.random.Generator:
    """Random numbers of a section; those of the first are those of terms without sections."""
    *others, section = numbers
    return np.random.default_rng([*others, section] if section else others)
