"""Attributes as users of CRFsuite's wrappers write them: a token is a dictionary, or a list.

    {"word": "dog", "bias": 1.0, "isupper": False, "suffixes": ["og", "g"], "next": {"word": "."}}

becomes, as in python-crfsuite, names with numbers:

    word:dog = 1, bias = 1, isupper = 0, suffixes:og = 1, suffixes:g = 1, next:word:. = 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from weft.errors import EvidenceError, quote
from weft.structures.evidence import Attributes, Sentence

NO_WORD = "_"
"""What stands for the words of a sentence that has attributes alone."""


def encode_item(item: Any) -> Attributes:
    """Return the attributes of a token.

    >>> encode_item({"word": "dog", "upper": False, "ends": ["og", "g"], "length": 3})
    {'word:dog': 1.0, 'upper': 0.0, 'ends:og': 1.0, 'ends:g': 1.0, 'length': 3.0}
    >>> encode_item(["word=dog", "bias"])
    ('word=dog', 'bias')

    Args:
        item: A mapping from names to numbers, Booleans, texts, lists of texts, or mappings again;
            or names alone, whose value is 1. What is named twice counts twice.

    Raises:
        EvidenceError: If it is something else.
    """
    if isinstance(item, Mapping):
        found: dict[str, float] = {}
        for name, value in _pairs(item):
            found[name] = found.get(name, 0.0) + value
        return found
    if isinstance(item, list | tuple | AbstractSet) and all(isinstance(n, str) for n in item):
        return tuple(item)
    raise EvidenceError(
        f"a token is a word, a dictionary of attributes or a list of their names, not {quote(item)}"
    )


def _pairs(item: Mapping[Any, Any], before: str = "") -> Iterator[tuple[str, float]]:
    for key, value in item.items():
        name = f"{before}{key}"
        if not isinstance(key, str):
            raise EvidenceError(f"attribute {quote(key)}: names are texts")
        if isinstance(value, str):
            yield f"{name}:{value}", 1.0
        elif isinstance(value, Mapping):
            yield from _pairs(value, f"{name}:")
        elif isinstance(value, list | tuple | AbstractSet):
            yield from ((f"{name}:{each}", 1.0) for each in _texts(name, value))
        else:
            yield name, _number(name, value)


def _texts(name: str, values: Any) -> Any:
    for each in values:
        if not isinstance(each, str):
            raise EvidenceError(
                f"attribute '{name}': the values of a list are texts, not {quote(each)}"
            )
    return values


def _number(name: str, value: Any) -> float:
    if isinstance(value, int | float | np.number | np.bool_) and np.isfinite(value):
        return float(value)
    raise EvidenceError(
        f"attribute '{name}' has the value {quote(value)}: expected a finite number, True or "
        "False, a text, a list of texts or a dictionary"
    )


def sentence_of_items(items: Sequence[Any], source: str = "") -> Sentence:
    """Return a sentence whose tokens have attributes, and words that say nothing.

    >>> sentence_of_items([{"word": "Time"}, {"word": "flies"}]).attributes
    ({'word:Time': 1.0}, {'word:flies': 1.0})

    Raises:
        EvidenceError: If something is no attribute, naming the token.
    """
    found = []
    for place, item in enumerate(items, 1):
        try:
            found.append(encode_item(item))
        except EvidenceError as error:
            raise EvidenceError(f"{source or 'a sentence'}, token {place}: {error}") from None
    return Sentence(((NO_WORD,) * len(found),), tuple(found), source)
