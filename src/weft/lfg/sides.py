"""Right sides of rules in XLE's notation: regular expressions over annotated categories.

=======================  ===========================================================================
``NP: (^ SUBJ)=!;``      a category with its annotation; ``;`` may be left out before a bracket
``(A)``, ``{A|B}``, ``[A B]``  what may be left out, a choice, a group
``A*``, ``A+``, ``A#1#2``  repetition
``A, B``, ``A/B``        in any order; with any number of others between
``e: (^ X)=y;``          an annotated empty string
``M``, ``@M``, ``@(M a b)``  a macro; its annotation goes to each category in it
``VP[fin]``              a category with parameters
=======================  ===========================================================================
"""

from __future__ import annotations

from dataclasses import replace

from weft.lfg.cursor import Cursor
from weft.lfg.designators import all_repeats, read_category
from weft.lfg.equations import read_description
from weft.lfg.language import (
    Category,
    Choice,
    Description,
    Ignore,
    Nothing,
    Repeat,
    RightSide,
    Sequence,
    Shuffle,
)
from weft.lfg.logic import NEVER, conjoin

IMPOSSIBLE = Choice(())
"""What no words are: a choice of nothing."""

EMPTY = Sequence(())
_CLOSING = (")", "]", "}", "|")


def read_side(cursor: Cursor) -> RightSide:
    """Read a right side up to a closing bracket, a bar or the end."""
    with cursor.deeper():
        parts = [_sequence(cursor)]
        while cursor.take(","):
            parts.append(_sequence(cursor))
    if any(part == IMPOSSIBLE for part in parts):
        return IMPOSSIBLE
    return parts[0] if len(parts) == 1 else Shuffle(tuple(parts))


def _sequence(cursor: Cursor) -> RightSide:
    parts: list[RightSide] = []
    while cursor.peek() is not None and not cursor.at(*_CLOSING, ","):
        part = _item(cursor)
        if cursor.take("/"):
            part = Ignore(part, _item(cursor))
        parts.append(part)
        cursor.take(";")
    if any(part == IMPOSSIBLE for part in parts):
        return IMPOSSIBLE
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))


def _item(cursor: Cursor) -> RightSide:
    part = _part(cursor)
    for least, most in all_repeats(cursor):
        part = _repeated(part, least, most)
    if cursor.take(":"):
        part = annotated(part, read_description(cursor))
        cursor.take(";")
    return part


def _repeated(part: RightSide, least: int, most: int | None) -> RightSide:
    if part == IMPOSSIBLE:
        return EMPTY if least == 0 else IMPOSSIBLE
    if (least, most) == (0, 1):
        return Choice((part, EMPTY))
    return part if (least, most) == (1, 1) else Repeat(part, least, most)


def _part(cursor: Cursor) -> RightSide:
    token = cursor.next("a category")
    if not token.is_symbol:
        if token.text == "(":
            return choose([_closed(cursor, ")"), EMPTY])
        if token.text == "[":
            return _closed(cursor, "]")
        if token.text == "{":
            options = [read_side(cursor)]
            while cursor.take("|"):
                options.append(read_side(cursor))
            cursor.expect("}")
            return choose(options)
        if token.text == "@":
            cursor.place -= 1
            return _called(cursor)
        raise cursor.error(f"expected a category; '{token.text}' is not read in rules", token)
    cursor.place -= 1
    name = read_category(cursor)
    if name == cursor.context.epsilon:
        return Nothing((), token.place)
    if name in cursor.context.macros:
        return _body(cursor.inside(cursor.context.macros[name], token, []))
    return Category(name, (), token.place)


def _closed(cursor: Cursor, bracket: str) -> RightSide:
    found = read_side(cursor)
    cursor.expect(bracket)
    return found


def _called(cursor: Cursor) -> RightSide:
    name, arguments = cursor.call()
    macro = cursor.context.macros.get(name.text)
    if macro is None:
        cursor.context.undefined_macros[name.text, name.place] = None
        cursor.context.warn(f"there is no macro {name.text}: nothing is such a part", name)
        return IMPOSSIBLE
    return _body(cursor.inside(macro, name, arguments))


def _body(cursor: Cursor) -> RightSide:
    found = read_side(cursor)
    cursor.end()
    return found


def choose(options: list[RightSide]) -> RightSide:
    """Return one of some parts, without those that are impossible."""
    possible = [option for option in options if option != IMPOSSIBLE]
    return possible[0] if len(possible) == 1 else Choice(tuple(possible))


def annotated(part: RightSide, notes: Description) -> RightSide:
    """Add an annotation to every category and empty string of a right side."""
    if not notes:
        return part
    if isinstance(part, Category | Nothing):
        both = conjoin(part.notes + notes)
        return IMPOSSIBLE if both == NEVER else replace(part, notes=both)
    if isinstance(part, Choice):
        return choose([annotated(option, notes) for option in part.options])
    if isinstance(part, Repeat):
        return _repeated(annotated(part.part, notes), part.least, part.most)
    if isinstance(part, Ignore):
        return Ignore(annotated(part.part, notes), annotated(part.ignored, notes))
    parts = tuple(annotated(each, notes) for each in part.parts)
    return IMPOSSIBLE if IMPOSSIBLE in parts else replace(part, parts=parts)
