"""Words of a text: by default at white space and punctuation, or as a network splits it.

A network gives a lattice, in which two paths never have the same words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from weft.errors import LimitError
from weft.lfg.networks import BOUNDARY, LONGEST, MOST_STEPS, Network

_SIGNS = r"[^\w\s+%$#&@§°€£]"
_PIECE = re.compile(rf"{_SIGNS}|[^\s]*[\w+%$#&@§°€£]")
_Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Word:
    """A word between two states; `variants` are other ways to write it, `glued` without space."""

    start: int
    end: int
    text: str
    variants: tuple[str, ...] = ()
    glued: bool = False


def split_text(text: str) -> tuple[list[Word], int]:
    """Split at white space, and signs off the beginning and end of words; return the last state.

    >>> [word.text for word in split_text("(Mr. Low's 3.5 %)")[0]]
    ['(', 'Mr', '.', "Low's", '3.5', '%', ')']
    """
    pieces: list[tuple[str, bool]] = []
    after = -1
    for found in _PIECE.finditer(text):
        pieces.append((found.group(), found.start() == after))
        after = found.end()
    return as_words([piece for piece, _ in pieces], [glued for _, glued in pieces])


def as_words(texts: Sequence[str], glued: Sequence[bool] = ()) -> tuple[list[Word], int]:
    """Return given words; the first one with letters may be written small."""
    words: list[Word] = []
    first = True
    for number, text in enumerate(texts):
        lower = text[:1].lower() + text[1:]
        variants = (lower,) if first and lower != text else ()
        first = first and not text[:1].isalpha()
        words.append(Word(number, number + 1, text, variants, bool(glued) and glued[number]))
    return words, len(texts)


def split_by(network: Network, text: str) -> tuple[list[Word], int]:
    """Split as a network says; without words, and with 0 states, where it accepts nothing.

    Raises:
        LimitError: If there is no end of ways.
    """
    budget = [MOST_STEPS]
    start = frozenset([(0, 0)])
    steps: dict[frozenset[_Place], dict[str, frozenset[_Place]]] = {}
    waiting = [start]
    while waiting:
        places = waiting.pop()
        if places not in steps:
            steps[places] = _next_words(network, text, places, budget)
            waiting.extend(steps[places].values())
    return _minimal(steps, start)


_END: frozenset[_Place] = frozenset([(-1, -1)])


def _next_words(
    network: Network, text: str, places: frozenset[_Place], budget: list[int]
) -> dict[str, frozenset[_Place]]:
    """Every word that may come, with the places after it; the end is a place of its own."""
    found: defaultdict[str, set[_Place]] = defaultdict(set)
    waiting = [(state, place, "") for state, place in places if state >= 0]
    seen = set(waiting)
    while waiting:
        state, place, word = waiting.pop()
        if place == len(text) and state in network.finals:
            found[word].update(_END)
        for symbol, target, after in network.steps(state, text, place):
            budget[0] -= 1
            if budget[0] < 0 or len(word) > LONGEST:
                message = f"splitting takes more than {MOST_STEPS:,} steps or {LONGEST} symbols"
                raise LimitError(f"{message} for a word")
            if symbol == BOUNDARY and word:
                found[word].add((target, after))
                continue
            item = (target, after, word if symbol == BOUNDARY else word + symbol)
            if item not in seen:
                seen.add(item)
                waiting.append(item)
    return {word: frozenset(after) for word, after in found.items()}


def _minimal(
    steps: dict[frozenset[_Place], dict[str, frozenset[_Place]]], start: frozenset[_Place]
) -> tuple[list[Word], int]:
    """Number the states so that words lead on, states with the same words after them as one."""
    order = _ordered(steps, start)
    classes: dict[frozenset[_Place], int] = {}
    rows: dict[tuple[bool, frozenset[tuple[str, int]]], int] = {}
    for places in order:  # what comes after a state before it
        row = frozenset(
            (word, classes[after])
            for word, after in steps[places].items()
            if word and classes[after] >= 0
        )
        final = places >= _END or bool(steps[places].get("", frozenset()) & _END)
        dead = not final and not row
        classes[places] = -1 if dead else rows.setdefault((final, row), len(rows))
    if classes[start] < 0:
        return [], 0
    return _numbered(rows, classes[start])


def _ordered(
    steps: dict[frozenset[_Place], dict[str, frozenset[_Place]]], start: frozenset[_Place]
) -> list[frozenset[_Place]]:
    done: dict[frozenset[_Place], bool] = {}
    order: list[frozenset[_Place]] = []
    stack = [(start, False)]
    while stack:
        places, left = stack.pop()
        if left:
            done[places] = True
            order.append(places)
        elif places not in done:
            done[places] = False
            stack.append((places, True))
            for word, after in steps[places].items():
                if word and done.get(after) is False:
                    raise LimitError("the network that splits text may write words without end")
                if word:
                    stack.append((after, False))
    return order


def _numbered(
    rows: dict[tuple[bool, frozenset[tuple[str, int]]], int], start: int
) -> tuple[list[Word], int]:
    """States in the order of the text; the last one has a word to it from every final state."""
    by_class = {number: (final, row) for (final, row), number in rows.items()}
    reached: set[int] = set()
    waiting = [start]
    while waiting:
        number = waiting.pop()
        if number not in reached:
            reached.add(number)
            waiting.extend(after for _, after in by_class[number][1])
    # A class has a greater number than those after it.
    kept = sorted(reached, reverse=True)
    pure = [number for number in kept if not by_class[number][1]]
    order = [number for number in kept if number not in pure]
    states = {number: place for place, number in enumerate(order)}
    last = len(order)
    words: list[Word] = []
    for number in order:
        for word, after in sorted(by_class[number][1]):
            if after in states:
                words.append(Word(states[number], states[after], word))
            if after in pure or by_class[after][0]:
                words.append(Word(states[number], last, word))
    return words, last
