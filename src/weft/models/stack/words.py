"""The labels that terminals may come on the stack as: of words, their tags.

A joint parser shifts a tag and makes its word, P(w | t); one that looks ahead is given the words,
and then the tag that is next is one of the word's own, P(t | w). Words that are rare or unknown are
their classes, and a tag that had such a word may have any class of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from weft.models.lexicon import Lexicon
from weft.structures.moves import END, Move, Shift

UNKNOWN = 0.1
"""How often, beside the times that it was seen, a tag is said to have a class of unknown words."""

Choices = tuple[tuple[int, float], ...]
"""The labels that a terminal may come on the stack as, with what is added to the score of that."""


def tag_choices(terminals: Iterable[str], numbers: Mapping[str, int]) -> dict[str, Choices]:
    """Return the choices of terminals that are labels themselves."""
    return {each: ((numbers[each], 0.0),) for each in terminals if each != END}


def word_choices(
    parses: Sequence[Sequence[Move]],
    weights: Sequence[float],
    lexicon: Lexicon,
    numbers: Mapping[str, int],
    *,
    joint: bool,
) -> dict[str, Choices]:
    """Return the choices of words and of their classes.

    Args:
        parses: The moves of trees over words.
        weights: How often each counts.
        lexicon: What stands for rare words.
        numbers: The number of each label.
        joint: Whether words are given tags, or tags words.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for moves, weight in zip(parses, weights, strict=True):
        for move in moves:
            if isinstance(move, Shift) and move.word is not None:
                counts[lexicon.terminal(move.word), move.label] += weight  # type: ignore[assignment]
    classes = sorted({terminal for terminal, _ in counts if terminal not in lexicon.known})
    opened = sorted({tag for terminal, tag in counts if terminal not in lexicon.known})
    for terminal in classes:
        for tag in opened:
            counts[terminal, tag] += UNKNOWN  # type: ignore[assignment]
    totals: Counter[str] = Counter()
    for (terminal, tag), count in counts.items():
        totals[tag if joint else terminal] += count
    found: dict[str, list[tuple[int, float]]] = {}
    for (terminal, tag), count in sorted(counts.items()):
        share = float(np.log(count / totals[tag if joint else terminal]))
        found.setdefault(terminal, []).append((numbers[tag], share))
    return {terminal: tuple(some) for terminal, some in found.items()}
