"""Chains: taggers and chunkers of order 1 or 2 with features of tags and attributes.

A derivation is a tag sequence. Its features are n-grams of tags, tags with attributes of their
token, and pairs of tags with attributes of the second one's token. :class:`Chain` says which of
them a model has; :func:`~weft.models.prepare.prepare` reads their alphabets off a corpus and
gives a :class:`ChainModel`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import numpy as np

from weft.derivations.rows import RowTable
from weft.derivations.scoring import LogLinear
from weft.derivations.system import System
from weft.derivations.tagsets import TagSetReader
from weft.derivations.threads import thread_count
from weft.derivations.topology import Topology
from weft.derivations.trellis import Members, Trellis
from weft.derivations.union import Union
from weft.errors import EvidenceError, OptionError
from weft.features.attributes import AttributeIndex, find_attributes
from weft.features.parameters import Parameters, parameters
from weft.features.templates import Template
from weft.structures.evidence import Evidence, Sentence
from weft.structures.occurrences import Occurrences

Dictionary = Mapping[str, frozenset[str]]
"""The tags that words may have; words that are not in it may have any."""


class Extent(StrEnum):
    """Which features of a family exist."""

    OBSERVED = "observed"
    """Those that occur in the corpus, with an analysis that its labels allow."""

    ALL = "all"
    """Every attribute of the corpus with every tag, every n-gram of tags."""


class Scheme(StrEnum):
    """Which transitions are forbidden."""

    NONE = "none"
    """None."""

    CHUNKS = "chunks"
    """Those that no chunking has: I-X after O, for BIO, BIOES and BILOU tags."""


OptionT = TypeVar("OptionT", bound=StrEnum)


def option(kind: type[OptionT], value: str) -> OptionT:
    """Return a member of an enumeration, also by its name.

    >>> option(Extent, "all")
    <Extent.ALL: 'all'>
    """
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(kind)
        raise OptionError(f"'{value}' is none of {known}") from None


@dataclass(frozen=True, slots=True)
class Chain:
    """What a chain model looks at; the corpus then fills in the alphabets.

    Attributes:
        order: How many earlier tags a tag depends on, 1 or 2.
        templates: Attributes that go with a tag; None for the defaults that suit the columns.
        pair_templates: Attributes that go with a tag and the one before it.
        attributes: Which features of tags with attributes exist.
        ngrams: Which tag n-grams exist.
        minimum_count: Features with attributes that occur less often are left out.
        boundaries: Whether sentence boundaries are part of tag n-grams and pairs.
        scheme: Transitions that no derivation has.
        dictionary: The tags that words may have.
    """

    order: int = 1
    templates: tuple[Template, ...] | None = None
    pair_templates: tuple[Template, ...] = ()
    attributes: Extent = Extent.OBSERVED
    ngrams: Extent = Extent.OBSERVED
    minimum_count: int = 1
    boundaries: bool = True
    scheme: Scheme = Scheme.NONE
    dictionary: Dictionary | None = None

    def __post_init__(self) -> None:
        if self.order not in (1, 2):
            raise OptionError(f"a chain's order is 1 or 2, not {self.order}")
        for name, kind in (("attributes", Extent), ("ngrams", Extent), ("scheme", Scheme)):
            object.__setattr__(self, name, option(kind, getattr(self, name)))
        for name in ("templates", "pair_templates"):
            if not all(isinstance(each, Template) for each in getattr(self, name) or ()):
                raise OptionError(f"{name} are made with weft.templates('word[0] suffix3[0]')")
        if any(isinstance(tags, str) for tags in (self.dictionary or {}).values()):
            raise OptionError("a dictionary gives each word a set of tags, not a string")
        if self.minimum_count < 1:
            raise OptionError(f"minimum_count is at least 1, not {self.minimum_count}")


@dataclass(frozen=True, slots=True, eq=False)
class ChainModel:
    """Which tag sequences exist, and which features sit where on them.

    Attributes:
        tags: The tags, in the order of their numbers.
        topology: What may follow what, and the tag n-grams.
        index: The attributes.
        tag_rows: Weights of attribute × tag.
        pair_rows: Weights of attribute × pair of tags, if there are any.
        dictionary: The tags that words may have.
        vocabulary: The words that sentences are made of where they are not observed.
    """

    tags: tuple[str, ...]
    topology: Topology
    index: AttributeIndex
    tag_rows: RowTable
    pair_rows: RowTable | None
    dictionary: Dictionary | None
    vocabulary: tuple[str, ...] = ()

    @property
    def parameters(self) -> Parameters:
        """The layout of θ: tag n-grams, then tag × attribute and pair × attribute by template."""
        topology = self.topology
        sizes = [("bigram", len(topology.bigrams)), ("trigram", len(topology.trigrams))]
        for family, rows in (("tag", self.tag_rows), ("pair", self.pair_rows)):
            if rows is not None:
                counts = np.diff(rows.offsets[self.index.starts]).tolist()
                names = [f"{family}:{kind}" for kind in self.index.kinds]
                sizes += zip(names, counts, strict=True)
        return parameters((name, size) for name, size in sizes if size)

    def derivations(
        self, evidences: Sequence[Evidence], threads: int | None = None
    ) -> Trellis | Union:
        """Return the tag sequences that agree with each piece of evidence.

        Evidence about one and the same sentence shares everything that its tokens determine.

        Raises:
            OptionError: If nothing is known of some sentence, and a feature looks at more than
                one word: such a feature has no meaning where the words vary.
        """
        observed = [evidence for evidence in evidences if evidence.tokens is not None]
        trellis = self.trellis(observed, threads)
        if len(observed) == len(evidences):
            return trellis
        known = np.array([evidence.tokens is not None for evidence in evidences])
        places = np.where(known, np.cumsum(known) - 1, 0)
        return Union([trellis, self.everything(threads)], (~known).astype(np.int64), places)

    def everything(self, threads: int | None = None) -> System:
        """Return the sum over all sentences of the vocabulary."""
        _check_local(self)
        words = [Sentence(((word,),)) for word in self.vocabulary]
        attributes = find_attributes(self.index, words)
        return System(self.topology, attributes, self.tag_rows, thread_count(threads))

    def trellis(self, evidences: Sequence[Evidence], threads: int | None = None) -> Trellis:
        """Return the tag sequences of sentences that are known; see :meth:`derivations`."""
        of_member = [_observed(evidence) for evidence in evidences]
        sentences = list(dict.fromkeys(of_member))
        _check_lengths(self.topology, self.pair_rows is not None, sentences)
        place = {sentence: number for number, sentence in enumerate(sentences)}
        numbers = {tag: number for number, tag in enumerate(self.tags)}
        reader = TagSetReader(numbers, self.dictionary)
        sets = [
            reader.read(sentence.words, evidence.analysis)
            for sentence, evidence in zip(of_member, evidences, strict=True)
        ]
        which = np.array([place[sentence] for sentence in of_member], np.int64)
        return Trellis(
            self.topology,
            np.array([len(sentence) for sentence in sentences], np.int64),
            self._scoring(find_attributes(self.index, sentences)),
            Members(which, sets),
            reader.table(self.topology.width),
            thread_count(threads),
        )

    def _scoring(self, occurrences: Occurrences) -> LogLinear:
        return LogLinear(self.topology, occurrences, self.tag_rows, self.pair_rows)


def _observed(evidence: Evidence) -> Sentence:
    if evidence.tokens is None:
        raise ValueError("a trellis needs a sentence; what sums over all of them is a system")
    return evidence.tokens


_SENTENCE_BYTES = 2**32  # with 45 tags, 5.6 million tokens of order 1 or 116,000 of order 2


def _check_lengths(topology: Topology, pairs: bool, sentences: Sequence[Sentence]) -> None:
    """Refuse a sentence that would take more memory than a laptop has to spare."""
    states = topology.width if topology.order == 1 and not pairs else topology.width**2
    longest = _SENTENCE_BYTES // (8 * 2 * states)  # doubles, forwards and backwards
    for sentence in sentences:
        if len(sentence) > longest:
            raise EvidenceError(
                f"{sentence.source or 'a sentence'} has {len(sentence)} tokens; with "
                f"{topology.tags} tags and order {topology.order} at most {longest} fit into "
                "memory: split it"
            )


def _check_local(model: ChainModel) -> None:
    """Refuse features that look beyond one word: where words vary they are not defined."""
    wide = [str(each) for each in model.index.templates if each.window != (0, 0)]
    reasons = {
        f"template {wide[0] if wide else ''} looks at other words": bool(wide),
        "attributes given by the user belong to observed tokens": bool(model.index.given),
        "pairs of tags with attributes are not supported there": model.pair_rows is not None,
        "a dictionary is not supported there": model.dictionary is not None,
    }
    for reason, holds in reasons.items():
        if holds:
            raise OptionError(
                f"'everything' sums over all sentences, but {reason}: use templates at offset 0, "
                "such as word[0] and suffix3[0]"
            )
