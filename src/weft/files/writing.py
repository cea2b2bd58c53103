"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from weft.files.faults import explain_fault

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows has no such locks, and there nothing is ever taken for a leftover
    fcntl = None


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
        raise explain_fault(str(path), "written", error) from error
