"""From sentences to the numbers of their tokens' attributes.

Each distinct value of a column is looked at once: an atom's function is applied to the *types*
of a corpus, and attributes of tokens are then gathered by array indexing, whatever their number.
An attribute is a key of its template, the atoms' value numbers in mixed radix; attributes are
numbered template by template, those that the user names coming last.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray, distinct, offsets_of
from weft.errors import EvidenceError, abbreviate, quote
from weft.features.numbering import Numbering, number_names
from weft.features.templates import Template, window_of
from weft.features.views import (
    View,
    ViewNumbers,
    ViewReader,
    check_columns,
    name_boundary,
    values_of,
    views_of,
)
from weft.structures.evidence import Attributes, Sentence
from weft.structures.occurrences import Occurrences
from weft.structures.stream import Corpus, sections_of


@dataclass(frozen=True, slots=True)
class AttributeIndex:
    """The attributes that a model knows, numbered.

    Attributes:
        templates: What attributes are made of.
        values: For each view, the numbers of its values.
        keys: For each template, the ascending keys of its attributes.
        given: The numbers of attributes that users name, counted after all templates'.
        seen: What was looked up before.
    """

    templates: tuple[Template, ...]
    values: Mapping[View, Numbering]
    keys: tuple[IntArray, ...]
    given: Numbering
    seen: dict[View, ViewNumbers] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __len__(self) -> int:
        return sum(map(len, self.keys)) + len(self.given)

    @property
    def starts(self) -> IntArray:
        """[templates + 2]: where each template's attributes begin, then the given ones, the end."""
        return offsets_of([*map(len, self.keys), len(self.given)])

    @property
    def kinds(self) -> list[str]:
        """The name of each run of attributes between two of ``starts``."""
        return [*map(str, self.templates), "given"]


def index_attributes(corpora: Sequence[Corpus], several: Sequence[Template]) -> AttributeIndex:
    """Number every attribute of sentences.

    Args:
        corpora: The sentences where attributes are collected; streams are read twice.
        several: The templates.
    """
    types, names = _types_of(corpora, several)
    low, high = window_of(several)
    ends = list(map(name_boundary, [*range(min(low, 0), 0), *range(1, high + 1)]))
    values = {
        view: number_names(
            value for value in values_of(view, types[view[0]], ends) if value is not None
        )
        for view in views_of(several)
    }
    keys = _keys_of(corpora, several, values)
    given = number_names(names, sum(map(len, keys)))
    return AttributeIndex(tuple(several), values, keys, given)


def _types_of(
    corpora: Sequence[Corpus], several: Sequence[Template]
) -> tuple[dict[int, dict[str, None]], dict[str, None]]:
    """The distinct values of each column that is looked at, and the attributes that are given."""
    types: dict[int, dict[str, None]] = {column: {} for column, _ in views_of(several)}
    names: dict[str, None] = {}
    for sentences in chain.from_iterable(map(sections_of, corpora)):
        check_columns(sentences, several)
        for column, known in types.items():
            known.update(dict.fromkeys(chain.from_iterable(s.columns[column] for s in sentences)))
        names.update(dict.fromkeys(chain.from_iterable(chain.from_iterable(_given(sentences)))))
    return types, names


def _keys_of(
    corpora: Sequence[Corpus], several: Sequence[Template], values: Mapping[View, Numbering]
) -> tuple[IntArray, ...]:
    """The ascending keys of each template's attributes."""
    keys = [_DistinctKeys() for _ in several]
    numbers = {view: ViewNumbers(view, numbering) for view, numbering in values.items()}
    sizes = {view: len(numbering) for view, numbering in values.items()}
    for sentences in chain.from_iterable(map(sections_of, corpora)):
        reader = ViewReader(sentences, several)
        for view, each in numbers.items():
            reader.look_up(view, each)
        for known, template in zip(keys, several, strict=True):
            found = distinct(reader.keys(template, sizes))
            known.add(found[found >= 0])
    return tuple(known.all() for known in keys)


