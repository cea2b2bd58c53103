"""Sums over derivations that lie on the workers of a cluster.

Members are dealt to parts, whose number depends on the corpus alone; a worker derives a part once,
and keeps it. For every θ a part gives its log Z and its share of the gradient. Shares are added up
in an order that is fixed: no bit depends on how many workers there are, nor on which one has what.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.criteria.criterion import Criterion, Unit
from weft.criteria.members import Member, derive_members
from weft.criteria.views import input_only
from weft.derivations.derivation_set import DerivationSet, OnlySums, Parts
from weft.models.model import Model

_LEAST, _MOST = 16, 128
_EACH = 2000  # members per part: enough that what is asked of a part takes longer than to ask

Question = Callable[[Any, FloatArray, Any], tuple[Any, FloatArray | None]]
"""From what a worker keeps, θ and an argument to an answer and an array that is added up."""


class Workers(Protocol):
    """Those who keep things, and are asked about them. Functions are those of modules."""

    def keep(
        self, make: Callable[[Any, Any], Any], shared: Any, sources: Sequence[Any]
    ) -> Sequence[Any]:
        """Have something made of each source and of what all share; return who has which."""
        ...

    def ask(
        self, kept: Sequence[Any], question: Question, theta: FloatArray, arguments: Sequence[Any]
    ) -> tuple[list[Any], FloatArray | None]:
        """Ask about each thing that is kept; return the answers, and the sum of the arrays."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class KeptPart:
    """What a worker has: some members as derivations.

    Attributes:
        derivations: The members.
        parts: Observed parts of examples, where a criterion compares these.
    """

    derivations: DerivationSet
    parts: Parts | None


@dataclass(frozen=True, slots=True)
class _Source:
    """What a worker makes a part of.

    Attributes:
        criterion: What is compared.
        members: The part's members.
        numerators: For each of its examples the member that is its A.
        denominators: And its B.
    """

    criterion: Criterion
    members: list[Member]
    numerators: list[int]
    denominators: list[int]


def derive_part(model: Model, source: _Source) -> KeptPart:
    """Derive the members of a part, with one thread: a worker looks at several parts at a time."""
    members, criterion = source.members, source.criterion
    every = derive_members(members, criterion, lambda some: model.derivations(some, 1))
    if criterion.unit is not Unit.TOKEN:
        return KeptPart(every, None)
    observed = [members[number].evidence for number in source.numerators]
    return KeptPart(every, every.select(np.array(source.denominators, np.int64)).parts(observed))


def _log_partition(part: KeptPart, theta: FloatArray, _: None) -> tuple[FloatArray, None]:
    return part.derivations.log_partition(theta), None


def _evaluate(
    part: KeptPart, theta: FloatArray, coefficients: FloatArray
) -> tuple[FloatArray, FloatArray]:
    return part.derivations.evaluate(theta, coefficients)


def _impossible(part: KeptPart, _: FloatArray, member: int) -> tuple[int | None, None]:
    return part.derivations.impossible(member), None


def _owners(part: KeptPart, _: FloatArray, examples: IntArray) -> tuple[IntArray, None]:
    return examples[_parts(part).owners], None


def _log_probs(part: KeptPart, theta: FloatArray, _: None) -> tuple[FloatArray, None]:
    return _parts(part).log_probs(theta), None


def _slope(
    part: KeptPart, theta: FloatArray, given: tuple[FloatArray, FloatArray]
) -> tuple[None, FloatArray]:
    return None, _parts(part).slope(theta, *given)


def _parts(part: KeptPart) -> Parts:
    assert part.parts is not None  # noqa: S101
    return part.parts


