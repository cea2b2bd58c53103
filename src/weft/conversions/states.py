"""Moore and Mealy chains: weights of attributes move between tags, their parts, pairs and states.

All work on features as they are, whatever they look at and whatever weights are normalised over:
the score of every step stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.conversions.growth import check_size
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.topology import Topology, pad
from weft.models.chain.model import ChainModel


def whole_tags(model: ChainModel, weights: FloatArray) -> tuple[ChainModel, FloatArray]:
    """Return a chain without parts of tags: what they weigh is added to each tag that has them.

    Raises:
        OptionError: If there would be too many weights.
    """
    parts, rows, pairs, width = (
        model.part_rows,
        model.tag_rows,
        model.pair_rows,
        model.topology.width,
    )
    if parts is None:
        return model, weights
    check_size(width * len(parts.table), "its table of tags", "a model with tag_parts=none")
    tags, places = np.nonzero(parts.matrix[:, parts.table.columns])
    keys = [_owners(rows) * width + rows.columns, _owners(parts.table)[places] * width + tags]
    whole = slice(rows.start, rows.start + len(rows))
    distinct, totals = _added(keys, [weights[whole], weights[parts.table.start + places]])
    table = _table(distinct, len(model.index), rows.start, width)
    if pairs is not None:
        pairs = replace(pairs, start=table.start + len(table))
    changed = replace(model, tag_rows=table, pair_rows=pairs, part_rows=None)
    of_pairs = weights[whole.stop : parts.table.start]
    return changed, np.concatenate([weights[: rows.start], totals, of_pairs])


def words_onto_pairs(model: ChainModel, weights: FloatArray) -> tuple[ChainModel, FloatArray]:
    """Return a chain whose attributes go with pairs of tags, each weight the same for all before.

    Raises:
        OptionError: If there would be too many weights.
    """
    topology, rows = model.topology, model.tag_rows
    width, used = topology.width, topology.tags + 1
    check_size(len(rows) * used, "its table of pairs", "a model with fewer tags or features")
    before, places = np.nonzero(~topology.forbidden[:, rows.columns])
    keys = (_owners(rows)[places] * width + before) * width + rows.columns[places]
    order = np.argsort(keys)
    pair_rows = _table(keys[order], len(model.index), rows.start, width**2)
    empty = replace(rows, offsets=np.zeros_like(rows.offsets), columns=rows.columns[:0])
    logs = weights[rows.start : rows.start + len(rows)]
    changed = replace(model, tag_rows=empty, pair_rows=pair_rows)
    return changed, np.concatenate([weights[: rows.start], logs[places[order]]])


def arcs_as_states(model: ChainModel, weights: FloatArray) -> tuple[ChainModel, FloatArray]:
    """Return a chain of order 1 whose states are pairs of tags, each of which shows the second.

    From the state k′ k a step leads to each state k y; the start leads to the states whose first
    tag is the boundary.

    Raises:
        OptionError: If there would be too many weights.
    """
    topology = model.topology
    first, second = np.nonzero(~topology.forbidden[:, :-1])
    states, used = len(first), topology.tags + 1
    check_size((states + 1) ** 2, "the matrix of its steps", "a model with fewer tags")
    changed, bigram_weights = _paired(topology, weights, first, second)
    number = np.full((used, topology.width), -1)
    number[first, second] = np.arange(states)
    rows, logs = _state_rows(model, weights, number, changed)
    shown = np.arange(topology.tags) if model.shown is None else np.array(model.shown)
    return replace(
        model,
        topology=changed,
        tag_rows=rows,
        pair_rows=None,
        shown=tuple(shown[second].tolist()),
    ), np.concatenate([bigram_weights, logs])


def _paired(
    topology: Topology, weights: FloatArray, first: IntArray, second: IntArray
) -> tuple[Topology, FloatArray]:
    """The steps among pairs of tags, and their weights."""
    states, boundary = len(first), topology.tags
    table = topology.table(weights)
    forbidden = np.ones((states + 1, states + 1), np.bool_)
    forbidden[:-1, :-1] = second[:, None] != first[None, :]
    forbidden[-1, :-1] = first != boundary
    forbidden[:-1, -1] = topology.forbidden[second, boundary]
    bigrams = np.argwhere(~forbidden)
    # The start is as if after two boundaries; the end is the boundary too.
    before = np.append(first, boundary)[bigrams[:, 0]]
    here = np.append(second, boundary)[bigrams[:, 0]]
    after = np.append(second, boundary)[bigrams[:, 1]]
    logs = table[0, here, after] if topology.order == 1 else table[here, before, after]
    numbers = bigrams.astype(np.int32)
    changed = Topology(1, states, forbidden, numbers, 0, np.empty((0, 3), np.int32), len(numbers))
    return changed, logs


def _state_rows(
    model: ChainModel, weights: FloatArray, number: IntArray, topology: Topology
) -> tuple[RowTable, FloatArray]:
    """Weights of attributes with states: those with the second tag, and those with the pair."""
    rows, pairs, used = model.tag_rows, model.pair_rows, len(number)
    size = len(rows) * used + len(pairs or ())
    check_size(size, "its table of states", "a model with fewer tags or features")
    before, places = np.nonzero(number[:, rows.columns] >= 0)
    width = pad(topology.tags + 1)
    keys = [_owners(rows)[places] * width + number[before, rows.columns[places]]]
    logs = [weights[rows.start + places]]
    if pairs is not None:
        columns = number[np.divmod(pairs.columns, model.topology.width)]
        possible = np.flatnonzero(columns >= 0)
        keys.append(_owners(pairs)[possible] * width + columns[possible])
        logs.append(weights[pairs.start + possible])
    distinct, totals = _added(keys, logs)
    return _table(distinct, len(model.index), len(topology.bigrams), width), totals


def _added(keys: Sequence[IntArray], logs: Sequence[FloatArray]) -> tuple[IntArray, FloatArray]:
    """The distinct keys, ascending, and the sums of their weights."""
    distinct, owners = np.unique(np.concatenate(keys), return_inverse=True)
    totals = np.zeros(len(distinct))
    np.add.at(totals, owners, np.concatenate(logs))
    return distinct, totals


def _owners(rows: RowTable) -> IntArray:
    """[weights]: the attribute of each."""
    return np.repeat(np.arange(len(rows.offsets) - 1), np.diff(rows.offsets))


def _table(keys: IntArray, attributes: int, start: int, width: int) -> RowTable:
    """The table of weights with numbers ``attribute * width + column``, ascending."""
    offsets = np.searchsorted(keys, np.arange(attributes + 1) * width).astype(np.int64)
    return RowTable(offsets, (keys % width).astype(np.int32), start, width)
