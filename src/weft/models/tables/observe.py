"""A labelled corpus as arrays: its tokens, and its steps from tag to tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray, offsets_of
from weft.errors import EvidenceError
from weft.features.attributes import refuse_given
from weft.models.tables.form import MOST_TAGS
from weft.structures.evidence import Example


@dataclass(frozen=True, slots=True, eq=False)
class TaggedTokens:
    """The tokens of labelled sentences, one sentence after the other.

    Attributes:
        size: How many tags there are; the boundary's number.
        words: [tokens].
        tags: [tokens].
        counts: [tokens], how often the token's sentence counts.
        parts: [tokens], which part of the corpus it lies in.
        first: [tokens], whether a sentence begins there.
    """

    size: int
    words: IntArray
    tags: IntArray
    counts: FloatArray
    parts: IntArray
    first: BoolArray

    def where(self, chosen: BoolArray) -> TaggedTokens:
        """Return some of the sentences, of which all tokens are chosen."""
        return TaggedTokens(
            self.size,
            self.words[chosen],
            self.tags[chosen],
            self.counts[chosen],
            self.parts[chosen],
            self.first[chosen],
        )

    @property
    def last(self) -> BoolArray:
        """[tokens], whether a sentence ends there."""
        return np.roll(self.first, -1)

    @property
    def before(self) -> IntArray:
        """[tokens], the tag before; the boundary's number at the beginning of a sentence."""
        return np.where(self.first, self.size, np.roll(self.tags, 1))

    @property
    def earlier(self) -> IntArray:
        """[tokens], the tag before that one; the boundary's number where there is none."""
        return np.where(self.first, self.size, np.roll(self.before, 1))


@dataclass(frozen=True, slots=True, eq=False)
class TagSteps:
    """Steps from a tag to the next.

    Attributes:
        words: [steps], the word that decides on the step too; -1 before the sentence.
        earlier: [steps], the tag before that, or the boundary.
        before: [steps], the tag that is left, or the boundary.
        after: [steps], the tag that is reached, or the boundary.
        counts: [steps].
    """

    words: IntArray
    earlier: IntArray
    before: IntArray
    after: IntArray
    counts: FloatArray


def steps_to_words(observed: TaggedTokens) -> TagSteps:
    """Return the steps within sentences, each with the word that it leads to."""
    return TagSteps(
        observed.words, observed.earlier, observed.before, observed.tags, observed.counts
    )


def steps_from_words(observed: TaggedTokens) -> TagSteps:
    """Return all steps, those past the end included, each with the word that it leaves."""
    last = observed.last
    previous = np.where(observed.first, -1, np.roll(observed.words, 1))
    return TagSteps(
        np.concatenate([previous, observed.words[last]]),
        np.concatenate([observed.earlier, observed.before[last]]),
        np.concatenate([observed.before, observed.tags[last]]),
        np.concatenate([observed.tags, np.full(int(last.sum()), observed.size)]),
        np.concatenate([observed.counts, observed.counts[last]]),
    )


def observe(
    corpus: Sequence[Example], parts: int, order: int = 1
) -> tuple[tuple[str, ...], tuple[str, ...], TaggedTokens]:
    """Return the words, the tags and the tokens of a labelled corpus.

    Examples without tokens or without weight are left out. Parts are consecutive sentences: those
    of one text resemble each other, which unseen texts do not.

    Raises:
        EvidenceError: If some token has no tag or several, if attributes are given, if there are
            no tokens at all, or if there are too many tags.
    """
    used = [example for example in corpus if len(example.tokens) and example.weight > 0]
    if not used:
        raise EvidenceError("the training corpus has no tokens: give labelled sentences")
    refuse_given([example.tokens for example in used])
    labels = list(chain.from_iterable(_labels(example) for example in used))
    texts = list(chain.from_iterable(example.tokens.words for example in used))
    words = {word: number for number, word in enumerate(dict.fromkeys(texts))}
    tags = {tag: number for number, tag in enumerate(sorted(set(labels)))}
    if len(tags) > MOST_TAGS[order]:
        raise EvidenceError(
            f"the training corpus has {len(tags)} tags, and tables of order {order} have at most "
            f"{MOST_TAGS[order]}: "
            + ("use order=1, or fewer tags" if order == 2 else "are they in the right column?")
        )
    lengths = np.array([len(example.tokens) for example in used], np.int64)
    first = np.zeros(len(texts), np.bool_)
    first[offsets_of(lengths)[:-1]] = True
    observed = TaggedTokens(
        len(tags),
        np.fromiter(map(words.__getitem__, texts), np.int64, len(texts)),
        np.fromiter(map(tags.__getitem__, labels), np.int64, len(labels)),
        np.repeat([example.weight for example in used], lengths),
        np.repeat(np.arange(len(used)) * parts // len(used), lengths),
        first,
    )
    return tuple(words), tuple(tags), observed


def _labels(example: Example) -> Sequence[str]:
    """The tags of an example, every one of which must be known."""
    labels = example.analysis or (None,) * len(example.tokens)
    for position, label in enumerate(labels):
        if not isinstance(label, str):
            where = example.tokens.source or "a training sentence"
            raise EvidenceError(
                f"{where}: token {position + 1}, '{example.tokens.words[position]}', has "
                f"{'no tag' if label is None else 'a set of tags'}; tables are counted from "
                "sentences whose every token has one tag: complete or leave out this one"
            )
    return labels  # type: ignore[return-value]
