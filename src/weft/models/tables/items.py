"""Items: what stands for the words of a sentence in tables.

A word of the training corpus is an item of its own; any other word is its signature class. The
boundary, which stands before and after the sentence, is one more item, the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from weft.arrays import IntArray
from weft.errors import OptionError
from weft.features.attributes import refuse_given
from weft.features.numbering import Numbering, number_names
from weft.features.signatures import Signatures
from weft.structures.evidence import START, Sentence


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The items of a corpus: its words, then the classes of other words, then the boundary.

    Attributes:
        words: The words.
        signatures: The classes.
    """

    words: tuple[str, ...]
    signatures: Signatures
    _numbers: Numbering = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = number_names(self.words)
        if len(numbers) != len(self.words):
            raise OptionError("the words of a model are distinct")
        object.__setattr__(self, "_numbers", numbers)

    def __len__(self) -> int:
        return self.boundary + 1

    @property
    def boundary(self) -> int:
        """The boundary's number."""
        return len(self.words) + len(self.signatures)

    def name_of(self, number: int) -> str:
        """Return a word, a class in brackets that words do not have, or the boundary."""
        if number < len(self.words):
            return self.words[number]
        classes = self.signatures.names
        return f"⟨{classes[number - len(self.words)]}⟩" if number < self.boundary else START

    def numbers_of(self, sentences: Sequence[Sentence]) -> IntArray:
        """Return the items of all tokens of some sentences, one sentence after the other.

        Raises:
            EvidenceError: If attributes are given.
        """
        refuse_given(sentences)
        words = list(chain.from_iterable(sentence.words for sentence in sentences))
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))
        unknown = np.flatnonzero(numbers < 0)
        strange = dict.fromkeys(words[place] for place in unknown.tolist())
        classes = {word: self.signatures.class_of(word) for word in strange}
        found = (classes[words[place]] for place in unknown.tolist())
        numbers[unknown] = len(self.words) + np.fromiter(found, np.int64, len(unknown))
        return numbers
