"""Selectors: a selection model with its weights, and what it can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import FloatArray, checked_weights
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.forest import Forest
from weft.derivations.threads import thread_count
from weft.features.properties import Property
from weft.features.reference import Reference
from weft.models.analyser import Analyser
from weft.models.answers import Answering
from weft.models.explaining import Terms, terms_of
from weft.models.progress import TrainingTrace
from weft.models.selection.model import SelectionModel
from weft.models.selection.reference import selector_reference
from weft.structures.alternatives import Alternatives, Picked, Selected
from weft.structures.derivation import Derivation, preorder
from weft.structures.parse_set import ParseSet


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selector(Analyser[Alternatives | ParseSet | Picked, int | tuple[int, ...]]):
    """A selection model with weights.

    Attributes:
        model: Which features analyses have.
        weights: [θ].
        trace: How training went.
        notes: How the selector was made (recipe, criterion, penalty, ...), for people and tools.

    Answers are numbers of analyses, from 0; of a packed forest, the edges of a derivation, each
    before those of its children.

    Raises:
        ValueError: If the weights are not the model's in number, or one is no weight.
    """

    model: SelectionModel

    rest = "the reference distribution"

    def __post_init__(self) -> None:
        weights = checked_weights(self.weights, self.model.parameters.size)
        # Values are any numbers here, and -inf times some of them is no weight.
        if not np.isfinite(weights).all():
            raise ValueError("the weights of a selector are finite, and one is -inf")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "trace", TrainingTrace(self.trace))

    def compiled(self, parse_sets: Iterable[ParseSet]) -> list[Selected]:
        """Return parse sets as the model sees them."""
        return self.model.selection.compile(list(parse_sets))

    def examples(self, given: Iterable[ParseSet | Selected]) -> list[Selected]:
        """Return parse sets as the model sees them; others are ready."""
        return self.model.selection.compile(list(given))

    def evidences(self, inputs: Sequence[Alternatives | ParseSet | Picked]) -> list[Picked]:
        """Return the analyses of sentences."""
        return [
            self.compiled([each])[0].evidence(labelled=False)
            if isinstance(each, ParseSet)
            else Picked(each)
            if isinstance(each, Alternatives)
            else each
            for each in inputs
        ]

    def answer(self, evidence: Picked, derivation: int | Derivation) -> int | tuple[int, ...]:  # noqa: ARG002
        """Return the number of a listed analysis, or the edges of a packed one."""
        return preorder(derivation) if isinstance(derivation, Derivation) else derivation

    def as_reference(self) -> Reference:
        """Return the selector as a reference distribution, its own reference included."""
        return selector_reference(self)

    def scores(
        self, evidences: Sequence[Picked], derivations: Sequence[int | Derivation]
    ) -> FloatArray:
        """[derivations]: the log-weights of analyses."""
        rows: dict[int, FloatArray] = {}
        found = np.empty(len(derivations))
        for place, (evidence, each) in enumerate(zip(evidences, derivations, strict=True)):
            tokens = evidence.tokens
            if id(tokens) not in rows:
                rows[id(tokens)] = self._row_scores(tokens)
            chosen = preorder(each) if isinstance(each, Derivation) else [each]
            found[place] = rows[id(tokens)][list(chosen)].sum()
        return found

    def _row_scores(self, tokens: Alternatives) -> FloatArray:
        """[rows]: the log-weight of each analysis, or of each edge of a forest."""
        if tokens.forest is not None:
            return self.model.packed(Picked(tokens)).weights(self.weights)
        return self.model.analyses([tokens]).scores(self.weights, thread_count(1))

    def terms(self, evidence: Picked, derivation: int | Derivation) -> Terms:
        """Return the features of an analysis."""
        rows = preorder(derivation) if isinstance(derivation, Derivation) else (derivation,)
        alone = self.model.derivations([Picked(evidence.tokens, tuple(sorted(set(rows))))], 1)
        return terms_of(self.model, self.weights, alone)

    def agrees(self, example: Selected, answer: int | tuple[int, ...]) -> bool | None:
        """Whether an analysis is a right one; None where that is not known."""
        if example.analysis is None:
            return None
        return set(example.analysis).issuperset(answer if isinstance(answer, tuple) else (answer,))

    def listed(self, evidence: Picked) -> int:
        """How many analyses are listed; 0 of a forest."""
        return 0 if evidence.tokens.forest is not None else len(evidence.tokens)

    def number_of(self, answer: int | tuple[int, ...], place: int) -> int:
        """Return the number of a listed analysis; of a packed one, its place."""
        return place if isinstance(answer, tuple) else answer

    def surest(
        self, evidences: Sequence[Picked], derivations: DerivationSet
    ) -> list[int | Derivation | None]:
        """Return the analyses of the fewest wrong and missing edges; listed ones have no parts."""
        found: list[int | Derivation | None] = derivations.best(self.weights)[1]
        for place, evidence in enumerate(evidences):
            if evidence.tokens.forest is not None:
                [found[place]] = Forest([self.model.packed(evidence)], len(self.weights)).surest(
                    self.weights
                )
        return found

    def marginals(
        self, inputs: Sequence[Alternatives | ParseSet | Picked], threads: int | None = None
    ) -> list[FloatArray]:
        """Return, for each sentence, the probability of each analysis.

        Of a packed forest: how often each edge is expected to be used.
        """
        return self.derivations(self.evidences(inputs), threads).marginals(self.weights)[1]


def with_properties(selector: Selector, own: Sequence[Property]) -> Selector:
    """Return a selector with its maker's own properties, which no file holds.

    Args:
        selector: As it was loaded.
        own: The properties, by the names that they had in training.
    """
    given = {each.name: each for each in own}
    selection = selector.model.selection
    properties = tuple(given.get(each.name, each) for each in selection.properties)
    model = replace(selector.model, selection=replace(selection, properties=properties))
    return replace(selector, model=model)


def with_reference(selector: Selector, reference: Answering[Any, Any]) -> Selector:
    """Return a selector whose weights say what differs from another model.

    Args:
        selector: As it was loaded.
        reference: The model that it was estimated with.
    """
    selection = replace(selector.model.selection, reference=reference)
    return replace(selector, model=replace(selector.model, selection=selection))
