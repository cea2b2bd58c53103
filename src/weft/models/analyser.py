"""Models with their weights, of families where the model says which answers derivations are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.arrays import FloatArray, checked_weights
from weft.derivations.derivation_set import DerivationSet
from weft.evaluate.tagging import is_right
from weft.models.answers import Answering, AnswerT, InputT
from weft.models.explaining import Terms, terms_of
from weft.models.progress import Progress, TrainingTrace
from weft.reprs import count_things, describe
from weft.structures.evidence import as_evidence, check_sentences


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Analyser(Answering[InputT, AnswerT]):
    """A model with its weights, where the model itself says which answers its derivations are.

    Attributes:
        model: Which derivations exist and which features they have.
        weights: [θ].
        trace: How training went.
        notes: How it was made (recipe, criterion, penalty, ...), for people and tools.

    Raises:
        ValueError: If the weights are not the model's in number, or one is no weight.
    """

    model: Any
    weights: FloatArray
    trace: tuple[Progress, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = self.model.parameters.size
        object.__setattr__(self, "weights", checked_weights(self.weights, size))
        object.__setattr__(self, "trace", TrainingTrace(self.trace))

    def __repr__(self) -> str:
        size = count_things(len(self.weights), "feature")
        return describe(self, size, self.notes.get("criterion", ""))

    def evidences(self, inputs: Sequence[Any]) -> list[Any]:
        """Return what is known of sentences, which may be given by just their words."""
        check_sentences(inputs)
        return [as_evidence(each) for each in inputs]

    def answer(self, evidence: Any, derivation: Any) -> AnswerT:
        """Return the answer that a derivation is."""
        answer: AnswerT = self.model.answer(evidence, derivation)
        return answer

    def scores(self, evidences: Sequence[Any], derivations: Sequence[Any]) -> FloatArray:
        """[derivations]: their log-weights."""
        found: Any = self.derivations(evidences, None)
        scores: FloatArray = found.scores(self.weights, derivations)
        return scores

    def terms(self, evidence: Any, derivation: Any) -> Terms:
        """Return the features of a derivation."""
        found: Any = self.derivations([evidence], None)
        return terms_of(self.model, self.weights, found.counted([derivation]))

    def agrees(self, example: Any, answer: AnswerT) -> bool | None:
        """Whether labels are those of an example; None where it has none."""
        known: Any = example.analysis
        if known is None:
            return None
        labels: Any = answer
        return all(is_right(*pair) is not False for pair in zip(known, labels, strict=True))

    def marginals(self, inputs: Sequence[InputT], threads: int | None = None) -> list[Any]:
        """Return, for each input, how often each part of its answers is expected."""
        evidences = self.evidences(inputs)
        _, several = self.derivations(evidences, threads).marginals(self.weights)
        found = []
        for evidence, expected in zip(evidences, several, strict=True):
            totals: dict[Hashable, float] = {}
            for part, share in zip(self.model.parts(evidence), expected.tolist(), strict=True):
                if part is not None:
                    totals[part] = totals.get(part, 0.0) + share
            found.append(totals)
        return found

    def surest(self, evidences: Sequence[Any], derivations: DerivationSet) -> list[Any]:
        """Return the derivations with the fewest wrong and missing parts expected."""
        forest: Any = derivations
        found: list[Any] = forest.surest(
            self.weights, [self.model.parts(each) for each in evidences]
        )
        return found
