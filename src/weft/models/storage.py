"""Taggers as files: which part of a chain model is an array, and which is text.

A file is not trusted: everything that a kernel would use as an index is checked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.archive import load_archive, pack_strings, save_archive, unpack_strings
from weft.arrays import IndexArray, IntArray, frozen, offsets_of
from weft.derivations.rows import RowTable
from weft.derivations.topology import Topology
from weft.errors import FormatError, WeftError
from weft.features.attributes import AttributeIndex, views_of
from weft.features.numbering import Numbering, numbered
from weft.features.signatures import Signatures
from weft.features.templates import template
from weft.models.chain import ChainModel, Normalisation
from weft.models.tagger import Decoder, Progress, Tagger

_KIND = "chain"
_MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, WeftError)
Arrays = dict[str, npt.NDArray[Any]]


def save_tagger(path: str | os.PathLike[str], tagger: Tagger) -> None:
    """Write a tagger to a file, whole or not at all."""
    model = tagger.model
    manifest = {
        "kind": _KIND,
        "order": model.topology.order,
        "tags": list(model.tags),
        "templates": [str(each) for each in model.index.templates],
        "views": [[column, function] for column, function in model.index.values],
        "normalisation": str(model.normalisation),
        "signatures": None if model.signatures is None else model.signatures.longest,
        "shown": model.shown is not None,
        "pairs": model.pair_rows is not None,
        "dictionary": model.dictionary is not None,
        "notes": dict(tagger.notes),
        "decoder": str(tagger.decoder),
    }
    arrays: Arrays = {
        "weights": tagger.weights,
        "forbidden": model.topology.forbidden,
        "bigrams": model.topology.bigrams,
        "trigrams": model.topology.trigrams,
        "trace": _pack_trace(tagger.trace),
    }
    _pack_index(arrays, model.index)
    _pack_rows(arrays, "tag", model.tag_rows)
    if model.pair_rows is not None:
        _pack_rows(arrays, "pair", model.pair_rows)
    _pack_names(arrays, "vocabulary", model.vocabulary)
    if model.shown is not None:
        arrays["shown"] = np.array(model.shown, np.int32)
    if model.signatures is not None:
        _pack_names(arrays, "signatures", model.signatures.names)
    _pack_words(arrays, "lexicon", tagger.lexicon, model.tags)
    if model.dictionary is not None:
        _pack_words(arrays, "dictionary", model.dictionary, model.tags)
    save_archive(path, manifest, arrays)


def load_tagger(path: str | os.PathLike[str]) -> Tagger:
    """Read a tagger from a file.

    Raises:
        FormatError: If the file is damaged, or is no tagger's.
    """
    manifest, arrays = load_archive(path, _KIND)
    try:
        return _tagger(manifest, arrays)
    except _MISFITS as error:
        raise FormatError(
            f"the parts of this model file do not fit together ({error}); train it again",
            path=os.fspath(path),
        ) from error


def _tagger(manifest: Mapping[str, Any], arrays: Arrays) -> Tagger:
    tags = tuple(str(tag) for tag in manifest["tags"])
    _check(len(tags) > 0 and len(set(tags)) == len(tags), "tags")
    shown = _unpack_shown(arrays, len(tags)) if manifest.get("shown") else None
    states = len(tags) if shown is None else len(shown)
    topology = _topology(int(manifest["order"]), states, arrays)
    index = _unpack_index(manifest, arrays)
    start = len(topology.bigrams) + len(topology.trigrams)
    width = topology.width
    tag_rows = _unpack_rows(arrays, "tag", len(index), start, width, states)
    start += len(tag_rows)
    pairs = (
        _unpack_rows(arrays, "pair", len(index), start, width**2, width**2)
        if manifest["pairs"]
        else None
    )
    dictionary = _unpack_words(arrays, "dictionary", tags) if manifest["dictionary"] else None
    vocabulary = tuple(_unpack_names(arrays, "vocabulary"))
    _check(len(set(vocabulary)) == len(vocabulary), "vocabulary")
    normalisation = Normalisation(manifest["normalisation"])
    model = ChainModel(
        tags,
        topology,
        index,
        tag_rows,
        pairs,
        dictionary,
        vocabulary,
        normalisation,
        _unpack_signatures(manifest["signatures"], arrays, index),
        shown,
    )
    weights = _vector(arrays["weights"], np.float64)
    # What has no probability weighs -inf.
    numbers = np.isfinite(weights) | np.isneginf(weights)
    _check(len(weights) == model.parameters.size and bool(numbers.all()), "weights")
    notes = {str(key): str(value) for key, value in manifest["notes"].items()}
    lexicon = _unpack_words(arrays, "lexicon", tags)
    trace, decoder = _unpack_trace(arrays["trace"]), Decoder(manifest["decoder"])
    return Tagger(model, frozen(weights), lexicon, trace, notes, decoder)


def _unpack_shown(arrays: Arrays, tags: int) -> tuple[int, ...]:
    shown = _numbers(_vector(arrays["shown"], np.int32), tags).tolist()
    _check(len(shown) > 0, "states")
    return tuple(shown)


def _unpack_signatures(
    longest: int | None, arrays: Arrays, index: AttributeIndex
) -> Signatures | None:
    if longest is None:
        return None
    names = tuple(_unpack_names(arrays, "signatures"))
    _check(list(index.given) == [f"unknown:{name}" for name in names], "signatures")
    return Signatures(names, int(longest))


def _check(condition: bool, name: str) -> None:
    if not condition:
        raise ValueError(f"bad {name}")


def _vector(array: npt.NDArray[Any], dtype: type[np.generic]) -> npt.NDArray[Any]:
    _check(array.ndim == 1 and array.dtype == dtype, "array")
    return array


def _offsets(array: npt.NDArray[Any], rows: int, items: int) -> IntArray:
    offsets = _vector(array, np.int64)
    fits = len(offsets) == rows + 1 and offsets[0] == 0 and offsets[-1] == items
    _check(bool(fits) and bool((np.diff(offsets) >= 0).all()), "offsets")
    return offsets


def _numbers(array: npt.NDArray[Any], bound: int) -> IndexArray:
    _check(array.dtype == np.int32 and bool(((array >= 0) & (array < bound)).all()), "numbers")
    return array


def _topology(order: int, tags: int, arrays: Arrays) -> Topology:
    forbidden = arrays["forbidden"]
    _check(forbidden.dtype == np.bool_ and forbidden.shape == (tags + 1, tags + 1), "forbidden")
    bigrams = _numbers(arrays["bigrams"], tags + 1)
    trigrams = _numbers(arrays["trigrams"], tags + 1)
    _check(order in (1, 2) and bigrams.shape[1:] == (2,) and trigrams.shape[1:] == (3,), "order")
    return Topology(order, tags, forbidden, bigrams, 0, trigrams, len(bigrams))


def _pack_rows(arrays: Arrays, name: str, rows: RowTable) -> None:
    arrays[f"{name}_offsets"] = rows.offsets
    arrays[f"{name}_columns"] = rows.columns


def _unpack_rows(
    arrays: Arrays, name: str, attributes: int, start: int, width: int, columns: int
) -> RowTable:
    numbers = _numbers(_vector(arrays[f"{name}_columns"], np.int32), columns)
    offsets = _offsets(arrays[f"{name}_offsets"], attributes, len(numbers))
    return RowTable(offsets, numbers, start, width)


def _pack_index(arrays: Arrays, index: AttributeIndex) -> None:
    for number, keys in enumerate(index.keys):
        arrays[f"keys_{number}"] = keys
    for number, values in enumerate(index.values.values()):
        _pack_names(arrays, f"values_{number}", list(values))
    _pack_names(arrays, "given", list(index.given))


def _unpack_index(manifest: Mapping[str, Any], arrays: Arrays) -> AttributeIndex:
    several = tuple(template(text) for text in manifest["templates"])
    views = [(int(column), str(function)) for column, function in manifest["views"]]
    _check(views == views_of(several), "views")
    values = {
        view: _numbering(_unpack_names(arrays, f"values_{number}"), 0)
        for number, view in enumerate(views)
    }
    keys = tuple(_vector(arrays[f"keys_{number}"], np.int64) for number in range(len(several)))
    for each, known in zip(several, keys, strict=True):
        radix = 1
        for atom in each.atoms:
            radix *= len(values[(atom.column, atom.function)])
        inside = not len(known) or (known[0] >= 0 and int(known[-1]) < radix)
        _check(bool(inside) and bool((np.diff(known) > 0).all()), "attributes")
    given = _numbering(_unpack_names(arrays, "given"), sum(map(len, keys)))
    return AttributeIndex(several, values, keys, given)


def _numbering(names: Sequence[str], start: int) -> Numbering:
    numbering = numbered(names, start)
    _check(len(numbering) == len(names), "names")
    return numbering


def _pack_names(arrays: Arrays, name: str, names: Sequence[str]) -> None:
    arrays[f"{name}_text"], arrays[f"{name}_ends"] = pack_strings(names)


def _unpack_names(arrays: Arrays, name: str) -> list[str]:
    return unpack_strings(arrays[f"{name}_text"], arrays[f"{name}_ends"])


def _pack_words(
    arrays: Arrays, name: str, words: Mapping[str, frozenset[str]], tags: Sequence[str]
) -> None:
    number = {tag: place for place, tag in enumerate(tags)}
    rows = [sorted(number[tag] for tag in allowed if tag in number) for allowed in words.values()]
    _pack_names(arrays, f"{name}_words", list(words))
    arrays[f"{name}_offsets"] = offsets_of(map(len, rows))
    arrays[f"{name}_tags"] = np.array([tag for row in rows for tag in row], np.int32)


def _unpack_words(arrays: Arrays, name: str, tags: Sequence[str]) -> dict[str, frozenset[str]]:
    words = _unpack_names(arrays, f"{name}_words")
    numbers = _numbers(_vector(arrays[f"{name}_tags"], np.int32), len(tags))
    offsets = _offsets(arrays[f"{name}_offsets"], len(words), len(numbers)).tolist()
    names = [tags[number] for number in numbers.tolist()]
    return {
        word: frozenset(names[start:stop])
        for word, start, stop in zip(words, offsets[:-1], offsets[1:], strict=True)
    }


def _pack_trace(trace: Sequence[Progress]) -> npt.NDArray[np.float64]:
    """[iterations, 5]; a missing accuracy is NaN."""
    rows = [[np.nan if item is None else item for item in astuple(step)] for step in trace]
    return np.array(rows, np.float64).reshape(len(rows), 5)


def _unpack_trace(rows: npt.NDArray[Any]) -> tuple[Progress, ...]:
    _check(rows.dtype == np.float64 and rows.ndim == 2 and rows.shape[1] == 5, "trace")
    return tuple(
        Progress(int(iteration), value, norm, seconds, None if np.isnan(accuracy) else accuracy)
        for iteration, value, norm, seconds, accuracy in rows.tolist()
    )
