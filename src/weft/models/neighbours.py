"""Chains over lattices: sets of sentences, each with every tag sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import IndexArray, offsets_of
from weft.automata.windows import split_windows, windows
from weft.derivations.lattice_layout import compile_lattices
from weft.derivations.lattices import LatticeTrellis
from weft.derivations.threads import thread_count
from weft.errors import OptionError
from weft.features.templates import window_of
from weft.structures.evidence import Evidence, Sentence
from weft.structures.lattice import Lattice
from weft.structures.occurrences import Occurrences, of_tokens

if TYPE_CHECKING:
    from weft.models.chain_model import ChainModel

Window = tuple[str | int, ...]
"""The words around an arc and its own; outside the string, distances from it, negated."""


def lattice_trellis(
    model: ChainModel, evidences: Sequence[Evidence], threads: int | None = None
) -> LatticeTrellis:
    """Return the tag sequences of all strings of each lattice, and of sentences beside them.

    Where attributes look at neighbouring words, states are split until each arc's window is unique.

    Raises:
        OptionError: If attributes are given by the user, or look at other columns than the words:
            neighbours have neither.
    """
    _check_words(model)
    low, high = window_of(model.index.templates)
    before, after = max(-low, 0), max(high, 0)
    reader = model.reader()
    rows = _Rows(before, after)
    lattices, words, allowed = [], [], []
    for evidence in evidences:
        if isinstance(evidence.tokens, Sentence):
            strings = Lattice.from_sentence(evidence.tokens.words)
            numbers = np.array(reader.read(evidence.tokens.words, evidence.analysis), np.int32)
        elif isinstance(evidence.tokens, Lattice):
            strings = evidence.tokens
            if before or after:
                strings = split_windows(strings, before, after)
            of_symbol = np.array(reader.read(strings.symbols, None), np.int32)
            numbers = of_symbol[strings.arc_symbols]
        else:
            raise ValueError("lattices hold sentences, and this is neither")
        lattices.append(strings)
        words.append(rows.of(strings))
        allowed.append(numbers)
    sets = reader.table(model.topology.width)
    compiled = compile_lattices(model.topology, lattices, words, sets, allowed)
    scoring = model.scoring_of(rows.occurrences(model))
    return LatticeTrellis(model.topology, scoring, compiled, thread_count(threads))


def _check_words(model: ChainModel) -> None:
    """Refuse attributes of anything but words: neighbours have nothing else."""
    index = model.index
    if index.given and model.signatures is None:
        raise OptionError(
            "attributes given by the user belong to the tokens of one sentence, and have no "
            "meaning where the words vary: use templates"
        )
    for each in index.templates:
        if any(atom.column for atom in each.atoms):
            raise OptionError(
                f"template {each} looks at another column than the words, which neighbouring "
                "sentences do not have: use templates of words"
            )


class _Rows:
    """Numbers the windows of arcs: a row of scores for each."""

    def __init__(self, before: int, after: int) -> None:
        self._before = before
        self._after = after
        self._found: dict[Window, int] = {}

    def of(self, strings: Lattice) -> IndexArray:
        """[arcs]: the row of each arc's window, which is numbered if it is new."""
        found, symbols = self._found, strings.symbols
        if self._before == self._after == 0:
            numbers = [found.setdefault((word,), len(found)) for word in symbols]
            return np.array(numbers, np.int32)[strings.arc_symbols]
        shown = [
            tuple(symbols[number] if number >= 0 else number for number in row)
            for row in windows(strings, self._before, self._after).tolist()
        ]
        return np.array([found.setdefault(window, len(found)) for window in shown], np.int32)

    def occurrences(self, model: ChainModel) -> Occurrences:
        """Return the attributes of the word in the middle of each window."""
        sentences, places = [], []
        for window in self._found:
            words = tuple(each for each in window if isinstance(each, str))
            sentences.append(Sentence((words,)))
            places.append(sum(isinstance(each, str) for each in window[: self._before]))
        starts = offsets_of(map(len, sentences))[:-1]
        return of_tokens(model.attributes(sentences), starts + np.array(places, np.int64))
