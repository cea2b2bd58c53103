"""How often the predicted tags are right, over all tokens and over those that are hard.

A token is *known* if the training data contain its word, and *ambiguous* if they give its word
more than one tag; where a dictionary says which tags words may have, it is the dictionary that
must give it several. Gold labels may be partial: a token without a label is not scored, and a set
of tags is met by any of its members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from weft.frames import Tabular
from weft.reprs import Brief
from weft.structures.evidence import Label


@dataclass(frozen=True, slots=True, repr=False)
class TaggingScores(Brief, Tabular):
    """Accuracies and the numbers of tokens they are taken over; None where there are none.

    Attributes:
        tokens: The tokens that have a gold label.
        accuracy: The share of them tagged right.
        sentences: The sentences with at least one such token.
        sentence_accuracy: The share of them without a mistake.
        known_tokens: The tokens whose word is in the lexicon.
        known_accuracy: The share of them tagged right.
        unknown_tokens: The other tokens.
        unknown_accuracy: The share of them tagged right.
        ambiguous_tokens: The tokens to whose word the lexicon, or the dictionary where there is
            one, gives more than one tag.
        ambiguous_accuracy: The share of them tagged right.
        confusions: The mistakes ((gold, predicted), count) on tokens whose gold label is one
            tag, most frequent first, then in alphabetical order.
    """

    tokens: int
    accuracy: float | None
    sentences: int
    sentence_accuracy: float | None
    known_tokens: int
    known_accuracy: float | None
    unknown_tokens: int
    unknown_accuracy: float | None
    ambiguous_tokens: int
    ambiguous_accuracy: float | None
    confusions: tuple[tuple[tuple[str, str], int], ...]

    def columns(self) -> dict[str, list[Any]]:
        """Return the mistakes: the gold tag, the predicted one, and how often."""
        pairs = [pair for pair, _ in self.confusions]
        return {
            "gold": [gold for gold, _ in pairs],
            "predicted": [predicted for _, predicted in pairs],
            "count": [count for _, count in self.confusions],
        }


def tagging_scores(
    gold: Sequence[Sequence[Label]],
    predicted: Sequence[Sequence[str]],
    words: Sequence[Sequence[str]],
    lexicon: Mapping[str, Collection[str]],
    ambiguous: Collection[str] | None = None,
) -> TaggingScores:
    """Compare the tags of several sentences.

    Args:
        gold: A label per token per sentence.
        predicted: A tag per token of the same sentences.
        words: Their words.
        lexicon: For each word of the training data the tags seen with it.
        ambiguous: The words that are ambiguous, where it is not the lexicon that says so.

    Returns:
        The scores.

    Raises:
        ValueError: The three have different lengths.

    >>> scores = tagging_scores(
    ...     [["DT", "NN", None]],
    ...     [["DT", "VB", "."]],
    ...     [["the", "walk", "."]],
    ...     {"the": {"DT"}, "walk": {"NN", "VB"}},
    ... )
    >>> scores.accuracy, scores.ambiguous_tokens, scores.unknown_accuracy
    (0.5, 1, None)
    >>> scores.confusions
    ((('NN', 'VB'), 1),)
    """
    tokens: Counter[tuple[bool, bool, bool]] = Counter()
    sentences: Counter[bool] = Counter()
    confusions: Counter[tuple[str, str]] = Counter()
    for labels, guesses, forms in _aligned(gold, predicted, words):
        marks = [is_right(label, guess) for label, guess in zip(labels, guesses, strict=True)]
        for label, guess, word, right in zip(labels, guesses, forms, marks, strict=True):
            if right is not None:
                tokens[*_familiarity(word, lexicon, ambiguous), right] += 1
            if right is False and isinstance(label, str):
                confusions[label, guess] += 1
        if any(right is not None for right in marks):
            sentences[False not in marks] += 1
    return _scores(tokens, sentences, confusions)


def _aligned(
    gold: Sequence[Sequence[Label]],
    predicted: Sequence[Sequence[str]],
    words: Sequence[Sequence[str]],
) -> Iterator[tuple[Sequence[Label], Sequence[str], Sequence[str]]]:
    sizes = (len(gold), len(predicted), len(words))
    if len(set(sizes)) > 1:
        raise ValueError("{} gold, {} predicted sentences and {} of words".format(*sizes))
    for number, row in enumerate(zip(gold, predicted, words, strict=True), 1):
        lengths = tuple(map(len, row))
        if len(set(lengths)) > 1:
            raise ValueError(
                "sentence {} has {} gold labels, {} predicted tags and {} words".format(
                    number, *lengths
                )
            )
        yield row


def is_right(label: Label, guess: str) -> bool | None:
    """Say whether a tag is right; None where there is no label to tell.

    >>> is_right("NN", "VB"), is_right(frozenset({"NN", "VB"}), "VB"), is_right(None, "VB")
    (False, True, None)
    """
    if label is None:
        return None
    return guess == label if isinstance(label, str) else guess in label


def _familiarity(
    word: str, lexicon: Mapping[str, Collection[str]], ambiguous: Collection[str] | None
) -> tuple[bool, bool]:
    """Whether a word is known, and whether it is ambiguous."""
    several = len(lexicon.get(word, ())) > 1 if ambiguous is None else word in ambiguous
    return word in lexicon, several


def _scores(
    tokens: Counter[tuple[bool, bool, bool]],
    sentences: Counter[bool],
    confusions: Counter[tuple[str, str]],
) -> TaggingScores:
    def share(known: Sequence[bool], ambiguous: Sequence[bool]) -> tuple[int, float | None]:
        kinds = list(product(known, ambiguous))
        return _share(*(sum(tokens[*kind, right] for kind in kinds) for right in (True, False)))

    either = (True, False)
    known_tokens, known_accuracy = share([True], either)
    unknown_tokens, unknown_accuracy = share([False], either)
    ambiguous_tokens, ambiguous_accuracy = share(either, [True])
    all_tokens, accuracy = share(either, either)
    all_sentences, sentence_accuracy = _share(sentences[True], sentences[False])
    return TaggingScores(
        tokens=all_tokens,
        accuracy=accuracy,
        sentences=all_sentences,
        sentence_accuracy=sentence_accuracy,
        known_tokens=known_tokens,
        known_accuracy=known_accuracy,
        unknown_tokens=unknown_tokens,
        unknown_accuracy=unknown_accuracy,
        ambiguous_tokens=ambiguous_tokens,
        ambiguous_accuracy=ambiguous_accuracy,
        confusions=tuple(sorted(confusions.items(), key=lambda item: (-item[1], item[0]))),
    )


def _share(right: int, wrong: int) -> tuple[int, float | None]:
    total = right + wrong
    return total, right / total if total else None
