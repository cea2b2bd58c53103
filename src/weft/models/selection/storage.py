"""Selectors as parts of a file; see :mod:`weft.models.storage`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from weft.arrays import freeze
from weft.errors import OptionError
from weft.features.properties import PROPERTIES, Node, Property
from weft.models.needs import selector_need
from weft.models.packing import (
    Arrays,
    Packed,
    Storage,
    check,
    checked_numbers,
    pack_names,
    unpack_names,
    vector,
)
from weft.models.selection.model import SelectionModel
from weft.models.selection.selector import Selector, with_reference
from weft.models.selection.spec import Selection


def pack_selection(model: SelectionModel) -> Packed:
    """Return a model as a manifest and arrays."""
    kinds = sorted({kind for kind, _ in model.names})
    number = {kind: place for place, kind in enumerate(kinds)}
    manifest = {
        "properties": [each.name for each in model.selection.properties],
        "relevance": model.selection.relevance,
        "kinds": kinds,
    }
    arrays: Arrays = {
        "largest": model.largest,
        "feature_kinds": np.array([number[kind] for kind, _ in model.names], np.int32),
    }
    pack_names(arrays, "features", [name for _, name in model.names])
    return manifest, arrays


def unpack_selection(manifest: Mapping[str, Any], arrays: Arrays) -> SelectionModel:
    """Return the model that was packed, or raise an error if it does not fit together."""
    kinds = [str(kind) for kind in manifest["kinds"]]
    texts = unpack_names(arrays, "features")
    numbers = checked_numbers(vector(arrays["feature_kinds"], np.int32), len(kinds))
    check(len(numbers) == len(texts), "features")
    names = tuple((kinds[kind], name) for kind, name in zip(numbers.tolist(), texts, strict=True))
    check(all(a < b for a, b in pairwise(names)), "order of features")
    largest = vector(arrays["largest"], np.float64)
    check(len(largest) == len(names) and bool(np.isfinite(largest).all()), "largest")
    selection = Selection(
        tuple(_property(str(name)) for name in manifest["properties"]), int(manifest["relevance"])
    )
    return SelectionModel(selection, names, freeze(largest))


def _property(name: str) -> Property:
    """A property by its name; the user's own is no part of a file, and says so when it is used."""
    if name in PROPERTIES:
        return PROPERTIES[name]

    return Property(name, "a property of the user's own", _Absent(name))


@dataclass(frozen=True, slots=True)
class _Absent:
    """What stands for a property that the file does not hold; a class, so that it pickles."""

    name: str

    def __call__(self, node: Node) -> tuple[str, ...]:  # noqa: ARG002
        raise OptionError(
            f"this selector looks at '{self.name}', a property of its maker's own that model files "
            "do not hold: give it with with_properties(selector, [...]), or precompute its features"
        )


SELECTOR_FILE = Storage(
    "selector",
    (SelectionModel,),
    lambda selector: pack_selection(selector.model),
    lambda manifest, arrays: {"model": unpack_selection(manifest, arrays)},
    Selector,
    selector_need,
    lambda selector: selector.model.selection.reference,
    with_reference,
)
"""How selectors lie in files."""
