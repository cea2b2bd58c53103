"""Chains: taggers and chunkers of order 1 or 2 with features of tags and attributes.

A derivation is a tag sequence. Its features are n-grams of tags, tags with attributes of their
token, and pairs of tags with attributes of the second one's token. :class:`Chain` says which of
them a model has; :func:`~weft.models.prepare.prepare` reads their alphabets off a corpus and
gives a :class:`~weft.models.chain_model.ChainModel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from weft.errors import OptionError, abbreviated
from weft.features.templates import Template

Transition = tuple[str | None, str | None]
"""A tag and the one after it; None for the beginning or the end of a sentence."""

Dictionary = Mapping[str, frozenset[str]]
"""The tags that words may have; words that are not in it may have any, or any open one."""


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


class Normalisation(StrEnum):
    """What weights are normalised over."""

    NONE = "none"
    """Free weights: MRFs and CRFs, normalised as a whole."""

    JOINT = "joint"
    """Each step is a distribution over tag and word, given the tags before: HMMs."""

    CONDITIONAL = "conditional"
    """Each step is a distribution over tags, given the sentence and the tags before: MEMMs."""


def transitions(text: str) -> frozenset[Transition]:
    """Read transitions, as ``DT>VB``, with spaces between them; ``none`` for none.

    Where a tag is left out it is the beginning or the end of a sentence.

    >>> sorted(transitions("DT>VB DT>"), key=str)
    [('DT', 'VB'), ('DT', None)]

    Raises:
        OptionError: At what is no transition.
    """
    found: set[Transition] = set()
    for part in [] if text.strip() == "none" else text.split():
        before, arrow, after = part.partition(">")
        if not arrow or not (before or after):
            raise OptionError(
                f"'{abbreviated(part)}' is no transition; write DT>VB, or DT> for the end"
            )
        found.add((before or None, after or None))
    return frozenset(found)


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
        raise OptionError(f"'{abbreviated(value)}' is none of {known}") from None


_OPTIONS: Mapping[str, type[StrEnum]] = {
    "attributes": Extent,
    "ngrams": Extent,
    "scheme": Scheme,
    "normalisation": Normalisation,
}


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
        open_tags: The tags that words outside the dictionary may have; None for every one.
        normalisation: What weights are normalised over.
        forbidden: More transitions that no derivation has.
        rare: Words of an HMM's corpus that occur at most so often are what unknown words are
            like; 0 if it need not know any other word.
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
    normalisation: Normalisation = Normalisation.NONE
    rare: int = 1
    open_tags: frozenset[str] | None = None
    forbidden: frozenset[Transition] = frozenset()

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
        for name, least in (("minimum_count", 1), ("rare", 0)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is at least {least}, not {getattr(self, name)}")
