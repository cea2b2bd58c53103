"""Chains over sets of sentences: lattices, and all sentences of a length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray
from weft.automata.windows import split_windows, windows
from weft.derivations.lattices import LatticeTrellis, compile_lattices
from weft.derivations.lengths import Lengths
from weft.derivations.threads import thread_count
from weft.errors import OptionError
from weft.features.templates import window_of
from weft.structures.evidence import Sentence
from weft.structures.lattice import Lattice
from weft.structures.occurrences import Occurrences, of_tokens
from weft.structures.sausage import Sausage

if TYPE_CHECKING:
    from weft.models.chain import ChainModel

Window = tuple[str | int, ...]
"""The words around an arc and its own; outside the string, distances from it, negated."""


def lattice_trellis(
    model: ChainModel, lattices: Sequence[Lattice], threads: int | None = None
) -> LatticeTrellis:
    """Return the tag sequences of all strings of each lattice.

    Where attributes look at neighbouring words, states are split until each arc's window is unique.

    Raises:
        OptionError: If attributes are given by the user, who cannot give them for all strings.
    """
    if model.index.given and model.signatures is None:
        raise OptionError(
            "attributes given by the user belong to the tokens of one sentence, and have no "
            "meaning where the words vary: use templates"
        )
    low, high = window_of(model.index.templates)
    before, after = max(-low, 0), max(high, 0)
    if before or after:
        lattices = [split_windows(each, before, after) for each in lattices]
    found: dict[Window, int] = {}
    words = [_rows(each, before, after, found) for each in lattices]
    occurrences, bias = _occurrences(model, list(found), before)
    compiled = compile_lattices(model.topology, lattices, words, bias)
    scoring = model.scoring_of(occurrences)
    return LatticeTrellis(model.topology, scoring, compiled, thread_count(threads))


def _rows(strings: Lattice, before: int, after: int, found: dict[Window, int]) -> IndexArray:
    """[arcs]: the row of each arc's window, which is numbered if it is new."""
    symbols = strings.symbols
    if before == after == 0:
        numbers = np.array([found.setdefault((word,), len(found)) for word in symbols], np.int32)
        return numbers[strings.arc_symbols]
    shown = [
        tuple(symbols[number] if number >= 0 else number for number in row)
        for row in windows(strings, before, after).tolist()
    ]
    return np.array([found.setdefault(window, len(found)) for window in shown], np.int32)


def _occurrences(
    model: ChainModel, found: Sequence[Window], before: int
) -> tuple[Occurrences, FloatArray]:
    """The attributes of the word in the middle of each window, and the tags that it may have."""
    sentences, places = [], []
    for window in found:
        words = tuple(each for each in window if isinstance(each, str))
        sentences.append(Sentence((words,)))
        places.append(sum(isinstance(each, str) for each in window[:before]))
    starts = np.cumsum([0, *map(len, sentences)])[:-1]
    tokens: IntArray = starts + np.array(places, np.int64)
    middle = [sentence.words[place] for sentence, place in zip(sentences, places, strict=True)]
    return of_tokens(model.attributes(sentences), tokens), model.bias_of(middle)


def lengths_of(model: ChainModel, sausages: Sequence[Sausage]) -> Lengths:
    """Return the tag sequences of all sentences of each length.

    Raises:
        OptionError: If they are not made of the words of the model's vocabulary, or a feature
            looks at more than one word.
    """
    for each in {sausage.symbols: sausage for sausage in sausages}.values():
        if set(each.symbols) != set(model.vocabulary):
            raise OptionError(
                "all sentences of a length are made of the words of the model's vocabulary, which "
                "those of the training and development corpora are; use these"
            )
    return Lengths(model.words, np.array([sausage.length for sausage in sausages], np.int64))
