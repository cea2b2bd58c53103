"""A criterion on a corpus that is read anew for every pass, a section at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from weft.arrays import FloatArray
from weft.criteria.batches import ExampleTerms, Part
from weft.criteria.criterion import Criterion
from weft.criteria.objective import CorpusTerm
from weft.models.model import Model
from weft.structures.stream import Stream

Refuse = Callable[[Any, int, int], NoReturn]
"""Raises an error about an example without derivations: the example, its place and a token's."""


class StreamedTerms(CorpusTerm):
    """A term for each example of a stream: the optimisers' :class:`~weft.optimise.batches.Terms`.

    Sections are compiled when their turn comes, and forgotten after it.

    Args:
        model: Says which derivations agree with a piece of evidence.
        stream: The examples.
        criterion: What is compared.
        refuse: Told of the first example that has no derivation, when examples are first read.
        linear: Whether scores are linear in the weights.
        threads: How many threads to use; no result depends on it.
    """

    streamed = True

    def __init__(
        self,
        model: Model,
        stream: Stream,
        criterion: Criterion,
        refuse: Refuse,
        *,
        linear: bool = True,
        threads: int | None = None,
    ) -> None:
        self._stream = stream
        self._refuse = refuse
        self._checked = False

        def compile_section(section: Sequence[Any]) -> ExampleTerms:
            part = Part(1.0, section, criterion)
            return ExampleTerms(model, [part], linear=linear, threads=threads)

        self._compile = compile_section
        self.hinges = self._compile([]).hinges
        self.concave = False  # of which nobody knows before all labels are read
        self.size = model.parameters.size

    def __len__(self) -> int:
        return len(self._stream)

    @cached_property
    def sizes(self) -> list[int]:
        """How many terms each section has."""
        return self._stream.sizes

    def sections(self) -> Iterator[ExampleTerms]:
        """Read the corpus, and compile a section at a time."""
        return map(self._compile, self._stream.sections())

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient of all terms."""
        value, gradient = 0.0, np.zeros_like(theta)
        for section in self._possible(theta):
            found, slope = section(theta)
            value += found
            gradient += slope
        return value, gradient

    def per_example(self, theta: FloatArray) -> FloatArray:
        """[examples]: what each example is worth at θ, before its weight."""
        several = [each.objectives[0].per_example(theta) for each in self._possible(theta)]
        return np.concatenate([np.zeros(0), *several])

    def impossible(self, theta: FloatArray) -> Iterator[tuple[int, int]]:
        """Yield the examples that no derivation explains, and the token where each one ends."""
        first = 0
        for section in self.sections():
            for place, position in section.objectives[0].impossible(theta):
                yield first + place, position
            first += len(section)

    def _possible(self, theta: FloatArray) -> Iterator[ExampleTerms]:
        """All sections, each seen to have derivations if nobody has looked yet."""
        first = 0
        for section in self.sections():
            if not self._checked:
                for place, position in section.objectives[0].impossible(theta):
                    self._refuse(section.example(place), first + place, position)
            yield section
            first += len(section)
        self._checked = True
