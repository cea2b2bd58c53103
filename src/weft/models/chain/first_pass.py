"""A cheap model that says which tags tokens may have; see :mod:`weft.models.chain.allowed`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chain.layout import split
from weft.ranking import reaching
from weft.structures.evidence import Evidence, Sentence

if TYPE_CHECKING:
    from weft.models.chain.model import ChainModel

Words = tuple[str, ...]
TokenTags = tuple[frozenset[str], ...]
"""The tags that each token of a sentence may have."""

_CELLS = 2**21  # of tokens with tags at a time


def words_of(sentence: Sentence) -> Sentence:
    """Return the words alone, which are all that an HMM looks at."""
    return Sentence((sentence.words,), source=sentence.source)


class AllowedLoss(NamedTuple):
    """What is lost by allowing few tags, on a corpus.

    Attributes:
        tokens: The tokens whose tag is known.
        missed: Those of them whose tag is not allowed.
        allowed: How many tags are allowed per token.
        tags: How many there are.
        outside: What the first pass has outside the allowed taggings, at most: the mean of all
            sentences. None where a dictionary allows tags.
    """

    tokens: int
    missed: int
    allowed: float
    tags: int
    outside: float | None

    def __str__(self) -> str:
        share = 100.0 * self.missed / self.tokens if self.tokens else 0.0
        lost = (
            f"{self.allowed:.1f} of {self.tags:,} tags per token; the right one was left out at "
            f"{self.missed:,} of {self.tokens:,} tokens ({share:.2f} %)"
        )
        if self.outside is None:
            return lost
        return f"{lost}; of a sentence's mass in the first pass at most {self.outside:.3g} is lost"


@dataclass(frozen=True, eq=False)
class FirstPass:
    """A counted HMM that leaves tags out.

    Attributes:
        model: The HMM.
        weights: Its weights [θ].
        least: Tags whose posterior is below this are left out, but for the likeliest.
        kept: What is allowed in the sentences of estimation, observed tags included.
        learnt: What is lost there before these are included; None where nothing was estimated.
    """

    model: ChainModel
    weights: FloatArray
    least: float
    kept: Mapping[Words, TokenTags] = field(default_factory=dict)
    learnt: AllowedLoss | None = None

    def allowed(
        self, sentences: Sequence[Sentence], threads: int | None = None
    ) -> dict[Sentence, TokenTags]:
        """Return the tags that the tokens of sentences may have."""
        found = {each: self.kept[each.words] for each in sentences if each.words in self.kept}
        others = [each for each in sentences if each not in found]
        return found | {each: tags for each, tags, _ in self.posteriors(others, threads)}

    def posteriors(
        self, sentences: Sequence[Sentence], threads: int | None = None
    ) -> Iterator[tuple[Sentence, TokenTags, float]]:
        """Yield the tags that the HMM allows, and the sum of the posteriors that it leaves out.

        Where it gives a sentence no probability, it leaves out nothing.
        """
        tags, every = np.array(self.model.tags, object), frozenset(self.model.tags)
        shared: dict[bytes, frozenset[str]] = {}
        lengths = np.array([len(each) for each in sentences], np.int64)
        for first, last in pairwise(split(lengths, max(1, _CELLS // len(tags)))):
            some = sentences[first:last]
            trellis = self.model.trellis([Evidence(words_of(each)) for each in some], threads)
            for each, value, probs in zip(some, *trellis.marginals(self.weights), strict=True):
                if np.isneginf(value):
                    yield each, (every,) * len(each), 0.0
                    continue
                kept = reaching(probs, self.least)
                for row in kept:
                    if (key := row.tobytes()) not in shared:
                        shared[key] = frozenset(tags[row].tolist())
                yield each, tuple(shared[row.tobytes()] for row in kept), float(probs[~kept].sum())
