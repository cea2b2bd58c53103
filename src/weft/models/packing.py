"""Arrays and texts of model files: what several kinds of models are packed with.

What comes back is not trusted: everything that a kernel would use as an index is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.archive import pack_strings, unpack_strings
from weft.arrays import IndexArray, IntArray, are_numbers, are_offsets, offsets_of
from weft.models.tagger import Progress

Arrays = dict[str, npt.NDArray[Any]]


def check(condition: bool, name: str) -> None:
    """Refuse what does not fit, by its name."""
    if not condition:
        raise ValueError(f"bad {name}")


def vector(array: npt.NDArray[Any], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return an array that must be a vector of a type."""
    check(array.ndim == 1 and array.dtype == dtype, "array")
    return array


def checked_offsets(array: npt.NDArray[Any], rows: int, items: int) -> IntArray:
    """Return offsets that must be those of so many rows of so many items."""
    check(are_offsets(array, rows, items), "offsets")
    return array


def checked_numbers(array: npt.NDArray[Any], bound: int) -> IndexArray:
    """Return numbers that must be from 0 to below a bound."""
    check(array.dtype == np.int32 and are_numbers(array, bound), "numbers")
    return array


def pack_names(arrays: Arrays, name: str, names: Sequence[str]) -> None:
    """Add texts to the arrays."""
    arrays[f"{name}_text"], arrays[f"{name}_ends"] = pack_strings(names)


def unpack_names(arrays: Arrays, name: str) -> list[str]:
    """Return texts that were packed."""
    return unpack_strings(arrays[f"{name}_text"], arrays[f"{name}_ends"])


def pack_words(
    arrays: Arrays, name: str, words: Mapping[str, frozenset[str]], tags: Sequence[str]
) -> None:
    """Add words with their tags to the arrays."""
    number = {tag: place for place, tag in enumerate(tags)}
    rows = [sorted(number[tag] for tag in allowed if tag in number) for allowed in words.values()]
    pack_names(arrays, f"{name}_words", list(words))
    arrays[f"{name}_offsets"] = offsets_of(map(len, rows))
    arrays[f"{name}_tags"] = np.array([tag for row in rows for tag in row], np.int32)


def unpack_words(arrays: Arrays, name: str, tags: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return words with their tags."""
    words = unpack_names(arrays, f"{name}_words")
    numbers = checked_numbers(vector(arrays[f"{name}_tags"], np.int32), len(tags))
    offsets = checked_offsets(arrays[f"{name}_offsets"], len(words), len(numbers)).tolist()
    names = [tags[number] for number in numbers.tolist()]
    return {
        word: frozenset(names[start:stop])
        for word, start, stop in zip(words, offsets[:-1], offsets[1:], strict=True)
    }


def pack_trace(trace: Sequence[Progress]) -> npt.NDArray[np.float64]:
    """Return how training went, [iterations, 5]; a missing accuracy is NaN."""
    rows = [[np.nan if item is None else item for item in astuple(step)] for step in trace]
    return np.array(rows, np.float64).reshape(len(rows), 5)


def unpack_trace(rows: npt.NDArray[Any]) -> tuple[Progress, ...]:
    """Return a trace that was packed."""
    check(rows.dtype == np.float64 and rows.ndim == 2 and rows.shape[1] == 5, "trace")
    return tuple(
        Progress(int(iteration), value, norm, seconds, None if np.isnan(accuracy) else accuracy)
        for iteration, value, norm, seconds, accuracy in rows.tolist()
    )
