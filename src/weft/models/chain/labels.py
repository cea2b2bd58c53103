"""What a corpus says of its tokens' tags, section by section where it is a stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import IndexArray, IntArray, distinct, offsets_of
from weft.derivations.chain.tagsets import TagSetReader, TagSets
from weft.derivations.chain.topology import pad
from weft.structures.evidence import Example
from weft.structures.stream import Corpus, Stream, sections_of

if TYPE_CHECKING:
    from weft.models.chain.spec import Chain


@dataclass(frozen=True, slots=True)
class SectionLabels:
    """A tag set per token, sentence after sentence.

    Attributes:
        examples: The sentences.
        tags: How many tags there are.
        lengths: [sentences].
        numbers: [tokens], of sets.
        sets: All sets.
    """

    examples: Sequence[Example]
    tags: int
    lengths: IntArray
    numbers: IntArray
    sets: TagSets

    @property
    def sizes(self) -> IntArray:
        """[tokens]: how many tags each may have."""
        return np.diff(self.sets.offsets)[self.numbers]

    @property
    def certain(self) -> bool:
        """Whether every token has exactly one tag."""
        return bool((self.sizes == 1).all())

    def padded(self, before: int, after: int) -> list[IndexArray]:
        """The tags of sentences that are fully labelled, each between boundaries."""
        tags = self.sets.tags[self.sets.offsets[self.numbers]]
        return [
            np.pad(each, (before, after), constant_values=self.tags)
            for each in np.split(tags, offsets_of(self.lengths)[1:-1])
        ]

    def windows(self, size: int, boundaries: bool) -> IndexArray:
        """[n, size]: the distinct tag n-grams of sentences that are fully labelled, ascending."""
        before, after = (size - 1, 1) if boundaries else (0, 0)
        # One row of all sentences between their boundaries: those windows count that begin and
        # end in the same sentence.
        ends = np.cumsum(self.lengths + before + after)
        row = np.full(ends[-1] if len(ends) else 0, self.tags, np.int32)
        tags = self.sets.tags[self.sets.offsets[self.numbers]]
        earlier = np.arange(len(self.lengths)) * (before + after) + before
        row[np.arange(len(tags)) + np.repeat(earlier, self.lengths)] = tags
        if len(row) < size:
            return np.empty((0, size), np.int32)
        sentences = np.repeat(np.arange(len(ends)), self.lengths + before + after)
        inside = sentences[: len(row) - size + 1] == sentences[size - 1 :]
        return _distinct(
            [np.lib.stride_tricks.sliding_window_view(row, size)[inside]], self.tags + 1
        )


class Labels:
    """The labels of a corpus.

    Args:
        chain: What the model looks at.
        tags: Its tags.
        corpus: The examples.
    """

    def __init__(self, chain: Chain, tags: Sequence[str], corpus: Corpus) -> None:
        numbering = {tag: n for n, tag in enumerate(tags)}
        self.tags = len(tags)
        self._chain = chain
        self._reader = TagSetReader(numbering, chain.dictionary, open_tags=chain.open_tags)
        self._corpus = corpus
        self._kept = None if isinstance(corpus, Stream) else [self._read(corpus)]

    def sections(self) -> Iterator[SectionLabels]:
        """Yield the labels of sentences that are in memory at a time."""
        if self._kept is not None:
            return iter(self._kept)
        return map(self._read, sections_of(self._corpus))

    def _read(self, section: Sequence[Example]) -> SectionLabels:
        numbers = [self._reader.read(e.tokens.words, e.analysis) for e in section]
        flat = np.fromiter((number for several in numbers for number in several), np.int64)
        lengths = np.array([len(example.tokens) for example in section], np.int64)
        sets = self._reader.table(pad(self.tags + 1))
        return SectionLabels(section, self.tags, lengths, flat, sets)

    @property
    def certain(self) -> bool:
        """Whether every token of the corpus has exactly one tag."""
        return self._windows is not None

    def windows(self, size: int) -> IndexArray:
        """[n, size]: the distinct tag n-grams of a corpus that is fully labelled, ascending."""
        assert self._windows is not None  # noqa: S101
        return self._windows[size]

    @cached_property
    def _windows(self) -> dict[int, IndexArray] | None:
        """The n-grams of each size; None where some token's tag is not known."""
        sizes = range(2, self._chain.order + 2)
        found: dict[int, list[IndexArray]] = {size: [] for size in sizes}
        for section in self.sections():
            if not section.certain:
                return None
            for size, several in found.items():
                windows = section.windows(size, self._chain.boundaries)
                several[:] = [_distinct([*several, windows], self.tags + 1)]
        return {size: several[0] for size, several in found.items()}


def _distinct(several: Sequence[IndexArray], below: int) -> IndexArray:
    """[n, size]: the distinct rows of numbers below some number, ascending."""
    rows = np.concatenate(several)
    shape = (below,) * rows.shape[1]
    found = np.unravel_index(distinct(np.ravel_multi_index(tuple(rows.T), shape)), shape)
    return np.stack(found, axis=1).astype(np.int32)
