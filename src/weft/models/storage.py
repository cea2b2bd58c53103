"""Models as files: of any kind, with their weights, trace and notes.

A file is not trusted: everything that a kernel would use as an index is checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from weft.archive import Shape, load_archive, save_archive
from weft.errors import FormatError, WeftError
from weft.models import needs
from weft.models.chain.model import ChainModel
from weft.models.chain.storage import pack_chain, unpack_chain
from weft.models.grammar.parser import Parser
from weft.models.grammar.storage import pack_grammar, unpack_grammar
from weft.models.packing import (
    Arrays,
    check,
    notes_of,
    pack_trace,
    pack_words,
    unpack_trace,
    unpack_words,
    weights_of,
)
from weft.models.selection.selector import Selector
from weft.models.selection.storage import pack_selector, unpack_selector
from weft.models.tables import TableModel, pack_tables, unpack_tables
from weft.models.tagger import Decoder, Tagger

_MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, WeftError)

Trained = Tagger | Selector | Parser
"""A model with its weights, of any kind."""


_TAGGERS: Mapping[type, tuple[str, Callable[[Any], tuple[dict[str, Any], Arrays]]]] = {
    ChainModel: ("chain", pack_chain),
    TableModel: ("tables", pack_tables),
}


def _pack_tagger(tagger: Tagger) -> tuple[dict[str, Any], Arrays]:
    model = tagger.model
    name, pack = _TAGGERS[type(model)]
    packed, arrays = pack(model)
    manifest = {
        "model": name,
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
    lexicon = unpack_words(arrays, "seen", model.tags)
    trace, decoder = unpack_trace(arrays["trace"]), Decoder(manifest["decoder"])
    return Tagger(model, weights_of(arrays), lexicon, trace, notes_of(manifest), decoder)


def _pack_parser(parser: Parser) -> tuple[dict[str, Any], Arrays]:
    manifest, arrays = pack_grammar(parser.model)
    arrays = {**arrays, "weights": parser.weights, "trace": pack_trace(parser.trace)}
    return {**manifest, "notes": dict(parser.notes)}, arrays


def _parser(manifest: Mapping[str, Any], arrays: Arrays) -> Parser:
    model = unpack_grammar(manifest, arrays)
    return Parser(model, weights_of(arrays), unpack_trace(arrays["trace"]), notes_of(manifest))


@dataclass(frozen=True, slots=True)
class _Kind:
    """How one kind of model is packed and unpacked."""

    type: type[Trained]
    pack: Callable[[Any], tuple[dict[str, Any], Arrays]]
    unpack: Callable[[Mapping[str, Any], Arrays], Trained]
    need: Callable[[Mapping[str, Any], needs.Shapes], int]


_KINDS: Mapping[str, _Kind] = {
    "tagger": _Kind(Tagger, _pack_tagger, _tagger, needs.tagger_need),
    "selector": _Kind(Selector, pack_selector, unpack_selector, needs.selector_need),
    "parser": _Kind(Parser, _pack_parser, _parser, needs.parser_need),
}


def save_model(path: str | os.PathLike[str], model: Trained) -> None:
    """Write a model to a file, whole or not at all."""
    [(name, kind)] = [pair for pair in _KINDS.items() if isinstance(model, pair[1].type)]
    manifest, arrays = kind.pack(model)
    save_archive(path, {"kind": name, **manifest}, arrays)


def load_model(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Trained:
    """Read a model from a file, which may come from anyone.

    Args:
        path: The file.
        max_bytes: How much memory the model may take, loaded and in use. By default 256 MiB loaded
            and 512 MiB in use, and a hundred times the file's size more, but never more than 8 GiB.

    Raises:
        FormatError: If the file is damaged, is no model's, or takes too much memory.
    """
    return _load(path, *_KINDS, max_bytes=max_bytes)


def save_tagger(path: str | os.PathLike[str], tagger: Tagger) -> None:
    """Write a tagger to a file, whole or not at all."""
    save_model(path, tagger)


def load_tagger(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Tagger:
    """Read a tagger from a file; see :func:`load_model`.

    Raises:
        FormatError: If the file is damaged, is no tagger's, or takes too much memory.
    """
    return cast(Tagger, _load(path, "tagger", max_bytes=max_bytes))


def _need(manifest: Mapping[str, Any], shapes: Mapping[str, Shape]) -> int:
    try:
        return _KINDS[manifest["kind"]].need(manifest, shapes)
    except _MISFITS:  # parts are missing or of other types, and the model will say so
        return 0


def _load(path: str | os.PathLike[str], *kinds: str, max_bytes: int | None) -> Trained:
    manifest, arrays = load_archive(path, *kinds, max_bytes=max_bytes, need=_need)
    try:
        return _KINDS[manifest["kind"]].unpack(manifest, arrays)
    except _MISFITS as error:
        raise FormatError(
            f"the parts of this model file do not fit together ({error}); train it again",
            path=os.fspath(path),
        ) from error
