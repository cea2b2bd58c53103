r"""Wapiti's regular expressions: what of a value matches.

A small language: ``.`` is any character, ``\d \a \w \l \u \p \s`` are digits, letters, either,
lower case, upper case, punctuation and white space, the same in upper case all others, and any
other character after a backslash is itself. After one of these ``*`` repeats it, as seldom as
will do, and ``?`` lets it be absent. ``^`` at the beginning and ``$`` at the end are those of the
value. A match is sought from left to right.

Reference: T. Lavergne, O. Cappé and F. Yvon (2010), "Practical very large scale CRFs"; Wapiti's
manual, "Patterns".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple
from urllib.parse import quote, unquote

from weft.errors import OptionError
from weft.errors import quote as shown

LONGEST = 200
"""A longer expression is refused."""

_CLASSES: dict[str, Callable[[str], bool]] = {
    "d": str.isdigit,
    "a": str.isalpha,
    "w": str.isalnum,
    "l": str.islower,
    "u": str.isupper,
    "s": str.isspace,
    "p": lambda character: unicodedata.category(character)[0] in "PS",
}


class _Piece(NamedTuple):
    """A kind of character, and how often: exactly once, any number of times, or at most once."""

    accepts: Callable[[str], bool]
    times: str


class _Expression(NamedTuple):
    pieces: tuple[_Piece, ...]
    from_start: bool
    to_end: bool


def encode_expression(text: str) -> str:
    """Return an expression as a name of letters, digits and ``%``, for templates."""
    return quote(text, safe="")


def decode_expression(name: str) -> str:
    """Return the expression of a name.

    >>> decode_expression(encode_expression("^[A|B],$"))
    '^[A|B],$'
    """
    return unquote(name)


@cache
def _compiled(text: str) -> _Expression:
    if len(text) > LONGEST:
        raise OptionError(f"a regular expression of over {LONGEST} characters: make it shorter")
    from_start, inner = text.startswith("^"), text.removeprefix("^")
    pieces, place, to_end = [], 0, False
    while place < len(inner):
        if inner[place:] == "$":
            to_end = True
            break
        width = 2 if inner[place] == "\\" and place + 1 < len(inner) else 1
        accepts = _kind(inner[place : place + width], text)
        place += width
        times = inner[place : place + 1] if inner[place : place + 1] in ("*", "?") else ""
        place += len(times)
        pieces.append(_Piece(accepts, times))
    return _Expression(tuple(pieces), from_start, to_end)


def _kind(text: str, whole: str) -> Callable[[str], bool]:
    if text in ("*", "?"):
        raise OptionError(f"the regular expression {shown(whole)} has nothing to repeat by {text}")
    if text == ".":
        return lambda character: True  # noqa: ARG005
    if text[0] == "\\" and text[1:].lower() in _CLASSES:
        inside, negated = _CLASSES[text[1].lower()], text[1].isupper()
        return lambda character: inside(character) is not negated
    wanted = text[-1]
    return lambda character: character == wanted


def find_match(expression: str, value: str) -> str | None:
    r"""Return the first part of a value that matches an expression; None where none does.

    >>> find_match(r".?.?$", "running"), find_match(r"^\u", "Weft"), find_match(r"\d", "weft")
    ('ng', 'W', None)

    Raises:
        OptionError: If it is no expression.
    """
    pieces, from_start, to_end = _compiled(expression)
    # For each place, where what is left of the expression ends if it begins there.
    ends = [None if to_end else at for at in range(len(value))] + [len(value)]
    for accepts, times in reversed(pieces):
        ends = _ends_before(ends, [accepts(character) for character in value], times)
    for start in range(1 if from_start else len(value) + 1):
        if (end := ends[start]) is not None:
            return value[start:end]
    return None


def _ends_before(after: list[int | None], able: list[bool], times: str) -> list[int | None]:
    """The same with a piece before the rest, whose ends are ``after``."""
    found = [None if times == "" else after[-1]]
    for at in range(len(able) - 1, -1, -1):
        if times == "*":  # as seldom as will do
            taken = found[-1] if able[at] else None
            found.append(taken if after[at] is None else after[at])
        else:
            taken = after[at + 1] if able[at] else None
            found.append(after[at] if taken is None and times == "?" else taken)
    return found[::-1]


def check_expression(expression: str) -> None:
    """Refuse what is no expression.

    Raises:
        OptionError: Saying why.
    """
    _compiled(expression)
