"""Right sides of rules: ``NP -> {(Det) N (PP) / PR}``, multiplied out."""

from __future__ import annotations

from dataclasses import dataclass

from weft.unification.patr.bodies import MOST_ALTERNATIVES, BodyReader
from weft.unification.patr.tokens import QUOTED, TEXT, Token


@dataclass(frozen=True, slots=True)
class Symbol:
    """A category of a rule, or a word.

    Attributes:
        token: Where it stands.
        is_word: Whether it is a word.
    """

    token: Token
    is_word: bool

    @property
    def name(self) -> str:
        """What equations call it."""
        return self.token.text

    @property
    def category(self) -> str | None:
        """Its category: its name without a number; None for ``X``, which may be any.

        >>> token = Token(TEXT, "NP_1", None, 1, 1)
        >>> Symbol(token, is_word=False).category
        'NP'
        """
        stem, _, number = self.name.rpartition("_")
        name = stem if stem and number.isascii() and number.isdigit() else self.name
        return None if name[:1] == "X" and (name == "X" or _is_number(name[1:])) else name


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


Sides = list[tuple[Symbol, ...]]


def right_sides(reader: BodyReader) -> Sides:
    """Read all that stands after an arrow; return the right sides that it allows."""
    found = _sequence(reader)
    while reader.next.kind == "/":
        reader.take()
        found += _sequence(reader)
    return list(dict.fromkeys(found))


def _sequence(reader: BodyReader) -> Sides:
    found: Sides = [()]
    while True:
        token = reader.next
        if token.kind == QUOTED or (token.kind == TEXT and not token.keyword):
            more: Sides = [(Symbol(reader.take(), token.kind == QUOTED),)]
        elif token.kind == "(":
            more = [(), *_group(reader, ")")]
        elif token.kind == "{" and not _begins_equations(reader):
            more = _group(reader, "}")
        else:
            return found
        if len(found) * len(more) > MOST_ALTERNATIVES:
            raise token.error(f"there are more than {MOST_ALTERNATIVES:,} alternatives")
        found = [one + other for one in found for other in more]


def _group(reader: BodyReader, closing: str) -> Sides:
    reader.deeper(reader.take())
    found = right_sides(reader)
    reader.expect(closing, f"a category, '/' or '{closing}'")
    reader.depth -= 1
    return found


def _begins_equations(reader: BodyReader) -> bool:
    """Whether braces hold equations, not categories."""
    place = reader.place
    while place < len(reader.tokens) and reader.tokens[place].kind == "{":
        place += 1
    return place < len(reader.tokens) and reader.tokens[place].kind in ("<", "[")
