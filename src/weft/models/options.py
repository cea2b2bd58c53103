"""Choices that several families of models have, as enumerations; strings stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from weft.errors import OptionError, abbreviate, likely_meant

Transition = tuple[str | None, str | None]
"""A tag and the one after it; None for the beginning or the end of a sentence."""

Dictionary = Mapping[str, frozenset[str]]
"""The tags that words may have; words that are not in it may have any, or any open one."""

ORDER = "the number of earlier tags that a tag depends on, 1 or 2"
"""What the setting ``order`` of several families means."""

RARE = "how often words occur, at most, that unknown words are like; 0 for none"
"""What the setting ``rare`` of several families means."""


class Extent(StrEnum):
    """Which features of a family exist."""

    OBSERVED = "observed"
    """Those that occur in the corpus, with an analysis that its labels allow."""

    ALL = "all"
    """Every attribute of the corpus with every tag, every n-gram of tags."""

    SHARED = "shared"
    """Words with the tags that they had, and for each tag one weight that all others share: every
    word with every tag, in the room of what was observed. It is of HMMs. Where some label is not
    known, or weights are not counted, those others differ, and it is the same as all."""


class TagNgrams(StrEnum):
    """Which lengths of tag n-grams have weights."""

    EVERY = "every"
    """Every length up to order + 1: bigrams and, with order 2, trigrams beside them."""

    LONGEST = "longest"
    """The longest alone, as in an HMM: with order 2, trigrams and no bigrams."""


class Scheme(StrEnum):
    """Which transitions are forbidden."""

    NONE = "none"
    """None."""

    CHUNKS = "chunks"
    """Those that no chunking has: I-X after O, for BIO, BIOES and BILOU tags."""


class TagParts(StrEnum):
    """Which parts of tags have weights of their own."""

    AUTO = "auto"
    """Features, where tags have some, such as ``Case=Nom``; else none."""

    NONE = "none"
    """None."""

    FEATURES = "features"
    """What stands between ``+`` and ``|``: ``NOUN+Case=Nom|Number=Sing`` has three parts."""

    LETTERS = "letters"
    """Each letter at its place, of positional tags such as ``NNFS1-----A----``."""


class AllowedTags(StrEnum):
    """Which tags the tokens of a sentence may have."""

    ALL = "all"
    """Every one."""

    DICTIONARY = "dictionary"
    """Those that their words had in the corpus, if these occurred often; else those of rarer
    words."""

    FIRST = "first-pass"
    """Those that a counted HMM does not think improbable there."""


LEARNT = "allowed_training"
"""The note of what few tags lose in training; that of held-out sentences is beside it."""


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
                f"'{abbreviate(part)}' is no transition; write DT>VB, or DT> for the end"
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
        known = [str(each) for each in kind]
        meant = likely_meant(str(value), known)
        asked = "" if meant is None else f": did you mean {meant}?"
        message = f"'{abbreviate(str(value))}' is none of {', '.join(known)}{asked}"
        raise OptionError(message) from None


class Shape(StrEnum):
    """How trees are made binary before their rules are counted."""

    NONE = "none"
    """They are left as they are."""

    LEFT = "left"
    """Children are joined from the left."""

    RIGHT = "right"
    """Children are joined from the right."""

    HEAD = "head"
    """The head is joined with what is to its right, then with what is to its left."""

    JOHNSON = "johnson"
    """So, too, and new nodes are named after the head alone (Johnson 2001, section 4)."""


class RulesOf(StrEnum):
    """The trees that a grammar's rules are read off."""

    SEEN = "seen"
    """Those that the criterion looks at; of a criterion of sentences alone, none."""

    TREES = "trees"
    """All of them. A criterion of sentences alone learns how often rules are used, not which."""


class PhraseFeature(StrEnum):
    """What of a phrase goes with its label, beside the rule that expands it."""

    HEAD = "head"
    """The label of its head, by Collins's head rules: what rules have in common."""

    LENGTH = "length"
    """How many words it has: 1, 2, 3, 4, 5, 6-10, 11-20, 21-40 or more."""

    FIRST = "first"
    """Its first word."""

    LAST = "last"
    """Its last word."""


def phrase_features(text: str) -> tuple[PhraseFeature, ...]:
    """Read names of features, with spaces or commas between them; ``none`` for none.

    >>> phrase_features("length first")
    (<PhraseFeature.LENGTH: 'length'>, <PhraseFeature.FIRST: 'first'>)
    """
    names = text.replace(",", " ").split()
    return () if names == ["none"] else tuple(option(PhraseFeature, name) for name in names)
