"""The annotation of categories that say nothing of their f-structure: ``^=!``."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Any

from weft.lfg.language import (
    DOWN,
    UP,
    Category,
    Choice,
    Equal,
    Ignore,
    Nothing,
    Place,
    Repeat,
    RightSide,
)


def with_defaults(side: RightSide) -> RightSide:
    """Add ^=! to every category whose annotation does not mention !.

    >>> with_defaults(Category("VP")).notes == (Equal(UP, DOWN),)
    True
    """
    if isinstance(side, Category):
        if mentions(side.notes, DOWN):
            return side
        return replace(side, notes=(Equal(UP, DOWN, side.place), *side.notes))
    if isinstance(side, Nothing):
        return side
    if isinstance(side, Choice):
        return Choice(tuple(map(with_defaults, side.options)))
    if isinstance(side, Repeat):
        return replace(side, part=with_defaults(side.part))
    if isinstance(side, Ignore):
        return Ignore(with_defaults(side.part), with_defaults(side.ignored))
    return replace(side, parts=tuple(map(with_defaults, side.parts)))


def mentions(thing: Any, wanted: object) -> bool:
    """Whether something stands anywhere in a description, designator or path."""
    if thing == wanted:
        return True
    if isinstance(thing, tuple):
        return any(mentions(each, wanted) for each in thing)
    if dataclasses.is_dataclass(thing) and not isinstance(thing, Place):
        names = (field.name for field in dataclasses.fields(thing))
        return any(mentions(getattr(thing, name), wanted) for name in names)
    return False
