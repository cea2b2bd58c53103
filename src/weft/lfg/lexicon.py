"""Lexical entries in XLE's notation, and how lexicons of different priority come together.

    walk  V * @(INTRANS walk); N * @(PRED walk).
    cow   N XLE @(PRED cow); ETC.
    cow   +V XLE @(TRANS cow); -N; ONLY.

The morphcode ``*`` is for words of the text, ``XLE`` for what the morphology gives. In a lexicon of
higher priority, ``+`` before a category adds to what is there, ``!`` replaces, ``-`` removes and
``=`` keeps it; an entry without such signs replaces the whole entry. ``ETC`` takes the other
categories from -unknown, ``ONLY``, the default, does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from weft.errors import FormatError, quote
from weft.lfg.cursor import Context, Cursor
from weft.lfg.designators import read_category
from weft.lfg.equations import read_description
from weft.lfg.language import Entry, Place
from weft.lfg.logic import NEVER
from weft.lfg.scan import Text, Token, scan_entry, unescaped
from weft.lfg.sections import Section
from weft.lfg.stems import STEM

UNKNOWN, TOKEN = "-unknown", "-token"
_LAST = re.compile(r"\.(?=[ \t]*(?:\n|\Z))")
_HEADWORD = re.compile(r"(?:`.|[^\s`])+", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class SubEntry:
    """A category of a lexical entry, as it is written."""

    operator: str
    category: str
    code: str
    notes: tuple[Token, ...]
    token: Token


@dataclass(frozen=True, slots=True, eq=False)
class RawEntry:
    """A lexical entry, as it is written; `is_open` if it says ETC, but not for `removed`."""

    word: str
    parts: tuple[SubEntry, ...]
    is_open: bool
    source: Text
    offset: int
    removed: frozenset[str] = frozenset()

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.source.place(self.offset)

    @property
    def has_operators(self) -> bool:
        """Whether it changes an entry and does not replace it."""
        return any(part.operator for part in self.parts)


def scan_lexicon(section: Section, context: Context) -> Iterator[RawEntry]:
    """Yield the entries of a section."""
    source, offset = section.source, section.start
    while True:
        while offset < section.end and source.bare[offset].isspace():
            offset += 1
        if offset >= section.end:
            return
        found = _HEADWORD.match(source.bare, offset, section.end)
        if found is None:
            raise source.error("expected a headword", offset)
        word = unescaped(found.group())
        try:
            tokens, after = scan_entry(source, found.end(), section.end)
            yield _entry(word, tokens, source, offset, context)
        except FormatError as error:
            left_out(word, error, context)
            after = _resumed(section, found.end(), error)
        offset = after


def left_out(word: str, error: FormatError, context: Context) -> None:
    """Warn of an entry that cannot be read: others may be right, and XLE goes on, too."""
    place = Place(error.path or "", error.line or 0, error.column or 0)
    context.warnings[f"{not_read(word)}: {error.message}", place] = None


def not_read(word: str) -> str:
    """Return how the warning of an entry that cannot be read begins."""
    return f"the entry {quote(word)} is left out"


def _resumed(section: Section, start: int, error: FormatError) -> int:
    """Where the next entry may begin: after a period at the end of a line, behind the error."""
    source = section.source
    if error.path == source.path and error.line:
        start = max(start, source.starts[error.line - 1] + (error.column or 1) - 1)
    found = _LAST.search(source.bare, start, section.end)
    return section.end if found is None else found.end()


def _entry(word: str, tokens: list[Token], source: Text, offset: int, context: Context) -> RawEntry:
    if not tokens:
        raise source.error("the headword has no category", offset)
    cursor = Cursor(context, tokens, tokens[0])
    parts: list[SubEntry] = []
    is_open = False
    while cursor.peek() is not None:
        token = cursor.peek()
        last = cursor.peek(1) is None
        if last and token is not None and token.text in ("ETC", "ONLY") and token.is_symbol:
            is_open = token.text == "ETC"
            cursor.next("ETC")
        else:
            parts.append(_part(cursor))
        if cursor.peek() is not None:
            cursor.expect(";")
    return RawEntry(word, tuple(parts), is_open, source, offset)


def _part(cursor: Cursor) -> SubEntry:
    first = cursor.next("a category")
    operator = first.text if not first.is_symbol and first.text in "!=+-" else ""
    if not operator:
        cursor.place -= 1
    category = read_category(cursor)
    if not operator and first.raw[0] in "+-" and len(first.raw) > 1:
        operator, category = category[0], category[1:]
    if operator in ("-", "=") and (cursor.peek() is None or cursor.at(";")):
        return SubEntry(operator, category, "", (), first)
    code = cursor.next("a morphcode, * or XLE")
    start = cursor.place
    depth = 0
    while cursor.peek() is not None and not (cursor.at(";") and depth == 0):
        depth += cursor.at("(", "[", "{") - cursor.at(")", "]", "}")
        cursor.next("a statement")
    notes = tuple(cursor.tokens[start : cursor.place])
    return SubEntry(operator, category, code.text, notes, first)


def merged(lower: RawEntry, higher: RawEntry) -> RawEntry:
    """Return what an entry of higher priority makes of one of lower priority."""
    if not higher.has_operators:
        return higher
    parts = list(lower.parts)
    for part in higher.parts:
        if part.operator in ("-", "!"):
            parts = [each for each in parts if each.category != part.category]
        if part.operator in ("", "+", "!"):
            parts.append(replace(part, operator=""))
    if not higher.is_open:
        named = {part.category for part in higher.parts}
        parts = [part for part in parts if part.category in named]
    removed = frozenset(part.category for part in higher.parts if part.operator == "-")
    return replace(higher, parts=tuple(parts), removed=removed)


def make_entry(raw: RawEntry, part: SubEntry, context: Context) -> Entry | None:
    """Read what a sub-entry says; None if it can never hold."""
    context.constants.clear()
    if raw.word not in (UNKNOWN, TOKEN):
        context.constants[STEM] = raw.word
    cursor = Cursor(context, part.notes, part.token)
    try:
        notes = read_description(cursor)
        cursor.end()
    except FormatError as error:
        left_out(raw.word, error, context)
        return None
    if notes == NEVER:
        return None
    surface = part.code == "*"
    category = part.category if surface else f"{part.category}_BASE"
    return Entry(raw.word, category, notes, surface, part.token.place)
