"""How far a model's words are from those of labelled data, tag by tag.

    KL(t) = Σ_w p̂(w | t) log (p̂(w | t) / p(w | t))

with p̂ the relative frequencies of labelled data and p the model's own. It is infinite where the
model excludes a word that the data have with the tag.

Reference: Smith and Eisner (2005), "Contrastive Estimation", section 5.2, where it shows that a
model may have better distributions of words and yet be the worse tagger.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from weft.arrays import FloatArray
from weft.structures.evidence import Example


@dataclass(frozen=True, slots=True)
class LexicalDivergence:
    """The divergence of p(word | tag) from the empirical distribution, in nats.

    Attributes:
        by_tag: For each tag of the data, the most frequent first; inf where the model excludes
            one of its words.
        tokens: How many tokens have the tag.
    """

    by_tag: Mapping[str, float]
    tokens: Mapping[str, int]

    @property
    def mean(self) -> float | None:
        """The mean over tokens; None where there are none."""
        total = sum(self.tokens.values())
        weighted = (self.tokens[tag] * value for tag, value in self.by_tag.items())
        return math.fsum(weighted) / total if total else None


def lexical_divergence(
    corpus: Iterable[Example], words: Sequence[str], tags: Sequence[str], probs: FloatArray
) -> LexicalDivergence:
    """Compare a model's p(word | tag) with the relative frequencies of a labelled corpus.

    Args:
        corpus: Labelled examples; tokens whose label is not one tag are left out.
        words: The words that the model knows; others have probability 0.
        tags: Its tags; others exclude every word.
        probs: [words, tags], p(word | tag).

    >>> import numpy as np
    >>> from weft.structures.evidence import example
    >>> corpus = [example(["a", "b"], ["X", "X"])]
    >>> divergence = lexical_divergence(corpus, ["a", "b"], ["X"], np.array([[0.25], [0.75]]))
    >>> round(divergence.by_tag["X"], 4)  # ½ log ½ / ¼ + ½ log ½ / ¾
    0.1438
    """
    counts = Counter(
        (label, word)
        for example in corpus
        for word, label in zip(example.tokens.words, example.analysis or (), strict=False)
        if isinstance(label, str)
    )
    rows = {word: place for place, word in enumerate(words)}
    columns = {tag: place for place, tag in enumerate(tags)}
    tokens: Counter[str] = Counter()
    for (tag, _), count in counts.items():
        tokens[tag] += count
    terms: dict[str, list[float]] = {tag: [] for tag, _ in sorted_by_count(tokens)}
    for (tag, word), count in counts.items():
        known = word in rows and tag in columns
        model = float(probs[rows[word], columns[tag]]) if known else 0.0
        share = count / tokens[tag]
        terms[tag].append(share * (math.log(share) - math.log(model)) if model else math.inf)
    by_tag = {tag: max(0.0, math.fsum(several)) for tag, several in terms.items()}
    return LexicalDivergence(by_tag, {tag: tokens[tag] for tag in by_tag})


def sorted_by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return what is counted, the most frequent first, then in alphabetical order.

    >>> sorted_by_count({"a": 1, "c": 2, "b": 2})
    [('b', 2), ('c', 2), ('a', 1)]
    """
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
