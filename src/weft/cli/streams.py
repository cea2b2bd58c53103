"""The standard streams, which may be closed from the start or go away while the program runs.

A terminal obeys some characters. What a file or a server says may have them, and so a terminal
shows them escaped, whoever prints: all text passes :class:`Terminal`. Consoles of
:mod:`weft.cli.output` draw around it, and escape what they draw.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any, TextIO

_CONTROLS = {
    code: f"\\u{code:04x}"
    for several in (range(0x20), range(0x7F, 0xA0), range(0x202A, 0x202F), range(0x2066, 0x206A))
    for code in several
    if chr(code) not in "\t\n"
}
"""C0 and C1 controls, delete, and what reorders text from right to left, with their escapes."""


def prepare() -> None:
    """Make the standard streams fit to be used, whatever the program was started with.

    A descriptor that is closed would be given to the next file that is opened: it is taken by
    the null device, the wrong way round, so that reading and writing fail as they would have.
    """
    _occupy(0, os.O_WRONLY)
    _occupy(1, os.O_RDONLY)
    _occupy(2, os.O_WRONLY)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    encoding = getattr(sys.stderr, "encoding", "utf-8")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(_Patient(2, "w", closefd=False)),
        encoding,
        errors="replace",
        line_buffering=True,
    )
    # A terminal that cannot show a character is no reason to fail.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    guard_terminals()


def _occupy(descriptor: int, flags: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        # The lowest that is free, and those below are taken.
        os.set_inheritable(os.open(os.devnull, flags), True)


class _Patient(io.FileIO):
    """The standard error: what cannot be shown there is dropped.

    A pipe whose reader has gone or a terminal that was closed must not end hours of training.
    """

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def guard_terminals() -> None:
    """Have standard streams that are terminals show control characters escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream.isatty() and not isinstance(stream, Terminal):
            setattr(sys, name, Terminal(stream))


def escape_controls(text: str) -> str:
    r"""Return a text as a terminal may show it; tabs and line ends stay.

    >>> escape_controls("NP\t\x1b]0;title\x07 \x9b1m \u202epj.exe\n")
    'NP\t\\u001b]0;title\\u0007 \\u009b1m \\u202epj.exe\n'
    """
    return text.translate(_CONTROLS)


class Terminal(io.TextIOBase):
    """A stream to a terminal, which gets no control characters but tabs and line ends.

    Args:
        raw: The stream.
    """

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str, /) -> int:
        """Write a text with its control characters escaped."""
        self.raw.write(escape_controls(text))
        return len(text)

    def flush(self) -> None:
        """Write what waits to be written."""
        self.raw.flush()

    def fileno(self) -> int:
        """Return the descriptor."""
        return self.raw.fileno()

    def isatty(self) -> bool:
        """It is a terminal."""
        return True

    def writable(self) -> bool:
        """It can be written to."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self.raw.encoding


def unguarded(stream: TextIO) -> TextIO:
    """Return a stream that obeys control characters, for text in which all others are escaped."""
    return stream.raw if isinstance(stream, Terminal) else stream


def settle_output() -> None:
    """Write what waits to be written to the standard output, or drop it if that cannot be."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        abandon_output()


def abandon_output() -> None:
    """Write nothing more to the standard output, not even what waits to be written."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
