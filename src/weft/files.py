"""Files opened for reading as text, compressed or not, and written whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import errno
import gzip
import io
import itertools
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from weft.errors import FormatError, OptionError, quote

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows has no such locks, and there nothing is ever taken for a leftover
    fcntl = None

Source = str | os.PathLike[str] | BinaryIO
"""What text is read from: a path, ``-`` for the standard input, or a binary stream."""

LONGEST_LINE = 10_000_000
"""A longer line, in bytes, is refused: a hostile file must not exhaust the memory."""

_BLOCK = 1 << 16
_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = "\ufeff"


def name_of(source: Source) -> str:
    """Return what a message calls ``source``.

    >>> name_of("corpus/train.txt"), name_of("-"), name_of(io.BytesIO())
    ('corpus/train.txt', '<stdin>', '<stream>')
    """
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return "<stdin>" if path == "-" else path
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


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
                f"there is no encoding {quote(encoding)}; such as latin-1, cp1252, euc-jp, gbk and "
                "utf-16 there are"
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

    >>> list(read_lines(io.BytesIO(b"one\r\ntwo")))
    [(1, 'one'), (2, 'two')]
    """
    for number, lines in read_runs(source):
        yield from enumerate(lines, number)


def read_runs(source: Source) -> Iterator[tuple[int, list[str]]]:
    r"""Read the lines of a file as :func:`read_lines` does, but as many at a time as there are.

    Yields:
        The number of the first line, and the lines' texts.

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
        raise _unusable(name_of(source), "read", error) from error


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
    message = (
        f"byte 0x{raw[start]:02X} is not UTF-8; convert the file, "
        "for example with 'iconv -f LATIN1 -t UTF-8', or name its encoding, as --encoding latin-1"
    )
    return FormatError(message, path=path, line=number, column=len(before) + 1)


def _unusable(path: str, verb: str, error: OSError | ValueError) -> FormatError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    advice = _ADVICE.get(getattr(error, "errno", None) or 0, "check the name and permissions")
    return FormatError(f"cannot be {verb}: {reason}; {advice}", path=path)


_ADVICE = {
    errno.ENOSPC: "make room, or write elsewhere",
    errno.EDQUOT: "make room, or write elsewhere",
    errno.EFBIG: "raise the limit, or write elsewhere",
    errno.EBADF: "it is closed",
}


@contextlib.contextmanager
def write_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    r"""Open a file for writing UTF-8 text that appears under its name when the block succeeds.

    Lines end in ``\n``. The file is gzipped if its name ends in ``.gz``, always to the same
    bytes for the same text. ``-`` is the standard output, written as it comes.

    Raises:
        FormatError: If the file cannot be made.

    >>> with write_text("-") as stream:
    ...     _ = stream.write("time/NN flies/VBZ\n")
    time/NN flies/VBZ
    """
    name = os.fspath(path)
    with contextlib.ExitStack() as stack:
        if name == "-":
            yield stack.enter_context(_standard_output())
            return
        stream = stack.enter_context(replacing(path))
        if name.endswith(".gz"):
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)
            stream = cast(BinaryIO, stack.enter_context(packed))
        yield stack.enter_context(_text(stream))


@contextlib.contextmanager
def _text(stream: BinaryIO, line_buffering: bool = False) -> Iterator[TextIO]:
    text = io.TextIOWrapper(stream, "utf-8", newline="\n", line_buffering=line_buffering)
    try:
        yield text
    finally:
        # Flushes, and leaves the stream open for its owner.
        text.detach()


@contextlib.contextmanager
def _standard_output() -> Iterator[TextIO]:
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        yield sys.stdout
        return
    sys.stdout.flush()
    # At a terminal, and where Python was told not to keep output back.
    at_once = any(getattr(sys.stdout, name, False) for name in ("line_buffering", "write_through"))
    with _text(buffer, line_buffering=at_once) as text:
        yield text


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``path`` that takes its place when the block succeeds.

    Whatever goes wrong in the block, ``path`` is as it was before. A file that is replaced keeps
    its permissions, and a new one has those of the umask. A symbolic link is followed, so that
    the file it leads to is replaced; of several hard links, the others keep the old contents. A
    device or pipe, which nothing may take the place of, is written directly.

    Raises:
        FormatError: If the file cannot be made or written, as on a full disk.
    """
    # os.path: what may not be looked at counts as absent, and is refused when it is made.
    special = os.path.exists(path) and not os.path.isfile(path)
    with (_direct if special else _beside)(Path(path)) as stream:
        yield stream


@contextlib.contextmanager
def _direct(path: Path) -> Iterator[BinaryIO]:
    with _making(path):
        raw = _Output(path, "w")
    with io.BufferedWriter(raw) as stream:
        yield cast(BinaryIO, stream)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    with _making(path):
        target = path.resolve()
        mode = stat.S_IMODE(target.stat().st_mode) & 0o777 if target.exists() else None
        handle, temporary = _temporary(target, 0o666 if mode is None else 0o600)
    try:
        with io.BufferedWriter(_Output(handle, "w", shown=path)) as stream:
            yield cast(BinaryIO, stream)
            stream.flush()
            with _making(path):
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(handle, mode)
                os.fsync(handle)
                if fcntl is not None:
                    # Before it is closed, and with that unlocked: nobody takes it for a leftover.
                    temporary.replace(target)
        if fcntl is None:
            # Windows moves no open file.
            with _making(path):
                temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class _Output(io.FileIO):
    """A file whose errors in writing name it."""

    def __init__(self, file: Path | int, mode: str, shown: Path | None = None) -> None:
        super().__init__(file, mode)
        self._shown = shown or Path(self.name)

    def write(self, data: Any, /) -> int:
        with _making(self._shown):
            return super().write(data)


# Flags that not every system has: not for other programs; binary; no pipe and no link.
_OWN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_PLAIN = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_PLACES = 16  # this many processes may write a file at a time, the last of which wins


def _temporary(target: Path, mode: int) -> tuple[int, Path]:
    """Make a file beside another, locked as long as this process lives and has it open."""
    remove_leftovers(target)
    for temporary in _temporaries(target):
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OWN, mode)
        except FileExistsError:
            continue
        _lock(handle)
        if os.fstat(handle).st_nlink:
            return handle, temporary
        os.close(handle)  # removed by one who found it before it was locked
    raise FileExistsError(errno.EEXIST, "too many others are writing it")


def _temporaries(target: Path) -> Iterator[Path]:
    return (target.with_name(f".{target.name}.{place}.tmp") for place in range(_PLACES))


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove what is left of writing a file by processes that were killed.

    What a living process is writing is locked, and stays.
    """
    for temporary in _temporaries(Path(path)):
        # What cannot be opened or removed is not ours.
        with contextlib.suppress(OSError):
            handle = os.open(temporary, os.O_WRONLY | _PLAIN | _OWN)
            try:
                if _lock(handle, waits=False):
                    temporary.unlink()
            finally:
                os.close(handle)


def _lock(handle: int, waits: bool = True) -> bool:
    """Lock a file, if its file system can: else nothing of it is ever taken for a leftover."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _making(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # a reader that has seen enough is no fault of the file
    except (OSError, ValueError) as error:
        raise _unusable(str(path), "written", error) from error
