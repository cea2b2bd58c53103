"""The words of a sentence with what the lexicon has for them.

Words, multiwords and the analyses of a morphology make a lattice: its states are numbered from 0,
every token leads to a higher state, and a sentence is a path from state 0 to the last one.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.lfg.language import Entry


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a stem or tag that a morphology gives, between two states.

    Attributes:
        start: The state that it leaves.
        end: The state that it leads to.
        text: What a tree shows.
        entries: What the lexicon has for it, with the stem put in for %stem.
    """

    start: int
    end: int
    text: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class TokenLattice:
    """The tokens of a sentence.

    Attributes:
        tokens: The tokens, in any order.
        end: The last state.
        unknown: Words of the text that the lexicon has nothing for.
    """

    tokens: tuple[Token, ...]
    end: int
    unknown: tuple[str, ...] = ()


def line_up(words: tuple[tuple[str, tuple[Entry, ...]], ...]) -> TokenLattice:
    """Make the lattice of words that follow one another, each with its entries.

    >>> line_up((("Kim", (Entry("Kim", "N"),)), ("sleeps", ()))).unknown
    ('sleeps',)
    """
    tokens = tuple(Token(at, at + 1, text, found) for at, (text, found) in enumerate(words))
    return TokenLattice(tokens, len(tokens), tuple(text for text, found in words if not found))
