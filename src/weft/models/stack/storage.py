"""Shift-reduce parsers as plain arrays and texts, and back.

What comes back is not trusted: everything that a kernel uses as an index is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from weft.arrays import ascends, freeze, offsets_of, ranges
from weft.derivations.stack.parses import Limits
from weft.derivations.stack.table import REDUCE_2, MoveTable
from weft.grammars.heads import HeadRules, HeadSearch
from weft.grammars.heads.rules import WAYS
from weft.grammars.transforms import is_made
from weft.models.lexicon_storage import pack_lexicon, unpack_lexicon
from weft.models.needs import stack_need
from weft.models.options import Normalisation, option
from weft.models.packing import (
    Arrays,
    Packed,
    Storage,
    check,
    checked_numbers,
    checked_offsets,
    decoder_of,
    pack_names,
    unpack_names,
    vector,
    with_decoder,
)
from weft.models.stack.feature_model import FeatureModel
from weft.models.stack.model import StackModel
from weft.models.stack.parser import StackParser
from weft.models.stack.templates import move_templates
from weft.structures.moves import END

_MOST_LABELS = 10_000
_LIMITS = ("beam", "edges", "cycles", "bytes", "seconds")


def pack_stack(model: StackModel) -> Packed:
    """Return a model as a manifest, which JSON can hold, and named arrays."""
    arrays: Arrays = {}
    manifest = {
        "root": model.root,
        "heads": _pack_heads(model.heads),
        "looks": model.table.looks,
        "limits": {name: getattr(model.limits, name) for name in _LIMITS},
        "lexicon": pack_lexicon(arrays, model.lexicon),
        "templates": None,
        "canonical": model.canonical,
    }
    pack_names(arrays, "labels", model.labels)
    pack_names(arrays, "looks", model.looks)
    table = model.table
    arrays |= {"rows": table.rows, "offsets": table.offsets}
    arrays |= {"moves": table.moves, "scores": table.scores}
    pack_names(arrays, "terminals", list(model.choices))
    some = [choice for choices in model.choices.values() for choice in choices]
    arrays["choice_offsets"] = offsets_of(map(len, model.choices.values()))
    arrays["choice_labels"] = np.array([number for number, _ in some], np.int32)
    arrays["choice_scores"] = np.array([score for _, score in some], np.float64)
    if isinstance(model, FeatureModel):
        manifest["templates"] = " ".join(model.templates)
        manifest["normalisation"] = str(model.normalisation)
        pack_names(arrays, "features", model.terminals_known)
        for number, keys in enumerate(model.keys):
            arrays[f"keys_{number}"] = keys
    return manifest, arrays


def _pack_heads(heads: HeadRules) -> dict[str, Any]:
    return {
        "searches": {
            label: [[each.way, list(each.labels)] for each in searches]
            for label, searches in heads.searches.items()
        },
        "conjunctions": sorted(heads.conjunctions),
    }


def unpack_stack(manifest: Mapping[str, Any], arrays: Arrays) -> StackModel:
    """Return the model that was packed.

    Raises:
        ValueError: If the parts do not fit together; the message names one that does not. Missing
            parts and parts of other types raise what Python raises for them.
    """
    labels = tuple(unpack_names(arrays, "labels"))
    check(0 < len(set(labels)) == len(labels) <= _MOST_LABELS and labels[0] == END, "labels")
    looks = tuple(unpack_names(arrays, "looks"))
    check(len(set(looks)) == len(looks) and (not looks or looks[0] == END), "looks")
    table = _unpack_table(int(manifest["looks"]), arrays, len(labels))
    check(table.looks == max(len(looks), 1), "looks")
    root = str(manifest["root"])
    check(root in labels and not is_made(root), "root")
    choices = _unpack_choices(arrays, len(labels))
    ahead = {labels[number] for some in choices.values() for number, _ in some}
    check(not looks or ahead <= set(looks), "looks")
    fields: dict[str, Any] = {
        "labels": labels,
        "root": root,
        "table": table,
        "looks": looks,
        "choices": choices,
        "heads": _unpack_heads(manifest["heads"]),
        "lexicon": unpack_lexicon(arrays, manifest["lexicon"]),
        "limits": _unpack_limits(manifest["limits"]),
        "canonical": manifest.get("canonical", False),  # which older files do not have
    }
    check(isinstance(fields["canonical"], bool), "canonical")
    if manifest["templates"] is None:
        return StackModel(**fields)
    templates = move_templates(str(manifest["templates"]))
    model = FeatureModel(
        **fields,
        terminals_known=tuple(unpack_names(arrays, "features")),
        templates=templates,
        keys=tuple(freeze(arrays[f"keys_{number}"]) for number in range(len(templates))),
        normalisation=option(Normalisation, str(manifest["normalisation"])),
    )
    for template, keys in zip(templates, model.keys, strict=True):
        check(keys.dtype == np.int64 and keys.ndim == 1 and ascends(keys, strictly=True), "keys")
        most = model.contexts.moves
        for name in template.split("+"):
            most *= model.contexts.radix(name)
        check(not len(keys) or (int(keys[0]) >= 0 and int(keys[-1]) < most), "keys")
    return model


def _unpack_limits(said: Mapping[str, Any]) -> Limits:
    beam, seconds = float(said["beam"]), float(said["seconds"])
    edges, most = int(said["edges"]), int(said["bytes"])
    cycles = None if said["cycles"] is None else int(said["cycles"])
    check(0 <= beam < 1 and 0 < edges <= 10**9 and (cycles is None or 0 <= cycles <= 60), "limits")
    check(0 < most <= 10**12 and 0 <= seconds <= 10**6, "limits")
    return Limits(beam, edges, cycles, bytes=most, seconds=seconds)


def _unpack_table(looks: int, arrays: Arrays, labels: int) -> MoveTable:
    rows, scores = arrays["rows"], vector(arrays["scores"], np.float64)
    check(rows.dtype == np.int32 and rows.shape == (labels, labels), "rows")
    moves = checked_numbers(vector(arrays["moves"], np.int32), 3 * labels)
    offsets = checked_offsets(arrays["offsets"], arrays["offsets"].size - 1, len(moves))
    check(bool((scores <= 0).all()), "scores")
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    check(ascends(owners * 3 * labels + moves, strictly=True), "moves")
    table = MoveTable(freeze(rows), looks, freeze(offsets), freeze(moves), freeze(scores))
    check(_keeps_bottom(table), "rows")
    return table


def _keeps_bottom(table: MoveTable) -> bool:
    """Whether no move reduces the bottom of the stack with what lies on it."""
    rows = np.unique(table.rows[:, 0])
    contexts = rows[rows >= 0].astype(np.int64) * table.looks
    starts = table.offsets[contexts]
    moves = table.moves[ranges(starts, table.offsets[contexts + table.looks] - starts)]
    return not bool((moves >= REDUCE_2 * table.labels).any())


def _unpack_choices(arrays: Arrays, labels: int) -> dict[str, tuple[tuple[int, float], ...]]:
    terminals = unpack_names(arrays, "terminals")
    numbers = checked_numbers(vector(arrays["choice_labels"], np.int32), labels)
    check(bool((numbers > 0).all()), "choices")
    scores = vector(arrays["choice_scores"], np.float64)
    check(len(scores) == len(numbers) and bool((scores <= 0).all()), "choices")
    offsets = checked_offsets(arrays["choice_offsets"], len(terminals), len(numbers)).tolist()
    pairs = list(zip(numbers.tolist(), scores.tolist(), strict=True))
    return {
        terminal: tuple(pairs[first:last])
        for terminal, (first, last) in zip(terminals, pairwise(offsets), strict=True)
    }


def _unpack_heads(said: Mapping[str, Any]) -> HeadRules:
    searches = {
        str(label): tuple(HeadSearch(str(way), tuple(map(str, some))) for way, some in several)
        for label, several in said["searches"].items()
    }
    check(all(each.way in WAYS for some in searches.values() for each in some), "heads")
    return HeadRules(searches, frozenset(map(str, said["conjunctions"])))


STACK_FILE = Storage(
    "shift-reduce parser",
    (StackModel,),
    lambda parser: with_decoder(parser, pack_stack(parser.model)),
    lambda manifest, arrays: {"model": unpack_stack(manifest, arrays), **decoder_of(manifest)},
    StackParser,
    stack_need,
)
"""How shift-reduce parsers lie in files."""
