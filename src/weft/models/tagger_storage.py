"""Taggers as parts of a file: a chain or tables, with their lexicon and decoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.models.chain.model import ChainModel
from weft.models.chain.storage import pack_chain, unpack_chain
from weft.models.needs import tagger_need
from weft.models.packing import Arrays, Packed, Storage, check, pack_words, unpack_words
from weft.models.tables import TableModel, pack_tables, unpack_tables
from weft.models.tagger import Decoder, Tagger

_PACKS: Mapping[type, Any] = {
    ChainModel: ("chain", pack_chain),
    TableModel: ("tables", pack_tables),
}
_UNPACKS: Mapping[str, Any] = {"chain": unpack_chain, "tables": unpack_tables}


def _pack(tagger: Tagger) -> Packed:
    name, pack = _PACKS[type(tagger.model)]
    manifest, arrays = pack(tagger.model)
    pack_words(arrays, "seen", tagger.lexicon, tagger.model.tags)
    return {"model": name, **manifest, "decoder": str(tagger.decoder)}, arrays


def _unpack(manifest: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    check(manifest["model"] in _UNPACKS, "model")
    model = _UNPACKS[manifest["model"]](manifest, arrays)
    lexicon = unpack_words(arrays, "seen", model.tags)
    return {"model": model, "lexicon": lexicon, "decoder": Decoder(manifest["decoder"])}


TAGGER_FILE = Storage("tagger", tuple(_PACKS), _pack, _unpack, Tagger, tagger_need)
"""How taggers lie in files."""
