"""The distribution of items given their tag, with room for words that were never seen.

Rare words count twice, as themselves and as members of their signature class, so that a class has
the mass of the unknown words that it stands for. Along the tree of classes the tags of a class c
are smoothed by those of the class around it, and the tags of a word w by those of its class:

    q(t | c) = (n(c, t) + κ q(t | parent of c)) / (n(c) + κ)
    q(t | w) = (n(w, t) + ν q(t | class of w)) / (n(w) + ν)

where n(c, t) counts the rare words within c. The tags of everything are smoothed by those of all
tokens, so that every tag is possible for an unknown word. Then, m(c) being the number of rare
words whose class is c,

    P(w | t) ∝ n(w) q(t | w),        P(c | t) ∝ (m(c) + ½) q(t | c).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.features.signatures import Signatures, shares_of_classes
from weft.models.smoothing.counts import CountTable

UNSEEN = 0.5
"""What is added to the count of every class, so that no word is impossible."""


@dataclass(frozen=True, slots=True, eq=False)
class Emissions:
    """P(item | tag): a component whose contexts are tags.

    Attributes:
        words: How often words had tags; a context is a word, an outcome a tag.
        classes: [words], each word's class.
        backoff: ν, the imaginary occurrences of a word.
        masses: [classes], m(c) + ½.
        tag_probs: [classes, tags], q(t | c).
        totals: [tags], what the masses of items with a tag are divided by.
    """

    words: CountTable
    classes: IntArray
    backoff: float
    masses: FloatArray
    tag_probs: FloatArray
    totals: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        words = self.words
        trust = words.totals / (words.totals + self.backoff)
        own = words.counts * np.repeat(trust, np.diff(words.starts))
        shares = self.backoff * trust
        shares = self.masses + np.bincount(self.classes[words.contexts], shares, len(self.masses))
        by_class = (shares[:, None] * self.tag_probs).sum(axis=0)
        totals = np.bincount(words.keys % words.outcomes, own, words.outcomes) + by_class
        object.__setattr__(self, "totals", totals)

    def seen(self, contexts: IntArray) -> FloatArray:
        """Return the mass of each tag, positive for every tag that occurred."""
        return self.totals[contexts]

    def probs(self, contexts: IntArray, outcomes: IntArray) -> FloatArray:
        """Return P(item | tag)."""
        count = len(self.classes)
        known = outcomes < count
        words = np.where(known, outcomes, 0)
        classes = np.where(known, self.classes[words], outcomes - count)
        seen = np.where(known, self.words.seen(words), 0.0)
        own = np.where(known, self.words.probs(words, contexts), 0.0)
        # n(w) q(t | w) with the part of the word itself and the part of its class.
        trust = seen / np.where(seen > 0, seen + self.backoff, 1.0)
        share = np.where(known, self.backoff * trust, self.masses[classes])
        mass = seen * trust * own + share * self.tag_probs[classes, contexts]
        totals = self.totals[contexts]
        return mass / np.where(totals > 0, totals, 1.0)

    def table(self, items: IntArray) -> FloatArray:
        """Return P(item | tag) of some items with all tags, [items, tags]."""
        count = len(self.classes)
        known = items < count
        words = np.where(known, items, 0)
        seen = np.where(known, self.words.seen(words), 0.0)
        trust = seen / np.where(seen > 0, seen + self.backoff, 1.0)
        classes = np.where(known, self.classes[words], items - count)
        share = np.where(known, self.backoff * trust, self.masses[classes])
        mass = share[:, None] * self.tag_probs[classes]
        self.words.add_rows(words, np.where(known, seen * trust, 0.0), mass)
        return mass / np.where(self.totals > 0, self.totals, 1.0)

    def rows(self, contexts: IntArray) -> FloatArray:
        """Return P(item | tag) of all items, [..., items]."""
        items = len(self.classes) + len(self.masses)
        return self.probs(contexts[..., None], np.arange(items))


def make_lexicon(
    words: CountTable,
    rare: CountTable,
    signatures: Signatures,
    classes: IntArray,
    backoff: float,
    class_backoff: float,
) -> Emissions:
    """Return the lexicon of a corpus.

    Args:
        words: How often words had tags.
        rare: How often rare words of a class had tags; a context is a class.
        signatures: The classes.
        classes: [words], each word's class.
        backoff: ν.
        class_backoff: κ.
    """
    masses = rare.seen(np.arange(len(signatures))) + UNSEEN
    return Emissions(
        words, classes, backoff, masses, _smooth(words, rare, signatures, class_backoff)
    )


def _smooth(
    words: CountTable, rare: CountTable, signatures: Signatures, class_backoff: float
) -> FloatArray:
    """[classes, tags]: q(t | c)."""
    numbers = np.arange(len(signatures))
    counts = rare.rows(numbers) * rare.seen(numbers)[:, None]
    tags = np.bincount(words.keys % words.outcomes, words.counts, words.outcomes)
    everywhere = tags / max(float(tags.sum()), np.finfo(float).tiny)
    return shares_of_classes(signatures, counts, everywhere, class_backoff)
