"""Files read as lines of text, compressed or not."""

from __future__ import annotations

import codecs
import contextlib
import itertools
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from weft.errors import FormatError, OptionError, quote
from weft.files.faults import explain_fault

Source = str | os.PathLike[str] | BinaryIO
"""What text is read from: a path, ``-`` for the standard input, or a binary stream."""

LONGEST_LINE = 10_000_000
"""A longer line, in bytes, is refused: a hostile file must not exhaust the memory."""

_BLOCK = 1 << 16
ZIP = b"PK\x03\x04"
"""What zip archives begin with."""

_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = "\ufeff"


def name_of(source: Source) -> str:
    """Return what a message calls ``source``.

    >>> import io
    >>> name_of("corpus/train.txt"), name_of("-"), name_of(io.BytesIO())
    ('corpus/train.txt', '<stdin>', '<stream>')
    """
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return "<stdin>" if path == "-" else path
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def is_read_once(source: Source) -> bool:
    """Say whether what is read is gone: of the standard input, a pipe, a stream."""
    if not isinstance(source, str | os.PathLike):
        return True
    path = os.fspath(source)
    special = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    return path == "-" or special


def check_read_again(source: Source, reason: str) -> None:
    """Refuse a source that can be read only once.

    Args:
        source: A file; one that does not exist is refused by who reads it.
        reason: Why it is read more than once, such as ``models read it in turns``.

    Raises:
        OptionError: If it cannot be read again.
    """
    if is_read_once(source):
        raise OptionError(
            f"{name_of(source)}: {reason}, and a pipe or stream can be read only once: save it in "
            "a file first"
        )


class EncodedFile:
    """A file whose text is in another encoding than UTF-8.

    Attributes:
        path: Where it is; ``-`` for the standard input.
        text_encoding: What Python calls the encoding, such as ``latin-1``; a stream may have the
            same attribute.

    Raises:
        OptionError: If there is no such encoding.
    """

    def __init__(self, path: str | os.PathLike[str], encoding: str) -> None:
        try:
            text = codecs.lookup(encoding)._is_text_encoding
        except LookupError:
            text = False
        if not text:
            raise OptionError(
                f"there is no encoding {quote(encoding)}; give one that Python knows, such as "
                "latin-1, cp1252, euc-jp, gbk or utf-16"
            )
        self.path, self.text_encoding = os.fspath(path), encoding

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"EncodedFile({self.path!r}, {self.text_encoding!r})"


def encoding_of(source: Source) -> str | None:
    """Return the encoding of a file; None for UTF-8."""
    found: str | None = getattr(source, "text_encoding", None)
    return found


def encoded(source: Source | None, encoding: str | None) -> Any:
    """Return a file with its encoding, where one is named; streams are as they are."""
    given = isinstance(source, str | os.PathLike) and encoding is not None
    return EncodedFile(cast(str, source), cast(str, encoding)) if given else source


def read_lines(source: Source) -> Iterator[tuple[int, str]]:
    r"""Read the lines of a UTF-8 file, numbered from 1 and without their ends.

    Lines end in ``\n``, or in ``\r`` and that. A byte-order mark at the very start is dropped,
    and gzip is recognised by its first two bytes, whatever the name. At most one line and a block
    of the file are in memory; from a pipe, lines come as soon as they are written.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream, which is left open.

    Yields:
        Each line's number and text.

    Raises:
        FormatError: If the file cannot be read, is not UTF-8, is damaged gzip, or has a line
            of more than ``LONGEST_LINE`` bytes.

    >>> import io
    >>> list(read_lines(io.BytesIO(b"one\r\ntwo")))
    [(1, 'one'), (2, 'two')]
    """
    for number, lines in read_runs(source):
        yield from enumerate(lines, number)


def read_runs(source: Source) -> Iterator[tuple[int, list[str]]]:
    r"""Read the lines of a file as :func:`read_lines` does, but as many at a time as there are.

    Yields:
        The number of the first line, and the lines' texts.

    >>> import io
    >>> list(read_runs(io.BytesIO(b"one\r\ntwo")))
    [(1, ['one']), (2, ['two'])]
    """
    for number, lines, _ in read_runs_with_ends(source):
        yield number, lines


def read_runs_with_ends(source: Source) -> Iterator[tuple[int, list[str], list[int]]]:
    r"""Read the lines of a file as :func:`read_runs` does, and how they end.

    Yields:
        The number of the first line, the lines' texts, and the places among them of those that
        end in ``\r\n``. A last line without an end counts as ending like the one before it.

    >>> import io
    >>> list(read_runs_with_ends(io.BytesIO(b"one\r\ntwo\nthree\r\n")))
    [(1, ['one', 'two', 'three'], [0, 2])]
    """
    path = name_of(source)
    returned = False
    blocks = _decompressed(_blocks(source), path)
    encoding = encoding_of(source)
    if encoding is not None:
        blocks = _recoded(blocks, encoding, path)
    for number, raw, ended in _numbered(blocks, path):
        if number == 1 and raw.startswith(ZIP):
            message = "this is a model, an office document or another zip archive, and no text"
            raise FormatError(f"{message}; give a text file", path=path)
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            start = raw.rfind(b"\n", 0, error.start) + 1
            if start:
                yield number, *_lines(raw[: start - 1].decode(), number)
            number += raw.count(b"\n", 0, start)
            raise _not_utf8(path, number, raw[start:], error.start - start) from None
        lines, returns = _lines(text, number)
        if not ended:
            returns = [0] if returned else []
        returned = bool(returns) and returns[-1] == len(lines) - 1
        yield number, lines, returns


