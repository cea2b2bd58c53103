"""Table models as plain arrays and texts, and back.

What comes back is not trusted: everything that is used as an index, and every probability, is
checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from weft.arrays import FloatArray, are_numbers, freeze
from weft.features.signatures import Signatures
from weft.models.options import option
from weft.models.packing import Arrays, check, pack_names, unpack_names
from weft.models.smoothing.counts import CountTable
from weft.models.smoothing.interpolation import Component, Interpolation
from weft.models.smoothing.mixtures import Mixture
from weft.models.tables.factors import LEXICAL, Factors
from weft.models.tables.form import MOST_TAGS, Form
from weft.models.tables.items import Items
from weft.models.tables.lexicon import Emissions
from weft.models.tables.model import TableModel

_MOST = 1e100  # what counts may be, and one in what: no product or ratio of them overflows
_SUM = 1e-6  # how far from one a stored distribution may sum


def pack_tables(model: TableModel) -> tuple[dict[str, Any], Arrays]:
    """Return a model as a manifest, which JSON can hold, and named arrays."""
    factors, signatures = model.factors, model.items.signatures
    lexicon = _lexicon_of(factors)
    manifest = {
        "form": str(factors.form),
        "order": factors.order,
        "tags": list(model.tags),
        "suffix": signatures.longest,
        "word_backoff": lexicon.backoff if lexicon else 0.0,
    }
    arrays: Arrays = {}
    for name, texts in (("words", model.items.words), ("classes", signatures.names)):
        pack_names(arrays, name, texts)
    _pack_interpolation(arrays, "next_tag", factors.next_tag)
    if factors.next_word is not None:
        _pack_interpolation(arrays, "next_word", factors.next_word)
    if lexicon is not None:
        _pack_table(arrays, "lexicon", lexicon.words)
        arrays["lexicon_masses"] = lexicon.masses
        arrays["lexicon_tag_probs"] = lexicon.tag_probs
    return manifest, arrays


def _lexicon_of(factors: Factors) -> Emissions | None:
    """The lexicon, also where it is a component of the distribution of words."""
    components = factors.next_word.components if factors.next_word else ()
    inside = [each for each in components if isinstance(each, Emissions)]
    return inside[0] if inside else factors.lexicon


def _pack_interpolation(arrays: Arrays, name: str, mixed: Interpolation) -> None:
    arrays[f"{name}_weights"] = mixed.mixture.weights
    for number, component in enumerate(mixed.components):
        if isinstance(component, CountTable):
            _pack_table(arrays, f"{name}_{number}", component)


def _pack_table(arrays: Arrays, name: str, table: CountTable) -> None:
    arrays[f"{name}_keys"], arrays[f"{name}_counts"] = table.keys, table.counts


def unpack_tables(manifest: Mapping[str, Any], arrays: Arrays) -> TableModel:
    """Return the model that was packed.

    Raises:
        ValueError: If the parts do not fit together; the message names one that does not. Missing
            parts and parts of other types raise what Python raises for them.
    """
    form = option(Form, str(manifest["form"]))
    tags = tuple(str(tag) for tag in manifest["tags"])
    order = int(manifest.get("order", 1))  # which files did not always say
    check(order in MOST_TAGS, "order")
    check(0 < len(set(tags)) == len(tags) <= MOST_TAGS[order], "tags")
    words, classes = (tuple(unpack_names(arrays, name)) for name in ("words", "classes"))
    items = Items(words, Signatures(classes, int(manifest["suffix"])))
    states, size = len(tags) + 1, len(items)
    lexicon = None
    if form in (*LEXICAL, Form.MEALY):
        lexicon = _unpack_lexicon(manifest, arrays, items, len(tags))
    histories = [states**count for count in range(order, 0, -1)]
    narrow = [] if form in (Form.HMM, Form.MEALY) else [size * each for each in (*histories, 1)]
    next_tag = _unpack_tables(arrays, "next_tag", [*narrow, *histories, 2], states)
    next_word = None
    if form is Form.NEXT_WORD:
        tables = _unpack_tables(arrays, "next_word", [*histories, 2], size)
        next_word = _interpolation(arrays, "next_word", tables)
    elif form is Form.MEALY and lexicon is not None:
        tables = _unpack_tables(arrays, "next_word", [states**2], items.boundary)
        check(bool((tables[0].contexts % states < len(tags)).all()), "next_word_0_keys")
        next_word = _interpolation(arrays, "next_word", (*tables, lexicon))
    factors = Factors(
        form,
        len(tags),
        items.boundary,
        _interpolation(arrays, "next_tag", next_tag),
        next_word,
        lexicon if form in LEXICAL else None,
        order,
    )
    return TableModel(tags, items, factors)


def _unpack_tables(
    arrays: Arrays, name: str, contexts: list[int], outcomes: int
) -> tuple[CountTable, ...]:
    """The components that are counts, with this many contexts each."""
    return tuple(
        _unpack_table(arrays, f"{name}_{number}", bound, outcomes)
        for number, bound in enumerate(contexts)
    )


def _unpack_table(arrays: Arrays, name: str, contexts: int, outcomes: int) -> CountTable:
    keys, counts = arrays[f"{name}_keys"], arrays[f"{name}_counts"]
    check(keys.size > 0 and are_numbers(keys, contexts * outcomes), f"{name}_keys")
    table = CountTable(outcomes, freeze(keys), freeze(counts))
    check(_are_counts(counts), f"{name}_counts")
    return table


def _interpolation(arrays: Arrays, name: str, components: tuple[Component, ...]) -> Interpolation:
    weights, size = arrays[f"{name}_weights"], len(components)
    check(weights.dtype == np.float64 and weights.ndim == 3, f"{name}_weights")
    fits = weights.shape[::2] == (1 << size, size) and weights.shape[1] > 0
    check(fits and _finite(weights) and bool((weights >= 0).all()), f"{name}_weights")
    defined = (np.arange(1 << size)[:, None] >> np.arange(size)) & 1
    check(bool((weights[defined[:, None].repeat(weights.shape[1], 1) == 0] == 0).all()), name)
    check(_sum_to_one(weights[1:]), f"{name}_weights")
    return Interpolation(components, Mixture(freeze(weights)))


def _unpack_lexicon(
    manifest: Mapping[str, Any], arrays: Arrays, items: Items, tags: int
) -> Emissions:
    backoff = float(manifest["word_backoff"])
    check(0 <= backoff <= _MOST, "word_backoff")
    masses, tag_probs = arrays["lexicon_masses"], arrays["lexicon_tag_probs"]
    count = len(items.signatures)
    check(masses.dtype == np.float64 and masses.shape == (count,), "lexicon_masses")
    check(_are_counts(masses), "lexicon_masses")
    check(tag_probs.dtype == np.float64 and tag_probs.shape == (count, tags), "lexicon_tag_probs")
    check(bool((tag_probs > 0).all()) and _sum_to_one(tag_probs), "lexicon_tag_probs")
    words = _unpack_table(arrays, "lexicon", len(items.words), tags)
    classes = items.signatures.classes_of(items.words).astype(np.int64)
    return Emissions(words, classes, backoff, freeze(masses), freeze(tag_probs))


def _are_counts(array: FloatArray) -> bool:
    return bool(((array >= 1 / _MOST) & (array <= _MOST)).all())


def _finite(array: FloatArray) -> bool:
    return bool(np.isfinite(array).all())


def _sum_to_one(array: FloatArray) -> bool:
    return bool((np.abs(array.sum(axis=-1) - 1.0) < _SUM).all())
