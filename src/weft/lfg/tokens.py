"""What a grammar's lexicon says of a sentence: a lattice of words and morphemes with entries.

Text is split at white space, punctuation is split off the beginning and end of words, and the first
word's capital may be lowered. Headwords of several words go over all of them; so does a headword
with punctuation, such as ``Mr.``, over its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.lfg.language import Entry, Lfg
from weft.lfg.lexicon import TOKEN, UNKNOWN
from weft.lfg.stems import with_stem

_PIECE = re.compile(r"[^\w\s+%$#&@§°€£]|(?:[^\W_]|[+%$#&@§°€£_])(?:\S*(?:\w|[+%$#&@§°€£]))?")


@dataclass(frozen=True, slots=True)
class TokenArc:
    """A word, several words or a morpheme, with its entries; without any, it is not known."""

    start: int
    end: int
    text: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class TokenLattice:
    """Words and morphemes between states.

    Attributes:
        words: The words of the text, as it was split.
        arcs: Every arc leads to a state with a greater number; 0 is the first state.
        last: The last state.
    """

    words: tuple[str, ...]
    arcs: tuple[TokenArc, ...]
    last: int

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that no arc with entries goes over."""
        known = [arc for arc in self.arcs if arc.entries]
        return tuple(
            arc.text
            for arc in self.arcs
            if not arc.entries
            and not any(each.start <= arc.start and arc.end <= each.end for each in known)
        )


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str
    glued: bool = False


def analyse(grammar: Lfg, text: str | Sequence[str]) -> TokenLattice:
    """Look up a sentence.

    Args:
        grammar: The grammar.
        text: The sentence, or its words where they are split already.

    >>> import io
    >>> from weft.lfg import read_lfg
    >>> text = '''D E CONFIG (1.0) ROOTCAT S. LEXENTRIES (D E).
    ... ----
    ... D E LEXICON (1.0)
    ... new` york N *.  the D *.  `. STOP *.
    ... ----'''
    >>> found = analyse(read_lfg(io.BytesIO(text.encode())), "The new york.")
    >>> [(arc.start, arc.end, arc.text) for arc in found.arcs if arc.entries]
    [(0, 1, 'the'), (1, 3, 'new york'), (3, 4, '.')]
    """
    words = _split(text)
    arcs: list[TokenArc] = []
    for number, word in enumerate(words):
        variants = [word.text, *_lowered(words, number)]
        known = {each: _entries(grammar, each) for each in variants}
        if not any(known.values()):
            known = {word.text: _special(grammar, UNKNOWN, word.text)}
        for each, entries in known.items():
            special = _special(grammar, TOKEN, each) if each == word.text else ()
            if entries or special or each == word.text:
                arcs.append(TokenArc(word.start, word.end, each, (*entries, *special)))
    arcs.extend(_several(grammar, words))
    arcs.sort(key=lambda arc: (arc.start, arc.end))
    return TokenLattice(tuple(word.text for word in words), tuple(arcs), len(words))


def _split(text: str | Sequence[str]) -> list[_Word]:
    if not isinstance(text, str):
        return [_Word(number, number + 1, word) for number, word in enumerate(text)]
    words: list[_Word] = []
    after = -1
    for found in _PIECE.finditer(text):
        words.append(_Word(len(words), len(words) + 1, found.group(), found.start() == after))
        after = found.end()
    return words


def _lowered(words: Sequence[_Word], number: int) -> tuple[str, ...]:
    """The first word with letters as it may be written inside of a sentence."""
    text = words[number].text
    first = not any(word.text[:1].isalpha() for word in words[:number])
    lower = text[:1].lower() + text[1:]
    return (lower,) if first and lower != text else ()


def _entries(grammar: Lfg, text: str) -> tuple[Entry, ...]:
    return tuple(entry for entry in grammar.entries.get(text, ()) if entry.surface)


def _special(grammar: Lfg, kind: str, text: str) -> tuple[Entry, ...]:
    found = (entry for entry in grammar.unknown if entry.word == kind and entry.surface)
    return tuple(with_stem(entry, text) for entry in found)


def _several(grammar: Lfg, words: Sequence[_Word]) -> Iterator[TokenArc]:
    """Headwords that go over several words."""
    longest = max((word.count(" ") + 3 for word in grammar.entries), default=0)
    for start in range(len(words)):
        for begin in (words[start].text, *_lowered(words, start)):
            text = begin
            for word in words[start + 1 : start + longest + 4]:
                text += word.text if word.glued else f" {word.text}"
                entries = _entries(grammar, text)
                if entries:
                    yield TokenArc(start, word.end, text, entries)