def read_bytes(source: Source, most: int) -> bytes:
    r"""Read a file whole, decompressed if it is gzipped.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.
        most: How many bytes it may have.

    Raises:
        FormatError: If it cannot be read, is damaged gzip, or is larger.

    >>> import io
    >>> read_bytes(io.BytesIO(b"one\r\n"), 10)
    b'one\r\n'
    """
    path, parts, size = name_of(source), [], 0
    for block in _decompressed(_blocks(source), path):
        parts.append(block)
        size += len(block)
        if size > most:
            raise FormatError(f"the file has more than {most:,} bytes", path=path)
    return b"".join(parts)


def _lines(text: str, number: int) -> tuple[list[str], list[int]]:
    """The lines of a text, and the places of those that end in a carriage return."""
    if number == 1:
        text = text.removeprefix(_BYTE_ORDER_MARK)
    lines = text.split("\n")
    if "\r" not in text:
        return lines, []
    returns = [place for place, line in enumerate(lines) if line.endswith("\r")]
    # All of them: what was converted twice ends in \r\r\n, and no word is meant to end so.
    return [line.rstrip("\r") for line in lines], returns


def _blocks(source: Source) -> Iterator[bytes]:
    try:
        with _opened(source) as stream:
            # Unlike read, read1 returns what a pipe holds instead of waiting for a full block.
            read = getattr(stream, "read1", stream.read)
            while block := read(_BLOCK):
                yield block
    except (OSError, ValueError) as error:  # ValueError: a closed stream, a NUL in the name
        raise explain_fault(name_of(source), "read", error) from error


def _opened(source: Source) -> contextlib.AbstractContextManager[BinaryIO]:
    if not isinstance(source, str | os.PathLike):
        return contextlib.nullcontext(source)
    if os.fspath(source) == "-":
        return contextlib.nullcontext(sys.stdin.buffer)
    return Path(source).open("rb")


def _decompressed(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    start = b""
    while len(start) < len(_GZIP) and (block := next(blocks, b"")):
        start += block
    everything = itertools.chain((start,), blocks)
    # No UTF-8 text starts like this: 8B only continues a character.
    return _inflated(everything, path) if start.startswith(_GZIP) else everything


def _recoded(blocks: Iterator[bytes], encoding: str, path: str) -> Iterator[bytes]:
    """The same text in UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    number = 1
    for block in itertools.chain(blocks, (None,)):
        try:
            text = decoder.decode(block or b"", final=block is None)
            recoded = text.encode()
        except UnicodeError as error:
            what, lines = _unreadable(error, encoding)
            message = f"{what}; name another encoding with --encoding"
            raise FormatError(message, path=path, line=number + lines) from None
        number += text.count("\n")
        yield recoded


def _unreadable(error: UnicodeError, encoding: str) -> tuple[str, int]:
    """What is wrong with a text, and after how many ends of lines."""
    if isinstance(error, UnicodeDecodeError):
        before = error.object[: error.start].count(b"\n")
        return f"byte 0x{error.object[error.start]:02X} is not {encoding}", before
    if isinstance(error, UnicodeEncodeError):  # half a pair of surrogates
        code = ord(error.object[error.start])
        before = error.object[: error.start].count("\n")
        return f"U+{code:04X}, read by {encoding}, is no character", before
    return f"the text is not {encoding}: {error}", 0


def _inflated(blocks: Iterator[bytes], path: str) -> Iterator[bytes]:
    member = _gzip_member()
    try:
        for block in blocks:
            rest = block
            # A gzip file is one or more members, perhaps padded with zero bytes.
            while rest := rest.lstrip(b"\0") if member.eof else rest:
                member = _gzip_member() if member.eof else member
                yield member.decompress(rest, _BLOCK)
                rest = member.unused_data if member.eof else member.unconsumed_tail
    except zlib.error as error:
        message = f"the gzip data is damaged ({error}); fetch or compress the file again"
        raise FormatError(message, path=path) from None
    if not member.eof:
        message = "the gzip data ends too early; fetch or compress the file again"
        raise FormatError(message, path=path)


def _gzip_member() -> zlib._Decompress:
    return zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)


def _numbered(blocks: Iterator[bytes], path: str) -> Iterator[tuple[int, bytes, bool]]:
    """Cut blocks after their last line end: runs of whole lines, and the number of the first.

    Only the last run, of one line, may lack its end.
    """
    number, held, size = 1, [b""], 0
    for block in blocks:
        first, end, _ = block.partition(b"\n")
        size += len(first)
        if size > LONGEST_LINE:
            message = f"the line is longer than {LONGEST_LINE:,} bytes; is this a text file?"
            raise FormatError(message, path=path, line=number)
        if not end:
            held.append(block)
            continue
        whole, _, last = block.rpartition(b"\n")
        run = b"".join([*held, whole])
        yield number, run, True
        number, held, size = number + run.count(b"\n") + 1, [last], len(last)
    if size:
        yield number, b"".join(held), False


def _not_utf8(path: str, number: int, raw: bytes, start: int) -> FormatError:
    before = raw[:start].decode()
    marked = number == 1 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    iconv, likely = ("UTF-16", "utf-16") if marked else ("LATIN1", "latin-1")
    message = (
        f"byte 0x{raw[start]:02X} is not UTF-8; convert the file, for example with "
        f"'iconv -f {iconv} -t UTF-8', or name its encoding, "
        f"as --encoding {likely}"
    )
    return FormatError(message, path=path, line=number, column=len(before) + 1)
