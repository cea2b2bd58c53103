"""How probable each tag of each word of a sentence is, with the names."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from weft.arrays import FloatArray
from weft.frames import Tabular
from weft.ranking import by_value
from weft.reprs import Brief, Pictured


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TagPosteriors(Brief, Tabular, Pictured):
    """How probable each tag of each word of a sentence is.

    Attributes:
        words: The words.
        tags: All tags of the model.
        probs: [words, tags].
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    probs: FloatArray

    def columns(self) -> dict[str, list[Any]]:
        """Return a column of words, and one per tag with its probabilities."""
        # A tag may be 'word', too.
        names = [f"{tag} " if tag == "word" else tag for tag in self.tags]
        pairs = zip(names, self.probs.T.tolist(), strict=True)
        return {"word": list(self.words), **dict(pairs)}

    def ranked(self, count: int) -> list[list[tuple[str, float]]]:
        """Return, for each word, its likeliest tags with their probabilities, the likeliest first.

        >>> import numpy as np
        >>> found = TagPosteriors(("saw",), ("NN", "VB"), np.array([[0.25, 0.75]]))
        >>> found.ranked(1)
        [[('VB', 0.75)]]
        """
        return [
            by_value(zip(self.tags, row, strict=True), itemgetter(1), itemgetter(0))[:count]
            for row in self.probs.tolist()
        ]
