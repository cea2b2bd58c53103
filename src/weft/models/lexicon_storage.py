"""Lexicons as plain arrays and texts, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.features.signatures import Signatures
from weft.models.lexicon import Lexicon
from weft.models.packing import Arrays, check, checked_numbers, pack_names, unpack_names, vector


def pack_lexicon(arrays: Arrays, lexicon: Lexicon | None) -> int | None:
    """Add a lexicon to the arrays, and return what the manifest says of it."""
    if lexicon is None:
        return None
    pack_names(arrays, "known", sorted(lexicon.known))
    pack_names(arrays, "classes", lexicon.classes.names)
    arrays["stand_ins"] = np.array(lexicon.stand_ins, np.int32)
    return lexicon.classes.longest


def unpack_lexicon(arrays: Arrays, said: Any) -> Lexicon | None:
    """Return a lexicon that was packed, given what the manifest says of it.

    Raises:
        ValueError: If its parts do not fit together.
    """
    if said is None:
        return None
    classes = Signatures(tuple(unpack_names(arrays, "classes")), int(said))
    stand_ins = checked_numbers(vector(arrays["stand_ins"], np.int32), len(classes))
    check(len(stand_ins) == len(classes), "stand_ins")
    return Lexicon(frozenset(unpack_names(arrays, "known")), classes, tuple(stand_ins.tolist()))
