"""Entries of unknown words for a word: what is put in for %stem."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Any

from weft.lfg.language import Entry, Form, Place, Symbol

STEM = "%stem"


def with_stem(entry: Entry, word: str) -> Entry:
    """Return an entry of unknown words as one of a word.

    >>> from weft.lfg.language import UP, At, Attribute, Equal
    >>> entry = Entry("-unknown", "N", (Equal(At(UP, Attribute("PRED")), Form("%stem")),))
    >>> with_stem(entry, "cow").notes[0].right.name
    'cow'
    """
    return replace(entry, word=word, notes=_filled(entry.notes, word))


def _filled(thing: Any, word: str) -> Any:
    if isinstance(thing, Symbol):
        return replace(thing, text=thing.text.replace(STEM, word))
    if isinstance(thing, Form):
        thing = replace(thing, name=thing.name.replace(STEM, word))
    if isinstance(thing, tuple):
        return tuple(_filled(each, word) for each in thing)
    if dataclasses.is_dataclass(thing) and not isinstance(thing, Place):
        changes = {
            field.name: _filled(getattr(thing, field.name), word)
            for field in dataclasses.fields(thing)
            if not isinstance(getattr(thing, field.name), str | bool | int | None)
        }
        return replace(thing, **changes) if changes else thing  # type: ignore[type-var]
    return thing
