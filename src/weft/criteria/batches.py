"""Criteria on a few examples at a time: what stochastic optimisers look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.criteria.contrasts import Contrast, contrast
from weft.criteria.criterion import Criterion, Total
from weft.criteria.links import identity
from weft.criteria.objective import CorpusTerm, Objective, weighted_sum
from weft.derivations.best import BestPaths
from weft.derivations.narrowing import narrow
from weft.derivations.online import ChainPasses, passes_of
from weft.models.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A criterion on a corpus, one of several that are added up.

    Attributes:
        weight: How much it counts.
        corpus: The examples.
        criterion: What is compared.
        objective: The same, compiled; if it is not, that is done where it is needed.
    """

    weight: float
    corpus: Sequence[Any]
    criterion: Criterion
    objective: CorpusTerm | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ExampleBatch:
    """The sum of some examples' terms.

    Attributes:
        places: The coordinates of θ that it depends on; all of them as a slice.
        objective: The sum, over these coordinates.
    """

    places: IntArray | slice
    objective: Objective

    def __call__(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient, in these coordinates."""
        return self.objective(weights)


class ExampleTerms:
    """A term for each example: the optimisers' :class:`~weft.optimise.batches.Terms`.

    Args:
        model: Says which derivations agree with a piece of evidence.
        parts: The criteria with their corpora; examples are numbered through.
        linear: Whether scores are linear in the weights.
        threads: How many threads to use; no result depends on it.
    """

    streamed = False

    def __init__(
        self,
        model: Model,
        parts: Sequence[Part],
        *,
        linear: bool = True,
        threads: int | None = None,
    ) -> None:
        self._model = model
        self._parts = parts
        self._threads = threads
        self._ends = list(accumulate(len(part.corpus) for part in parts))
        best = (Total.BEST, Total.BEST)
        self.hinges = linear and all(
            part.criterion.totals == best and part.criterion.link is identity for part in parts
        )
        self.size = model.parameters.size

    def __len__(self) -> int:
        return self._ends[-1]

    @cached_property
    def objectives(self) -> list[CorpusTerm]:
        """The criteria, compiled."""
        return [
            part.objective or contrast(self._model, part.corpus, part.criterion, self._threads)
            for part in self._parts
        ]

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient of all terms."""
        return weighted_sum([part.weight for part in self._parts], self.objectives)(theta)

    @cached_property
    def concave(self) -> bool:
        """Whether terms are hinges of examples with a single observed analysis."""
        return self.hinges and all(is_single(each, self.size) for each in self.objectives)

    @property
    def sizes(self) -> list[int]:
        """All terms are in memory."""
        return [len(self)]

    def sections(self) -> Iterator[ExampleTerms]:
        """Yield the terms themselves."""
        yield self

    def example(self, term: int) -> Any:
        """Return the example of a term."""
        number = int(np.searchsorted(self._ends, term, side="right"))
        corpus = self._parts[number].corpus
        return corpus[term - self._ends[number] + len(corpus)]

    def batch(self, terms: IntArray) -> ExampleBatch:
        """Return the sum of some terms, over the weights that they look at."""
        owners = np.searchsorted(self._ends, terms, side="right")
        weights, objectives = [], []
        for number in np.unique(owners).tolist():
            part = self._parts[number]
            first = self._ends[number] - len(part.corpus)
            chosen = [part.corpus[place - first] for place in terms[owners == number].tolist()]
            weights.append(part.weight)
            objectives.append(
                contrast(self._model, chosen, part.criterion, self._threads, part.corpus)
            )
        if len(objectives) == 1 and isinstance(objectives[0], Contrast):
            places, derivations = narrow(objectives[0].derivations)
            if places is not None:
                small = replace(objectives[0], derivations=derivations)
                return ExampleBatch(places, weighted_sum(weights, [small]))
        return ExampleBatch(slice(None), weighted_sum(weights, objectives))

    def sweep(
        self, rule: Any, order: IntArray, arrays: Mapping[str, FloatArray], before: int
    ) -> tuple[float, int] | None:
        """Let weights answer to one term after the other, where chains have a kernel for that."""
        kernel = self._kernel
        if kernel is None or not kernel.best:
            return None
        return kernel.answer(rule.name, rule.strength, order, arrays, before)

    def ascend(
        self,
        groups: Sequence[IntArray],
        rate: float,
        factor: float,
        weights: FloatArray,
        sums: FloatArray | None,
    ) -> float | None:
        """Make a step on one batch after the other, where chains have a kernel for that."""
        kernel = self._kernel
        if kernel is None or kernel.best:
            return None
        return kernel.ascend(groups, rate, factor, weights, sums)

    @cached_property
    def _kernel(self) -> ChainPasses | None:
        part = self._parts[0]
        if len(self._parts) > 1 or part.weight != 1.0:
            return None
        whole = self.objectives[0]
        if not isinstance(whole, Contrast) or whole.link is not identity:
            return None
        return passes_of(whole.derivations, whole.numerators, whole.denominators, whole.weights)


def is_single(objective: CorpusTerm, size: int) -> bool:
    """Whether each numerator of a difference of bests has one derivation: its sum is its best."""
    if not (isinstance(objective, Contrast) and isinstance(objective.derivations, BestPaths)):
        return False
    best, nothing = objective.derivations, np.zeros(size)
    mine = objective.numerators
    sums = best.every.log_partition(nothing)[mine]
    return bool(np.allclose(sums, best.log_partition(nothing)[mine], rtol=0.0, atol=1e-9))
