"""Models as files: of any kind, with their weights, trace and notes.

A file is not trusted: everything that a kernel would use as an index is checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.archive import load_archive, save_archive
from weft.arrays import FloatArray, frozen
from weft.errors import FormatError, WeftError
from weft.models.chain_model import ChainModel
from weft.models.chain_storage import pack_chain, unpack_chain
from weft.models.grammar_storage import pack_grammar, unpack_grammar
from weft.models.packing import (
    Arrays,
    check,
    pack_trace,
    pack_words,
    unpack_trace,
    unpack_words,
    vector,
)
from weft.models.parser import Parser
from weft.models.selector import Selector
from weft.models.selector_storage import pack_selector, unpack_selector
from weft.models.tables import pack_tables, unpack_tables
from weft.models.tagger import Decoder, Tagger

_MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, WeftError)

Trained = Tagger | Selector | Parser
"""A model with its weights, of any kind."""


def _pack_tagger(tagger: Tagger) -> tuple[dict[str, Any], Arrays]:
    model = tagger.model
    packed, arrays = pack_chain(model) if isinstance(model, ChainModel) else pack_tables(model)
    manifest = {
        "model": "chain" if isinstance(model, ChainModel) else "tables",
        **packed,
        "notes": dict(tagger.notes),
        "decoder": str(tagger.decoder),
    }
    arrays = {**arrays, "weights": tagger.weights, "trace": pack_trace(tagger.trace)}
    pack_words(arrays, "seen", tagger.lexicon, model.tags)
    return manifest, arrays


def _tagger(manifest: Mapping[str, Any], arrays: Arrays) -> Tagger:
    kind = manifest["model"]
    check(kind in ("chain", "tables"), "model")
    model = unpack_chain(manifest, arrays) if kind == "chain" else unpack_tables(manifest, arrays)
    weights, notes = _weights(arrays, model.parameters.size), _notes(manifest)
    lexicon = unpack_words(arrays, "seen", model.tags)
    trace, decoder = unpack_trace(arrays["trace"]), Decoder(manifest["decoder"])
    return Tagger(model, weights, lexicon, trace, notes, decoder)


def _pack_parser(parser: Parser) -> tuple[dict[str, Any], Arrays]:
    manifest, arrays = pack_grammar(parser.model)
    arrays = {**arrays, "weights": parser.weights, "trace": pack_trace(parser.trace)}
    return {**manifest, "notes": dict(parser.notes)}, arrays


def _parser(manifest: Mapping[str, Any], arrays: Arrays) -> Parser:
    model = unpack_grammar(manifest, arrays)
    weights = _weights(arrays, model.parameters.size)
    return Parser(model, weights, unpack_trace(arrays["trace"]), _notes(manifest))


def _weights(arrays: Arrays, size: int) -> FloatArray:
    weights = vector(arrays["weights"], np.float64)
    # What has no probability weighs -inf.
    numbers = np.isfinite(weights) | np.isneginf(weights)
    check(len(weights) == size and bool(numbers.all()), "weights")
    return frozen(weights)


def _notes(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): str(value) for key, value in manifest["notes"].items()}


@dataclass(frozen=True, slots=True)
class _Kind:
    """How one kind of model is packed and unpacked."""

    type: type[Trained]
    pack: Callable[[Any], tuple[dict[str, Any], Arrays]]
    unpack: Callable[[Mapping[str, Any], Arrays], Trained]


_KINDS: Mapping[str, _Kind] = {
    "tagger": _Kind(Tagger, _pack_tagger, _tagger),
    "selector": _Kind(Selector, pack_selector, unpack_selector),
    "parser": _Kind(Parser, _pack_parser, _parser),
}


def save_model(path: str | os.PathLike[str], model: Trained) -> None:
    """Write a model to a file, whole or not at all."""
    [(name, kind)] = [pair for pair in _KINDS.items() if isinstance(model, pair[1].type)]
    manifest, arrays = kind.pack(model)
    save_archive(path, {"kind": name, **manifest}, arrays)


def load_model(path: str | os.PathLike[str]) -> Trained:
    """Read a model from a file.

    Raises:
        FormatError: If the file is damaged, or is no model's.
    """
    return _load(path, *_KINDS)


def save_tagger(path: str | os.PathLike[str], tagger: Tagger) -> None:
    """Write a tagger to a file, whole or not at all."""
    save_model(path, tagger)


def load_tagger(path: str | os.PathLike[str]) -> Tagger:
    """Read a tagger from a file.

    Raises:
        FormatError: If the file is damaged, or is no tagger's.
    """
    tagger = _load(path, "tagger")
    assert isinstance(tagger, Tagger)  # noqa: S101
    return tagger


def _load(path: str | os.PathLike[str], *kinds: str) -> Trained:
    manifest, arrays = load_archive(path, *kinds)
    try:
        return _KINDS[manifest["kind"]].unpack(manifest, arrays)
    except _MISFITS as error:
        raise FormatError(
            f"the parts of this model file do not fit together ({error}); train it again",
            path=os.fspath(path),
        ) from error
