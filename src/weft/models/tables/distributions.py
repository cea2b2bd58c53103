"""The interpolated distributions of table models: which components, counted how, in which contexts.

A *stock* is the vocabulary of some part of a corpus: what is known there, what is rare. Where a
part is held out, its words are looked up in the stock of the others, as a new text's would be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.models.smoothing.counts import CountTable, count_table
from weft.models.smoothing.interpolation import Component, Interpolation, held_out_events
from weft.models.smoothing.mixtures import Events, fit_mixture, join_events
from weft.models.tables.contexts import Contexts, given_tag, given_tags, given_word
from weft.models.tables.form import Form
from weft.models.tables.items import Items
from weft.models.tables.lexicon import UNSEEN, Emissions, make_lexicon
from weft.models.tables.observe import TaggedTokens, TagSteps, steps_from_words, steps_to_words

if TYPE_CHECKING:
    from weft.models.tables.spec import Tables


@dataclass(frozen=True, slots=True, eq=False)
class Stock:
    """The words of some sentences.

    Attributes:
        items: All items.
        classes: [words], the class of each.
        seen: [words], how often each occurred.
        rare: [words], whether it occurred rarely.
    """

    items: Items
    classes: IntArray
    seen: FloatArray
    rare: BoolArray

    def items_of(self, words: IntArray) -> IntArray:
        """Return the items that stand for words, the boundary's for -1."""
        unknown = len(self.classes) + self.classes[words]
        items = np.where(self.seen[words] > 0, words, unknown)
        return np.where(words < 0, self.items.boundary, items)

    def doubled(self, words: IntArray) -> tuple[IntArray, IntArray]:
        """Return the items that words are counted as, and the place of each among the words.

        Every word is counted as itself, and rare ones once more as their class.
        """
        places = np.flatnonzero((words >= 0) & self.rare[words])
        classes = len(self.classes) + self.classes[words[places]]
        items = np.where(words < 0, self.items.boundary, words)
        return np.concatenate([items, classes]), np.concatenate([np.arange(len(words)), places])


def make_stock(observed: TaggedTokens, items: Items, classes: IntArray, rare: int) -> Stock:
    """Return the words of some sentences; those that occur so often at most are rare."""
    seen = np.bincount(observed.words, observed.counts, len(classes)).astype(np.float64)
    return Stock(items, classes, seen, (seen > 0) & (seen <= rare))


def lexicon_of(observed: TaggedTokens, stock: Stock, spec: Tables) -> Emissions:
    """Return the distribution of items given their tag."""
    size, counts = observed.size, observed.counts
    rare = stock.rare[observed.words]
    classes = stock.classes[observed.words]
    return make_lexicon(
        count_table(observed.words, observed.tags, size, counts),
        count_table(classes[rare], observed.tags[rare], size, counts[rare]),
        stock.items.signatures,
        stock.classes,
        spec.word_backoff,
        spec.class_backoff,
    )


def _widest(
    outcomes: IntArray, end: int, size: int, counts: FloatArray, added: IntArray | None = None
) -> CountTable:
    """Count outcomes whatever the context, but without the end where a sentence begins."""
    if added is not None:
        outcomes = np.concatenate([outcomes, added])
        counts = np.concatenate([counts, np.full(len(added), UNSEEN)])
    inside = outcomes != end
    contexts = np.repeat([0, 1], [len(outcomes), int(inside.sum())])
    return count_table(
        contexts,
        np.concatenate([outcomes, outcomes[inside]]),
        size,
        np.concatenate([counts, counts[inside]]),
    )


Happened = tuple[Contexts, IntArray, FloatArray]
"""The contexts, outcomes and counts of events."""


class Distribution(Protocol):
    """What is counted in a corpus, and what happens in another that is to be predicted."""

    def count(self, observed: TaggedTokens, stock: Stock) -> tuple[Component, ...]:
        """Return the components, counted in the sentences that the stock is of."""
        ...

    def happened(self, observed: TaggedTokens, stock: Stock) -> Happened:
        """Return what happened in other sentences."""
        ...


@dataclass(frozen=True, slots=True)
class TagGivenTag:
    """P(t | t′) or P(t | t′, t″): see :func:`given_tag`; outcomes are tags and the end.

    Attributes:
        tags: How many tags there are; the boundary's number.
        order: On how many tags before it a tag depends, 1 or 2.
    """

    tags: int
    order: int = 1

    def count(self, observed: TaggedTokens, stock: Stock) -> tuple[Component, ...]:  # noqa: ARG002
        """Count the steps from tag to tag."""
        return _count_steps(steps_from_words(observed), self.tags, self.order)

    def happened(self, observed: TaggedTokens, stock: Stock) -> Happened:  # noqa: ARG002
        """Return the steps from tag to tag."""
        steps = steps_from_words(observed)
        return _contexts_of(steps, self.tags, self.order), steps.after, steps.counts


def _contexts_of(steps: TagSteps, tags: int, order: int) -> Contexts:
    return given_tag(steps.before, tags, None if order == 1 else steps.earlier)


def _count_steps(steps: TagSteps, tags: int, order: int) -> tuple[CountTable, ...]:
    *narrow, _ = _contexts_of(steps, tags, order)
    counted = [count_table(each, steps.after, tags + 1, steps.counts) for each in narrow]
    return *counted, _widest(steps.after, tags, tags + 1, steps.counts)


