"""Descriptions that say the same but for the names of semantic forms.

Two forms are never equal, whatever their names: unless something tests a name, entries that differ
in names only fit the same places.
"""

from __future__ import annotations

import itertools
from typing import Any

from weft.lfg.branches import parts_of
from weft.lfg.language import (
    FORM_NAME,
    Attribute,
    CheckContains,
    CheckEqual,
    Description,
    Form,
    Lfg,
    Not,
    Place,
)


def sees_names(grammar: Lfg) -> bool:
    """Say whether a grammar tests which semantic form something has."""
    whole = (grammar.rules, grammar.entries, grammar.unknown)
    tests = (each for kind in (CheckEqual, CheckContains, Not) for each in parts_of(whole, kind))
    steps = list(parts_of(whole, Attribute))
    beside = (step.off_path for step in steps if step.off_path)
    return any(step.name == FORM_NAME for step in steps) or any(
        True for each in itertools.chain(tests, beside) for _ in parts_of(each, Form)
    )


def hide_names(notes: Description) -> Description:
    """Return a description with numbers for the names of its semantic forms.

    >>> from weft.lfg.language import UP, At, Attribute, Equal
    >>> one, two = (Equal(At(UP, Attribute("PRED")), Form(name)) for name in ("cat", "dog"))
    >>> hide_names((one,)) == hide_names((two,)), hide_names((one, one)) == hide_names((one, two))
    (True, False)
    """
    names: dict[str, str] = {}

    def hide(thing: Any) -> Any:
        if isinstance(thing, tuple):
            return tuple(map(hide, thing))
        if isinstance(thing, Place | str) or not hasattr(thing, "__dataclass_fields__"):
            return thing
        given = {name: getattr(thing, name) for name in thing.__dataclass_fields__}
        if isinstance(thing, Form):
            given["name"] = names.setdefault(thing.name, str(len(names)))
        return type(thing)(**{name: hide(value) for name, value in given.items()})

    return tuple(map(hide, notes))