class _DistinctKeys:
    """Keys that come in parts, which are merged when half as many wait as are known.

    Merged one part after the other, they would take quadratic time.
    """

    def __init__(self) -> None:
        self._known = np.empty(0, np.int64)
        self._waiting: list[IntArray] = []

    def add(self, part: IntArray) -> None:
        """Take distinct keys."""
        self._waiting.append(part)
        if sum(map(len, self._waiting)) > len(self._known) // 2:
            self.all()

    def all(self) -> IntArray:
        """Return all keys, ascending."""
        if self._waiting:
            self._known = distinct(np.concatenate([self._known, *self._waiting]))
            self._waiting = []
        return self._known


def check_given(index: AttributeIndex, sentences: Sequence[Sentence]) -> None:
    """Refuse attributes of users where none are known, and words where only attributes are.

    Raises:
        EvidenceError: At the first such sentence.
    """
    if index.templates and not index.given:
        refuse_given(sentences)
    if index.templates or not index.given:
        return
    for place, sentence in enumerate(sentences):
        if sentence.attributes is None and len(sentence):
            raise EvidenceError(
                f"{sentence.source or f'sentence {place + 1}'}: there are words alone, and the "
                "model was trained on attributes that were given: give these, as "
                "Sentence(columns, attributes) or in a file of CRFsuite's format, or train a "
                "model on words"
            )


def refuse_given(sentences: Sequence[Sentence]) -> None:
    """Refuse attributes that users give, where a model looks at words.

    Raises:
        EvidenceError: At the first sentence with some.
    """
    for place, sentence in enumerate(sentences):
        if sentence.attributes is not None and any(map(len, sentence.attributes)):
            raise EvidenceError(
                f"{sentence.source or f'sentence {place + 1}'}: attributes are given, and the "
                "model looks at words alone: give words, or train a crf or memm on attributes"
            )


_REMEMBERED = 2**15  # tokens up to which looking words up is remembered


def find_attributes(index: AttributeIndex, sentences: Sequence[Sentence]) -> Occurrences:
    """Return the occurrences of known attributes in sentences; unknown ones are left out."""
    reader = ViewReader(sentences, index.templates)
    # A corpus for training is looked up once or twice, what is to be tagged batch by batch.
    seen = index.seen if reader.tokens() <= _REMEMBERED else {}
    for view, numbering in index.values.items():
        if view not in seen:
            seen[view] = ViewNumbers(view, numbering)
        reader.look_up(view, seen[view])
    sizes = {view: len(numbering) for view, numbering in index.values.items()}
    return _occurrences(index, sentences, reader, sizes)


def _occurrences(
    index: AttributeIndex,
    sentences: Sequence[Sentence],
    reader: ViewReader,
    sizes: Mapping[View, int],
) -> Occurrences:
    given = _given_occurrences(index, sentences)
    if given is not None and not index.templates:
        return given
    numbers = np.empty((reader.tokens(), len(index.templates)), np.int32)
    starts = index.starts.tolist()
    for position, each in enumerate(index.templates):
        keys = reader.keys(each, sizes)
        radix = math.prod(sizes[(atom.column, atom.function)] for atom in each.atoms)
        numbers[:, position] = _look_up(keys, index.keys[position], starts[position], radix)
    present = numbers >= 0
    made = Occurrences(offsets_of(present.sum(axis=1)), numbers[present])
    return made if given is None else _merge(made, given)


_TABLE = 2**18  # keys up to which a table is faster than a search


def _look_up(keys: IntArray, known: IntArray, start: int, radix: int) -> IntArray | IndexArray:
    """The numbers of keys among the ascending known ones, counted from ``start``; else -1."""
    if not len(known):
        return np.full(len(keys), -1)
    if radix <= _TABLE:
        table = np.full(radix + 1, -1, np.int32)  # the last entry is what -1 looks up
        table[known] = np.arange(start, start + len(known), dtype=np.int32)
        return table[keys]
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[at] == keys, start + at, -1)


def _given(sentences: Sequence[Sentence]) -> list[Sequence[Attributes]]:
    """The attributes that users give, by sentence and token."""
    return [
        sentence.attributes if sentence.attributes is not None else ((),) * len(sentence)
        for sentence in sentences
    ]


