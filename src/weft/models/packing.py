"""Arrays and texts of model files: what several kinds of models are packed with.

What comes back is not trusted: everything that a kernel would use as an index is checked.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.archive import DAMAGED
from weft.arrays import (
    FloatArray,
    IndexArray,
    IntArray,
    are_numbers,
    are_offsets,
    freeze,
    offsets_of,
)
from weft.errors import FormatError
from weft.models.analyser import Analyser
from weft.models.answers import Decoder
from weft.models.needs import Shapes, texts_need
from weft.models.progress import Progress

Arrays = dict[str, npt.NDArray[Any]]

Packed = tuple[dict[str, Any], Arrays]
"""What JSON can hold, and named arrays."""


def with_decoder(trained: Any, packed: Packed) -> Packed:
    """Return what is packed of a model together with its decoder."""
    manifest, arrays = packed
    return {**manifest, "decoder": str(trained.decoder)}, arrays


def decoder_of(manifest: Mapping[str, Any]) -> dict[str, Decoder]:
    """Return the decoder of a file, if it has one: older ones have that of the family."""
    return {"decoder": Decoder(manifest["decoder"])} if "decoder" in manifest else {}


@dataclass(frozen=True, slots=True)
class Storage:
    """How one kind of model lies in a file, beside its weights, trace and notes.

    Attributes:
        kind: What files call it.
        models: The classes of its models, by which it is known.
        pack: From a model with its weights to what only this kind has.
        unpack: From that to what the model with its weights is made of, by name. It raises an
            error if parts are missing or do not fit: whatever a kernel uses as an index is checked.
        made: The class of the model with its weights.
        need: How many bytes it takes beyond its arrays, given the manifest and their shapes.
        inner: From a model with its weights to another that it needs; None where there is none.
        join: From the two to the model that has the other; the other way round.
    """

    kind: str
    models: tuple[type, ...]
    pack: Callable[[Any], Packed]
    unpack: Callable[[Mapping[str, Any], Arrays], Mapping[str, Any]]
    made: Callable[..., Any] = Analyser
    need: Callable[[Mapping[str, Any], Shapes], int] = lambda manifest, shapes: texts_need(shapes)  # noqa: ARG005
    inner: Callable[[Any], Any] = lambda trained: None  # noqa: ARG005
    join: Callable[[Any, Any], Any] = lambda trained, inner: trained  # noqa: ARG005


def field_storage(kind: str, model: type, made: Callable[..., Any] = Analyser) -> Storage:
    """Return how a model lies in a file whose fields are arrays, or what JSON can hold.

    Lists come back as tuples. The model's own ``__post_init__`` checks that its fields fit.

    Args:
        kind: What files call it.
        model: The class of the model, a dataclass.
        made: The class of the model with its weights.
    """
    names = [each.name for each in fields(model)]

    def pack(trained: Any) -> Packed:
        parts = {name: getattr(trained.model, name) for name in names}
        arrays = {f"model_{k}": v for k, v in parts.items() if isinstance(v, np.ndarray)}
        return {"model": {k: v for k, v in parts.items() if f"model_{k}" not in arrays}}, arrays

    def unpack(manifest: Mapping[str, Any], arrays: Arrays) -> Mapping[str, Any]:
        given = {
            name: freeze(arrays[f"model_{name}"]) for name in names if f"model_{name}" in arrays
        }
        return {"model": model(**_tuples(manifest["model"]), **given)}

    return Storage(kind, (model,), pack, unpack, made)


def _tuples(value: Any) -> Any:
    """What JSON read, with tuples for its lists."""
    if isinstance(value, dict):
        return {name: _tuples(each) for name, each in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def check(condition: bool, name: str) -> None:
    """Refuse what does not fit, by its name."""
    if not condition:
        raise ValueError(f"bad {name}")


def vector(array: npt.NDArray[Any], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return an array that must be a vector of a type."""
    check(array.ndim == 1 and array.dtype == dtype, "array")
    return array


def checked_offsets(array: npt.NDArray[Any], rows: int, items: int) -> IntArray:
    """Return offsets that must be those of this many rows of this many items."""
    check(are_offsets(array, rows, items), "offsets")
    return array


def checked_numbers(array: npt.NDArray[Any], bound: int) -> IndexArray:
    """Return numbers that must be from 0 to below a bound."""
    check(array.dtype == np.int32 and are_numbers(array, bound), "numbers")
    return array


def pack_strings(strings: Sequence[str]) -> tuple[npt.NDArray[np.uint8], IntArray]:
    """Store strings as the bytes of their UTF-8 and the offsets between which each one lies.

    Raises:
        ValueError: A string contains a surrogate, which UTF-8 cannot express.

    >>> pack_strings(["a", "", "né"])
    (array([ 97, 110, 195, 169], dtype=uint8), array([0, 1, 1, 4]))
    """
    try:
        encoded = [string.encode() for string in strings]
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object!r} is not Unicode text: {error.reason}") from error
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets_of(map(len, encoded))


def unpack_strings(
    data: npt.NDArray[Any], offsets: npt.NDArray[Any], *, path: str | None = None
) -> list[str]:
    """Return the strings that :func:`pack_strings` stored.

    Args:
        data: The bytes, uint8.
        offsets: Where each string begins, and where the last one ends, int64.
        path: The file they come from, for messages.

    Raises:
        FormatError: The arrays are not packed strings.

    >>> unpack_strings(*pack_strings(["a", "", "né"]))
    ['a', '', 'né']
    """
    if not _are_packed_strings(data, offsets):
        raise FormatError(f"the offsets of its strings do not fit; {DAMAGED}", path=path)
    joined, bounds = data.tobytes(), offsets.tolist()
    try:
        return [joined[start:end].decode() for start, end in itertools.pairwise(bounds)]
    except UnicodeDecodeError as error:
        raise FormatError(f"its strings are not UTF-8 ({error}); {DAMAGED}", path=path) from error


def _are_packed_strings(data: npt.NDArray[Any], offsets: npt.NDArray[Any]) -> bool:
    bytes_in_a_row = (data.dtype.str, data.ndim) == ("|u1", 1)
    return bytes_in_a_row and are_offsets(offsets, offsets.size - 1, data.size)


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
    """Return how training went, [iterations, 5]; what is missing is NaN.

    Times are left out: the same training gives the same file.
    """
    steps = [replace(step, seconds=None) for step in trace]
    rows = [[np.nan if item is None else item for item in astuple(step)] for step in steps]
    return np.array(rows, np.float64).reshape(len(rows), 5)


def unpack_trace(rows: npt.NDArray[Any]) -> tuple[Progress, ...]:
    """Return a trace that was packed; files of earlier versions have times."""
    check(rows.dtype == np.float64 and rows.ndim == 2 and rows.shape[1] == 5, "trace")
    check(not np.isnan(rows[:, :3]).any() and not (np.abs(rows[:, 0]) > 2**53).any(), "trace")
    return tuple(
        Progress(int(iteration), value, norm, _known(seconds), _known(accuracy))
        for iteration, value, norm, seconds, accuracy in rows.tolist()
    )


def _known(number: float) -> float | None:
    return None if np.isnan(number) else number


def weights_of(arrays: Arrays) -> FloatArray:
    """Return the weights; the model that gets them checks their number and values."""
    return freeze(vector(arrays["weights"], np.float64))


def notes_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return how a model was made."""
    return {str(key): str(value) for key, value in manifest["notes"].items()}
