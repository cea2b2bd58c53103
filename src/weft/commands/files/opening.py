"""What commands take in more than one form: a model or its file, one file or several."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

from weft.commands.files.inputs import StrPath, open_model
from weft.errors import OptionError, quote
from weft.models.selection.selector import Selector
from weft.models.tree_parser import TreeParser

ModelT = TypeVar("ModelT")
FileT = TypeVar("FileT")


def open_parser(model: TreeParser | StrPath) -> TreeParser:
    """Return a parser, read from its file if need be; see :func:`open_as`."""
    return open_as(TreeParser, "parser", model)  # type: ignore[type-abstract]


def open_selector(model: Selector | StrPath) -> Selector:
    """Return a selector, read from its file if need be; see :func:`open_as`."""
    advice = ": it is no model for parse sets; train one with --recipe parse-selection"
    return open_as(Selector, "selector", model, advice)


def open_as(kind: type[ModelT], name: str, model: ModelT | StrPath, advice: str = "") -> ModelT:
    """Return a model of a family, read from its file if need be.

    Args:
        kind: The class of such models.
        name: What messages call them.
        model: The model or its file.
        advice: What messages add.

    Raises:
        OptionError: If it is something else.
        FormatError: If there is no such file, or it is no model's.
    """
    given: Any = model
    found: Any = open_model(given)
    if not isinstance(found, kind):
        what = quote(found) if found is given else os.fspath(given)
        raise OptionError(f"a {name} is needed here, and {what} is none{advice}")
    return found


def as_files(given: FileT | Sequence[FileT]) -> tuple[FileT, ...]:
    """Return files that may be given as one.

    >>> as_files("train.tagged"), as_files(["a.tagged", "b.tagged"])
    (('train.tagged',), ('a.tagged', 'b.tagged'))
    """
    one: Any = given
    single = isinstance(one, str | os.PathLike) or hasattr(one, "read")
    return (one,) if single else tuple(one)
