"""How records are shown at a prompt: in a line or two, whatever their size."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from importlib import import_module
from typing import Any

import numpy as np


class Brief:
    """A record that shows its fields in brief, and those that are not as by default only.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, repr=False)
    ... class Words(Brief):
    ...     words: tuple[str, ...]
    ...     weights: object = None
    >>> Words(("a", "b"))
    Words(words=('a', 'b'))
    >>> Words(tuple("abcdefgh"), np.zeros((2, 3)))
    Words(words=('a', 'b', 'c', 'd', ... 8), weights=<float64 [2, 3]>)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        told = [
            (field.name, getattr(self, field.name))
            for field in fields(self)  # type: ignore[arg-type]
            if field.repr and not _is_default(field, getattr(self, field.name))
        ]
        text = ""
        for short in _SHORTER:
            shown = ", ".join(f"{name}={short.repr(value)}" for name, value in told)
            text = f"{type(self).__name__}({shown})"
            if len(text) <= MOST_RECORD:
                return text
        return f"{text[: MOST_RECORD - 2]}…)"


class Pictured:
    """A record that notebooks show as a picture: see :mod:`weft.report.notebook`."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        # What draws is above all that is drawn, and is not imported before somebody looks.
        picture: str = import_module("weft.report.notebook").picture_of(self)
        return picture


def describe(thing: object, *facts: str) -> str:
    """Return what is shown of a thing whose fields say little: facts about it.

    >>> describe(Brief(), "44 tags", "", "1,024 features")
    '<Brief: 44 tags, 1,024 features>'
    """
    return f"<{type(thing).__name__}: {', '.join(fact for fact in facts if fact)}>"


def show_figure(name: str, value: float | None) -> str:
    """Return a figure with its name, for :func:`describe`; nothing where it is not known.

    >>> show_figure("accuracy", 0.51234), show_figure("F1", None)
    ('accuracy 0.5123', '')
    """
    return "" if value is None else f"{name} {value:.4f}"


MOST_RECORD = 300
"""How many characters of a record are shown."""

MOST_TEXT = 600
"""How many characters of a text are shown."""


def shorten(text: str | Iterable[str]) -> str:
    """Return a text, or its beginning where it is long; of its parts, no more are made.

    >>> shorten("ab"), len(shorten("ab" * MOST_TEXT))
    ('ab', 600)
    """
    text = text if isinstance(text, str) else "".join(_beginning(text))
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"


def _beginning(parts: Iterable[str]) -> Iterator[str]:
    length = 0
    for part in parts:
        yield part
        length += len(part)
        if length > MOST_TEXT:
            return


def bracketed(root: Any, look: Callable[[Any], tuple[str, Sequence[Any] | None]]) -> Iterator[str]:
    """Yield the parts of a tree's text in brackets; it may be deeper than Python can recurse.

    Args:
        root: The tree.
        look: From a node to its text and its children; None for what has no brackets, as words.

    >>> "".join(bracketed(3, lambda n: (str(n), range(n) if n else None)))
    '(3 0 (1 0) (2 0 (1 0)))'
    """
    waiting: list[tuple[str, Any]] = [("", root)]
    while waiting:
        before, node = waiting.pop()
        if node is None:
            yield ")"
            continue
        text, below = look(node)
        if below is None:
            yield before + text
        else:
            yield f"{before}({text}"
            waiting.append(("", None))
            waiting.extend((" ", each) for each in reversed(below))


def count_things(number: int, name: str) -> str:
    """Return a number with what it counts.

    >>> count_things(1, "tag"), count_things(1024, "rule")
    ('1 tag', '1,024 rules')
    """
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _is_default(field: Field[Any], value: object) -> bool:
    default = field.default if field.default is not MISSING else None
    if field.default_factory is not MISSING:
        default = field.default_factory()
    elif field.default is MISSING:
        return False
    same = value is default or (type(value) is type(default) and not hasattr(value, "shape"))
    return same and (value is default or bool(value == default))


class _Repr(reprlib.Repr):
    """Sequences and mappings by their first members and their number; arrays by their shape."""

    def __init__(self, levels: int, members: int, characters: int) -> None:
        super().__init__()
        self.maxlevel = levels
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = members
        self.maxstring = self.maxother = characters

    def repr1(self, x: Any, level: int) -> str:
        if isinstance(x, np.ndarray):
            return f"<{x.dtype} {list(x.shape)}>"
        if isinstance(x, Mapping) and not isinstance(x, dict):
            x = dict(x)
        return super().repr1(x, level)

    def repr_tuple(self, x: tuple[Any, ...], level: int) -> str:
        return self._sequence(x, "(", ",)" if len(x) == 1 else ")", level, self.maxtuple)

    def repr_list(self, x: list[Any], level: int) -> str:
        return self._sequence(x, "[", "]", level, self.maxlist)

    def repr_frozenset(self, x: frozenset[Any], level: int) -> str:
        if not x:
            return "frozenset()"
        return self._sequence(sorted(x, key=str), "frozenset({", "})", level, self.maxfrozenset)

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        pairs = list(x.items())[: self.maxdict]
        inside = [f"{self.repr1(k, level - 1)}: {self.repr1(v, level - 1)}" for k, v in pairs]
        more = [f"... {len(x)}"] if len(x) > self.maxdict else []
        return "{" + ", ".join(inside + more) + "}"

    def repr_instance(self, x: Any, level: int) -> str:
        if level <= 0 and not isinstance(x, int | float | None):
            return f"{type(x).__name__}(...)"
        return super().repr_instance(x, level)

    def _sequence(self, x: Any, left: str, right: str, level: int, most: int) -> str:
        if level <= 0 and x:
            return f"{left}... {len(x)}{right}"
        inside = [self.repr1(each, level - 1) for each in list(x)[:most]]
        more = [f"... {len(x)}"] if len(x) > most else []
        return left + ", ".join(inside + more) + (right.lstrip(",") if more else right)


_SHORTER = (_Repr(3, 4, 120), _Repr(2, 2, 60), _Repr(1, 1, 30))
"""What is tried in turn, until a record is short enough."""
