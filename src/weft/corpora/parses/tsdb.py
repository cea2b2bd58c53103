r"""Profiles of [incr tsdb()]: folders of tables, as DELPH-IN systems keep their treebanks.

The file ``relations`` says which fields each table has:

    result:
      parse-id :integer :key        # parse for this result
      derivation :string            # derivation tree for this reading

A table is a file of that name, gzipped or not. It has a row per line with ``@`` between fields, in
which ``@`` is written ``\s``, a line end ``\n``, and a backslash ``\\``.

Reference: S. Oepen and D. Flickinger (1998), "Towards systematic grammar profiling: test suite
technology ten years after", Computer Speech and Language 12(4).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from weft.errors import FormatError, no_such, quote
from weft.files import read_lines

_RELATION = re.compile(r"([^\s:#]+):")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MEANT = {"s": "@", "n": "\n", "\\": "\\"}


class _Fields(dict[str, str]):
    """The fields of a row; one that its table does not have is an error of the profile."""

    def __init__(self, fields: Iterable[tuple[str, str]], path: str) -> None:
        super().__init__(fields)
        self._path = path

    def __missing__(self, name: str) -> str:
        message = f"the profile's file 'relations' gives this table no field {quote(name)}"
        raise FormatError(f"{message}; restore it", path=self._path)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes:
        fields: The fields by name; to ask for one that is not there is a ``FormatError``.
        path: The table's file.
        line: The number of the row, from 1.
    """

    fields: Mapping[str, str]
    path: str
    line: int

    def error(self, message: str) -> FormatError:
        """Return an error about the row."""
        return FormatError(message, path=self.path, line=self.line)


def read_relations(folder: str | os.PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Return the fields of each table of a profile, from its file ``relations``.

    Raises:
        FormatError: If the file cannot be read, or a line is neither a table's name nor a field.
    """
    path = Path(folder) / "relations"
    found: dict[str, list[str]] = {}
    fields: list[str] | None = None
    for number, line in read_lines(path):
        text = line.partition("#")[0].rstrip()
        if not text:
            continue
        if match := _RELATION.fullmatch(text):
            fields = found.setdefault(match[1], [])
        elif (name := _field(text)) and fields is not None:
            fields.append(name)
        else:
            message = "expected 'TABLE:' or, below it, '  FIELD :TYPE'; restore the file"
            raise FormatError(message, path=str(path), line=number, text=line)
    return {name: tuple(several) for name, several in found.items()}


def _field(text: str) -> str | None:
    """The name of a field, if a line is one: indented, a name, then words that begin with a colon.

    >>> _field("  parse-id :integer :key"), _field("  parse-id"), _field("  a :b c")
    ('parse-id', None, None)
    """
    # Words, not a pattern: where the colons of a word could be shared out among repetitions, there
    # would be exponentially many ways to try.
    first, *others = text.split()
    name, colon, kind = first.partition(":")
    kinds = [f"{colon}{kind}", *others] if colon else others
    typed = bool(kinds) and all(each.startswith(":") and len(each) > 1 for each in kinds)
    return name if name and typed and text[0].isspace() else None


def read_table(folder: str | os.PathLike[str], name: str) -> Iterator[Row]:
    """Read the rows of a table of a profile, one at a time.

    Args:
        folder: The profile.
        name: The table, such as ``item``; its file may be gzipped.

    Raises:
        FormatError: If the file is absent or broken, or a row has not as many fields as
            ``relations`` says.
    """
    relations = read_relations(folder)
    if name not in relations:
        message = no_such("table", name, relations)
        raise FormatError(message, path=str(Path(folder) / "relations"))
    names = relations[name]
    plain = Path(folder) / name
    packed = plain.with_name(f"{name}.gz")
    # A profile may have both, of which the plain one is then empty.
    path = packed if packed.is_file() else plain
    for number, line in read_lines(path):
        texts = line.split("@")
        if len(texts) != len(names):
            message = f"expected {len(names)} fields with '@' between them but found {len(texts)}"
            raise FormatError(f"{message}; restore the file", path=str(path), line=number)
        fields = zip(names, map(unescape_field, texts), strict=True)
        yield Row(_Fields(fields, str(path)), str(path), number)


def unescape_field(text: str) -> str:
    r"""Return a field as it is meant.

    >>> unescape_field(r"a\sb\\s")
    'a@b\\s'
    """
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _MEANT.get(match[1], match[0]), text)
