"""Chain models as plain arrays and texts, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft.arrays import are_numbers, ascends, checked_weights
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.tag_parts import PartRows
from weft.derivations.chain.topology import Topology
from weft.features.attributes import AttributeIndex
from weft.features.numbering import Numbering, number_names
from weft.features.signatures import Signatures
from weft.features.templates import template
from weft.features.views import views_of
from weft.models.chain.first_pass import FirstPass
from weft.models.chain.model import ChainModel
from weft.models.chain.parts import Parts
from weft.models.options import Normalisation
from weft.models.packing import (
    Arrays,
    check,
    checked_numbers,
    checked_offsets,
    pack_names,
    pack_words,
    unpack_names,
    unpack_words,
    vector,
)

_FIRST = "first_"
"""What the names of the arrays of a first pass begin with."""


def pack_chain(model: ChainModel) -> tuple[dict[str, Any], Arrays]:
    """Return a model as a manifest, which JSON can hold, and named arrays."""
    manifest = {
        "order": model.topology.order,
        "tags": list(model.tags),
        "templates": [str(each) for each in model.index.templates],
        "views": [[column, function] for column, function in model.index.values],
        "normalisation": str(model.normalisation),
        "signatures": None if model.signatures is None else model.signatures.longest,
        "shown": model.shown is not None,
        "pairs": model.pair_rows is not None,
        "parts": model.part_rows is not None,
        "dictionary": model.dictionary is not None,
        "open_tags": None if model.open_tags is None else sorted(model.open_tags),
        "first": None,
    }
    arrays: Arrays = {
        "forbidden": model.topology.forbidden,
        "bigrams": model.topology.bigrams,
        "trigrams": model.topology.trigrams,
    }
    _pack_index(arrays, model.index)
    _pack_rows(arrays, "tag", model.tag_rows)
    if model.pair_rows is not None:
        _pack_rows(arrays, "pair", model.pair_rows)
    if (parts := model.part_rows) is not None:
        _pack_rows(arrays, "part", parts.table)
        pack_names(arrays, "parts", parts.names)
        pack_words(arrays, "tag_parts", parts.named(model.tags), parts.names)
    pack_names(arrays, "vocabulary", model.vocabulary)
    if model.shown is not None:
        arrays["shown"] = np.array(model.shown, np.int32)
    if model.signatures is not None:
        pack_names(arrays, "signatures", model.signatures.names)
    if model.dictionary is not None:
        pack_words(arrays, "dictionary", model.dictionary, model.tags)
    if (first := model.first) is not None:
        own, own_arrays = pack_chain(first.model)
        manifest["first"] = {**own, "least": first.least}
        own_arrays["weights"] = first.weights
        arrays.update({f"{_FIRST}{name}": each for name, each in own_arrays.items()})
    return manifest, arrays


def unpack_chain(manifest: Mapping[str, Any], arrays: Arrays) -> ChainModel:
    """Return the model that was packed.

    Raises:
        ValueError: If the parts do not fit together; the message names one that does not. Missing
            parts and parts of other types raise what Python raises for them.
    """
    tags = tuple(str(tag) for tag in manifest["tags"])
    check(len(tags) > 0 and len(set(tags)) == len(tags), "tags")
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
    dictionary = unpack_words(arrays, "dictionary", tags) if manifest["dictionary"] else None
    vocabulary = tuple(unpack_names(arrays, "vocabulary"))
    check(len(set(vocabulary)) == len(vocabulary), "vocabulary")
    normalisation = Normalisation(manifest["normalisation"])
    return ChainModel(
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
        _unpack_open_tags(manifest.get("open_tags"), tags),
        _unpack_parts(arrays, len(index), start + len(pairs or ()), tags, width)
        if manifest.get("parts")
        else None,
        _unpack_first(manifest.get("first"), arrays, tags),
    )


def _unpack_first(
    manifest: Mapping[str, Any] | None, arrays: Arrays, tags: Sequence[str]
) -> FirstPass | None:
    if manifest is None:
        return None
    own = {
        name.removeprefix(_FIRST): each for name, each in arrays.items() if name.startswith(_FIRST)
    }
    check(manifest.get("first") is None, "first pass")
    model, least = unpack_chain(manifest, own), float(manifest["least"])
    check(set(model.tags) <= set(tags) and 0.0 <= least < 1.0, "first pass")
    return FirstPass(model, checked_weights(own["weights"], model.parameters.size), least)


def _unpack_parts(
    arrays: Arrays, attributes: int, start: int, tags: Sequence[str], width: int
) -> PartRows | None:
    names = tuple(unpack_names(arrays, "parts"))
    check(len(set(names)) == len(names) > 0, "parts of tags")
    of_tag = unpack_words(arrays, "tag_parts", names)
    check(tuple(of_tag) == tuple(tags), "parts of tags")
    parts = Parts(names, tuple(tuple(map(names.index, mine)) for mine in of_tag.values()))
    table = _unpack_rows(arrays, "part", attributes, start, parts.width, len(names))
    return parts.rows(width, table)


def _unpack_open_tags(names: list[str] | None, tags: Sequence[str]) -> frozenset[str] | None:
    if names is None:
        return None
    check(len(names) > 0 and set(names) <= set(tags), "open tags")
    return frozenset(names)


def _unpack_shown(arrays: Arrays, tags: int) -> tuple[int, ...]:
    shown = checked_numbers(vector(arrays["shown"], np.int32), tags).tolist()
    check(len(set(shown)) == tags, "states")
    return tuple(shown)


def _unpack_signatures(
    longest: int | None, arrays: Arrays, index: AttributeIndex
) -> Signatures | None:
    if longest is None:
        return None
    names = tuple(unpack_names(arrays, "signatures"))
    check(list(index.given) == [f"unknown:{name}" for name in names], "signatures")
    return Signatures(names, int(longest))


def _topology(order: int, tags: int, arrays: Arrays) -> Topology:
    bigrams, trigrams = (
        checked_numbers(arrays[name], tags + 1) for name in ("bigrams", "trigrams")
    )
    return Topology(order, tags, arrays["forbidden"], bigrams, 0, trigrams, len(bigrams))


def _pack_rows(arrays: Arrays, name: str, rows: RowTable) -> None:
    arrays[f"{name}_offsets"] = rows.offsets
    arrays[f"{name}_columns"] = rows.columns


def _unpack_rows(
    arrays: Arrays, name: str, attributes: int, start: int, width: int, columns: int
) -> RowTable:
    numbers = checked_numbers(vector(arrays[f"{name}_columns"], np.int32), columns)
    offsets = checked_offsets(arrays[f"{name}_offsets"], attributes, len(numbers))
    return RowTable(offsets, numbers, start, width)


def _pack_index(arrays: Arrays, index: AttributeIndex) -> None:
    for number, keys in enumerate(index.keys):
        arrays[f"keys_{number}"] = keys
    for number, values in enumerate(index.values.values()):
        pack_names(arrays, f"values_{number}", list(values))
    pack_names(arrays, "given", list(index.given))


def _unpack_index(manifest: Mapping[str, Any], arrays: Arrays) -> AttributeIndex:
    several = tuple(template(text) for text in manifest["templates"])
    views = [(int(column), str(function)) for column, function in manifest["views"]]
    check(views == views_of(several), "views")
    values = {
        view: _numbering(unpack_names(arrays, f"values_{number}"), 0)
        for number, view in enumerate(views)
    }
    keys = tuple(vector(arrays[f"keys_{number}"], np.int64) for number in range(len(several)))
    for each, known in zip(several, keys, strict=True):
        radix = 1
        for atom in each.atoms:
            radix *= len(values[(atom.column, atom.function)])
        check(are_numbers(known, radix) and ascends(known, strictly=True), "attributes")
    given = _numbering(unpack_names(arrays, "given"), sum(map(len, keys)))
    return AttributeIndex(several, values, keys, given)


def _numbering(names: Sequence[str], start: int) -> Numbering:
    numbering = number_names(names, start)
    check(len(numbering) == len(names), "names")
    return numbering
