"""One file for a model: a manifest in JSON and arrays in NPY, together in a zip archive.

    manifest.json   {"format": "weft", "version": 1, "kind": …, "arrays": {NAME: {dtype, shape}}, …}
    NAME.npy        one for each array of the manifest, and nothing else

Nothing in a file is ever executed, and a file is believed only so far as it agrees with itself.
The manifest decides: given a dtype and a shape there is exactly one header that an array's member
may begin with and one size that it may have, so that no header needs to be parsed and no more is
ever decompressed than was declared. What that takes, and what the content will need when it is
used, is held against a budget before there is memory for any of it. The same content always gives
the same bytes.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any, NoReturn

import numpy as np
import numpy.typing as npt

from weft.arrays import freeze
from weft.errors import FormatError
from weft.files import replacing

FORMAT = "weft"
VERSION = 1
MAX_BYTES = 8 << 30
MAX_MANIFEST_BYTES = 64 << 20
MAX_DEPTH = 32

# A small file may not ask for much memory: models hardly shrink to less than a hundredth.
_FREE_BYTES = 256 << 20
_FREE_BYTES_IN_USE = 512 << 20
_MOST_RATIO = 100
# What Python makes of JSON: characters of up to four bytes, and objects.
_BYTES_A_CHARACTER = 4
_BYTES_A_VALUE = 100

_MANIFEST = "manifest.json"
_RESERVED = ("format", "version", "arrays")
_DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8")
_NAME = re.compile(r"[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*")
_SUFFIX = ".npy"
_CHUNK = 1 << 20
_COMPRESSION_LEVEL = 1
DAMAGED = "copy the file again from where it was saved, or save it again"
"""What to do about a file that is not as it was saved."""

_NOT_OURS = "not a file that Weft saved: give the path of a saved model"
# What zipfile and json raise on malformed input, beside errors of their own.
Shape = tuple[int, ...]
"""The shape of an array."""

Need = Callable[[Mapping[str, Any], Mapping[str, Shape]], int]
"""Says from a manifest and the shapes of the arrays how many bytes more they will take in use."""

_MALFORMED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    ValueError,
    RuntimeError,
)


def save_archive(
    path: str | os.PathLike[str],
    manifest: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> None:
    """Save a manifest and arrays in one file, whole or not at all.

    Args:
        path: The file; replaced if it exists.
        manifest: A JSON object whose ``kind`` says what the file holds. ``format``, ``version``
            and ``arrays`` are written by this function.
        arrays: Arrays of booleans, integers or floats, by name.

    Raises:
        ValueError: The content cannot be saved so that it is read back the same.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_archive(f"{folder}/m.weft", {"kind": "demo", "tags": ["A"]}, {"w": np.ones(2)})
    ...     load_archive(f"{folder}/m.weft", "demo")
    ({'kind': 'demo', 'tags': ['A']}, {'w': array([1., 1.])})
    """
    prepared = {name: _prepared(name, arrays[name]) for name in sorted(arrays)}
    encoded = _encoded_manifest(manifest, prepared)
    with replacing(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        _write_member(archive, _MANIFEST, encoded)
        for name, array in prepared.items():
            header = _npy_header(array.dtype.str, array.shape)
            _write_member(archive, name + _SUFFIX, b"".join((header, array.data)))


def load_archive(
    path: str | os.PathLike[str],
    *kinds: str,
    max_bytes: int | None = None,
    need: Need | None = None,
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Load what :func:`save_archive` saved, or say why not; a file from anyone may be tried.

    Args:
        path: The file.
        kinds: Those of which its manifest must have one as its ``kind``.
        max_bytes: Refuse files that would take more than so much memory, loaded and in use. By
            default 256 MiB loaded and 512 MiB in use, and a hundred times the file's size more,
            but never more than 8 GiB.
        need: What the content takes in use, beyond itself.

    Returns:
        The manifest as it was given and the arrays, read-only.

    Raises:
        FormatError: The file is not one of these kinds, is damaged, is not what it claims, or takes
            too much memory.
        OSError: The file cannot be opened.
    """
    with open(path, "rb") as stream, _naming(path):
        if stream.read(4) != b"PK\x03\x04":
            raise FormatError(_NOT_OURS)
        with zipfile.ZipFile(stream) as archive:
            size = os.fstat(stream.fileno()).st_size
            members = _checked_members(archive)
            declared = sum(member.file_size for member in members.values())
            most = _budget(max_bytes, _FREE_BYTES, size)
            _check_budget(declared, most, "when it is loaded")
            manifest = _read_manifest(archive, members, kinds, most - declared)
            shapes = _declared_arrays(manifest, members)
            if need is not None:
                used = declared + need(manifest, {name: spec[1] for name, spec in shapes.items()})
                check_room(used, size, max_bytes)
            arrays = {
                name: _read_array(archive, members[name + _SUFFIX], *spec)
                for name, spec in shapes.items()
            }
    return {key: manifest[key] for key in manifest if key not in _RESERVED}, arrays


