"""Why a model gives one answer and not another: what their scores are made of.

A score is a sum of *terms*, each a weight times how often a derivation has its feature. The terms
that two derivations do not share are the reasons for the one; they add up to the difference of the
scores. What is no weight's (what steps are normalised by, the reference distribution of analyses)
is one more term, the *rest*. A family says which terms a derivation has; all else is written here,
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, isfinite
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.derivation_set import DerivationSet
from weft.errors import EvidenceError, OptionError
from weft.ranking import agree, by_value, shared_ranks
from weft.structures.alternatives import FeatureName

if TYPE_CHECKING:
    from weft.models.answers import Answering
    from weft.models.model import Model

AnswerT = TypeVar("AnswerT")

SHOWN = 10
"""How many answers are ranked, if nothing is said."""

_MOST = 1000  # derivations that are looked through for a second answer
_ROUNDING = 1e-9


class TermOf(NamedTuple):
    """A weight, and how often a derivation has its feature."""

    weight: float
    value: float


Terms = Mapping[FeatureName, TermOf]
"""What the score of a derivation is a sum of, by kind and name."""


def terms_of(model: Model, theta: FloatArray, alone: DerivationSet) -> Terms:
    """Return what the score of a set's best derivation is a sum of.

    Args:
        model: The model, which names the weights.
        theta: The weights [θ].
        alone: A set with one member, whose weights are not normalised.
    """
    values = alone.follow(theta, np.ones(1))[1]
    places = np.flatnonzero(values)
    return {
        name: TermOf(weight, value)
        for name, weight, value in zip(
            model.named(places), theta[places].tolist(), values[places].tolist(), strict=True
        )
    }


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature says in a choice between two answers.

    Attributes:
        kind: Its kind, such as ``bigram``, ``rule`` or a property of analyses.
        name: The feature.
        weight: Its weight.
        chosen: Its value in the one answer.
        other: Its value in the other.
    """

    kind: str
    name: str
    weight: float
    chosen: float
    other: float

    @property
    def difference(self) -> float:
        """By how much it speaks for the one, in log-odds."""
        return self.weight * (self.chosen - self.other)

    @property
    def feature(self) -> str:
        """The feature in a line.

        >>> Contribution("tag:suffix1[0]", "suffix1[0]=s → NNS", 1.5, 1.0, 0.0).feature
        'tag: suffix1[0]=s → NNS'
        """
        return f"{self.kind.partition(':')[0]}: {self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class RankedAnswer(Generic[AnswerT]):
    """One of the answers to an input.

    Attributes:
        number: What it is asked for by: its place in the ranking, from 0; of a listed analysis,
            its number.
        rank: 1 for the most probable; equals share one. None if it is not among those ranked.
        answer: Tags, a tree, or the number or the edges of an analysis.
        log_prob: Its log-probability given the input.
        score: Its log-weight.
        derivation: As the model has it.
        right: Whether it agrees with what is known to be right; None where nothing is.
    """

    number: int
    rank: int | None
    answer: AnswerT
    log_prob: float
    score: float
    derivation: Any
    right: bool | None

    @property
    def probability(self) -> float:
        """Its probability given the input."""
        return exp(self.log_prob)


@dataclass(frozen=True, slots=True, eq=False)
class Explained(Generic[AnswerT]):
    """Why the most probable answer is that, and not another.

    Attributes:
        ranking: The most probable answers, the best first.
        other: What the first is compared with: the right answer if the first is wrong, or else the
            next best; None if there is no other.
        reasons: The terms that tell the two apart, the weightiest first; their differences add
            up to that of the scores.
        note: Why the right answer is not what it is compared with; empty where it is, or is first.
    """

    ranking: tuple[RankedAnswer[AnswerT], ...]
    other: RankedAnswer[AnswerT] | None
    reasons: tuple[Contribution, ...]
    note: str = ""

    @property
    def chosen(self) -> RankedAnswer[AnswerT]:
        """The first answer."""
        return self.ranking[0]


