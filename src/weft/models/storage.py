"""Models as files: of any kind, with their weights, trace and notes.

A file is not trusted: everything that a kernel would use as an index is checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from weft.archive import Shape, load_archive, save_archive
from weft.errors import FormatError, MissingFileError, OptionError, WeftError, quote
from weft.files import ZIP
from weft.files.faults import ABSENT, explain_fault
from weft.models.crfsuite import MAGIC, is_crfsuite, read_crfsuite
from weft.models.grammar.storage import PARSER_FILE
from weft.models.model import Trained
from weft.models.packing import (
    Arrays,
    Packed,
    Storage,
    notes_of,
    pack_trace,
    unpack_trace,
    weights_of,
)
from weft.models.selection.storage import SELECTOR_FILE
from weft.models.stack.storage import STACK_FILE
from weft.models.tagger import Tagger
from weft.models.tagger_storage import TAGGER_FILE

_MISFITS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    WeftError,
)

_INNER = "inner"
_NAME_AT = 30  # where the local header of a zip archive has the name of its first member
_FIRST = b"manifest.json"
T = TypeVar("T")

STORAGES: dict[str, Storage] = {
    each.kind: each for each in (TAGGER_FILE, SELECTOR_FILE, PARSER_FILE, STACK_FILE)
}
"""How each kind of model lies in a file. A family that is added has a line here."""


def save_model(path: str | os.PathLike[str], model: Trained, *, force: bool = False) -> None:
    """Write a model to a file, whole or not at all.

    Args:
        path: The file. If it exists, it must be a model or empty, and is replaced.
        model: A model with its weights, as :func:`~weft.train.estimation.fit` gives it.
        force: Replace whatever file is there.

    Raises:
        OptionError: If the file that is there is no model, or if something else than a path and a
            model is given.
        TypeError: If no kind of file holds such a model.
    """
    if not isinstance(path, str | os.PathLike):
        raise OptionError(f"the path comes first, as in {_SAVING}; {quote(path)} is no path")
    if not hasattr(model, "model"):
        shown = quote(model)
        raise OptionError(f"{shown} is no trained model; give what `weft.fit` returns: {_SAVING}")
    packed = _pack(model)
    if not force:
        check_replaced(path, "name another file, or give force=True")
    save_archive(path, *packed)


_SAVING = 'weft.save("model.weft", model)'


def check_replaced(path: str | os.PathLike[str], advice: str) -> None:
    """Refuse a file that a model must not replace: one with something else in it.

    Args:
        path: The file, which need not exist.
        advice: What to do.

    Raises:
        OptionError: If it is such a file.
    """
    if os.path.isfile(path) and os.path.getsize(path) and not is_model(path):
        name = os.fspath(path)
        raise OptionError(f"{name} exists and is no model, and would be replaced by one; {advice}")


def _pack(model: Trained) -> Packed:
    """A model, and within it another that it needs."""
    found = [each for each in STORAGES.values() if isinstance(model.model, each.models)]
    if not found:
        name = type(model.model).__name__
        raise TypeError(f"no kind of file holds a {name}: register its family with weft.register")
    manifest, arrays = found[0].pack(model)
    manifest = {"kind": found[0].kind, **manifest, "notes": dict(model.notes)}
    arrays = {**arrays, "weights": model.weights, "trace": pack_trace(model.trace)}
    inner = found[0].inner(model)
    if inner is not None:
        manifest[_INNER], own = _pack(inner)
        arrays |= {f"{_INNER}.{name}": array for name, array in own.items()}
    return manifest, arrays


def load_model(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Any:
    """Read a model from a file, which may come from anyone, or from CRFsuite.

    Args:
        path: The file.
        max_bytes: How much memory the model may take, loaded and in use. By default 256 MiB loaded
            and 512 MiB in use, and a hundred times the file's size more, but never more than 8 GiB.

    Raises:
        MissingFileError: If there is no such file.
        FormatError: If the file is damaged, is no model's, or takes too much memory.
    """
    return _load(path, *STORAGES, max_bytes=max_bytes)


def begins_a_model(start: bytes) -> bool:
    r"""Say whether a file that begins so looks like a model that :func:`load_model` reads.

    >>> begins_a_model(b"lCRF\0\0"), begins_a_model(b"the/DT dog/NN")
    (True, False)

    Args:
        start: Its first 43 bytes, or more.
    """
    ours = start.startswith(ZIP) and start[_NAME_AT:].startswith(_FIRST)
    return ours or start.startswith(MAGIC)


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a model, of ours or of CRFsuite's."""
    try:
        with open(path, "rb") as stream:
            return begins_a_model(stream.read(_START))
    except OSError:
        return False


_START = 64  # bytes that are looked at


def save_tagger(path: str | os.PathLike[str], tagger: Tagger, *, force: bool = False) -> None:
    """Write a tagger to a file; see :func:`save_model`."""
    save_model(path, tagger, force=force)


def load_tagger(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Tagger:
    """Read a tagger from a file; see :func:`load_model`.

    Raises:
        MissingFileError: If there is no such file.
        FormatError: If the file is damaged, is no tagger's, or takes too much memory.
    """
    return cast(Tagger, _load(path, TAGGER_FILE.kind, max_bytes=max_bytes))


def _need(manifest: Mapping[str, Any], shapes: Mapping[str, Shape]) -> int:
    try:
        inner = _need(manifest[_INNER], _of_inner(shapes)) if _INNER in manifest else 0
        return inner + STORAGES[manifest["kind"]].need(manifest, shapes)
    except _MISFITS:  # parts are missing or of other types, and the model will say so
        return 0


@contextmanager
def _readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say what to do about a file that is not there, or cannot be read."""
    name = os.fspath(path)
    try:
        yield
    except WeftError:
        raise
    except ABSENT as error:
        message = "no such file; train a model with `weft train`, or check the name"
        raise MissingFileError(message, path=name) from error
    except IsADirectoryError as error:
        message = "this is a folder; give the path of a saved model"
        raise FormatError(message, path=name) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise explain_fault(name, "read", error) from error


def _load(path: str | os.PathLike[str], *kinds: str, max_bytes: int | None) -> Any:
    with _readable(path):
        if TAGGER_FILE.kind in kinds and is_crfsuite(path):
            return read_crfsuite(path, max_bytes)
        manifest, arrays = load_archive(path, *kinds, max_bytes=max_bytes, need=_need)
    try:
        return _unpack(manifest, arrays)
    except _MISFITS as error:
        raise FormatError(
            f"the parts of this model file do not fit together ({error}); train it again",
            path=os.fspath(path),
        ) from error


def _unpack(manifest: Mapping[str, Any], arrays: Arrays) -> Any:
    storage = STORAGES[manifest["kind"]]
    made = storage.made(
        **storage.unpack(manifest, arrays),
        weights=weights_of(arrays),
        trace=unpack_trace(arrays["trace"]),
        notes=notes_of(manifest),
    )
    if _INNER not in manifest:
        return made
    return storage.join(made, _unpack(manifest[_INNER], _of_inner(arrays)))


def _of_inner(parts: Mapping[str, T]) -> dict[str, T]:
    """What belongs to the model within a model."""
    start = f"{_INNER}."
    return {name[len(start) :]: part for name, part in parts.items() if name.startswith(start)}
