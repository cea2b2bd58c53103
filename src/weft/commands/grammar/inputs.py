"""What the commands on grammars are given: grammars, saved parsers, and files that are neither."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from weft.commands.files.inputs import StrPath, open_model, read_rules
from weft.commands.tasks import task_of
from weft.corpora.formats import suffix_of
from weft.errors import FormatError, OptionError
from weft.files import ZIP, name_of
from weft.grammars.forms.json import read_json
from weft.models.storage import begins_a_model
from weft.structures.grammar import Grammar

_GZIP = b"\x1f\x8b"
_FIRST = 4096  # bytes that are looked at


def load_grammar(path: StrPath) -> Grammar:
    """Read a grammar: JSON if the file is named so, the notation otherwise; ``-`` is stdin.

    A saved parser is taken for its grammar.

    Raises:
        FormatError: If it cannot be read.
    """
    if is_saved(path):
        return _saved_grammar(path)
    require_text(path, "a grammar: rules such as S -> NP VP [0.9], or JSON in a file *.json")
    return read_json(path) if suffix_of(path) == ".json" else read_rules(path)


def is_saved(path: StrPath) -> bool:
    """Whether a file begins as a saved model does."""
    return begins_a_model(first_bytes(path))


def require_text(path: StrPath, wanted: str) -> None:
    """Refuse a file that is not text before it is read as such.

    Args:
        path: The file; ``-`` is stdin.
        wanted: What the file should have been.

    Raises:
        FormatError: If it begins with bytes that no text has.
    """
    start = first_bytes(path)
    if start.startswith(ZIP):
        message = f"this is a saved model or another zip archive, and not {wanted}"
    elif b"\0" in start and not start.startswith(_GZIP):
        message = (
            f"this is a binary file, and not {wanted}; if it is text in UTF-16, convert it with "
            "'iconv -f UTF-16 -t UTF-8'"
        )
    else:
        return
    raise FormatError(message, path=name_of(path))


def first_bytes(path: StrPath) -> bytes:
    """Return what a file begins with, and nothing where that cannot be seen without reading it."""
    try:
        if str(path) == "-":
            stream = sys.stdin.buffer
            return stream.peek(_FIRST)[:_FIRST] if isinstance(stream, io.BufferedReader) else b""
        # A pipe would lose what is read of it; it is read once, and refused then.
        if not Path(path).is_file():
            return b""
        with Path(path).open("rb") as stream:
            return stream.read(_FIRST)
    except (OSError, ValueError):  # which reading the whole of it explains
        return b""


def _saved_grammar(path: StrPath) -> Grammar:
    if str(path) == "-":
        raise FormatError("a saved model cannot be read from the standard input; name its file")
    model = open_model(path)
    task = task_of(model)
    why = ""
    try:
        grammar = task.grammar(model)
    except OptionError as error:
        grammar, why = None, f" ({error})"
    if grammar is None:
        raise FormatError(
            f"this is a saved {task.name}, which has no grammar{why}; give a saved "
            "parser, or a file with rules such as S -> NP VP [0.9]",
            path=name_of(path),
        )
    return grammar
