"""What every model with its weights can be asked: answers, and how sure it is of them.

An *input* is what answers are sought for: a sentence, or the analyses of one. An *answer* is what
users know: tags, a tree, the number of an analysis. Models know derivations; a family says which
evidence an input is, and which answer a derivation. All else is written here, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from math import exp
from operator import itemgetter
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.derivations.derivation_set import DerivationSet, Ranked
from weft.errors import DivergenceError, EvidenceError, LimitError, OptionError
from weft.features.reference import Reference
from weft.frames import Tabular
from weft.models.distributions import Distributions
from weft.models.examples import observed
from weft.models.explaining import SHOWN, Explained, Terms, explain_answer
from weft.models.label_reference import label_reference
from weft.models.log_sums import LogSums
from weft.models.options import option
from weft.ranking import agree, by_value
from weft.reprs import Pictured
from weft.structures.evidence import EVERYTHING, from_token

InputT = TypeVar("InputT", contravariant=True)
AnswerT = TypeVar("AnswerT")


MOST_TIES = 100
"""How many answers that are as good as the last one listed are compared with it by name."""


class Decoder(StrEnum):
    """How one answer is chosen."""

    VITERBI = "viterbi"
    """The most probable one (of states, where a chain has more of them than tags)."""

    POSTERIOR = "posterior"
    """The one with the fewest wrong and missing parts, as the model expects: tags of tokens,
    labels over spans, edges of a forest."""


class Answer(NamedTuple, Generic[AnswerT]):
    """An answer among the others.

    Attributes:
        log_prob: Its log-probability given the input.
        answer: Tags, a tree, or the number of an analysis.
        score: The logarithm of its weight.
    """

    log_prob: float
    answer: AnswerT
    score: float

    @property
    def probability(self) -> float:
        """Its probability given the input."""
        return exp(self.log_prob)


class _Chosen(NamedTuple):
    """The derivations that were chosen.

    Attributes:
        found: The chosen derivation of each input.
        scores: [inputs], their log-weights; None where they were not chosen by these.
        possible: [inputs], whether there is any.
    """

    found: list[Any]
    scores: FloatArray | None
    possible: BoolArray


class Answering(Tabular, Pictured, ABC, Generic[InputT, AnswerT]):
    """A model with its weights, as it is asked.

    Only :meth:`evidences`, :meth:`answer`, :meth:`scores`, :meth:`marginals`, :meth:`terms` and
    :meth:`agrees` must be given.
    """

    __slots__ = ()

    model: Any
    weights: FloatArray

    rest: ClassVar[str] = "what steps are normalised by"
    """What of a score is no weight's, as explanations call it."""

    @property
    def usual(self) -> Decoder:
        """How answers are chosen if nothing else is asked for."""
        return Decoder.VITERBI

    @property
    def distributions(self) -> Distributions | None:
        """Which weights are the logs of probabilities; None where weights are free."""
        return None

    def columns(self) -> dict[str, list[Any]]:
        """Return all features by kind and name, with their weights."""
        named = self.model.named(np.arange(len(self.weights)))
        kinds, names = [kind for kind, _ in named], [name for _, name in named]
        return {"kind": kinds, "feature": names, "weight": self.weights.tolist()}

    @property
    def summed(self) -> bool:
        """Whether several derivations may be one answer, whose weight is then their sum."""
        return False

    @abstractmethod
    def evidences(self, inputs: Sequence[InputT]) -> list[Any]:
        """Return what is known of each input, as the model has it."""

    @abstractmethod
    def answer(self, evidence: Any, derivation: Any) -> AnswerT:
        """Return the answer that a derivation is."""

    @abstractmethod
    def scores(self, evidences: Sequence[Any], derivations: Sequence[Any]) -> FloatArray:
        """[derivations]: the log-weights of the answers that derivations are, one an evidence."""

    @abstractmethod
    def marginals(self, inputs: Sequence[InputT], threads: int | None = None) -> list[Any]:
        """Return, for each input, how probable the parts of its answers are."""

    @abstractmethod
    def terms(self, evidence: Any, derivation: Any) -> Terms:
        """Return what the score of a derivation is a sum of, beside :attr:`rest`."""

    @abstractmethod
    def agrees(self, example: Any, answer: AnswerT) -> bool | None:
        """Whether an answer is what an example's labels say; None where they say nothing."""

    def listed(self, evidence: Any) -> int:  # noqa: ARG002
        """How many answers are given, and have numbers; 0 where they are for the model to find."""
        return 0

    def number_of(self, answer: AnswerT, place: int) -> int:  # noqa: ARG002
        """Return what an answer is asked for by: its place among the others, or its number."""
        return place

    def explain(
        self, given: InputT, example: Any = None, *, against: int | None = None, count: int = SHOWN
    ) -> Explained[AnswerT]:
        """Say why the most probable answer is that, and not another.

        See :func:`~weft.models.explaining.explain_answer`.
        """
        return explain_answer(self, given, example, against=against, count=count)

    def surest(self, evidences: Sequence[Any], derivations: DerivationSet) -> list[Any]:  # noqa: ARG002
        """Return the derivation of each member with the fewest wrong and missing parts expected.

        Where an answer is right or wrong as a whole, that is the most probable one.
        """
        return derivations.best(self.weights)[1]

    def derivations(self, evidences: Sequence[Any], threads: int | None) -> DerivationSet:
        """Return the derivations of each piece of evidence, one by one."""
        found: DerivationSet = self.model.derivations(evidences, threads)
        return found

    def examples(self, given: Iterable[Any]) -> list[Any]:
        """Return what users give as examples, as the model takes them.

        Raises:
            ExampleError: If something else is given.
        """
        return list(map(observed, given))

    def covers(self, example: Any) -> bool:  # noqa: ARG002
        """Whether the model has what an example's labels are made of."""
        return True

    def labelled(self, example: Any) -> Any:
        """Return what is known of an example with its labels."""
        return example.evidence()

    def says_answer(self, example: Any) -> bool:
        """Whether an example says anything about the answer to it."""
        return bool(self.labelled(example) != example.evidence(labelled=False))

    def predict(
        self,
        inputs: Sequence[InputT],
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> list[AnswerT | None]:
        """Return the best answer to each input; None where it has none.

        Args:
            inputs: What answers are sought for.
            decoder: How they are chosen; as the model usually does by default.
            threads: How many threads to use, all by default; no result depends on it.
        """
        evidences = self.evidences(inputs)
        return self.predict_from(evidences, self.derivations(evidences, threads), decoder)

    def predict_from(
        self, evidences: Sequence[Any], derivations: DerivationSet, decoder: Decoder | None = None
    ) -> list[AnswerT | None]:
        """Return the answers of :meth:`predict`, given the derivations of each input."""
        chosen = self._chosen(evidences, derivations, decoder)
        return [
            self.answer(evidence, best) if able else None
            for evidence, best, able in zip(
                evidences, chosen.found, chosen.possible.tolist(), strict=True
            )
        ]

    def answers(
        self,
        inputs: Sequence[InputT],
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> list[AnswerT]:
        """Return the answers of :meth:`predict`, which every input must have.

        Raises:
            EvidenceError: If an input has none, naming it and the token that none gets past.
        """
        found = []
        for place, answer in enumerate(self.predict(inputs, decoder, threads)):
            if answer is None:
                evidences = self.evidences([inputs[place]])
                position = self.derivations(evidences, threads).impossible(0) or 0
                name = evidences[0].tokens.source or f"sentence {place + 1}"
                raise EvidenceError(f"{name}: no answer is possible{from_token(position)}")
            found.append(answer)
        return found

    def relaxed(self, evidence: Any, threads: int | None) -> Iterator[Any]:
        """Yield the derivation that breaks the fewest rules, if any, as more of them give way.

        By default the only rules are weights of -inf, for what has a probability of zero.
        """
        if np.isneginf(self.weights).any():
            derivations: Any = self.derivations([evidence], threads)
            yield derivations.fewest(self.weights)[0]

    def closest(self, given: InputT, threads: int | None = None) -> AnswerT | None:
        """Return the answer to an input without one that breaks the fewest rules of the model.

        Of those that break as few it is the best by the weights of all else; no weight makes up for
        a broken rule. None where there is none even so.
        """
        [evidence] = self.evidences([given])
        for found in self.relaxed(evidence, threads):
            if found is not None:
                return self.answer(evidence, found)
        return None

    def nearest(
        self,
        inputs: Sequence[InputT],
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> tuple[list[AnswerT | None], list[int]]:
        """Return the answers of :meth:`predict`, or the closest, and the places of the latter."""
        found = self.predict(inputs, decoder, threads)
        places = [place for place, answer in enumerate(found) if answer is None]
        for place in places:
            found[place] = self.closest(inputs[place], threads)
        return found, places

    def best(
        self,
        inputs: Sequence[InputT],
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> list[Answer[AnswerT] | None]:
        """Return the answer of :meth:`predict` to each input, and how probable it is."""
        evidences = self.evidences(inputs)
        derivations = self.derivations(evidences, threads)
        chosen = self._chosen(evidences, derivations, decoder)
        totals = derivations.log_partition(self.weights).tolist()
        scores = chosen.scores
        if scores is None or self.summed:
            some = np.flatnonzero(chosen.possible).tolist()
            scores = np.full(len(totals), -np.inf)
            scores[some] = self.scores(
                [evidences[place] for place in some], [chosen.found[place] for place in some]
            )
        return [
            Answer(min(score - total, 0.0), self.answer(evidence, each), score) if able else None
            for evidence, each, score, total, able in zip(
                evidences,
                chosen.found,
                scores.tolist(),
                totals,
                chosen.possible.tolist(),
                strict=True,
            )
        ]

    def _chosen(
        self, evidences: Sequence[Any], derivations: DerivationSet, decoder: Decoder | None
    ) -> _Chosen:
        if option(Decoder, decoder or self.usual) is Decoder.POSTERIOR:
            found = self.surest(evidences, derivations)
            possible = ~np.isneginf(derivations.log_partition(self.weights))
            return _Chosen(found, None, possible)
        scores, found = derivations.best(self.weights)
        return _Chosen(found, scores, ~np.isneginf(scores))

    def kbest(
        self, inputs: Sequence[InputT], count: int, threads: int | None = None
    ) -> list[list[Answer[AnswerT]]]:
        """Return the most probable ``count`` answers to each input, or all that there are.

        The most probable comes first, and answers whose scores agree to 1e-9 come in the order of
        their names (:meth:`ranking`), which also says which of them are listed. Which of the best
        is the answer of :meth:`predict` is left open. An input without answers has none.
        """
        evidences = self.evidences(inputs)
        derivations = self.derivations(evidences, threads)
        totals = derivations.log_partition(self.weights).tolist()
        several = self.ranking(evidences, derivations, count)
        return [
            [Answer(min(score - total, 0.0), answer, score) for score, answer, _ in found]
            for total, found in zip(totals, several, strict=True)
        ]

    def ranking(
        self, evidences: Sequence[Any], derivations: DerivationSet, count: int
    ) -> list[list[tuple[float, AnswerT, Any]]]:
        """Return scores, answers and derivations: the best ``count`` of each member, in order.

        Those of equal scores come in the order of their names: tags are compared from left to
        right, trees by labels and words from the root down, and analyses by number. Where more than
        100 others are as good as the last, 100 of them are compared with it: the first ones by the
        numbers of tags or edges, and of trees of charts those that the search finds first.
        """
        found = []
        for evidence, some in zip(evidences, self._with_ties(derivations, count), strict=True):
            named = [(score, self.answer(evidence, each), each) for score, each in some]
            found.append(by_value(named, itemgetter(0), itemgetter(1), least=1.0)[:count])
        return found

    def _with_ties(self, derivations: DerivationSet, count: int) -> list[Ranked]:
        """The best ``count`` derivations, and some of those that are as good as the last."""
        try:
            found = derivations.kbest(self.weights, count + 1 if count else 0)
        except LimitError:  # there may be room for those that are asked for
            return derivations.kbest(self.weights, count)
        tied = [
            place
            for place, some in enumerate(found)
            if len(some) > count > 0 and agree(some[count - 1][0], some[count][0], 1.0)
        ]
        if tied:
            with suppress(LimitError):
                more = derivations.select(np.array(tied, np.int64))
                several = more.kbest(self.weights, count + MOST_TIES)
                for place, some in zip(tied, several, strict=True):
                    found[place] = some
        return found

    def sample(
        self,
        inputs: Sequence[InputT],
        rng: np.random.Generator,
        count: int = 1,
        threads: int | None = None,
    ) -> list[list[Answer[AnswerT]]]:
        """Draw answers to each input, independently and with their probabilities.

        An input without answers has none.

        Args:
            inputs: What answers are sought for.
            rng: Where chance comes from; the same seed gives the same answers.
            count: How many of each.
            threads: How many threads to use, all by default; no result depends on it.
        """
        evidences = self.evidences(inputs)
        derivations = self.derivations(evidences, threads)
        totals = derivations.log_partition(self.weights).tolist()
        drawn = derivations.sample(self.weights, rng, count)
        owners = [place for place, several in enumerate(drawn) for _ in several]
        flat = [each for several in drawn for each in several]
        scores = iter(self.scores([evidences[owner] for owner in owners], flat).tolist())
        return [
            [
                Answer(min(score - total, 0.0), self.answer(evidence, each), score)
                for each, score in zip(several, scores, strict=False)
            ]
            for evidence, total, several in zip(evidences, totals, drawn, strict=True)
        ]

    def as_reference(self) -> Reference:
        """Return the model as a reference distribution over analyses.

        By default its answers are labels of tokens: each lexical entry is a token, and its label
        is its type, if the model has that, or its name. The score is log p(labels, tokens), up to
        what all sentences share, or log p(labels | tokens) where there is no distribution over
        sentences.
        """
        return label_reference(self)

    def log_partition(self, inputs: Sequence[InputT], threads: int | None = None) -> FloatArray:
        """[inputs]: the log of the sum of the weights of all answers; -inf where there is none."""
        return self.derivations(self.evidences(inputs), threads).log_partition(self.weights)

    def entropy(self, inputs: Sequence[InputT], threads: int | None = None) -> FloatArray:
        """[inputs]: the entropy of the distribution over derivations, in nats.

        That is the entropy over answers, but for chains that have more states than tags.
        """
        return self.derivations(self.evidences(inputs), threads).entropy(self.weights)

    def log_probs(self, examples: Sequence[Any], threads: int | None = None) -> FloatArray:
        """[examples]: log p(labels | input); -inf where the model excludes the labels."""
        return self._log_sums(self.examples(examples), threads).conditional

    def log_sums(self, examples: Sequence[Any], threads: int | None = None) -> LogSums:
        """Return the log-sums over what agrees with examples, from their labels to everything."""
        try:
            everything = float(self.model.derivations([EVERYTHING]).log_partition(self.weights)[0])
        except (OptionError, LimitError, DivergenceError):
            everything = np.inf  # there is no distribution over sentences, or no room
        return self._log_sums(self.examples(examples), threads, everything)

    def _log_sums(
        self, examples: Sequence[Any], threads: int | None, everything: float = np.inf
    ) -> LogSums:
        covered = np.array([self.covers(example) for example in examples], np.bool_)
        labelled = [
            self.labelled(example)
            for example, able in zip(examples, covered.tolist(), strict=True)
            if able
        ]
        raw = [example.evidence(labelled=False) for example in examples]
        values = self.model.derivations([*labelled, *raw], threads).log_partition(self.weights)
        complete = np.full(len(examples), -np.inf)
        complete[covered] = values[: len(labelled)]
        return LogSums(complete, values[len(labelled) :], everything)
