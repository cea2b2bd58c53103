"""What every family of models is: a specification, a model, and a model with its weights.

    Spec  ──prepare(corpus)──▶  Model  ──weights──▶  Trained

A specification says what the model looks at; the corpus fills in alphabets and rules, and gives
the model, which says which derivations exist and which features they have; estimation finds the
weights. Training, criteria and optimisers know these three, and no family. A family is added by
giving them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import DerivationSet
from weft.errors import OptionError
from weft.evaluate.chunks import find_chunks
from weft.evaluate.tagging import TaggingScores, tagging_scores
from weft.features.parameters import Parameters
from weft.models.analyser import Analyser
from weft.models.answers import Answering, Decoder
from weft.models.distributions import Distributions
from weft.models.examples import observed
from weft.models.forecast import Forecast
from weft.models.progress import Progress
from weft.models.too_large import TooLarge
from weft.structures.alternatives import FeatureName
from weft.structures.evidence import from_token
from weft.structures.stream import Corpus


class Model(Protocol):
    """Which derivations exist, and which features they have."""

    @property
    def parameters(self) -> Parameters:
        """The layout of θ."""
        ...

    def named(self, coordinates: IntArray) -> list[FeatureName]:
        """Return the kinds and names of some coordinates of θ, which tell its weights apart."""
        ...

    def derivations(self, evidences: Sequence[Any], threads: int | None = None) -> DerivationSet:
        """Return the derivations that agree with each piece of evidence."""
        ...

    def closed(self, sentences: Iterable[Sequence[str]]) -> bool:
        """Whether sentences are made of the words that the model knows."""
        ...


class Trained(Protocol):
    """A model with its weights."""

    @property
    def model(self) -> Any:
        """The model."""
        ...

    @property
    def weights(self) -> FloatArray:
        """[θ]."""
        ...

    @property
    def trace(self) -> tuple[Progress, ...]:
        """How training went."""
        ...

    @property
    def notes(self) -> Mapping[str, str]:
        """How it was made (recipe, criterion, penalty, ...), for people and tools."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What estimation has found, and what it looked at.

    Attributes:
        weights: [θ].
        seen: The examples with the labels that the criteria looked at, of all corpora.
        texts: The same examples with all their labels.
        trace: How training went.
        notes: How it went, for people and tools.
        decoder: How answers are chosen if nothing else is asked for; None for the family's own.
    """

    weights: FloatArray
    seen: Sequence[Any] = ()
    texts: Sequence[Any] = ()
    trace: tuple[Progress, ...] = ()
    notes: Mapping[str, str] | None = None
    decoder: Any = None


Judge = Callable[[FloatArray], float | None]
"""From weights to the score of a corpus that was compiled once."""


NO_START = (
    "nothing tells the tags apart: the criterion looks at words alone, and no word is in a "
    "dictionary, so that all tags are alike at the start and stay so; give a dictionary of "
    "the tags that words may have, or random starts, such as --set restarts=5"
)
"""Why a search is refused that would start where all is alike; see :meth:`Spec.alike`."""


class Penalties(NamedTuple):
    """The penalties of a family if none is named.

    Attributes:
        weights: What large weights cost.
        counts: What is added to counts.
        prior: The prior of variational Bayes.
    """

    weights: str = "gaussian:10"
    counts: str = "dirichlet:0.1"
    prior: str = "dirichlet:0.1"


TrainedT = TypeVar("TrainedT")


class Spec(ABC, Generic[TrainedT]):
    """What a family's models look at, before a corpus is seen, and how they are estimated.

    Only :meth:`prepare` must be given. The others suit a model of labelled sentences that says
    which answers its derivations are, and whose weights are free, are 0 at the start, and have no
    closed form.
    """

    __slots__ = ()

    counted: ClassVar[bool] = False
    """Whether :meth:`prepare` estimates everything, so that there is nothing to optimise."""

    analyser: ClassVar[Callable[..., Any]] = Analyser
    """The class of a model with its weights, made of these, a trace and notes."""

    @property
    def penalties(self) -> Penalties:
        """The penalties if none is named."""
        return Penalties()

    decoders: ClassVar[tuple[str, ...]] = ()
    """The ways in which answers can be chosen, the usual one first."""

    files: ClassVar[str] = "--train train.tagged"
    """The options of a command that trains such a model, for examples."""

    unlabelled_files: ClassVar[str] = "--train raw.txt --format text --dictionary tags.txt"
    """The same, where the criterion looks at no labels."""

    @property
    def linear(self) -> bool:
        """Whether scores are linear in the weights: those of free weights are."""
        return True

    @property
    def is_joint(self) -> bool:
        """Whether weights are normalised so that the model is a distribution over sentences."""
        return False

    @property
    def has_closed_form(self) -> bool:
        """Whether weights are the logs of probabilities throughout, so that counts give them."""
        return False

    def compile(self, corpus: Sequence[Any]) -> list[Any]:
        """Return a corpus as examples that criteria look at.

        Raises:
            ExampleError: If something else is given.
        """
        return list(map(observed, corpus))

    def check(self, criterion: Any) -> None:
        """Refuse a criterion that the family's models do not have.

        Raises:
            OptionError: With the reason.
        """

    def check_streamed(self) -> None:
        """Refuse a corpus that is read a part at a time, where the family needs all of it.

        Raises:
            OptionError: With what to do.
        """

    def widened(self) -> Spec[TrainedT] | None:
        """Return the same with every feature, for sums over all sentences that diverge without.

        None where no features are left out.
        """
        return None

    @property
    def smaller(self) -> str:
        """What takes less memory, beside smaller files; empty where nothing does."""
        return ""

    def forecast(self, corpus: Sequence[Any]) -> Forecast | None:  # noqa: ARG002
        """Return what training on a corpus will take; None where that is never much."""
        return None

    def adapted(
        self,
        corpus: Corpus,  # noqa: ARG002
        start: Trained | None = None,  # noqa: ARG002
    ) -> tuple[Spec[TrainedT], str]:
        """Return what suits the size of a corpus, where that was left open, and what was chosen.

        The text is empty where nothing was. What a model that training starts from looks at is not
        left out.
        """
        return self, ""

    @property
    def adapts(self) -> bool:
        """Whether something was left open that the size of a corpus may say."""
        return type(self).adapted is not Spec.adapted

    def unshared(self) -> Spec[TrainedT]:
        """Return the same with a weight for each feature, where some may share one if counted."""
        return self

    @abstractmethod
    def prepare(
        self, seen: Sequence[Any], texts: Sequence[Any] = (), others: Sequence[Any] = ()
    ) -> Any:
        """Return the model that this is on a corpus.

        Args:
            seen: The examples with the labels that criteria look at.
            texts: The same examples with all their labels, whose names may be used.
            others: More sentences, whose words a sum over all sentences should know.
        """

    def prepare_with(
        self,
        threads: int | None,  # noqa: ARG002
        seen: Sequence[Any],
        texts: Sequence[Any],
        others: Sequence[Any],
    ) -> Any:
        """Return the same; a family that makes sums for it makes them with so many threads."""
        return self.prepare(seen, texts, others)

    def trained(self, model: Any, outcome: Outcome) -> TrainedT:
        """Return a model with its weights, as its users know it."""
        decoder = {} if outcome.decoder is None else {"decoder": outcome.decoder}
        given = outcome.weights, outcome.trace, outcome.notes or {}
        found: TrainedT = self.analyser(model, *given, **decoder)
        return found

    def finish(self, model: Any, weights: FloatArray, seen: Sequence[Any]) -> tuple[Any, Any]:  # noqa: ARG002
        """Return the model that is saved, and its weights, given those that were estimated."""
        return model, weights

    def start(
        self,
        model: Any,
        seen: Sequence[Any],  # noqa: ARG002
        *,
        generative: bool,  # noqa: ARG002
        closed_form: bool,  # noqa: ARG002
    ) -> FloatArray:
        """[θ]: where estimation starts.

        Args:
            model: The model.
            seen: The examples of the first corpus, with the labels that its criterion looks at.
            generative: Whether some criterion sums over all sentences, which diverges at 0 if
                weights are free.
            closed_form: Whether weights are the logs of probabilities throughout.
        """
        return np.zeros(model.parameters.size)

    def counts(self, model: Any, seen: Sequence[Any]) -> FloatArray | None:  # noqa: ARG002
        """[θ]: the logs of relative frequencies; None where weights are no such thing."""
        return None

    def perturb(self, model: Any, start: FloatArray, noise: FloatArray) -> FloatArray:  # noqa: ARG002
        """[θ]: another start, given a perturbation."""
        return start + noise

    def alike(self, model: Any, seen: Sequence[Any]) -> bool:  # noqa: ARG002
        """Whether nothing tells the parts of the model apart at the start, or ever will."""
        return False

    def distributions(self, model: Any) -> Distributions:  # noqa: ARG002
        """Return which weights are logs of the probabilities of one distribution.

        Raises:
            OptionError: If the weights are no probabilities, so that EM has no closed form.
        """
        raise OptionError("EM is for models whose weights are probabilities: use lbfgs")

    def free(self, model: Any) -> Any:
        """Return the same model with weights that are not normalised; itself, if they are not."""
        return model

    def uncertainty(
        self, model: Any, seen: Sequence[Any], threads: int | None
    ) -> Callable[[FloatArray], float]:
        """Return the entropy of what the examples leave open, as a function of the weights."""
        evidences = [each.evidence(labelled=False) for each in seen]
        derivations = model.derivations(evidences, threads)
        return lambda weights: float(derivations.entropy(weights).sum())

    def too_large(
        self,
        model: Any,  # noqa: ARG002
        corpus: Sequence[Any],  # noqa: ARG002
        threads: int | None = None,  # noqa: ARG002
    ) -> TooLarge | None:
        """Return the examples whose derivations cannot be kept in memory; None where all can."""
        return None

    def covers(self, model: Any, example: Any) -> bool:  # noqa: ARG002
        """Whether the model has what an example's analysis is made of."""
        return True

    def judge(
        self,
        model: Any,
        corpus: Sequence[Any],
        threads: int | None = None,
        decoder: Any = None,
    ) -> Judge | None:
        """Return how good weights are on a corpus; None if it says nothing of that.

        By default that is the share of tokens whose labels are right or, where labels are chunks,
        their F1. Answers are those that the trained model would give, with a decoder or, where it
        is None, that of the family.
        """
        gold = [example for example in corpus if example.analysis is not None]

        def judge(theta: FloatArray) -> float | None:
            found: Any = self.trained(model, Outcome(theta, decoder=decoder))
            scores, labels, _ = label_scores(found, gold, threads=threads)
            chunks = find_chunks([example.analysis for example in gold], labels)
            return scores.accuracy if chunks is None else chunks.overall.f1

        return judge if gold else None

    def notes_of(
        self,
        model: Any,  # noqa: ARG002
        seen: Sequence[Any],  # noqa: ARG002
        held_out: Sequence[Any],  # noqa: ARG002
        threads: int | None = None,  # noqa: ARG002
    ) -> Mapping[str, str]:
        """Return what is to be noted of a model and its corpora, for people and tools."""
        return {}

    def why_impossible(self, example: Any, place: int, position: int) -> str:
        """Say that an example has no derivation, and what to do.

        Args:
            example: The example.
            place: Its number, from 0.
            position: The token that no derivation gets past; -1 if that is not known.
        """
        name = example.tokens.source or f"example {place + 1}"
        return (
            f"{name}: no analysis is possible{from_token(position)}: the model has none with these "
            "labels; mend them, or let the model have more"
        )


def label_scores(
    trained: Answering[Any, Any],
    corpus: Sequence[Any],
    decoder: Decoder | None = None,
    threads: int | None = None,
) -> tuple[TaggingScores, list[Sequence[str]], list[int]]:
    """Compare the labels that a model gives tokens with those of a corpus.

    A sentence without an answer has the closest one, and with not even that none right.

    Returns:
        The scores, the labels, and the places of sentences without an answer.
    """
    answers, strayed = trained.nearest([example.tokens for example in corpus], decoder, threads)
    words = [example.tokens.words for example in corpus]
    gold = [example.analysis or (None,) * len(example.tokens) for example in corpus]
    found = filled(answers, list(map(len, words)))
    return tagging_scores(gold, found, words, {}), found, strayed


def filled(answers: Sequence[Sequence[str] | None], lengths: Sequence[int]) -> list[Sequence[str]]:
    """Return the labels of sentences, with none that is right where there are none."""
    pairs = zip(answers, lengths, strict=True)
    return [("",) * length if each is None else each for each, length in pairs]
