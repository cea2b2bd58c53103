"""Chains: taggers and chunkers of order 1 or 2 with features of tags and attributes.

A derivation is a tag sequence. Its features are n-grams of tags, tags with attributes of their
token, and pairs of tags with attributes of the second one's token. :class:`Chain` says which of
them a model has; :func:`~weft.models.chain.prepare.prepare` reads their alphabets off a corpus and
gives a :class:`~weft.models.chain.model.ChainModel`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.errors import NotDefined, OptionError
from weft.features.templates import Template
from weft.features.templates import templates as read_templates
from weft.models.chain.allowed import (
    ALLOWED_COUNT,
    ALLOWED_POSTERIOR,
    check_allowed,
    losses_of,
)
from weft.models.chain.cost import forecast_of
from weft.models.chain.model import SHARING, ChainModel
from weft.models.chain.multinomials import check_multinomials, multinomials, relative_frequencies
from weft.models.chain.neighbours import WHOLE_SENTENCE
from weft.models.chain.prepare import prepare, tags_of
from weft.models.chain.size import is_wide, templates_by_size
from weft.models.chain.symmetry import all_alike
from weft.models.chain.unknown import open_vocabulary
from weft.models.distributions import Distributions
from weft.models.forecast import Forecast
from weft.models.model import Judge, Outcome, Penalties, Spec, Trained
from weft.models.options import (
    ORDER,
    RARE,
    AllowedTags,
    Dictionary,
    Extent,
    Normalisation,
    Scheme,
    TagNgrams,
    TagParts,
    Transition,
    option,
    transitions,
)
from weft.models.tagger import Decoder, Tagger, lexicon_of
from weft.models.tagger_scores import tagging_judge
from weft.reprs import Brief
from weft.settings import setting
from weft.structures.evidence import Evidence, Example, no_tagging
from weft.structures.stream import Corpus, Stream, through

_OPTIONS: Mapping[str, type[StrEnum]] = {
    "attributes": Extent,
    "ngrams": Extent,
    "tag_ngrams": TagNgrams,
    "tag_parts": TagParts,
    "scheme": Scheme,
    "normalisation": Normalisation,
    "allowed": AllowedTags,
}


def _templates_or_none(text: str) -> tuple[Template, ...]:
    return () if text.strip() == "none" else read_templates(text)


@dataclass(frozen=True, slots=True, repr=False)
class Chain(Brief, Spec[Tagger]):
    """What a chain model looks at; the corpus then fills in the alphabets.

    Attributes:
        order: How many earlier tags a tag depends on, 1 or 2.
        templates: Attributes that go with a tag; None for the defaults that suit the columns.
        pair_templates: Attributes that go with a tag and the one before it.
        attributes: Which features of tags with attributes exist.
        ngrams: Which tag n-grams exist.
        tag_ngrams: Of which lengths.
        minimum_count: Features with attributes that occur less often are left out.
        boundaries: Whether sentence boundaries are part of tag n-grams and pairs.
        scheme: Transitions that no derivation has.
        dictionary: The tags that words may have.
        open_tags: The tags that words outside the dictionary may have; None for every one.
        normalisation: What weights are normalised over.
        forbidden: More transitions that no derivation has.
        rare: Words of an HMM's corpus that occur at most so often are what unknown words are
            like; 0 if it need not know any other word.
        tag_parts: Which parts of tags have weights with attributes, beside whole tags; an HMM,
            whose weights are of words, has none.
        allowed: Which tags a token may have, learnt from a corpus in which each has one.
        allowed_count: Words that occur at least so often have the tags that they had, where a
            dictionary is learnt.
        allowed_posterior: Tags that a first pass thinks less probable are left out.
    """

    order: int = setting(1, ORDER)
    templates: tuple[Template, ...] | None = setting(
        None,
        "attributes that go with a tag, as 'word[0] suffix3[0] …'",
        read=read_templates,
        unsaid="by the columns",
    )
    pair_templates: tuple[Template, ...] = setting(
        (), "attributes that go with a pair of tags, likewise, or none", read=_templates_or_none
    )
    attributes: Extent = setting(
        Extent.OBSERVED,
        "which tags go with an attribute: observed, all (dense), or shared (all, of words that are "
        "counted, in the room of those observed)",
    )
    ngrams: Extent = setting(Extent.OBSERVED, "which tag n-grams have a weight, observed or all")
    tag_ngrams: TagNgrams = setting(
        TagNgrams.EVERY,
        "the lengths of tag n-grams with a weight, every (of order 2: 2 and 3 tags) or longest "
        "(3 tags alone)",
    )
    minimum_count: int = setting(1, "the number of times a feature with an attribute must occur")
    boundaries: bool = setting(True, "whether tag n-grams include sentence boundaries, yes or no")
    scheme: Scheme = setting(
        Scheme.NONE, "which tag pairs are forbidden, none or chunks (BIO, BIOES)"
    )
    dictionary: Dictionary | None = None
    normalisation: Normalisation = setting(
        Normalisation.NONE,
        "what steps are normalised over: none, joint (an HMM) or conditional (a MEMM)",
    )
    rare: int = setting(1, RARE)
    open_tags: frozenset[str] | None = None
    forbidden: frozenset[Transition] = setting(
        frozenset(), "tag pairs that never follow each other, as 'DT>VB DT>'", read=transitions
    )
    tag_parts: TagParts = setting(
        TagParts.AUTO,
        "which parts of tags have weights, too: auto (what the tags look like), none, features "
        "(NOUN+Case=Nom) or letters (of positional tags)",
    )
    allowed: AllowedTags = setting(
        AllowedTags.ALL,
        "the tags that a token may have: all, dictionary (those its word had, if it occurred "
        "often) or first-pass (those that a counted HMM finds probable)",
    )
    allowed_count: int = setting(
        ALLOWED_COUNT,
        "the number of times a word must occur that has the tags it had, of allowed=dictionary",
    )
    allowed_posterior: float = setting(
        ALLOWED_POSTERIOR, "the probability below which a tag is left out, of allowed=first-pass"
    )

    def __post_init__(self) -> None:
        if self.order not in (1, 2):
            raise OptionError(f"a chain's order is 1 or 2, not {self.order}")
        for name, kind in _OPTIONS.items():
            object.__setattr__(self, name, option(kind, getattr(self, name)))
        for name in ("templates", "pair_templates"):
            if not all(isinstance(each, Template) for each in getattr(self, name) or ()):
                raise OptionError(f"{name} are made with weft.templates('word[0] suffix3[0]')")
        if any(isinstance(tags, str) for tags in (self.dictionary or {}).values()):
            raise OptionError("a dictionary gives each word a set of tags, not a string")
        if self.open_tags is not None:
            if self.dictionary is None:
                raise OptionError("open_tags are those of words outside the dictionary: give one")
            if isinstance(self.open_tags, str) or not self.open_tags:
                raise OptionError("open_tags are a set of at least one tag, not a string")
            object.__setattr__(self, "open_tags", frozenset(self.open_tags))
        object.__setattr__(self, "forbidden", frozenset(self.forbidden))
        joint = self.normalisation is Normalisation.JOINT
        if joint and self.tag_parts not in (TagParts.AUTO, TagParts.NONE):
            raise OptionError(
                f"tag_parts={self.tag_parts} is not for normalisation=joint: an HMM has words with "
                "whole tags alone; say tag_parts=none, or use a CRF"
            )
        check_allowed(self)
        if self.ngrams is Extent.SHARED:
            raise OptionError("ngrams is observed or all, not shared: that is of words")
        for name, least in (("minimum_count", 1), ("rare", 0), ("allowed_count", 1)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is at least {least}, not {getattr(self, name)}")

    decoders = (Decoder.VITERBI, Decoder.POSTERIOR)

    def first_pass(self) -> Chain:
        """Return the HMM that leaves out tags."""
        return Chain(
            templates=SHARING[:1],
            attributes=Extent.SHARED,
            ngrams=Extent.ALL,
            normalisation=Normalisation.JOINT,
        )

    @property
    def smaller(self) -> str:
        """Fewer features, where it is not all of them that make probabilities."""
        lower = "--set order=1" if self.order == 2 else ""
        fewer = "--set minimum_count=2" if self.minimum_count == 1 else ""
        return lower or (fewer if self.linear else "a corpus with fewer tags")

    def forecast(self, corpus: Sequence[Example]) -> Forecast | None:
        """Return what tables of transitions take; None where a dictionary leaves few of them."""
        return forecast_of(self, corpus)

    def adapted(self, corpus: Corpus, start: Trained | None = None) -> tuple[Chain, str]:
        """Return the chain with templates that suit a corpus; see :mod:`.size`."""
        if not self.adapts or (start is not None and is_wide(start.model)):
            return self, ""
        found, why = templates_by_size(corpus)
        return (self, "") if found is None else (replace(self, templates=found), why)

    @property
    def adapts(self) -> bool:
        """Whether templates were left open."""
        return self.templates is None

    @property
    def shares(self) -> bool:
        """Whether words share a weight with the tags that they did not have."""
        return (
            self.attributes is Extent.SHARED
            and self.normalisation is Normalisation.JOINT
            and self.templates == SHARING[:1]
            and not self.pair_templates
            and self.minimum_count == 1
            and self.dictionary is None
        )

    def unshared(self) -> Chain:
        """Return the same with a weight of its own for every word with every tag.

        Raises:
            OptionError: If words would never have shared one.
        """
        if self.attributes is not Extent.SHARED:
            return self
        if self.normalisation is not Normalisation.JOINT:
            raise OptionError(
                "attributes=shared is of words that are counted, with normalisation=joint (an "
                "HMM): say attributes=observed or attributes=all"
            )
        return replace(self, attributes=Extent.ALL)

    def check(self, criterion: Any) -> None:
        """Refuse a first pass where sentences are compared with others."""
        if self.allowed is AllowedTags.FIRST and criterion.denominator.name != "input":
            raise NotDefined(WHOLE_SENTENCE)

    def check_streamed(self) -> None:
        """Refuse what is learnt from all sentences at once: unknown words, a first pass."""
        if self.allowed is AllowedTags.FIRST:
            raise OptionError("allowed=first-pass needs the whole corpus: say allowed=dictionary")
        if self.normalisation is Normalisation.JOINT and self.rare:
            raise OptionError("an HMM's classes of unknown words need the whole corpus: say rare=0")

    def widened(self) -> Chain | None:
        """Return the same with a weight for every attribute × tag and every tag n-gram.

        What has no weight has the factor 1, so that words and tags that were not observed together
        make the sum over all sentences infinite, whatever the weights.
        """
        wide = replace(self, attributes=Extent.ALL, ngrams=Extent.ALL)
        return None if wide == self or not self.linear else wide

    def prepare(
        self,
        seen: Sequence[Example],
        texts: Sequence[Example] = (),
        others: Sequence[Example] = (),
    ) -> ChainModel:
        """Return the chain of a corpus; see :func:`~weft.models.chain.prepare.prepare`."""
        return self.prepare_with(None, seen, texts, others)

    def prepare_with(
        self,
        threads: int | None,
        seen: Sequence[Example],
        texts: Sequence[Example],
        others: Sequence[Example],
    ) -> ChainModel:
        """Return the same, with so many threads for the sums of a first pass."""
        # What is normalised over its vocabulary keeps to the words that it was estimated from.
        others = others if self.normalisation is Normalisation.NONE else ()
        return prepare(self, seen, others, () if texts is seen else tags_of(texts), threads)

    def trained(self, model: ChainModel, outcome: Outcome) -> Tagger:
        """Return a tagger."""
        if model.first is not None:  # what was observed is nothing to predict with
            model = replace(model, first=replace(model.first, kept={}))
        return Tagger(
            model,
            outcome.weights,
            lexicon_of(outcome.texts),
            outcome.trace,
            outcome.notes or {},
            outcome.decoder or self.decoders[0],
        )

    def finish(
        self, model: ChainModel, weights: FloatArray, seen: Sequence[Example]
    ) -> tuple[ChainModel, FloatArray]:
        """Return a model that knows all words, where weights are those of its vocabulary."""
        if self.normalisation is Normalisation.JOINT and self.rare:
            return open_vocabulary(model, weights, _distinct(seen), self.rare)
        return model, weights

    @property
    def linear(self) -> bool:
        """Whether weights are free."""
        return self.normalisation is Normalisation.NONE

    @property
    def is_joint(self) -> bool:
        """Whether it is an HMM."""
        return self.normalisation is Normalisation.JOINT

    @property
    def has_closed_form(self) -> bool:
        """Whether it is an HMM with a weight for every word and every tag n-gram."""
        looked_at = {self.templates or (), self.pair_templates}
        every = self.attributes is not Extent.OBSERVED and self.ngrams is Extent.ALL
        whole = self.boundaries and self.minimum_count == 1
        return self.is_joint and every and whole and looked_at == {(), SHARING[:1]}

    @property
    def penalties(self) -> Penalties:
        """Less is added to counts of words, of which there are many, than to those of tags."""
        if not (self.has_closed_form and self.templates):
            return Penalties()
        return Penalties(counts="dirichlet:0.1,tag:*=0.001")

    def start(
        self, model: ChainModel, seen: Sequence[Example], *, generative: bool, closed_form: bool
    ) -> FloatArray:
        """[θ]: zeros, or relative frequencies where sums over all sentences need them."""
        if not generative or not (self.linear or closed_form):
            return np.zeros(model.parameters.size)
        weights = relative_frequencies(model, seen)
        return weights if closed_form else _finite(weights)

    def counts(self, model: ChainModel, seen: Sequence[Example]) -> FloatArray | None:
        """[θ]: relative frequencies of tag n-grams and words, where every n-gram has a weight."""
        if self.normalisation is Normalisation.CONDITIONAL:
            return None
        return relative_frequencies(model, seen)

    def perturb(self, model: ChainModel, start: FloatArray, noise: FloatArray) -> FloatArray:
        """Return weights that are still logs of probabilities, where those of the start are."""
        if not start.any():
            return start + noise
        weights = multinomials(model).perturbed(start, noise)
        return _finite(weights) if self.linear else weights

    def alike(self, model: ChainModel, seen: Sequence[Example]) -> bool:
        """Whether renaming the tags would change nothing."""
        return all_alike(model, _distinct(seen))

    def distributions(self, model: ChainModel) -> Distributions:
        """Return the distributions of an HMM over tags and words."""
        if self.normalisation is not Normalisation.JOINT:
            raise OptionError("EM needs a chain with normalisation=joint: an HMM")
        return check_multinomials(model)

    def free(self, model: ChainModel) -> ChainModel:
        """Return the same chain with weights that are not normalised."""
        return model.free

    def uncertainty(
        self, model: ChainModel, seen: Sequence[Example], threads: int | None
    ) -> Callable[[FloatArray], float]:
        """Return the entropy of the tags that labels leave open."""
        trellis = model.trellis(_distinct(seen), threads)
        return lambda weights: float(trellis.entropy(weights).sum())

    def judge(
        self,
        model: ChainModel,
        corpus: Sequence[Example],
        threads: int | None = None,
        decoder: Decoder | None = None,
    ) -> Judge:
        """Return the accuracy of the tags that the tagger chooses; of chunks, their F1."""
        return tagging_judge(
            lambda theta: self.trained(model, Outcome(theta, decoder=decoder)),
            model,
            corpus,
            threads,
        )

    def notes_of(
        self,
        model: ChainModel,
        seen: Sequence[Example],
        held_out: Sequence[Example],
        threads: int | None = None,
    ) -> dict[str, str]:
        """Say what is lost by allowing few tags, where that is so."""
        everything = self.allowed is AllowedTags.ALL
        return {} if everything else losses_of(model, seen, held_out, threads)

    def why_impossible(self, example: Example, place: int, position: int) -> str:
        """Say at which token no tagging is possible."""
        return no_tagging(example, place, position)


def _finite(weights: FloatArray) -> FloatArray:
    """Weights with 0 for -inf: what a dictionary excludes is excluded whatever it weighs."""
    return np.where(np.isneginf(weights), 0.0, weights)


def _distinct(seen: Any) -> Any:
    """What is known of all examples; of a sentence in several corpora, what the first says."""
    if isinstance(seen, Stream):  # which is one corpus
        return through(seen, lambda some: [each.evidence() for each in some])
    first = {example.tokens: example.analysis for example in reversed(seen)}
    return [Evidence(tokens, analysis) for tokens, analysis in reversed(first.items())]
