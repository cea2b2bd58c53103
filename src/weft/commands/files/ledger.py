"""A ledger of long work: what was asked for and what was found, so that it goes on where it was.

It is a file in a folder of its own, and is replaced as a whole. The same arguments continue it, and
others are refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from weft import DISTRIBUTION
from weft.commands.files.inputs import StrPath
from weft.errors import LONGEST_VALUE, FormatError, OptionError, abbreviate
from weft.files import Source, name_of, read_lines, write_text

_FILE = "ledger.json"

EntryT = TypeVar("EntryT")


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where entries are kept, and under which arguments.

    Attributes:
        folder: The folder, in which other files may be, too.
        work: What is being done, in a word: a grid, say.
        entries: What the entries are, in a word: trials, say.
        arguments: All that the entries depend on, ready for JSON.
        key: The field that tells entries apart.
    """

    folder: Path
    work: str
    entries: str
    arguments: Mapping[str, Any]
    key: str = "number"

    def open(self, read: Callable[[dict[str, Any]], EntryT]) -> list[EntryT]:
        """Return what was found before, or begin with nothing.

        Args:
            read: From what was written to an entry; a ValueError, TypeError or LookupError means
                that it was none, and its message says why.

        Raises:
            FormatError: If there is something else in the folder, or the ledger is damaged.
            OptionError: If it is of other arguments.
        """
        path = self.folder / _FILE
        if not path.exists():
            if self.folder.exists() and not _is_empty(self.folder):
                message = "there is something else here; remove it, or name another with --work"
                raise FormatError(message, path=str(self.folder))
            self.folder.mkdir(parents=True, exist_ok=True)
            self.write([])
            return []
        before, entries = read_ledger(path, self.work, self.entries, read, self.key)
        self._compare(before)
        return entries

    def _compare(self, before: Mapping[str, Any]) -> None:
        now = self.arguments
        for key in {**now, **before}:
            if before.get(key) != now.get(key):
                raise OptionError(
                    f"{self.folder} holds a {self.work} that was asked for otherwise: {key} was "
                    f"{_shown(before.get(key))}, and is {_shown(now.get(key))}; remove the "
                    "folder, or name another with --work"
                )

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Say of an interrupt in the block that the work can go on."""
        try:
            yield
        except KeyboardInterrupt:
            message = f"what is done is kept in {self.folder}; the same command goes on from there"
            raise KeyboardInterrupt(message) from None

    def write(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Keep these entries, ready for JSON, and no others."""
        kept = {"arguments": self.arguments, self.entries: entries}
        with write_text(self.folder / _FILE) as stream:
            stream.write(json.dumps(kept, indent=2, allow_nan=False) + "\n")


def contents(sources: Iterable[Source]) -> dict[str, Any]:
    """Return the contents of files or folders and the program's version, as arguments."""
    import hashlib  # these take 5 MB, and few commands keep a ledger
    from importlib.metadata import version

    digests = {}
    for source in sources:
        path = Path(name_of(source))
        for each in sorted(path.iterdir()) if path.is_dir() else [path]:
            with each.open("rb") as stream:
                digests[str(each)] = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"contents of files": digests, "version of weft": version(DISTRIBUTION)}


def read_ledger(
    path: StrPath,
    work: str,
    entries: str,
    read: Callable[[dict[str, Any]], EntryT],
    key: str = "number",
) -> tuple[dict[str, Any], list[EntryT]]:
    """Read a ledger.

    Args:
        path: The file.
        work: What was being done, in a word.
        entries: What its entries are, in a word.
        read: From what was written to an entry.
        key: The field that tells entries apart.

    Returns:
        What was asked for, and the entries.

    Raises:
        FormatError: With the line, where it is not what was written.
    """
    text = "\n".join(line for _, line in read_lines(path))

    def broken(line: int | None, problem: object) -> FormatError:
        message = f"this is no ledger of a {work} ({abbreviate(str(problem))})"
        advice = "restore the file, remove its folder, or name another with --work"
        return FormatError(f"{message}; {advice}", path=os.fspath(path), line=line)

    try:
        found = json.loads(text, parse_constant=_no_constant)
        arguments, several = _parts(found, entries)
    except json.JSONDecodeError as error:
        raise broken(error.lineno, error.msg) from None
    except (ValueError, RecursionError) as error:
        raise broken(None, error) from None
    known: list[EntryT] = []
    seen: set[Any] = set()
    for place, each in enumerate(several):
        try:
            if not isinstance(each, dict):
                raise ValueError("expected an object")
            known.append(read(each))
            if each[key] in seen:
                raise ValueError(f"{key} {each[key]} is there twice")
            seen.add(each[key])
        except (ValueError, TypeError, LookupError) as error:
            raise broken(_line_of(text, entries, place), error) from None
    return arguments, known


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of a ledger")


def _parts(found: Any, entries: str) -> tuple[dict[str, Any], list[Any]]:
    if not isinstance(found, dict):
        raise ValueError("expected an object")
    arguments, several = found.get("arguments"), found.get(entries)
    if not isinstance(arguments, dict) or not isinstance(several, list):
        raise ValueError(f"expected 'arguments', an object, and '{entries}', a list")
    return arguments, several


def _line_of(text: str, entries: str, place: int) -> int | None:
    """The line of an entry; None where the text is laid out as nobody would."""
    decoder = json.JSONDecoder()
    at = text.find("[", text.rfind(f'"{entries}"')) + 1
    for number in range(place + 1):
        while at < len(text) and text[at] in " \t\n,":
            at += 1
        if number == place:
            return text.count("\n", 0, at) + 1
        try:
            _, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
    return None


def _is_empty(folder: Path) -> bool:
    """Whether there is nothing in a folder, but for what a write that was cut short leaves."""
    return folder.is_dir() and all(each.name.startswith(".") for each in folder.iterdir())


def _shown(value: object) -> str:
    return abbreviate(json.dumps(value, ensure_ascii=False), 2 * LONGEST_VALUE)
