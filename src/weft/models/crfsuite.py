"""Models of CRFsuite, read from its own files as taggers that say the same.

A file is a header, the features with their weights, and two indexes (of labels and attributes):

    lCRF size FOMC version features labels attributes, and where each of five parts begins
    FEAT size count, and for each feature: type source target weight
    CQDB size flag order count offset, hash tables, records, and at *offset* where each record is

Numbers are little-endian and of four bytes, weights of eight. A feature of type 0 is an attribute
with a label, one of type 1 a label after another; a record is a number, a length, and as many
bytes, the last of them 0. The two further parts say which features an attribute or a label has,
which the features themselves say already.

A file is not trusted: everything that is used as a place or a number is checked.

Reference: Okazaki (2007), "CRFsuite: a fast implementation of conditional random fields", version
0.12.
"""

from __future__ import annotations

import os
import struct
from typing import NoReturn

import numpy as np

from weft.archive import check_room
from weft.arrays import IntArray
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.topology import Topology, pad
from weft.errors import FormatError, MissingFileError, quote
from weft.features.attributes import AttributeIndex
from weft.features.numbering import number_names
from weft.files import Source, name_of, read_bytes
from weft.models.chain.model import ChainModel
from weft.models.needs import tables_need, texts_need
from weft.models.tagger import Tagger

Features = np.ndarray[tuple[int], np.dtype[np.void]]

MAGIC = b"lCRF"
"""How a file of CRFsuite's begins."""

_HEADER = struct.Struct("<4sI4s9I")
_FEATURES = struct.Struct("<4sII")
_INDEX = struct.Struct("<4sIIIII")
_RECORD = struct.Struct("<II")
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_ORDER = 0x62445371
_LARGEST = 2**32  # what a size of four bytes can be
_DAMAGED = "the file is cut short, damaged, or of another version of CRFsuite: train it again"


def is_crfsuite(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as CRFsuite's models do."""
    with open(path, "rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def read_crfsuite(source: Source, max_bytes: int | None = None) -> Tagger:
    """Read a model of CRFsuite.

    Args:
        source: A path or a binary stream.
        max_bytes: How much memory the model may take; see :func:`weft.models.storage.load_model`.

    Returns:
        A tagger of order 1, whose attributes are given with each token.

    Raises:
        FormatError: If it is no such model, damaged, or takes too much memory.
    """
    path = name_of(source)
    try:
        if isinstance(source, str | os.PathLike) and os.path.isfile(source):
            size = os.stat(source).st_size
            check_room(size, size, max_bytes)
        data = read_bytes(source, _LARGEST if max_bytes is None else min(_LARGEST, max_bytes))
        return _tagger(data, max_bytes)
    except MissingFileError:
        raise
    except FormatError as error:
        raise FormatError(error.message, path=path) from None
    except (struct.error, ValueError) as error:
        raise FormatError(f"{error}; {_DAMAGED}", path=path) from None


def _tagger(data: bytes, max_bytes: int | None) -> Tagger:
    magic, size, kind, version, _, labels, attributes, *places = _HEADER.unpack_from(data)
    if (magic, kind, version) != (MAGIC, b"FOMC", 100):
        _refuse(f"this is no first-order model of version 100, but {quote(kind)} of {version}")
    if size != len(data):
        _refuse(f"it has {len(data):,} bytes, and says {size:,}")
    texts = {"labels_ends": (labels,), "attributes_ends": (attributes,)}
    needed = len(data) + tables_need(pad(labels + 1)) + texts_need(texts)
    check_room(needed, len(data), max_bytes)
    tags = _texts(data, places[1], labels)
    names = _texts(data, places[2], attributes)
    if not tags:
        _refuse("it has no label")
    features = _features(data, places[0])
    pairs = _of_type(features, 1, (len(tags), len(tags)))
    states = _of_type(features, 0, (len(names), len(tags)))
    bigrams = np.stack([pairs["source"], pairs["target"]], axis=1).astype(np.int32)
    nothing = np.zeros((len(tags) + 1, len(tags) + 1), np.bool_)
    topology = Topology(1, len(tags), nothing, bigrams, 0, np.empty((0, 3), np.int32), len(bigrams))
    offsets = np.searchsorted(states["source"], np.arange(len(names) + 1)).astype(np.int64)
    rows = RowTable(offsets, states["target"].astype(np.int32), len(bigrams), topology.width)
    index = AttributeIndex((), {}, (), number_names(names))
    weights = np.concatenate([pairs["weight"], states["weight"]])
    notes = {"recipe": "crf", "criterion": "conditional", "format": "crfsuite", "by": "CRFsuite"}
    return Tagger(ChainModel(tags, topology, index, rows, None, None), weights, notes=notes)


def _refuse(problem: str) -> NoReturn:
    raise FormatError(f"{problem}; {_DAMAGED}")


def _features(data: bytes, place: int) -> Features:
    name, _, count = _FEATURES.unpack_from(data, place)
    start = place + _FEATURES.size
    if name != b"FEAT" or start + count * _FEATURE.itemsize > len(data):
        _refuse("its features are not where they should be")
    found = np.frombuffer(data, _FEATURE, count, start)
    if (found["type"] > 1).any():
        _refuse("a feature is neither of a label and an attribute, nor of two labels")
    return found


def _of_type(features: Features, kind: int, limits: tuple[int, int]) -> Features:
    """The features of a type, sorted by their source and target, of which there are so many."""
    found = features[features["type"] == kind]
    sources: IntArray = found["source"].astype(np.int64)
    targets: IntArray = found["target"].astype(np.int64)
    if (sources >= limits[0]).any() or (targets >= limits[1]).any():
        _refuse("a feature is of a label or an attribute that does not exist")
    keys = sources * limits[1] + targets
    order = np.argsort(keys, kind="stable")
    if (np.diff(keys[order]) == 0).any():
        _refuse("a feature comes twice")
    ordered: Features = found[order]
    return ordered


def _texts(data: bytes, place: int, count: int) -> tuple[str, ...]:
    """The texts of an index, in the order of their numbers."""
    name, _, _, order, size, offset = _INDEX.unpack_from(data, place)
    start = place + offset
    if (name, order, size) != (b"CQDB", _ORDER, count) or start + 4 * count > len(data):
        _refuse("an index of its texts is not where it should be")
    records = np.frombuffer(data, "<u4", count, start).astype(np.int64) + place
    lengths = [_record(data, at, number) for number, at in enumerate(records.tolist())]
    # Records that overlap would be more text than there are bytes.
    if sum(lengths) > len(data):
        _refuse("its texts are longer than the file")
    firsts = records + _RECORD.size
    texts = tuple(
        _text(data[first : first + length])
        for first, length in zip(firsts.tolist(), lengths, strict=True)
    )
    if len(set(texts)) < len(texts):
        _refuse("a label or an attribute comes twice")
    return texts


def _record(data: bytes, at: int, number: int) -> int:
    """The length of a text, which has a number."""
    found, length = _RECORD.unpack_from(data, at)
    if found != number or at + _RECORD.size + length > len(data):
        _refuse("a text of it is not where it should be")
    return int(length)


def _text(raw: bytes) -> str:
    try:
        return raw.removesuffix(b"\0").decode()
    except UnicodeDecodeError:
        raise FormatError(
            f"the text {quote(raw)} is not UTF-8; convert the training files, and train it again"
        ) from None