def _given_occurrences(index: AttributeIndex, sentences: Sequence[Sentence]) -> Occurrences | None:
    if not index.given or all(sentence.attributes is None for sentence in sentences):
        return None
    given = _given(sentences)
    occurrences = index.given.occurrences_at_once(given)
    if occurrences is None:
        names: list[Sequence[Attributes]] = [[list(token) for token in each] for each in given]
        occurrences = index.given.occurrences(names, _given_values(sentences))
    return occurrences


def _given_values(sentences: Sequence[Sentence]) -> FloatArray | None:
    numbers = chain.from_iterable(
        token.values() if isinstance(token, Mapping) else (1.0,) * len(token)
        for token in chain.from_iterable(_given(sentences))
    )
    try:
        values = np.fromiter(map(operator.pos, numbers), np.float64)  # +"2" is an error, not 2
    except (TypeError, ValueError):
        values = np.array([np.nan])
    if not np.isfinite(values).all():
        _refuse_values(sentences)
    return None if (values == 1.0).all() else values


def _refuse_values(sentences: Sequence[Sentence]) -> None:
    """Raise an error for the first attribute whose value is no finite number."""
    for place, sentence in enumerate(sentences):
        for position, token in enumerate(sentence.attributes or ()):
            for name, value in token.items() if isinstance(token, Mapping) else ():
                if not isinstance(value, float | int | np.number) or not np.isfinite(value):
                    where = sentence.source or f"sentence {place + 1}"
                    raise EvidenceError(
                        f"{where}: attribute '{abbreviate(name)}' of token {position + 1} has "
                        "the value "
                        f"{quote(value)}, which is no finite number"
                    )


def _merge(first: Occurrences, second: Occurrences) -> Occurrences:
    """Join the occurrences of the same tokens."""
    tokens = np.concatenate([first.tokens, second.tokens])
    order = np.argsort(tokens, kind="stable")
    attributes = np.concatenate([first.attributes, second.attributes])[order]
    offsets = first.offsets + second.offsets
    if first.values is None and second.values is None:
        return Occurrences(offsets, attributes)
    values = np.concatenate([_values(first), _values(second)])[order]
    return Occurrences(offsets, attributes, values)


def _values(occurrences: Occurrences) -> FloatArray:
    if occurrences.values is not None:
        return occurrences.values
    return np.ones(len(occurrences.attributes))


def attribute_names(index: AttributeIndex) -> list[str]:
    """Return every attribute's name, such as ``suffix3[0]=ing``, in the order of the numbers."""
    names: list[str] = []
    words = {view: list(numbering) for view, numbering in index.values.items()}
    for each, keys in zip(index.templates, index.keys, strict=True):
        digits = _digits(each, keys, {view: len(v) for view, v in index.values.items()})
        parts = [
            [words[(atom.column, atom.function)][digit] for digit in column]
            for atom, column in zip(each.atoms, digits, strict=True)
        ]
        label = str(each)
        names += [f"{label}={'|'.join(values)}" for values in zip(*parts, strict=True)]
        if not each.atoms:
            names += [label] * len(keys)
    return names + list(index.given)


def _digits(each: Template, keys: IntArray, sizes: Mapping[View, int]) -> list[IntArray]:
    digits: list[IntArray] = []
    for atom in reversed(each.atoms):
        size = sizes[(atom.column, atom.function)]
        digits.insert(0, keys % size)
        keys = keys // size
    return digits


def keep_attributes(index: AttributeIndex, kept: BoolArray) -> AttributeIndex:
    """Return the index with only the attributes of a mask, renumbered in the same order."""
    starts = index.starts
    keys = tuple(
        keys[kept[start : start + len(keys)]]
        for keys, start in zip(index.keys, starts[:-2], strict=True)
    )
    total = sum(map(len, keys))
    given = number_names((name for name, number in index.given.items() if kept[number]), total)
    return AttributeIndex(index.templates, index.values, keys, given)
