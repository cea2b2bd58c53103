"""Chains over lattices: sets of sentences, each with every tag sequence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import BoolArray, IndexArray, IntArray, offsets_of
from weft.automata.windows import split_windows, windows
from weft.derivations.chain.lattice_layout import Strings, compile_lattices
from weft.derivations.chain.lattices import LatticeTrellis
from weft.derivations.chain.tagsets import TagSetReader
from weft.derivations.threads import thread_count
from weft.errors import NotDefined
from weft.features.templates import window_of
from weft.structures.evidence import Analysis, Evidence, Sentence
from weft.structures.lattice import Lattice
from weft.structures.occurrences import Occurrences, of_tokens

if TYPE_CHECKING:
    from weft.models.chain.model import ChainModel

Window = tuple[str | int, ...]
"""The words around an arc and its own; outside the string, distances from it, negated."""


def lattice_trellis(
    model: ChainModel, evidences: Sequence[Evidence], threads: int | None = None
) -> LatticeTrellis:
    """Return the tag sequences of all strings of each lattice, and of sentences beside them.

    Where attributes look at neighbouring words, states are split until each arc's window is unique.

    Raises:
        NotDefined: If attributes are given by the user, or look at other columns than the words:
            neighbours have neither.
    """
    check_words(model)
    rows = _Rows(*window_of(model.index.templates))
    reader = model.reader()
    allowed = _Allowed(reader)
    several = [_strings(evidence, rows, allowed) for evidence in evidences]
    compiled = compile_lattices(model.topology, several, reader.table(model.topology.width))
    scoring = model.scoring_of(rows.occurrences(model))
    return LatticeTrellis(model.topology, scoring, compiled, thread_count(threads))


def _strings(evidence: Evidence, rows: _Rows, allowed: _Allowed) -> Strings:
    """Return the strings of one example, with a row of scores and a tag set per arc."""
    tokens = evidence.tokens
    if isinstance(tokens, Sentence):
        words = tokens.words
        sets = allowed.of(words, evidence.analysis)
        return Strings(*_path(len(words)), rows.of_sentence(words), sets)
    if not isinstance(tokens, Lattice):
        raise ValueError("lattices hold sentences, and this is neither")
    split = rows.split(tokens)
    sets = allowed.of(split.symbols)[split.arc_symbols]
    return Strings(split.arc_offsets, split.targets, split.final, rows.of(split), sets)


def _path(length: int) -> tuple[IntArray, IndexArray, BoolArray]:
    """Offsets, targets and finality of a lattice that holds one sentence."""
    states = np.arange(length + 1)
    return np.append(states, length), states[1:].astype(np.int32), states == length


def check_words(model: ChainModel) -> None:
    """Refuse attributes of anything but words: neighbours have nothing else."""
    index = model.index
    if index.given and model.signatures is None:
        raise NotDefined(
            "attributes given by the user belong to the tokens of one sentence, and have no "
            "meaning where the words vary: use templates"
        )
    for each in index.templates:
        if any(atom.column for atom in each.atoms):
            raise NotDefined(
                f"template {each} looks at another column than the words, which neighbouring "
                "sentences do not have: use templates of words"
            )


class _Numbers(dict[Window, int]):
    """Numbers in the order in which they are asked for."""

    def __missing__(self, window: Window) -> int:
        self[window] = number = len(self)
        return number


class _Allowed(dict[str, int]):
    """The numbers of words' tag sets where nothing is said of their tags, each looked up once."""

    def __init__(self, reader: TagSetReader) -> None:
        super().__init__()
        self.reader = reader

    def __missing__(self, word: str) -> int:
        [self[word]] = self.reader.read((word,), None)
        return self[word]

    def of(self, words: Sequence[str], analysis: Analysis | None = None) -> IndexArray:
        """[words]: the number of each word's set."""
        if analysis is not None:
            return np.array(self.reader.read(words, analysis), np.int32)
        return np.array(list(map(self.__getitem__, words)), np.int32)


class _Rows:
    """Numbers the windows of arcs: a row of scores for each.

    Args:
        low: The offset of the first word that attributes look at.
        high: And of the last.
    """

    def __init__(self, low: int, high: int) -> None:
        self._before = max(-low, 0)
        self._after = max(high, 0)
        self._found = _Numbers()

    def split(self, strings: Lattice) -> Lattice:
        """Return a lattice of the same strings in which each arc has one window."""
        if self._before == self._after == 0:
            return strings
        return split_windows(strings, self._before, self._after)

    def of(self, strings: Lattice) -> IndexArray:
        """[arcs]: the row of each arc's window, which is numbered if it is new."""
        symbols = strings.symbols
        if self._before == self._after == 0:
            return self._numbers(zip(symbols))[strings.arc_symbols]
        return self._numbers(
            tuple(symbols[number] if number >= 0 else number for number in row)
            for row in windows(strings, self._before, self._after).tolist()
        )

    def of_sentence(self, words: Sequence[str]) -> IndexArray:
        """[words]: the row of each word's window in a sentence."""
        if self._before == self._after == 0:
            return self._numbers(zip(words))
        return self.of(Lattice.from_sentence(words))

    def _numbers(self, shown: Iterable[Window]) -> IndexArray:
        return np.array(list(map(self._found.__getitem__, shown)), np.int32)

    def occurrences(self, model: ChainModel) -> Occurrences:
        """Return the attributes of the word in the middle of each window."""
        sentences, places = [], []
        for window in self._found:
            words = tuple(each for each in window if isinstance(each, str))
            sentences.append(Sentence((words,)))
            places.append(sum(isinstance(each, str) for each in window[: self._before]))
        starts = offsets_of(map(len, sentences))[:-1]
        return of_tokens(model.attributes(sentences), starts + np.array(places, np.int64))


def check_sentence(model: ChainModel) -> None:
    """Refuse a first pass where sentences are not observed: it looks at all of their words."""
    if model.first is not None:
        raise NotDefined(WHOLE_SENTENCE)


WHOLE_SENTENCE = (
    "with allowed=first-pass the tags of a token depend on its whole sentence, so that there is no "
    "sum over sentences; and no table, grammar or automaton says the same: use a criterion that "
    "compares 'complete' with 'input', or allowed=dictionary"
)
"""Why a first pass has no sums over sentences."""


def check_local(model: ChainModel) -> None:
    """Refuse features that look beyond one word: where words vary they are not defined."""
    check_sentence(model)
    wide = [str(each) for each in model.index.templates if each.window != (0, 0)]
    beside = [str(e) for e in model.index.templates if any(atom.column for atom in e.atoms)]
    reasons = {
        f"template {wide[0] if wide else ''} looks at other words": bool(wide),
        f"template {beside[0] if beside else ''} looks at another column": bool(beside),
        "attributes given by the user belong to observed tokens": bool(model.index.given)
        and model.signatures is None,
    }
    for reason, holds in reasons.items():
        if holds:
            raise NotDefined(
                f"joint and marginal estimation sum over all sentences, but {reason}: use "
                "templates at offset 0, such as word[0] and suffix3[0]"
            )