@dataclass(frozen=True, slots=True, eq=False)
class SpreadSet(OnlySums):
    """Members of which workers have a part each.

    Attributes:
        workers: Those who have them.
        kept: Who has which part.
        places: For each part the numbers of its members.
        examples: For each part the numbers of its examples.
    """

    workers: Workers
    kept: Sequence[Any]
    places: Sequence[IntArray]
    examples: Sequence[IntArray]

    def __len__(self) -> int:
        return sum(map(len, self.places))

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        nothing = [None] * len(self.kept)
        return self._gathered(self.workers.ask(self.kept, _log_partition, theta, nothing)[0])

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        given = [coefficients[places] for places in self.places]
        answers, gradient = self.workers.ask(self.kept, _evaluate, theta, given)
        return self._gathered(answers), np.zeros_like(theta) if gradient is None else gradient

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        for handle, places in zip(self.kept, self.places, strict=True):
            [found] = np.nonzero(places == member)
            if found.size:
                position: int | None
                [position], _ = self.workers.ask([handle], _impossible, _NO_WEIGHTS, [found[0]])
                return position
        return None

    def observed_parts(self) -> SpreadParts:
        """Return the observed parts of examples, where the criterion compares these."""
        owners, _ = self.workers.ask(self.kept, _owners, _NO_WEIGHTS, self.examples)
        return SpreadParts(self.workers, self.kept, owners)

    def _gathered(self, answers: Sequence[FloatArray]) -> FloatArray:
        values = np.empty(len(self))
        for places, found in zip(self.places, answers, strict=True):
            values[places] = found
        return values


_NO_WEIGHTS = np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class SpreadParts:
    """Observed parts of examples, likewise.

    Attributes:
        workers: Those who have them.
        kept: Who has which.
        shares: For each the examples that its parts are of.
    """

    workers: Workers
    kept: Sequence[Any]
    shares: Sequence[IntArray]

    @property
    def owners(self) -> IntArray:
        """[parts]: the example that each belongs to."""
        return np.concatenate(self.shares)

    def log_probs(self, theta: FloatArray) -> FloatArray:
        """[parts]: t; -inf where no derivation has the part."""
        answers, _ = self.workers.ask(self.kept, _log_probs, theta, [None] * len(self.kept))
        return np.concatenate(answers)

    def slope(self, theta: FloatArray, slopes: FloatArray, log_probs: FloatArray) -> FloatArray:
        """Return Σ_j slope_j ∇t_j [θ], given t [parts]; a slope of -inf's is 0."""
        ends = np.cumsum([len(share) for share in self.shares])[:-1]
        given = list(zip(np.split(slopes, ends), np.split(log_probs, ends), strict=True))
        _, gradient = self.workers.ask(self.kept, _slope, theta, given)
        return np.zeros_like(theta) if gradient is None else gradient


def spread_members(
    workers: Workers,
    model: Model,
    criterion: Criterion,
    members: Sequence[Member],
    numerators: IntArray,
    denominators: IntArray | None = None,
) -> SpreadSet:
    """Let workers derive members, each a part of them.

    Args:
        workers: Those who do.
        model: Says which derivations agree with a piece of evidence.
        criterion: What is compared.
        members: The sums.
        numerators: [examples], the member that is each example's A.
        denominators: [examples], and its B; None where only A is looked at.
    """
    below = numerators if denominators is None else denominators
    # All that is said of one sentence is one part's. Where others are summed over, examples share
    # these sums, and each is of the first part that has an example of it.
    one = criterion.denominator.breadth <= input_only.breadth
    _, ranks = np.unique(below if one else numerators, return_inverse=True)
    count = part_count(int(ranks.max(initial=-1)) + 1)
    owners = np.full(len(members), -1, np.int64)
    parts = ranks % count
    for some in (below[::-1], numerators[::-1]):  # of several examples, the first has a member
        owners[some] = parts[::-1]
    places = [np.flatnonzero(owners == part) for part in range(count)]
    examples = [np.flatnonzero(parts == part) for part in range(count)]
    own = np.empty(len(members), np.int64)  # their numbers in their parts
    for some in places:
        own[some] = np.arange(len(some))
    sources = [
        _Source(
            criterion,
            [
                replace(members[number], observed=int(own[members[number].observed]))
                for number in some.tolist()
            ],
            own[numerators[mine]].tolist(),
            own[below[mine]].tolist(),
        )
        for some, mine in zip(places, examples, strict=True)
    ]
    return SpreadSet(workers, workers.keep(derive_part, model, sources), places, examples)


def part_count(count: int) -> int:
    """Return how many parts there are of so many members, whoever has them.

    >>> [part_count(count) for count in (0, 3, 559, 12_544, 10_000_000)]
    [1, 3, 16, 16, 128]
    """
    return max(1, min(count, _MOST, max(_LEAST, count // _EACH)))
