"""What the weights of a chain are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weft.arrays import IndexArray, IntArray
from weft.features.attributes import attribute_names, keep_attributes
from weft.structures.evidence import END, START

if TYPE_CHECKING:
    from weft.models.chain.model import ChainModel


class ChainFeature(NamedTuple):
    """A feature of a chain.

    Attributes:
        kind: Such as ``bigram`` or ``tag:suffix3[0]``.
        attribute: Such as ``suffix3[0]=ing``; None for an n-gram of tags.
        tags: The tags that it looks at, the token's own last.

    >>> ChainFeature("tag:suffix3[0]", "suffix3[0]=ing", ("VBG",)).name
    'suffix3[0]=ing → VBG'
    >>> ChainFeature("bigram", None, ("DT", "NN")).name
    'DT → NN'
    """

    kind: str
    attribute: str | None
    tags: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the feature sees, and the tag that it speaks for."""
        *before, tag = self.tags
        seen = [] if self.attribute is None else [self.attribute]
        return f"{' '.join([*seen, *before])} → {tag}"


def chain_features(model: ChainModel, coordinates: IntArray) -> list[ChainFeature]:
    """Return the features of some coordinates of θ, in the order given."""
    kinds = model.parameters.kinds
    starts = np.array([kind.start for kind in kinds], np.int64)
    which = np.searchsorted(starts, coordinates, side="right") - 1
    numbers = np.full(len(coordinates), -1, np.int64)
    tags: list[Sequence[int]] = [()] * len(coordinates)
    for places, attributes, several in _parts(model, coordinates):
        numbers[places] = attributes
        for place, each in zip(places.tolist(), several.tolist(), strict=True):
            tags[place] = each
    names = _attribute_names(model, numbers)
    states, shared = state_names(model), model.part_rows
    before, last = (*states, START), (*states, END, *(shared.names if shared else ()))
    return [
        ChainFeature(
            kinds[kind].name,
            names.get(number),
            (*(before[tag] for tag in several[:-1]), last[several[-1]]),
        )
        for kind, number, several in zip(which.tolist(), numbers.tolist(), tags, strict=True)
    ]


def _parts(
    model: ChainModel, coordinates: IntArray
) -> Iterator[tuple[IntArray, IntArray, IndexArray]]:
    """Of each run of θ: places among the coordinates, attributes' numbers or -1, and tags'."""
    topology = model.topology
    for start, ngrams in (
        (topology.bigram_start, topology.bigrams),
        (topology.trigram_start, topology.trigrams),
    ):
        places = _within(coordinates, start, len(ngrams))
        yield places, np.full(len(places), -1, np.int64), ngrams[coordinates[places] - start]
    for rows in (model.tag_rows, model.pair_rows):
        if rows is not None:
            places = _within(coordinates, rows.start, len(rows))
            at = coordinates[places] - rows.start
            columns = rows.columns[at]
            tags = (columns,) if rows is model.tag_rows else np.divmod(columns, topology.width)
            attributes = np.searchsorted(rows.offsets, at, side="right") - 1
            yield places, attributes, np.stack(tags, axis=1)
    if model.part_rows is not None:  # whose numbers are those after the end's
        table = model.part_rows.table
        places = _within(coordinates, table.start, len(table))
        at = coordinates[places] - table.start
        attributes = np.searchsorted(table.offsets, at, side="right") - 1
        yield places, attributes, (topology.tags + 1 + table.columns[at])[:, None]


def _within(coordinates: IntArray, start: int, length: int) -> IntArray:
    return np.flatnonzero((coordinates >= start) & (coordinates < start + length))


def _attribute_names(model: ChainModel, numbers: IntArray) -> dict[int, str]:
    """The names of some attributes; naming all of a large model's would take seconds."""
    distinct = np.unique(numbers[numbers >= 0])
    kept = np.zeros(len(model.index), np.bool_)
    kept[distinct] = True
    names = attribute_names(keep_attributes(model.index, kept))
    return dict(zip(distinct.tolist(), names, strict=True))


def state_names(model: ChainModel) -> tuple[str, ...]:
    """The tags; or, where several states show one, the tag and the state's number among them."""
    if model.shown is None:
        return model.tags
    seen: Counter[str] = Counter()
    names = []
    for tag in model.states:
        seen[tag] += 1
        names.append(f"{tag}#{seen[tag]}")
    return tuple(names)
