"""What commands write, and what they must not write over."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from weft.commands.files.inputs import StrPath, check_writable
from weft.errors import OptionError
from weft.files import Source, name_of
from weft.models.storage import check_replaced, is_model


def check_output(
    path: StrPath, inputs: Iterable[Source | None] = (), *, model: bool = False, force: bool = False
) -> None:
    """Refuse to write where something would be lost, before anything is done.

    Args:
        path: What would be written; ``-`` is the standard output.
        inputs: What the command reads; ``-`` is the standard input, and None is nothing.
        model: Whether a model would be written. It may replace a model or an empty file only, and
            anything else may replace all but models.
        force: Replace what is there, if it is a file.

    Raises:
        OptionError: If the file is one of the inputs, by whatever name, is read-only, or is not of
            the kind that would be written.
        FormatError: If a model could not be written there.
    """
    name = os.fspath(path)
    if model:
        check_writable(path)
    there = _status(name, 1)
    if force or there is None or not stat.S_ISREG(there.st_mode):
        return
    for source in inputs:
        if source is not None and _same(there, source):
            shown = "the standard output" if name == "-" else name
            read = "what" if name_of(source) == name else f"{name_of(source)}, which"
            raise OptionError(f"{shown} is {read} this command reads; {_ADVICE}")
    if name != "-":
        _check_contents(name, model)


_ADVICE = "name another file, or give --force"


def _check_contents(name: str, model: bool) -> None:
    if not os.access(name, os.W_OK):
        raise OptionError(f"{name} is read-only; {_ADVICE}")
    if model:
        check_replaced(name, _ADVICE)
    elif is_model(name):
        raise OptionError(f"{name} is a model, and would be replaced; {_ADVICE}")


def _same(there: os.stat_result, source: Source) -> bool:
    """Whether a file is that of a source; a stream that was opened by others is none."""
    if not isinstance(source, str | os.PathLike):
        return False
    read = _status(name_of(source), 0)
    return read is not None and os.path.samestat(there, read)


def _status(name: str, standard: int) -> os.stat_result | None:
    """What is known of a file, or of a standard stream; None if there is none, or none to see."""
    try:
        return os.stat(standard if name in ("-", "<stdin>") else name)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
