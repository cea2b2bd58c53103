"""Taggers as files: a model of any kind with its weights, lexicon, trace and notes.

A file is not trusted: everything that a kernel would use as an index is checked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.archive import load_archive, save_archive
from weft.arrays import frozen
from weft.errors import FormatError, WeftError
from weft.models.chain_model import ChainModel
from weft.models.chain_storage import pack_chain, unpack_chain
from weft.models.packing import Arrays, check, pack_words, unpack_words, vector
from weft.models.tables import pack_tables, unpack_tables
from weft.models.tagger import Decoder, Progress, Tagger

_KIND = "tagger"
_MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, WeftError)


def save_tagger(path: str | os.PathLike[str], tagger: Tagger) -> None:
    """Write a tagger to a file, whole or not at all."""
    model = tagger.model
    packed, arrays = pack_chain(model) if isinstance(model, ChainModel) else pack_tables(model)
    manifest = {
        "kind": _KIND,
        "model": "chain" if isinstance(model, ChainModel) else "tables",
        **packed,
        "notes": dict(tagger.notes),
        "decoder": str(tagger.decoder),
    }
    arrays = {**arrays, "weights": tagger.weights, "trace": _pack_trace(tagger.trace)}
    pack_words(arrays, "seen", tagger.lexicon, model.tags)
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
    kind = manifest["model"]
    check(kind in ("chain", "tables"), "model")
    model = unpack_chain(manifest, arrays) if kind == "chain" else unpack_tables(manifest, arrays)
    weights = vector(arrays["weights"], np.float64)
    # What has no probability weighs -inf.
    numbers = np.isfinite(weights) | np.isneginf(weights)
    check(len(weights) == model.parameters.size and bool(numbers.all()), "weights")
    notes = {str(key): str(value) for key, value in manifest["notes"].items()}
    lexicon = unpack_words(arrays, "seen", model.tags)
    trace, decoder = _unpack_trace(arrays["trace"]), Decoder(manifest["decoder"])
    return Tagger(model, frozen(weights), lexicon, trace, notes, decoder)


def _pack_trace(trace: Sequence[Progress]) -> npt.NDArray[np.float64]:
    """[iterations, 5]; a missing accuracy is NaN."""
    rows = [[np.nan if item is None else item for item in astuple(step)] for step in trace]
    return np.array(rows, np.float64).reshape(len(rows), 5)


def _unpack_trace(rows: npt.NDArray[Any]) -> tuple[Progress, ...]:
    check(rows.dtype == np.float64 and rows.ndim == 2 and rows.shape[1] == 5, "trace")
    return tuple(
        Progress(int(iteration), value, norm, seconds, None if np.isnan(accuracy) else accuracy)
        for iteration, value, norm, seconds, accuracy in rows.tolist()
    )
