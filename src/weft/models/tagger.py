"""Taggers: a model with its weights, and what it can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from weft.arrays import FloatArray, checked_weights
from weft.derivations.trellis import Trellis
from weft.errors import EvidenceError, LimitError, OptionError
from weft.models.chain import option
from weft.models.chain_model import ChainModel
from weft.models.progress import Progress as Progress
from weft.models.tables import TableModel
from weft.structures.evidence import EVERYTHING, Evidence, Example, Sentence, sentence

Tokens = Sentence | Sequence[str]
"""A sentence, or just its words."""


class Decoder(StrEnum):
    """How one tag sequence is chosen."""

    VITERBI = "viterbi"
    """The most probable sequence (of states, where a model has more of them than tags)."""

    POSTERIOR = "posterior"
    """The most probable tag of each token."""


@dataclass(frozen=True, slots=True, eq=False)
class LogSums:
    """The log-sums over derivations of nested sets, for several examples.

    Attributes:
        complete: [examples], over those that agree with tokens and labels.
        input: [examples], over those that agree with the tokens.
        everything: Over all sentences; +inf where that diverges, or is not defined.
    """

    complete: FloatArray
    input: FloatArray
    everything: float

    @property
    def conditional(self) -> FloatArray:
        """[examples]: log p(labels | tokens)."""
        # Both are -inf where no tagging is possible at all.
        below = np.where(np.isneginf(self.input), 0.0, self.input)
        return np.minimum(self.complete - below, 0.0)

    @property
    def joint(self) -> FloatArray | None:
        """[examples]: log p(labels, tokens); None where that is not defined."""
        return None if np.isposinf(self.everything) else self.complete - self.everything

    @property
    def marginal(self) -> FloatArray | None:
        """[examples]: log p(tokens); None where that is not defined."""
        return None if np.isposinf(self.everything) else self.input - self.everything


@dataclass(frozen=True, slots=True, eq=False)
class Tagger:
    """A chain or tables, with weights where there are any.

    Attributes:
        model: Which tag sequences exist and which features they have.
        weights: [θ].
        lexicon: The words of the training corpus with the tags that they had there.
        trace: How training went.
        notes: How the tagger was made (recipe, criterion, penalty, ...), for people and tools.
        decoder: How tags are chosen if nothing else is asked for.

    Raises:
        ValueError: If the weights are not the model's in number, or one is no weight.
    """

    model: ChainModel | TableModel
    weights: FloatArray
    lexicon: Mapping[str, frozenset[str]] = field(default_factory=dict)
    trace: tuple[Progress, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    decoder: Decoder = Decoder.VITERBI

    def __post_init__(self) -> None:
        size = self.model.parameters.size
        object.__setattr__(self, "weights", checked_weights(self.weights, size))

    @property
    def chain(self) -> ChainModel:
        """The model, if it is a chain with weights.

        Raises:
            OptionError: If it is made of tables.
        """
        if not isinstance(self.model, ChainModel):
            raise OptionError(
                "this model is made of tables, which have no weights of features: train a chain, "
                "such as the recipes hmm and mrf"
            )
        return self.model

    def tag(
        self,
        sentences: Sequence[Tokens],
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> list[tuple[str, ...]]:
        """Return the tags of each sentence, chosen by the tagger's own decoder or another.

        Raises:
            EvidenceError: If a sentence has no possible tagging.
        """
        decoder = option(Decoder, decoder or self.decoder)
        derivations = self._derivations(sentences, threads)
        if decoder is Decoder.VITERBI:
            scores, numbers = derivations.best(self.weights)
            names = np.array(self.model.states, object)
        else:
            scores, probs = derivations.marginals(self.weights)
            numbers = [self._by_tag(each).argmax(axis=1).astype(np.int32) for each in probs]
            names = np.array(self.model.tags, object)
        self._check_possible(derivations, scores, sentences)
        return [tuple(names[each].tolist()) for each in numbers]

    def marginals(
        self, sentences: Sequence[Tokens], threads: int | None = None
    ) -> list[FloatArray]:
        """Return, for each sentence, the probability of each tag at each token, [tokens, tags]."""
        derivations = self._derivations(sentences, threads)
        values, probs = derivations.marginals(self.weights)
        self._check_possible(derivations, values, sentences)
        return [self._by_tag(each) for each in probs]

    def log_probs(self, examples: Sequence[Example], threads: int | None = None) -> FloatArray:
        """[examples]: log p(labels | sentence); -inf where the model excludes the labels."""
        return self.log_sums(examples, threads).conditional

    def log_sums(self, examples: Sequence[Example], threads: int | None = None) -> LogSums:
        """Return the log-sums over what agrees with examples, from their labels to everything."""
        labelled = [Evidence(example.tokens, example.analysis) for example in examples]
        raw = [Evidence(example.tokens) for example in examples]
        values = self.model.derivations([*labelled, *raw], threads).log_partition(self.weights)
        try:
            everything = float(self.model.derivations([EVERYTHING]).log_partition(self.weights)[0])
        except (OptionError, LimitError):  # there is no distribution over sentences, or no room
            everything = np.inf
        return LogSums(values[: len(examples)], values[len(examples) :], everything)

    def entropy(self, sentences: Sequence[Tokens], threads: int | None = None) -> FloatArray:
        """[sentences]: the entropy of the distribution over tag sequences, in nats."""
        return self._derivations(sentences, threads).entropy(self.weights)

    def _by_tag(self, probs: FloatArray) -> FloatArray:
        """Add up the probabilities [tokens, states] of the states that show the same tag."""
        if self.model.shown is None:
            return probs
        totals = np.zeros((len(probs), len(self.model.tags)))
        np.add.at(totals.T, np.array(self.model.shown), probs.T)
        return totals

    def _derivations(self, sentences: Sequence[Tokens], threads: int | None) -> Trellis:
        # A sentence given twice is two members, and marginals are kept apart by sentence.
        if len(set(map(id, sentences))) == len(sentences):
            evidences = [Evidence(_sentence(tokens)) for tokens in sentences]
            return self.model.trellis(evidences, threads)
        return self.model.trellis([Evidence(_copy(tokens)) for tokens in sentences], threads)

    def _check_possible(
        self, derivations: Trellis, values: FloatArray, sentences: Sequence[Tokens]
    ) -> None:
        for member in np.flatnonzero(np.isneginf(values)).tolist():
            tokens = _copy(sentences[member])
            if not len(tokens):  # it has no tags, even where a model gives it no probability
                continue
            position = derivations.impossible(member) or 0
            raise EvidenceError(
                f"{tokens.source or f'sentence {member + 1}'}: no tagging is possible at token "
                f"{position + 1}, '{tokens.words[position]}': {self._excluding()} exclude every "
                "tag there"
            )

    def _excluding(self) -> str:
        """What may leave a token without tags; nothing is blamed that the model does not have."""
        model = self.model
        causes = []
        if isinstance(model, ChainModel):
            causes += ["dictionary"] if model.dictionary is not None else []
            causes += ["forbidden transitions"] if model.topology.forbidden.any() else []
        causes += ["probabilities of zero"] if np.isneginf(self.weights).any() else []
        return f"the model's {' or its '.join(causes or ['weights'])}"


def _sentence(tokens: Tokens) -> Sentence:
    return tokens if isinstance(tokens, Sentence) else sentence(tokens)


def _copy(tokens: Tokens) -> Sentence:
    if isinstance(tokens, Sentence):
        return Sentence(tokens.columns, tokens.attributes, tokens.source)
    return sentence(tokens)