@dataclass(frozen=True, slots=True)
class TagGivenWord:
    """P₀ or P₁(t | w, t′) or (t | w, t′, t″): see :func:`given_word`.

    Attributes:
        tags: How many tags there are; the boundary's number.
        steps: Which steps there are, and which word goes with each.
        order: On how many tags before it a tag depends, 1 or 2.
    """

    tags: int
    steps: Callable[[TaggedTokens], TagSteps]
    order: int = 1

    def count(self, observed: TaggedTokens, stock: Stock) -> tuple[Component, ...]:
        """Count the steps, those with a rare word also with its class."""
        steps = self.steps(observed)
        items, places = stock.doubled(steps.words)
        earlier = None if self.order == 1 else steps.earlier[places]
        contexts = given_word(items, steps.before[places], self.tags, earlier)
        after, counts = steps.after[places], steps.counts[places]
        with_item = contexts[: self.order + 1]
        return (
            *(count_table(each, after, self.tags + 1, counts) for each in with_item),
            *_count_steps(steps, self.tags, self.order),
        )

    def happened(self, observed: TaggedTokens, stock: Stock) -> Happened:
        """Return the steps with the items that stand for their words."""
        steps = self.steps(observed)
        items = stock.items_of(steps.words)
        earlier = None if self.order == 1 else steps.earlier
        return given_word(items, steps.before, self.tags, earlier), steps.after, steps.counts


@dataclass(frozen=True, slots=True)
class WordGivenTag:
    """P(w | t′) or P(w | t′, t″), of the tags before: see :func:`given_tag`.

    Outcomes are items; the boundary's is the end.

    Attributes:
        tags: How many tags there are; the boundary's number.
        order: On how many tags before it a word depends, 1 or 2.
    """

    tags: int
    order: int = 1

    def count(self, observed: TaggedTokens, stock: Stock) -> tuple[Component, ...]:
        """Count the words, rare ones also as their class, every class a little more."""
        items, places = stock.doubled(observed.words)
        end, size = stock.items.boundary, len(stock.items)
        (*narrow, _), outcomes, counts = self._with_ends(observed, items, places, end)
        classes = np.arange(len(stock.classes), end)
        return (
            *(count_table(each, outcomes, size, counts) for each in narrow),
            _widest(outcomes, end, size, counts, classes),
        )

    def happened(self, observed: TaggedTokens, stock: Stock) -> Happened:
        """Return the items that stand for words, and the ends."""
        items, places = stock.items_of(observed.words), np.arange(len(observed.words))
        return self._with_ends(observed, items, places, stock.items.boundary)

    def _with_ends(
        self, observed: TaggedTokens, items: IntArray, places: IntArray, end: int
    ) -> Happened:
        last = observed.last
        before = np.concatenate([observed.before[places], observed.tags[last]])
        earlier = np.concatenate([observed.earlier[places], observed.before[last]])
        outcomes = np.concatenate([items, np.full(int(last.sum()), end)])
        counts = np.concatenate([observed.counts[places], observed.counts[last]])
        contexts = given_tag(before, self.tags, None if self.order == 1 else earlier)
        return contexts, outcomes, counts


@dataclass(frozen=True, slots=True)
class WordGivenTags:
    """P(w | t′, t): contexts (t′, t), and t; outcomes are items without the boundary.

    Attributes:
        tags: How many tags there are; the boundary's number.
        spec: How the lexicon is smoothed, which is the component of the context t.
    """

    tags: int
    spec: Tables

    def count(self, observed: TaggedTokens, stock: Stock) -> tuple[Component, ...]:
        """Count the words, rare ones also as their class."""
        items, places = stock.doubled(observed.words)
        before, own = observed.before[places], observed.tags[places]
        narrow, _ = given_tags(before, own, self.tags)
        table = count_table(narrow, items, stock.items.boundary, observed.counts[places])
        return table, lexicon_of(observed, stock, self.spec)

    def happened(self, observed: TaggedTokens, stock: Stock) -> Happened:
        """Return the items that stand for words."""
        contexts = given_tags(observed.before, observed.tags, self.tags)
        return contexts, stock.items_of(observed.words), observed.counts


def next_tag_of(spec: Tables, tags: int) -> TagGivenTag | TagGivenWord:
    """Return the distribution of tags that a form has."""
    if spec.form in (Form.HMM, Form.MEALY):
        return TagGivenTag(tags, spec.order)
    steps = steps_from_words if spec.form is Form.PREVIOUS_WORD else steps_to_words
    return TagGivenWord(tags, steps, spec.order)


def next_word_of(spec: Tables, tags: int) -> WordGivenTag | WordGivenTags | None:
    """Return the interpolated distribution of words that a form has; None where it has none."""
    if spec.form is Form.NEXT_WORD:
        return WordGivenTag(tags, spec.order)
    return WordGivenTags(tags, spec) if spec.form is Form.MEALY else None


def fit_distribution(
    distribution: Distribution, observed: TaggedTokens, stock_of: Callable[[TaggedTokens], Stock]
) -> Interpolation:
    """Count a distribution's components, and fit their weights with each part held out in turn.

    Only counts are deleted with a part; the classes of unknown words stay those of the whole.
    """
    parts: list[Events] = []
    for part in np.unique(observed.parts).tolist():
        held_out = observed.parts == part
        rest = observed.where(~held_out)
        stock = stock_of(rest)
        components = distribution.count(rest, stock)
        happened = distribution.happened(observed.where(held_out), stock)
        parts.append(held_out_events(components, *happened))
    components = distribution.count(observed, stock_of(observed))
    return Interpolation(components, fit_mixture(join_events(parts)))
