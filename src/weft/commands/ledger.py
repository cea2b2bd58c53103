"""A ledger of long work: what was asked for and what was found, so that it goes on where it was.

It is a file in a folder of its own, and is replaced as a whole. The same arguments continue it, and
others are refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from weft.errors import FormatError, OptionError
from weft.files import Source, name_of, write_text

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
    """

    folder: Path
    work: str
    entries: str
    arguments: Mapping[str, Any]

    def open(self, read: Callable[[dict[str, Any]], EntryT]) -> list[EntryT]:
        """Return what was found before, or begin with nothing.

        Args:
            read: From what was written to an entry; a ValueError, TypeError or LookupError means
                that it was none.

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
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            entries = [read(dict(entry)) for entry in found[self.entries]]
            before = dict(found["arguments"])
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            message = (
                f"this is no ledger of a {self.work}; remove its folder, or name another with "
                "--work"
            )
            raise FormatError(message, path=str(path)) from error
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
    digests = {}
    for source in sources:
        path = Path(name_of(source))
        for each in sorted(path.iterdir()) if path.is_dir() else [path]:
            with each.open("rb") as stream:
                digests[str(each)] = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"contents of files": digests, "version of weft": version("weft")}


def _is_empty(folder: Path) -> bool:
    """Whether there is nothing in a folder, but for what a write that was cut short leaves."""
    return folder.is_dir() and all(each.name.startswith(".") for each in folder.iterdir())


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
