"""Errors that name the place, what was expected and what to do.

Every error is a :class:`WeftError` and also the builtin exception a caller would guess.
"""

from __future__ import annotations


class WeftError(Exception):
    """The base of every error that Weft raises on purpose."""


class FormatError(WeftError, ValueError):
    """A file, or a line of it, is not what it should be.

    Args:
        message: What was found, what was expected and what to do.
        path: The file's name, or ``<stdin>``.
        line: The line's number, from 1.
        column: The character's number in the line, from 1.
        text: The line itself; with ``column``, shown with a caret under the character.
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
        self.message = message
        self.path = path
        self.line = line
        self.column = column
        self.text = text
        place = ":".join(str(part) for part in (path, line, column) if part is not None)
        lines = [f"{place}: {message}" if place else message]
        if text is not None:
            lines.append(f"    {text}")
            if column is not None:
                # Tabs are kept so that the caret stands under the character in any terminal.
                indent = "".join("\t" if char == "\t" else " " for char in text[: column - 1])
                lines.append(f"    {indent}^")
        super().__init__("\n".join(lines))


class OptionError(WeftError, ValueError):
    """An option has a name or value that does not exist; the message lists those that do."""


class NotDefined(OptionError):  # noqa: N818
    """What was asked for does not exist for this model; the message is the mathematical reason."""


class EvidenceError(WeftError, ValueError):
    """No derivation agrees with the evidence; the message says where."""


class DivergenceError(WeftError, ArithmeticError):
    """A sum over derivations is infinite; the message names the cycle."""


class NotNestedError(WeftError, ValueError):
    """A criterion compares two sets of derivations of which one does not contain the other."""


class LimitError(WeftError, ValueError):
    """A result would be larger than its limit, or infinite; the message says which limit."""
