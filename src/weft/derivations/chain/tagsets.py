"""The sets of tags that tokens may have, each distinct set stored once.

A token's set is what the model's dictionary allows its word (to words outside it, the open tags),
cut down by what the evidence says of its tag. Set 0 holds every tag and set 1 + t the tag t alone.
Where a chain has more states than tags, sets are of states, and a tag is the set of the states that
show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, flatten
from weft.structures.evidence import Analysis, Label

EVERY = 0


@dataclass(frozen=True, slots=True)
class TagSets:
    """Distinct sets of tags as the kernels take them.

    Attributes:
        offsets: [sets + 1].
        tags: [sum of sizes], ascending within a set.
        bias: [sets, width]: what a tag adds to a score, 0 or a cost; -inf outside the set.
    """

    offsets: IntArray
    tags: IndexArray
    bias: FloatArray

    def __getitem__(self, number: int) -> list[int]:
        """The tags of a set."""
        return [int(tag) for tag in self.tags[self.offsets[number] : self.offsets[number + 1]]]


def single_tags(tags: int, width: int) -> TagSets:
    """Return the sets that hold one tag each, set t the tag t.

    >>> single_tags(3, 8)[2]
    [2]
    """
    bias = np.where(np.eye(tags, width, dtype=np.bool_), 0.0, -np.inf)
    return TagSets(np.arange(tags + 1), np.arange(tags, dtype=np.int32), bias)


def join_tagsets(first: TagSets, second: TagSets) -> TagSets:
    """Return the sets of both; those of the second have numbers after those of the first.

    >>> len(join_tagsets(single_tags(3, 8), single_tags(2, 8)).bias)
    5
    """
    return TagSets(
        np.append(first.offsets, first.offsets[-1] + second.offsets[1:]),
        np.append(first.tags, second.tags),
        np.concatenate([first.bias, second.bias]),
    )


class TagSetReader:
    """Numbers the tag sets that evidence asks for.

    Args:
        tags: The model's tags, numbered from 0.
        dictionary: The tags of the words that may not have every one.
        shown: The tag that each state shows, where there are more states than tags.
        open_tags: The tags of words that are not in the dictionary; None for every one.
    """

    def __init__(
        self,
        tags: Mapping[str, int],
        dictionary: Mapping[str, frozenset[str]] | None,
        shown: Sequence[int] | None = None,
        open_tags: frozenset[str] | None = None,
    ) -> None:
        states: list[set[int]] = [set() for _ in tags]
        for state, tag in enumerate(range(len(tags)) if shown is None else shown):
            states[tag].add(state)
        self._states = {name: frozenset(states[tag]) for name, tag in tags.items()}
        everything = frozenset[int]().union(*states)
        self._numbers = {everything: EVERY}
        self._sets: list[frozenset[int]] = [everything]
        for tag, showing in zip(tags.values(), self._states.values(), strict=True):
            self._numbers.setdefault(showing, 1 + tag)
            self._sets.append(showing)
        self._single = {name: 1 + tag for name, tag in tags.items()}
        self._of_word = {word: self._known(allowed) for word, allowed in (dictionary or {}).items()}
        self._open = everything if open_tags is None else self._known(open_tags)
        self._free = not self._of_word and self._open == everything
        self._named: dict[frozenset[str], frozenset[int]] = {}

    def _known(self, names: Iterable[str]) -> frozenset[int]:
        return frozenset[int]().union(*(self._states.get(name, ()) for name in names))

    def _number(self, tags: frozenset[int]) -> int:
        if tags not in self._numbers:
            self._numbers[tags] = len(self._sets)
            self._sets.append(tags)
        return self._numbers[tags]

    def _within(self, names: frozenset[str]) -> frozenset[int]:
        if names not in self._named:
            self._named[names] = self._known(names)
        return self._named[names]

    def _label(self, allowed: frozenset[int], label: Label) -> int:
        if isinstance(label, str):
            label = frozenset({label})
        return self._number(allowed if label is None else allowed & self._known(label))

    def read(
        self,
        words: Sequence[str],
        analysis: Analysis | None,
        within: Sequence[frozenset[str]] | None = None,
    ) -> Sequence[int]:
        """Return the number of each token's set; the empty set has a number too.

        Args:
            words: The words.
            analysis: What is known of their tags, if anything.
            within: The tags that each token may have, whatever the dictionary says of its word.
        """
        if within is None and self._free:
            if analysis is None:
                return (EVERY,) * len(words)
            try:
                return [self._single[label] for label in analysis]  # type: ignore[index]
            except KeyError:  # some label is partial or unknown to the model
                pass
        if within is None:
            allowed = [self._of_word.get(word, self._open) for word in words]
        else:
            allowed = [self._within(names) for names in within]
        labels = (None,) * len(words) if analysis is None else analysis
        return [self._label(*pair) for pair in zip(allowed, labels, strict=True)]

    def table(self, width: int) -> TagSets:
        """Return all sets that were asked for."""
        offsets, tags = flatten([sorted(tags) for tags in self._sets])
        bias = np.full((len(self._sets), width), -np.inf)
        bias[np.repeat(np.arange(len(self._sets)), np.diff(offsets)), tags] = 0.0
        return TagSets(offsets, np.array(tags, np.int32), bias)
