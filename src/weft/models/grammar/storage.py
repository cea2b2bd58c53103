"""Grammar models as plain arrays and texts, and back."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from weft.arrays import IndexArray
from weft.grammars.heads import HeadRules, read_head_rules
from weft.models.grammar.model import GrammarModel, Shaping
from weft.models.grammar.parser import Parser
from weft.models.grammar.phrases import PhraseTable
from weft.models.lexicon_storage import pack_lexicon, unpack_lexicon
from weft.models.needs import parser_need
from weft.models.options import Normalisation, PhraseFeature, Shape
from weft.models.packing import (
    Arrays,
    Packed,
    Storage,
    check,
    checked_offsets,
    decoder_of,
    pack_names,
    unpack_names,
    vector,
    with_decoder,
)
from weft.structures.grammar import Grammar

_LONG = 100
_MOST_SQUARES = 2**25


def pack_grammar(model: GrammarModel) -> Packed:
    """Return a model as a manifest, which JSON can hold, and named arrays."""
    grammar, shaping = model.grammar, model.shaping
    arrays: Arrays = {}
    manifest = {
        "start": int(grammar.start),
        "normalisation": str(model.normalisation),
        "binarise": str(shaping.binarise),
        "order": shaping.order,
        "parents": shaping.parents,
        "over_tags": shaping.over_tags,
        "head_rules": None if shaping.head_rules is None else list(shaping.head_rules.lines()),
        "lexicon": pack_lexicon(arrays, model.lexicon),
        "unknown": model.unknown,
        "heads": model.head_weights is not None,
        "phrases": [str(table.feature) for table in model.tables],
        "canonical": model.canonical,
    }
    arrays |= {
        "heads": grammar.heads,
        "body_offsets": grammar.body_offsets,
        "bodies": grammar.bodies,
    }
    if model.head_weights is not None:
        arrays["head_weights"] = model.head_weights
    pack_names(arrays, "nonterminals", grammar.nonterminals)
    pack_names(arrays, "terminals", grammar.terminals)
    for table in model.tables:
        pack_names(arrays, f"values_{table.feature}", list(table.values))
        arrays[f"weights_{table.feature}"] = table.weights
    return manifest, arrays


def unpack_grammar(manifest: Mapping[str, Any], arrays: Arrays) -> GrammarModel:
    """Return the model that was packed.

    Raises:
        ValueError: If the parts do not fit together; the message names one that does not. Missing
            parts and parts of other types raise what Python raises for them.
    """
    heads = vector(arrays["heads"], np.int32)
    offsets = checked_offsets(arrays["body_offsets"], len(heads), arrays["bodies"].size)
    lengths = np.diff(offsets).astype(np.float64)
    # What a chart keeps of a rule that can be empty grows with the square of its length.
    check(float((lengths[lengths > _LONG] ** 2).sum()) <= _MOST_SQUARES, "right sides")
    grammar = Grammar(
        tuple(unpack_names(arrays, "nonterminals")),
        tuple(unpack_names(arrays, "terminals")),
        int(manifest["start"]),
        heads,
        offsets,
        vector(arrays["bodies"], np.int32),
        np.zeros(len(heads)),
    )
    order = manifest["order"]
    shaping = Shaping(
        Shape(manifest["binarise"]),
        None if order is None else int(order),
        int(manifest["parents"]),
        bool(manifest["over_tags"]),
        _unpack_head_rules(manifest.get("head_rules")),  # which files did not always have
    )
    of_heads = _unpack_heads(arrays, grammar.rule_count) if manifest["heads"] else None
    tables, first = [], grammar.rule_count if of_heads is None else int(of_heads.max()) + 1
    for name in manifest["phrases"]:
        tables.append(_unpack_table(PhraseFeature(name), arrays, grammar, first))
        first += int((tables[-1].weights >= 0).sum())
    canonical = manifest.get("canonical", False)  # which older files do not have
    check(isinstance(canonical, bool), "canonical")
    return GrammarModel(
        grammar,
        Normalisation(manifest["normalisation"]),
        shaping,
        unpack_lexicon(arrays, manifest["lexicon"]),
        tuple(tables),
        _unknown(manifest, grammar),
        of_heads,
        canonical,
    )


def _unpack_head_rules(lines: Any) -> HeadRules | None:
    if lines is None:
        return None
    return read_head_rules(io.BytesIO("\n".join(map(str, lines)).encode()))


def _unpack_heads(arrays: Arrays, rules: int) -> IndexArray:
    heads = vector(arrays["head_weights"], np.int32)
    # After the rules' own coordinates, and every one of them used.
    used = np.unique(heads)
    check(len(heads) == rules > 0, "heads")
    check(bool((used == np.arange(rules, rules + len(used))).all()), "heads")
    return heads


def _unknown(manifest: Mapping[str, Any], grammar: Grammar) -> int:
    unknown = int(manifest["unknown"])
    check(0 <= unknown <= grammar.rule_count, "unknown")
    return unknown


def _unpack_table(
    feature: PhraseFeature, arrays: Arrays, grammar: Grammar, first: int
) -> PhraseTable:
    values = {value: row for row, value in enumerate(unpack_names(arrays, f"values_{feature}"))}
    weights = arrays[f"weights_{feature}"]
    check(weights.dtype == np.int32, "phrases")
    check(weights.shape == (len(values) + 1, len(grammar.nonterminals)), "phrases")
    used = np.sort(weights[weights >= 0])
    # Each table has a run of coordinates of its own, every one once.
    check(bool((used == np.arange(first, first + len(used))).all()), "phrases")
    check(bool((weights >= -1).all()) and bool((weights[-1] < 0).all()), "phrases")
    return PhraseTable(feature, values, weights)


PARSER_FILE = Storage(
    "parser",
    (GrammarModel,),
    lambda parser: with_decoder(parser, pack_grammar(parser.model)),
    lambda manifest, arrays: {"model": unpack_grammar(manifest, arrays), **decoder_of(manifest)},
    Parser,
    parser_need,
)
"""How parsers lie in files."""