def _prepared(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array in the order of bytes that is saved."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"an array's name consists of letters, digits, _ . -, unlike {name!r}")
    prepared = np.asarray(array, order="C")
    prepared = prepared.astype(prepared.dtype.newbyteorder("<"), copy=False)
    if prepared.dtype.str not in _DTYPES:
        raise ValueError(f"the array {name!r} is of {array.dtype}, not one of {', '.join(_DTYPES)}")
    return prepared


def _encoded_manifest(manifest: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    if not isinstance(manifest.get("kind"), str) or any(key in manifest for key in _RESERVED):
        raise ValueError(f"a manifest needs a string 'kind', and none of {', '.join(_RESERVED)}")
    specs = {
        name: {"dtype": array.dtype.str, "shape": list(array.shape)}
        for name, array in arrays.items()
    }
    whole = {**manifest, "format": FORMAT, "version": VERSION, "arrays": specs}
    if _is_deeper(whole, MAX_DEPTH):
        raise ValueError(f"the manifest is nested more than {MAX_DEPTH} deep")
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1)
    encoded = text.encode()
    if len(encoded) > MAX_MANIFEST_BYTES:
        raise ValueError(f"the manifest has {len(encoded)} bytes, over {MAX_MANIFEST_BYTES}")
    return encoded


def _write_member(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    member.create_system = 3
    member.external_attr = 0o644 << 16
    archive.writestr(member, content, zipfile.ZIP_DEFLATED, _COMPRESSION_LEVEL)


def _npy_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Return the one header of an array, in version 1.0 of NPY.

    NumPy's own differs in padding from release to release.
    """
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    padding = -(10 + len(text) + 1) % 64
    body = text.encode("ascii") + b" " * padding + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(body)) + body


@contextlib.contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever a malformed file raises into a FormatError that names it."""
    try:
        yield
    except FormatError as error:
        raise FormatError(error.message, path=os.fspath(path)) from error
    except _MALFORMED as error:
        reason = str(error) or type(error).__name__
        message = f"cut short or damaged ({reason}): {DAMAGED}"
        raise FormatError(message, path=os.fspath(path)) from error


def _refuse(problem: str) -> NoReturn:
    raise FormatError(f"{problem}; the file is not as Weft saved it: {DAMAGED}")


def _budget(max_bytes: int | None, free: int, size: int) -> int:
    """How many bytes of memory a file of a size may take."""
    return min(MAX_BYTES, free + _MOST_RATIO * size) if max_bytes is None else max_bytes


def check_room(wanted: int, size: int, max_bytes: int | None) -> None:
    """Refuse what takes too much memory in use for a file of a size.

    Raises:
        FormatError: If it takes more than :func:`load_archive` allows.

    >>> check_room(1 << 34, 1000, 1 << 33)
    Traceback (most recent call last):
    weft.errors.FormatError: takes 16.0 GiB in use, more than the 8.0 GiB that it may; it is damaged
    or made to fill the memory, unless you know it: then allow more, by `--max-memory`, or by
    max_bytes in Python
    """
    _check_budget(wanted, _budget(max_bytes, _FREE_BYTES_IN_USE, size), "in use")


def _check_budget(wanted: int, allowed: int, when: str) -> None:
    if wanted > allowed:
        raise FormatError(
            f"takes {_shown(wanted)} {when}, more than the {_shown(allowed)} that it may; it is "
            "damaged or made to fill the memory, unless you know it: then allow more, by "
            "`--max-memory`, or by max_bytes in Python"
        )


def _shown(size: int) -> str:
    """Write a number of bytes.

    >>> _shown(5 << 29)
    '2.5 GiB'
    """
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size:,} bytes"


def _checked_members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.orig_filename
        if name in members:
            _refuse(f"two members are called {name!r}")
        if name != _MANIFEST and not _NAME.fullmatch(name.removesuffix(_SUFFIX)):
            _refuse(f"a member is called {name!r}")
        if member.flag_bits & 0x41:
            _refuse(f"{name!r} is encrypted")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            _refuse(f"{name!r} is compressed in an unknown way ({member.compress_type})")
        members[name] = member
    return members


def _read_manifest(
    archive: zipfile.ZipFile,
    members: Mapping[str, zipfile.ZipInfo],
    kinds: Sequence[str],
    max_bytes: int,
) -> dict[str, Any]:
    member = members.get(_MANIFEST)
    if member is None:
        raise FormatError(_NOT_OURS)
    if member.file_size > MAX_MANIFEST_BYTES:
        _refuse(f"{_MANIFEST} has {member.file_size} bytes, over {MAX_MANIFEST_BYTES}")
    with archive.open(member) as stream:
        encoded = _read_exactly(stream, member.file_size).tobytes()
    # Every value but the first comes after one of these.
    values = sum(map(encoded.count, (b"[", b"{", b",", b":")))
    room = len(encoded) * _BYTES_A_CHARACTER + values * _BYTES_A_VALUE
    _check_budget(room, max_bytes, f"for its {_MANIFEST}")
    manifest = _parsed(encoded)
    _check_kind(manifest, kinds)
    return manifest


def _parsed(encoded: bytes) -> dict[str, Any]:
    manifest = json.loads(
        encoded.decode(), parse_constant=_finite_number, parse_float=_finite_number
    )
    if not isinstance(manifest, dict):
        raise FormatError(_NOT_OURS)
    if _is_deeper(manifest, MAX_DEPTH):
        _refuse(f"{_MANIFEST} is nested more than {MAX_DEPTH} deep")
    return manifest


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(f"{_MANIFEST} contains the number {text}")
    return number


def _is_deeper(value: object, limit: int) -> bool:
    """Tell whether JSON is nested more than ``limit`` deep, level by level."""
    level = [value]
    for _ in range(limit + 1):
        inner: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
        level = inner
    return bool(level)


def _check_kind(manifest: Mapping[str, Any], kinds: Sequence[str]) -> None:
    if manifest.get("format") != FORMAT:
        raise FormatError(_NOT_OURS)
    version = manifest.get("version")
    if isinstance(version, int) and version > VERSION:
        raise FormatError(
            f"written by a newer Weft (version {version} of the format; this Weft reads "
            f"{VERSION}): upgrade Weft"
        )
    if version != VERSION or isinstance(version, bool):
        _refuse(f"the version of the format is {version!r}")
    found = manifest.get("kind")
    if found not in kinds:
        wanted = " or a ".join(map(repr, kinds))
        raise FormatError(f"holds a {found!r}, not a {wanted}: give a file that holds a {wanted}")


def _declared_arrays(
    manifest: Mapping[str, Any], members: Mapping[str, zipfile.ZipInfo]
) -> dict[str, tuple[str, tuple[int, ...]]]:
    declared = manifest.get("arrays")
    if not isinstance(declared, dict):
        _refuse(f"{_MANIFEST} lists no arrays")
    wanted = {_MANIFEST, *(name + _SUFFIX for name in declared)}
    if missing := sorted(wanted - members.keys()):
        _refuse(f"{missing[0]!r} is missing")
    if extra := sorted(members.keys() - wanted):
        _refuse(f"{extra[0]!r} is not in {_MANIFEST}")
    return {name: _declared_array(name, spec) for name, spec in declared.items()}


def _declared_array(name: str, spec: object) -> tuple[str, tuple[int, ...]]:
    if not isinstance(spec, dict) or spec.keys() != {"dtype", "shape"}:
        _refuse(f"{_MANIFEST} does not give the dtype and shape of {name!r}")
    dtype, shape = spec["dtype"], spec["shape"]
    if dtype not in _DTYPES:
        _refuse(f"{name!r} is of dtype {dtype!r}, not one of {', '.join(_DTYPES)}")
    if not isinstance(shape, list) or not all(type(side) is int and side >= 0 for side in shape):
        _refuse(f"{name!r} has the shape {shape!r}")
    return dtype, tuple(shape)


def _read_array(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, dtype: str, shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    header = _npy_header(dtype, shape)
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if member.file_size != len(header) + size:
        _refuse(f"{member.filename!r} declares {member.file_size} bytes, not {dtype} × {shape}")
    with archive.open(member) as stream:
        if stream.read(len(header)) != header:
            _refuse(f"{member.filename!r} is not an array of {dtype} × {shape}")
        content = _read_exactly(stream, size)
    if dtype == "|b1" and np.any(content > 1):
        _refuse(f"{member.filename!r} has booleans that are neither true nor false")
    return freeze(content.view(dtype).reshape(shape))


def _read_exactly(stream: IO[bytes], size: int) -> npt.NDArray[np.uint8]:
    """Read ``size`` bytes piece by piece: a single read would inflate whatever is there."""
    content = np.empty(size, dtype=np.uint8)
    for start in range(0, size, _CHUNK):
        room = content[start : start + _CHUNK].data
        piece = stream.read(len(room))
        if len(piece) < len(room):
            raise EOFError("a member ends early")
        room[:] = piece
    return content
