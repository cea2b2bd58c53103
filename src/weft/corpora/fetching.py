"""Fetching a corpus: its files are checked, and appear in its folder all at once or not at all."""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from weft.corpora.downloads import SAFE, download
from weft.corpora.sources import Address, Download
from weft.errors import FormatError, LimitError, WeftError

SUMS = "SHA256SUMS"
"""The file of a fetched corpus in which ``sha256sum --check`` finds its files' sums."""

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched.

    Attributes:
        path: The folder.
        files: How many files there are.
        digest: Of the files; see :mod:`weft.corpora.sources`.
        known: Whether this digest was expected.
        changed: Whether there were other files before, where no digest was expected.
    """

    path: str
    files: int
    digest: str
    known: bool
    changed: bool


def fetch(
    address: Address,
    folder: Path,
    *,
    force: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    schemes: tuple[str, ...] = SAFE,
) -> Fetched:
    """Fetch a corpus into a folder.

    What is half fetched stays in a hidden folder beside it, for the next time.

    Args:
        address: Where it lies.
        folder: Where it goes; it must not be there.
        force: Replace the folder, if it is empty or has files of a fetched corpus only.
        tell: Called with each address before it is asked.
        schemes: How files may be fetched.

    Raises:
        WeftError: If the folder is there and not to be replaced, or something cannot be fetched.
        LimitError: If a file is larger than it may be.
        FormatError: If the files are not those that were expected.
    """
    place = Path(os.path.realpath(folder))  # ".", and where a link leads to
    with _writing(folder):
        _check_place(place, force)
        work = place.with_name(f".{place.name}.fetching")
        before = _recorded(place)
        made = _emptied(work / "made")
        for number, each in enumerate(address.downloads):
            tell(each.url)
            _take(each, work / f"{number}-{Path(each.url).name}", made, schemes)
        sums = sums_of(made)
        digest = hashlib.sha256(sums.encode()).hexdigest()
        if address.digest not in (None, digest):
            shutil.rmtree(work)
            raise FormatError(
                f"these are not the files that were expected: their digest is {digest}, and not "
                f"{address.digest}; they have changed at their source, or on the way. Nothing is "
                "kept",
                path=str(folder),
            )
        (made / SUMS).write_text(sums, encoding="utf-8")
        _check_place(place, force)  # much may have happened since
        _put(made, place)
        shutil.rmtree(work)
    changed = before not in (None, sums)
    return Fetched(str(folder), sums.count("\n"), digest, address.digest is not None, changed)


def sums_of(folder: Path) -> str:
    """Return the lines that ``sha256sum`` writes of a folder's files, sorted by name."""
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return "".join(f"{_sum(folder / name)}  {name}\n" for name in files if name != SUMS)


def _sum(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _recorded(folder: Path) -> str | None:
    path = folder / SUMS
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None


def _check_place(folder: Path, force: bool) -> None:
    """Refuse a place where something would be lost."""
    if not folder.name:
        raise WeftError(f"{folder} cannot be a corpus's folder; name one in it")
    if not os.path.lexists(folder):
        return
    other = _other(folder)
    if other is not None:
        raise WeftError(
            f"{folder} has files that no fetch put there, such as {other}, and is never replaced; "
            "name another folder with --out"
        )
    if not force:
        raise WeftError(
            f"{folder} is there already; replace it with --force, or name another folder"
        )


def _other(folder: Path) -> str | None:
    """What a folder has beside the files of its sums, such as a file in a folder's place."""
    if not folder.is_dir():
        return folder.name
    recorded = _recorded(folder) or ""
    names = {SUMS, *(line.partition("  ")[2] for line in recorded.splitlines())}
    found = (p for p in folder.rglob("*") if p.is_symlink() or not p.is_dir())
    others = (name for p in found if (name := p.relative_to(folder).as_posix()) not in names)
    return next(others, None)


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Errors of the file system name the corpus's folder."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        message = f"cannot be written: {reason}; make room, or name another folder with --out"
        raise FormatError(message, path=str(folder)) from error


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _take(each: Download, path: Path, made: Path, schemes: tuple[str, ...]) -> None:
    """Fetch a file, unless an earlier call did, and put what is kept of it into its place."""
    if not path.is_file():
        download(each.url, path, each.most, schemes)
    into = made / each.into
    into.mkdir(parents=True, exist_ok=True)
    if each.members:
        _unpack(path, into, each)
    else:
        shutil.copyfile(path, into / Path(each.url).name)


def _unpack(path: Path, into: Path, each: Download) -> None:
    """Unpack members by their last names: whatever an archive says, nothing lands elsewhere."""
    try:
        with zipfile.ZipFile(path) as archive:
            left = each.most
            for name, info in _kept(archive, each.members).items():
                with archive.open(info) as stream, (into / name).open("xb") as out:
                    while block := stream.read(_BLOCK):
                        left -= len(block)
                        if left < 0:
                            raise LimitError(f"{each.url} unpacks to more than {each.most:,} bytes")
                        out.write(block)
    except LimitError:
        raise
    except Exception as error:  # each way to pack has errors of its own
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the disk
        path.unlink()
        reason = str(error) or type(error).__name__
        message = f"the archive is damaged ({reason}); run the same command again to fetch it again"
        raise FormatError(message, path=each.url) from None


def _kept(archive: zipfile.ZipFile, patterns: tuple[str, ...]) -> Mapping[str, zipfile.ZipInfo]:
    kept = {Path(info.filename).name: info for info in _matching(archive, patterns)}
    if not kept:
        raise zipfile.BadZipFile(f"nothing in it is called {' or '.join(patterns)}")
    return kept


def _matching(archive: zipfile.ZipFile, patterns: tuple[str, ...]) -> Iterator[zipfile.ZipInfo]:
    for info in archive.infolist():
        name = Path(info.filename).name
        fits = any(fnmatch.fnmatchcase(info.filename, pattern) for pattern in patterns)
        if fits and not info.is_dir() and name not in ("", ".", "..", SUMS):
            yield info


def _put(made: Path, folder: Path) -> None:
    """Put a folder into its place; one that was there is gone only after that."""
    if not os.path.lexists(folder):
        made.replace(folder)
        return
    old = made.with_name("old")
    shutil.rmtree(old, ignore_errors=True)
    folder.replace(old)
    made.replace(folder)