def explain_answer(
    model: Answering[Any, AnswerT],
    given: Any,
    example: Any = None,
    *,
    against: int | None = None,
    count: int = SHOWN,
) -> Explained[AnswerT]:
    """Say why a model's most probable answer is that, and not another.

    Args:
        model: A tagger, a parser or a selector.
        given: What the answer is to: a sentence, or the analyses of one.
        example: The same with what is right, where that is known.
        against: The number of the answer to compare with; by default the right one, or the next
            best if the first is right or nothing is known.
        count: How many answers to rank.

    Raises:
        OptionError: If there is no such answer.
        EvidenceError: If there is none at all.

    >>> import weft
    >>> corpus = [weft.example(["the", "dog"], ["DT", "NN"]), weft.example(["dogs"], ["NN"])]
    >>> tagger = weft.fit(weft.Chain(), corpus)
    >>> found = explain_answer(tagger, ["the", "dog"])
    >>> found.chosen.answer, found.other.answer
    (('DT', 'NN'), ('NN', 'NN'))
    >>> found.reasons[0].feature
    'bigram: DT → NN'
    """
    [evidence] = model.evidences([given])
    wanted = max(count, 2, 0 if against is None else against + 1, model.listed(evidence))
    ranking = list(_ranked(model, evidence, wanted, example))
    if not ranking:
        name = getattr(evidence.tokens, "source", "") or "the sentence"
        raise EvidenceError(f"{name}: no analysis is possible, and so there is nothing to explain")
    other, note = _other(model, evidence, ranking, example, against)
    reasons = () if other is None else _reasons(model, evidence, ranking[0], other)
    return Explained(tuple(ranking[:count]), other, reasons, note)


def _ranked(
    model: Answering[Any, AnswerT], evidence: Any, count: int, example: Any
) -> Iterator[RankedAnswer[AnswerT]]:
    """The most probable answers; of several derivations of one, the best."""
    derivations = model.derivations([evidence], 1)
    [total] = derivations.log_partition(model.weights).tolist()
    [found] = model.ranking([evidence], derivations, count)
    if model.summed and len({answer for _, answer, _ in found}) < 2:
        [found] = model.ranking([evidence], derivations, _MOST)
    known: dict[Any, tuple[float, Any]] = {}
    for score, answer, derivation in found:
        if isfinite(score):
            known.setdefault(answer, (score, derivation))
    ranks = shared_ranks([score for score, _ in known.values()], least=1.0)
    for place, (rank, (answer, (score, derivation))) in enumerate(
        zip(ranks, known.items(), strict=True)
    ):
        yield RankedAnswer(
            model.number_of(answer, place),
            rank,
            answer,
            min(score - total, 0.0),
            score,
            derivation,
            None if example is None else model.agrees(example, answer),
        )


def _other(
    model: Answering[Any, AnswerT],
    evidence: Any,
    ranking: Sequence[RankedAnswer[AnswerT]],
    example: Any,
    against: int | None,
) -> tuple[RankedAnswer[AnswerT] | None, str]:
    """What the first answer is compared with, and why not with the right one."""
    if against is not None:
        for each in ranking:
            if each.number == against:
                return each, ""
        numbers = sorted(each.number for each in ranking)
        raise OptionError(f"there is no analysis {against}; there are 0 to {numbers[-1]}")
    note = ""
    if ranking[0].right is False:
        for each in ranking:
            if each.right:
                return each, ""
        right = _right(model, evidence, ranking, example)
        if right is not None:
            return right, ""
        note = "the model does not have the right answer, and so the next best is compared"
    return (ranking[1] if len(ranking) > 1 else None), note


def _right(
    model: Answering[Any, AnswerT],
    evidence: Any,
    ranking: Sequence[RankedAnswer[AnswerT]],
    example: Any,
) -> RankedAnswer[AnswerT] | None:
    """The best of the right answers, if the model has one."""
    if not model.covers(example):
        return None
    [score], [derivation] = model.model.derivations([model.labelled(example)], 1).best(
        model.weights
    )
    if not isfinite(score):
        return None
    first = ranking[0]
    total = first.score - first.log_prob
    answer = model.answer(evidence, derivation)
    number = model.number_of(answer, len(ranking))
    return replace(
        first,
        number=number,
        rank=None,
        answer=answer,
        log_prob=min(float(score) - total, 0.0),
        score=float(score),
        derivation=derivation,
        right=True,
    )


def _reasons(
    model: Answering[Any, Any], evidence: Any, chosen: RankedAnswer[Any], other: RankedAnswer[Any]
) -> tuple[Contribution, ...]:
    """The terms that tell two answers apart, the weightiest first."""
    mine, theirs = (model.terms(evidence, each.derivation) for each in (chosen, other))
    found = []
    for name in sorted({*mine, *theirs}):
        weight = (mine.get(name) or theirs[name]).weight
        values = [each[name].value if name in each else 0.0 for each in (mine, theirs)]
        if not agree(*values):
            found.append(Contribution(*name, weight, *values))
    rests = [
        each.score - sum(term.weight * term.value for term in terms.values())
        for each, terms in ((chosen, mine), (other, theirs))
    ]
    if abs(rests[0] - rests[1]) > _ROUNDING * max(1.0, abs(chosen.score), abs(other.score)):
        found.append(Contribution("rest", model.rest, 1.0, *rests))
    return tuple(by_value(found, lambda reason: abs(reason.difference)))
