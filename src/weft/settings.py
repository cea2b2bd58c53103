"""Fields of specifications that are settings: what each means, said where the field is.

A model's specification, an optimiser, a search is a frozen record. A field that
:func:`setting` makes has its explanation with it, and so ``--set``, ``weft recipes NAME`` and the
documentation know it without another list (see :mod:`weft.recipes.settings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

_KEY = "weft.setting"


@dataclass(frozen=True, slots=True)
class Described:
    """A field that is a setting.

    Attributes:
        key: What the setting is called.
        name: What the field is called.
        help: What it does, and which values there are.
        read: From text to the value; None if the default shows how.
        unsaid: What stands for None, where the value may be None.
    """

    key: str
    name: str
    help: str
    read: Callable[[str], Any] | None = None
    unsaid: str | None = None


def setting(
    default: Any,
    help: str,  # noqa: A002
    *,
    key: str = "",
    read: Callable[[str], Any] | None = None,
    unsaid: str | None = None,
) -> Any:
    """Return a field of a record that users may set.

    >>> @dataclass(frozen=True)
    ... class Walk:
    ...     max_steps: int = setting(10, "how many steps to go", key="steps")
    >>> [(each.key, each.name) for each in settings_of(Walk())]
    [('steps', 'max_steps')]

    Args:
        default: The field's default; of a class, an instance of it.
        help: What it does, and which values there are.
        key: What the setting is called; as the field by default.
        read: From text to the value. Numbers, yes and no, and the names of an enumeration are
            read as the default shows.
        unsaid: What stands for None, where the value may be None.
    """
    said = {_KEY: Described(key, "", help, read, unsaid)}
    made = "default_factory" if isinstance(default, type) else "default"
    return field(metadata=said, **{made: default})


def settings_of(record: Any) -> Iterator[Described]:
    """Yield the settings of a record, or of its class; of None, none."""
    for each in fields(record) if is_dataclass(record) else ():
        said = each.metadata.get(_KEY)
        if said is not None:
            key = said.key or each.name
            yield Described(key, each.name, said.help, said.read, said.unsaid)
