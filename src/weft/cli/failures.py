"""What is said of an error: a line for people, or an object for programs."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterable
from typing import Any

from weft.errors import FormatError, WeftError

_PLACE = re.compile(r"(?P<file>[^\s:][^:\n]*):(?P<line>[0-9]+)(:(?P<column>[0-9]+))?: ")


def message(error: BaseException) -> str:
    """Return what is said of an error."""
    if isinstance(error, OSError) and error.errno == errno.EBADF and error.filename is None:
        return "the standard output is closed"
    if isinstance(error, OSError) and not isinstance(error, WeftError) and error.strerror:
        named = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return f"{named}{error.strerror.lower()}"
    if isinstance(error, MemoryError) and not isinstance(error, WeftError):
        return "there is not enough memory; give smaller files"
    return str(error)


def wants_json(arguments: Iterable[str]) -> bool:
    """Whether a program is to read what is printed: ``--json`` is there, before any ``--``.

    >>> wants_json(["evaluate", "m.weft", "--json"]), wants_json(["predict", "--", "--json"])
    (True, False)
    """
    for each in arguments:
        if each == "--":
            return False
        if each == "--json":
            return True
    return False


def error_line(kind: str, text: str, code: int, error: BaseException | None = None) -> str:
    r"""Return an error as a line of JSON.

    >>> print(error_line("FormatError", "a.tagged:2:1: there is no tag; add one", 1))
    {"error": "FormatError", "message": "a.tagged:2:1: there is no tag; add one",
     "file": "a.tagged", "line": 2, "column": 1, "hint": "add one", "code": 1}

    Args:
        kind: Its class.
        text: What people are told.
        code: The exit code.
        error: The error, which may know its place; else the text tells it.
    """
    found = {"error": kind, "message": text, **_place(text, error)}
    hint = _hint(text.partition("\n")[0])
    return json.dumps({**found, "hint": hint, "code": code}, ensure_ascii=False)


_ADVICE = re.compile("(add|ask|check|choose|copy|give|leave|make|name|run|split|train|use|write) ")
"""What advice begins with that comes after a colon."""


def _hint(line: str) -> str | None:
    """What to do: after the last semicolon, or after a colon, where that is advice.

    >>> _hint("x: there is no tag; add one"), _hint("x: no model: give one"), _hint("x: not so")
    ('add one', 'give one', None)
    """
    before, _, last = line.rpartition("; ")
    if before:
        return last
    _, _, last = line.rpartition(": ")
    return last if last != line and _ADVICE.match(last) else None


def _place(text: str, error: BaseException | None) -> dict[str, Any]:
    if isinstance(error, FormatError):
        return {"file": error.path, "line": error.line, "column": error.column}
    if isinstance(error, OSError) and error.filename is not None:
        return {"file": os.fsdecode(error.filename), "line": None, "column": None}
    match = _PLACE.match(text)
    if match is None:
        return {"file": None, "line": None, "column": None}
    column = match["column"]
    place = {"file": match["file"], "line": int(match["line"])}
    return {**place, "column": None if column is None else int(column)}
