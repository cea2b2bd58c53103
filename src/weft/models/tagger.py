"""Taggers: a model with its weights, and what it can be asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray, IndexArray, checked_weights
from weft.derivations.chain.trellis import Trellis
from weft.derivations.derivation_set import DerivationSet
from weft.errors import EvidenceError, NotDefined, OptionError, quote
from weft.evaluate.tagging import is_right
from weft.models.answers import Answer, Answering, Decoder
from weft.models.distributions import Distributions
from weft.models.explaining import Terms
from weft.models.options import LEARNT, option
from weft.models.posteriors import TagPosteriors
from weft.models.progress import Progress, TrainingTrace
from weft.ranking import first_largest
from weft.reprs import count_things, describe
from weft.structures.evidence import (
    Evidence,
    Example,
    Sentence,
    Tokens,
    as_evidence,
    check_sentences,
)

if TYPE_CHECKING:
    from weft.models.chain.model import ChainModel
    from weft.models.tables import TableModel

__all__ = ["Decoder", "Tagger", "Tokens", "lexicon_of"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tagger(Answering[Tokens | Evidence, tuple[str, ...]]):
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
        object.__setattr__(self, "trace", TrainingTrace(self.trace))

    def __repr__(self) -> str:
        size = count_things(len(self.weights), "feature") if len(self.weights) else "tables"
        tags = count_things(len(self.model.tags), "tag")
        return describe(self, tags, size, self.notes.get("criterion", ""))

    @property
    def chain(self) -> ChainModel:
        """The model, if it is a chain with weights.

        Raises:
            OptionError: If it is made of tables.
        """
        return self.model.chain

    @property
    def usual(self) -> Decoder:
        """How tags are chosen if nothing else is asked for: the tagger's decoder."""
        return self.decoder

    @property
    def distributions(self) -> Distributions | None:
        """The distributions of an HMM over tags and words; None for other chains, and features."""
        found: Distributions | None = getattr(self.model, "distributions", None)
        return found

    @property
    def summed(self) -> bool:
        """Whether the chain has several states for a tag."""
        return self.model.shown is not None

    def evidences(self, inputs: Sequence[Tokens | Evidence]) -> list[Evidence]:
        """Return what is known of sentences; no two of them are one and the same."""
        # A sentence given twice is two members, which would else be swept over in turns.
        check_sentences(inputs)
        again = len(set(map(id, inputs))) < len(inputs)
        return [_evidence(each, again) for each in inputs]

    def derivations(self, evidences: Sequence[Evidence], threads: int | None) -> Trellis:
        """Return the tag sequences of each sentence."""
        return self.model.trellis(evidences, threads)

    def answer(self, evidence: Evidence, derivation: IndexArray) -> tuple[str, ...]:  # noqa: ARG002
        """Return the tags of a sequence of states."""
        states = self.model.states
        return tuple(states[number] for number in derivation.tolist())

    def scores(
        self, evidences: Sequence[Evidence], derivations: Sequence[IndexArray]
    ) -> FloatArray:
        """[derivations]: the log-weights of tags, over all states that show them."""
        pairs = zip(evidences, derivations, strict=True)
        tagged = [Evidence(each.tokens, self.answer(each, states)) for each, states in pairs]
        return self.model.trellis(tagged).log_partition(self.weights)

    def surest(self, evidences: Sequence[Evidence], derivations: DerivationSet) -> list[IndexArray]:  # noqa: ARG002
        """Return the most probable tag of each token, as a state that shows it."""
        _, probs = derivations.marginals(self.weights)
        shown = self.model.shown or range(len(self.model.tags))
        states = np.array([shown.index(tag) for tag in range(len(self.model.tags))], np.int32)
        return [states[first_largest(self._by_tag(each))] for each in probs]

    def terms(self, evidence: Evidence, derivation: IndexArray) -> Terms:
        """Return the features of tags, or the factors of tables."""
        tagged = Evidence(evidence.tokens, self.answer(evidence, derivation))
        return self.model.terms(self.weights, tagged)

    def agrees(self, example: Example, answer: tuple[str, ...]) -> bool | None:
        """Whether no tag is wrong; None where no token has a label."""
        pairs = zip(example.analysis or (None,) * len(answer), answer, strict=True)
        marks = [is_right(label, tag) for label, tag in pairs]
        return None if all(mark is None for mark in marks) else False not in marks

    def labelled(self, example: Example) -> Evidence:
        """Return an example's words and tags: of trees a chain knows nothing."""
        return Evidence(example.tokens, example.analysis)

    def kbest(
        self, inputs: Sequence[Tokens | Evidence], count: int, threads: int | None = None
    ) -> list[list[Answer[tuple[str, ...]]]]:
        """Return the most probable ``count`` tag sequences of each sentence.

        Raises:
            NotDefined: If the chain has several states for a tag.
        """
        if self.summed:
            raise NotDefined(
                "this chain has several states for a tag, so that a tag sequence is a sum over "
                "sequences of states, and finding the best sums is as hard as listing them all: "
                "draw samples, or ask for the log_probs of the sequences you mean"
            )
        return Answering.kbest(self, inputs, count, threads)  # slots leave no super()

    def predict(
        self,
        inputs: Sequence[Tokens | Evidence],
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> list[tuple[str, ...] | None]:
        """Return the tags of each sentence; None where no tagging is possible."""
        found = Answering.predict(self, inputs, decoder, threads)
        # One without tokens has no tags, even where a model gives it no probability.
        return [
            tags if tags is not None or _tokens(each) else ()
            for tags, each in zip(found, inputs, strict=True)
        ]

    def relaxed(self, evidence: Evidence, threads: int | None) -> Iterator[IndexArray | None]:
        """Yield taggings that may have probabilities of zero; break the dictionary; all rules."""
        if not len(self.weights):  # tables exclude nothing
            return
        yield from Answering.relaxed(self, evidence, threads)
        allowed = [replace(evidence, analysis=self.chain.allowed([_tokens(evidence)])[0])]
        free = replace(self.chain, dictionary=None, open_tags=None, first=None)
        yield free.trellis([evidence], threads).fewest(self.weights, allowed)[0]
        forbidden = free.topology.forbidden
        loose = replace(free, topology=replace(free.topology, forbidden=np.zeros_like(forbidden)))
        yield loose.trellis([evidence], threads).fewest(self.weights, allowed, forbidden)[0]

    def answers(
        self,
        inputs: Sequence[Tokens | Evidence],
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> list[tuple[str, ...]]:
        """Return the tags of each sentence; see :meth:`tag`."""
        return self.tag(inputs, decoder, threads)

    def tag(
        self,
        sentences: Sequence[Tokens | Evidence],
        decoder: Decoder | None = None,
        threads: int | None = None,
    ) -> list[tuple[str, ...]]:
        """Return the tags of each sentence, chosen by the tagger's own decoder or another.

        Raises:
            EvidenceError: If a sentence has no possible tagging.
        """
        derivations = self.derivations(self.evidences(sentences), threads)
        if option(Decoder, decoder or self.decoder) is Decoder.VITERBI:
            scores, numbers = derivations.best(self.weights)
            names = np.array(self.model.states, object)
        else:
            scores, probs = derivations.marginals(self.weights)
            numbers = [first_largest(self._by_tag(each)).astype(np.int32) for each in probs]
            names = np.array(self.model.tags, object)
        self._check_possible(derivations, scores, sentences)
        return [tuple(names[each].tolist()) for each in numbers]

    def marginals(
        self, inputs: Sequence[Tokens | Evidence], threads: int | None = None
    ) -> list[FloatArray]:
        """Return, for each sentence, the probability of each tag at each token, [tokens, tags]."""
        derivations = self.derivations(self.evidences(inputs), threads)
        values, probs = derivations.marginals(self.weights)
        self._check_possible(derivations, values, inputs)
        return [self._by_tag(each) for each in probs]

    def posteriors(self, sentence: Tokens | Evidence) -> TagPosteriors:
        """Return how probable each tag of each word of a sentence is, for people to look at.

        Raises:
            EvidenceError: If the sentence has no possible tagging.
        """
        [probs] = self.marginals([sentence])
        return TagPosteriors(_tokens(sentence).words, tuple(self.model.tags), probs)

    def _by_tag(self, probs: FloatArray) -> FloatArray:
        """Add up the probabilities [tokens, states] of the states that show the same tag."""
        if self.model.shown is None:
            return probs
        totals = np.zeros((len(probs), len(self.model.tags)))
        np.add.at(totals.T, np.array(self.model.shown), probs.T)
        return totals

    def _check_possible(
        self, derivations: Trellis, values: FloatArray, sentences: Sequence[Tokens | Evidence]
    ) -> None:
        for member in np.flatnonzero(np.isneginf(values)).tolist():
            tokens = _tokens(sentences[member])
            if not len(tokens):  # it has no tags, even where a model gives it no probability
                continue
            position = derivations.impossible(member)
            if position is None:
                position = derivations.stuck(self.weights, member)
            raise EvidenceError(
                f"{tokens.source or f'sentence {member + 1}'}: no tagging is possible at token "
                f"{position + 1}, '{tokens.words[position]}': {self._excluding()} exclude every "
                "tag there"
            )

    def _excluding(self) -> str:
        """What may leave a token without tags; nothing is blamed that the model does not have."""
        model = self.model
        causes = []
        own = "dictionary (learnt: allowed=dictionary)" if LEARNT in self.notes else "dictionary"
        causes += [own] if model.dictionary is not None else []
        causes += ["first pass (allowed=first-pass)"] if model.first is not None else []
        causes += ["forbidden transitions"] if model.topology.forbidden.any() else []
        causes += ["probabilities of zero"] if np.isneginf(self.weights).any() else []
        return f"the model's {' or its '.join(causes or ['weights'])}"


def _evidence(given: Tokens | Evidence, again: bool = False) -> Evidence:
    """What is known of a sentence; if it is given again, of a copy."""
    known = as_evidence(given)
    tokens = known.tokens
    if again and isinstance(tokens, Sentence):
        return replace(known, tokens=Sentence(tokens.columns, tokens.attributes, tokens.source))
    return known


def _tokens(given: Tokens | Evidence) -> Sentence:
    tokens = _evidence(given).tokens
    assert isinstance(tokens, Sentence)  # noqa: S101
    return tokens


def as_tagger(given: object) -> Tagger:
    """Return what is given, if it is a tagger.

    Raises:
        OptionError: If it is something else.
    """
    if not isinstance(given, Tagger):
        raise OptionError(
            f"a tagger is needed here, and {quote(given)} is none: train one with weft.Chain or "
            "weft.Tables"
        )
    return given


def lexicon_of(corpus: Sequence[Example]) -> dict[str, frozenset[str]]:
    """Return the words of a corpus with the tags that they certainly had there.

    >>> from weft.structures.evidence import example
    >>> lexicon_of([example(["saw", "a", "saw"], ["VBD", "DT", "NN"])])["saw"] == {"VBD", "NN"}
    True
    >>> lexicon_of([example(["time"])])
    {'time': frozenset()}
    """
    seen: dict[str, set[str]] = defaultdict(set)
    for example in corpus:
        words = example.tokens.words
        for word, label in zip(words, example.analysis or (None,) * len(words), strict=True):
            seen[word].update([label] if isinstance(label, str) else [])
    return {word: frozenset(tags) for word, tags in seen.items()}
