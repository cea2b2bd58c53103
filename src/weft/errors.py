"""Errors that name the place, what was expected and what to do.

Every error is a :class:`WeftError` and also the builtin exception a caller would guess. Whatever
a file or an option holds, a message stays short: values that are echoed go through
:func:`quote` or :func:`abbreviate`, and no message is longer than ``LONGEST_MESSAGE``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from weft import DISTRIBUTION

LONGEST_VALUE = 80
"""Of a longer value, a message shows the beginning."""

LONGEST_TEXT = 300
"""Of a longer line, a message shows what is around the place."""

LONGEST_MESSAGE = 4000
"""Of a longer message, the beginning and the end are left: what was found, and what to do."""

_CUT = "…"


def not_installed(purpose: str, library: str, extra: str) -> str:
    """Return the message for a missing optional library: how to install it with Weft.

    >>> not_installed("a picture", "matplotlib", "plot")
    "a picture needs matplotlib, which is not installed; run: pip install 'weft-nlp[plot]'"
    """
    wanted = f"pip install '{DISTRIBUTION}[{extra}]'"
    return f"{purpose} needs {library}, which is not installed; run: {wanted}"


def abbreviate(text: str, longest: int = LONGEST_VALUE) -> str:
    """Return a text as messages show it: as it is, or the beginning of a long one.

    >>> abbreviate("time"), abbreviate("flies" * 1000, 10)
    ('time', 'fliesflie…')
    """
    return text if len(text) <= longest else text[: longest - len(_CUT)] + _CUT


def quote(value: object) -> str:
    """Return a value as Python writes it, or the beginning of a long one.

    >>> quote("time"), quote(7), quote("flies" * 1000)[-10:]
    ("'time'", '7', "liesflie…'")
    """
    # A long text is cut before it is quoted, so that its quotes are closed.
    return repr(abbreviate(value)) if isinstance(value, str) else abbreviate(repr(value))


def no_such(kind: str, name: object, known: Iterable[str], listed: str | None = None) -> str:
    """Say that nothing has a name, which name was perhaps meant, and which there are.

    >>> no_such("recipe", "cfr", ["crf", "hmm"])
    "there is no recipe 'cfr': did you mean crf? There are crf, hmm"
    >>> no_such("recipe", "magic", ["crf", "hmm"])
    "there is no recipe 'magic'; there are crf, hmm"
    >>> no_such("template", "Sg", [])
    "there is no template 'Sg', and no other template"

    Args:
        kind: What has names.
        name: What was given.
        known: The names that there are.
        listed: What is said of them, where they are not simply listed.
    """
    known = list(known)
    listed = ", ".join(known) if listed is None else listed
    if not listed:
        return f"there is no {kind} {quote(name)}, and no other {kind}"
    meant = likely_meant(str(name), known)
    if meant is None:
        return f"there is no {kind} {quote(name)}; there are {listed}"
    return f"there is no {kind} {quote(name)}: did you mean {meant}? There are {listed}"


def likely_meant(name: str, known: Iterable[str]) -> str | None:
    """Return the name that is spelt most like one that does not exist; None if none is like it.

    >>> likely_meant("Ordr", ["order", "rare"]), likely_meant("colour", ["order", "rare"])
    ('order', None)
    """
    by_case = {each.lower(): each for each in known}
    close = difflib.get_close_matches(name.lower()[:LONGEST_VALUE], by_case, n=1)
    return by_case[close[0]] if close else None


def _bounded(message: str) -> str:
    if len(message) <= LONGEST_MESSAGE:
        return message
    half = (LONGEST_MESSAGE - len(_CUT) - 2) // 2
    return f"{message[:half]} {_CUT} {message[-half:]}"


class WeftError(Exception):
    """The base of every error that Weft raises on purpose.

    >>> len(str(WeftError("no " * 1_000_000))) <= LONGEST_MESSAGE
    True
    """

    def __init__(self, *parts: object) -> None:
        super().__init__(*(_bounded(part) if isinstance(part, str) else part for part in parts))


class FormatError(WeftError, ValueError):
    """A file, or a line of it, is not what it should be.

    Args:
        message: What was found, what was expected and what to do.
        path: The file's name, or ``<stdin>``.
        line: The line's number, from 1.
        column: The character's number in the line, from 1.
        text: The line itself; with ``column``, shown with a caret under the character. Of a long
            line, what is around the character is shown.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        text: str | None = None,
    ) -> None:
        self.message = _bounded(message)
        self.path = path
        self.line = line
        self.column = column
        self.text = text
        place = ":".join(str(part) for part in (path, line, column) if part is not None)
        lines = [f"{place}: {self.message}" if place else self.message]
        if text is not None:
            part, at = _around(text, column)
            lines.append(f"    {part}")
            if at is not None:
                # Tabs are kept so that the caret stands under the character in any terminal.
                indent = "".join("\t" if char == "\t" else " " for char in part[: at - 1])
                lines.append(f"    {indent}^")
        super().__init__("\n".join(lines))


def _around(text: str, column: int | None) -> tuple[str, int | None]:
    """The part of a line that is shown, and the column of the same character in it."""
    if len(text) <= LONGEST_TEXT:
        return text, column
    first = max(0, (column or 1) - 1 - LONGEST_TEXT // 2)
    part = text[first : first + LONGEST_TEXT]
    before = _CUT if first else ""
    after = _CUT if first + LONGEST_TEXT < len(text) else ""
    return f"{before}{part}{after}", None if column is None else column - first + len(before)


class MissingFileError(FormatError, FileNotFoundError):
    """There is no file of this name; the message names it and says what to do.

    >>> isinstance(MissingFileError("no such file", path="m.weft"), FileNotFoundError)
    True
    """

    __str__ = Exception.__str__  # an OSError's own looks for a number


class OptionError(WeftError, ValueError):
    """An option has a name or value that does not exist; the message lists those that do."""


class NotDefined(OptionError):  # noqa: N818
    """What was asked for does not exist for this model; the message is the mathematical reason."""


class EvidenceError(WeftError, ValueError):
    """No derivation agrees with the evidence; the message says where."""


class ExampleError(WeftError, TypeError):
    """Something else is given than an example; the message says how one is made of it."""


class UnansweredError(EvidenceError):
    """Some sentences of a file have no answer; those that have one came before this."""


class DivergenceError(WeftError, ArithmeticError):
    """A sum over derivations is infinite; the message names the cycle."""


class NotNestedError(WeftError, ValueError):
    """A criterion compares two sets of derivations of which one does not contain the other."""


class LimitError(WeftError, ValueError):
    """A result would be larger than its limit, or infinite; the message says which limit."""


class RoomError(WeftError, MemoryError):
    """There is not enough memory; the message says what would take less."""


class StuckError(WeftError, RuntimeError):
    """Training ended where it began, at no maximum; the message says what to try."""


class ClusterError(WeftError, ConnectionError):
    """A cluster cannot be reached or does not do what it should; the message says what to do."""
