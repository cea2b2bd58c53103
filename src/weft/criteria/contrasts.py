"""Contrasts: criteria on corpora.

All numerators and denominators are members of one set of derivations, so one sweep with
coefficients +weight and -weight gives value and gradient. With a link g the coefficients are
±weight g'(t), and a sweep before that one finds t.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray, dot
from weft.criteria.choices import RightChoices
from weft.criteria.criterion import Criterion, Total, Unit
from weft.criteria.links import Link, identity
from weft.criteria.members import Member, derive_members, impossible
from weft.criteria.objective import CorpusTerm
from weft.criteria.spread import SpreadSet, Workers, spread_members
from weft.criteria.tokens import TokenContrast
from weft.criteria.views import Observed, input_only
from weft.derivations.derivation_set import DerivationSet
from weft.errors import EvidenceError, NotNestedError
from weft.models.model import Model
from weft.structures.alternatives import no_right_analysis
from weft.structures.evidence import Example, no_tagging


@dataclass(frozen=True, slots=True, eq=False)
class Contrast(CorpusTerm):
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

    def impossible(self, theta: FloatArray) -> Iterator[tuple[int, int]]:
        """Yield the examples that no derivation explains, and the token where each one ends."""
        return impossible(self.derivations, self.numerators, theta)

    def _evaluate(self, theta: FloatArray, slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_i slope_i (E[f | A_i] - E[f | B_i]) [θ]."""
        coefficients = np.zeros(len(self.derivations))
        np.add.at(coefficients, self.numerators, slopes)
        np.subtract.at(coefficients, self.denominators, slopes)
        return self.derivations.evaluate(theta, coefficients)

    def _differences(self, log_partition: FloatArray) -> FloatArray:
        above, below = log_partition[self.numerators], log_partition[self.denominators]
        # Where B is empty so is A: the example is impossible whatever θ. Where A diverges so does
        # B, and θ lies outside the domain.
        none = ~np.isfinite(above)
        return np.where(none, -np.inf, above - np.where(none, 0.0, np.maximum(below, above)))


def contrast(
    model: Model,
    corpus: Sequence[Observed],
    criterion: Criterion,
    threads: int | None = None,
    within: Sequence[Observed] | None = None,
    workers: Workers | None = None,
) -> CorpusTerm:
    """Return a criterion on a corpus as an objective.

    Args:
        model: Says which derivations agree with a piece of evidence.
        corpus: The examples.
        criterion: What to compare.
        threads: How many threads to use, all by default; no result depends on it.
        within: The corpus that these examples are part of, if there are more.
        workers: Those who sum; None for this process.

    Returns:
        The objective, without penalty.

    Raises:
        NotNestedError: If a sentence is not among those that the denominator sums over.
        NotDefined: If the model has no such sum; the message says why.
    """
    corpus = list(corpus)
    if criterion.denominator.breadth > input_only.breadth:
        model.closed(())  # refuses where a model knows of no other sentences
    if criterion.denominator.any_word:
        _check_closed(model, corpus, criterion)
    members, numerators, denominators = _members(corpus, criterion, within or corpus)
    derivations: DerivationSet
    if workers is None:
        derivations = derive_members(members, criterion, lambda e: model.derivations(e, threads))
    else:
        derivations = spread_members(workers, model, criterion, members, numerators, denominators)
    weights = np.array([example.weight for example in corpus], np.float64)
    if criterion.unit is Unit.EXAMPLE:
        return Contrast(derivations, numerators, denominators, weights, criterion.link)
    if isinstance(derivations, SpreadSet) and criterion.unit is Unit.TOKEN:
        observed_parts = derivations.observed_parts()
        return TokenContrast(derivations, numerators, observed_parts, weights, criterion.link)
    observed = [members[number].evidence for number in numerators.tolist()]
    inputs = derivations.select(denominators)
    if criterion.unit is Unit.CHOICE:
        hits = inputs.hits(observed)
        return RightChoices(hits, derivations, numerators, weights, inputs, observed)
    parts = inputs.parts(observed)
    return TokenContrast(derivations, numerators, parts, weights, criterion.link)


def _members(
    corpus: Sequence[Observed], criterion: Criterion, within: Sequence[Observed]
) -> tuple[list[Member], IntArray, IntArray]:
    """The distinct sums, and which of them are each example's A and B."""
    numbers: dict[Hashable, int] = {}
    members: list[Member] = []

    def number(key: Hashable, evidence: Any, total: Total, observed: int | None) -> int:
        key = (key, total, observed)
        if key not in numbers:
            numbers[key] = len(members)
            members.append(Member(evidence, total, len(members) if observed is None else observed))
        return numbers[key]

    narrow, broad = criterion.numerator, criterion.denominator
    look = narrow.over(within)
    numerators = [number(*look(example), criterion.totals[0], None) for example in corpus]
    # What is charged for other tags than the observed ones is not the same for all labels.
    apart = criterion.cost > 0 or Total.RIVAL in criterion.totals
    observed = numerators if apart else [None] * len(corpus)
    look = look if broad == narrow else broad.over(within)
    denominators = [
        number(*look(example), criterion.totals[1], own)
        for example, own in zip(corpus, observed, strict=True)
    ]
    return members, np.array(numerators, np.int64), np.array(denominators, np.int64)


def _check_closed(model: Model, corpus: Sequence[Observed], criterion: Criterion) -> None:
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


def check_possible(objective: CorpusTerm, corpus: Sequence[Observed], theta: FloatArray) -> None:
    """Raise an error for the first example that no derivation explains, whatever the weights.

    Raises:
        EvidenceError: With the sentence, its token and what to do.
    """
    for place, position in objective.impossible(theta):
        raise EvidenceError(_impossible(corpus[place], place, position))


def _impossible(example: Observed, place: int, position: int) -> str:
    if isinstance(example, Example):
        return no_tagging(example, place, position)
    return no_right_analysis(example.tokens.source, place)
