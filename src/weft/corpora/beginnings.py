"""How files begin: their first lines, looked at without taking them away."""

from __future__ import annotations

import io
import itertools
import os
import sys
from pathlib import Path
from typing import Any, BinaryIO, cast

from weft.errors import FormatError
from weft.files import Source, encoding_of, is_read_once, name_of, read_lines

LINES_LOOKED_AT = 100
"""How many lines say what a file is."""

_BLOCK = 1 << 16


def beginning(source: Source) -> tuple[list[str], Source]:
    r"""Return the first lines of a file, and what to read all of it from.

    A file is opened again. Of a stream no more is read than it has at once, but a line at least,
    and that is given back by the stream that is returned: whoever waits for an answer to the first
    line does not wait for a second one.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.

    Returns:
        Whole lines, none after the first that cannot be read; and a path or stream.

    >>> lines, stream = beginning(io.BytesIO(b"one\ntwo\n"))
    >>> lines, stream.read()
    (['one', 'two'], b'one\ntwo\n')
    """
    if not is_read_once(source):
        return _lines(source), source
    try:
        stream = _opened(source)
        start, whole = _start(stream)
    except (OSError, ValueError):  # which whoever reads it will say with its name
        return [], source
    # Of a line that is not whole, nobody knows what it will be.
    lines = start if whole or start.startswith(b"\x1f\x8b") else start[: start.rfind(b"\n") + 1]
    owned = isinstance(source, str | os.PathLike) and os.fspath(source) != "-"
    replayed = cast(Any, _Replayed(start, stream, name_of(source), owned))
    looked_at: Any = io.BytesIO(lines)
    replayed.text_encoding = looked_at.text_encoding = encoding_of(source)
    return _lines(looked_at), cast(BinaryIO, replayed)


def _lines(source: Source) -> list[str]:
    lines: list[str] = []
    try:
        for _, line in itertools.islice(read_lines(source), LINES_LOOKED_AT):
            lines.append(line)
    except FormatError:
        return lines  # what was read before it
    return lines


def _opened(source: Source) -> BinaryIO:
    if not isinstance(source, str | os.PathLike):
        return source
    if os.fspath(source) == "-":
        return sys.stdin.buffer
    return Path(source).open("rb")


def _start(stream: BinaryIO) -> tuple[bytes, bool]:
    """What a stream has at once, and whether that is all of it."""
    read = getattr(stream, "read1", stream.read)
    start = b""
    while b"\n" not in start and len(start) < _BLOCK:
        block = read(_BLOCK)
        if not block:
            return start, True
        start += block
    return start, False


class _Replayed:
    """A stream whose beginning was read already."""

    def __init__(self, start: bytes, stream: BinaryIO, name: str, owned: bool) -> None:
        self._start = start
        self._stream = stream
        self._owned = owned
        self.name = name

    def read1(self, size: int = -1) -> bytes:
        """Return what was read already, then what the stream has at once."""
        if self._start:
            start, self._start = self._start, b""
            return start
        block: bytes = getattr(self._stream, "read1", self._stream.read)(size)
        if not block and self._owned:
            self._stream.close()
        return block

    def read(self, size: int = -1) -> bytes:
        """Return what :meth:`read1` does."""
        return self.read1(size)
