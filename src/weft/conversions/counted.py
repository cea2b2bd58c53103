"""Tables as chains with weights: the logs of counted probabilities.

Which chain says the same as the product of Johnson (2001, section 3), exactly:

    (4)    an HMM, of the same order;
    mealy  a Mealy HMM, of the same order;
    (7)    a Mealy HMM: P(w | t′) P₀(t | w, t′) = P(t | t′) P(w | t′, t) with
           P(t | t′) = Σ_w P(w | t′) P₀(t | w, t′);
    (5)    a MEMM, whose steps are P₀(t | w, t′);
    (6)    an HMM whose states are two tags, t and the next one, of which each shows the first: the
           word w is chosen with what follows it, P(w | t) P₁(t′ | w, t).

Of order 2, the states of (5) and (7) are two tags, of which each shows the second, and those of (6)
are three, of which each shows the one in the middle. Then every word has a weight for every three
tags, which is much: such models can have few tags, or few words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray
from weft.conversions.growth import check_size
from weft.conversions.tables import index_words, ngrams_of
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.topology import Topology, pad
from weft.models.chain.model import ChainModel
from weft.models.options import Normalisation
from weft.models.tables.factors import Factors, end_probs, pair_probs, step_probs, token_probs
from weft.models.tables.form import Form
from weft.models.tables.model import TableModel

_CELLS = 2**22  # of probabilities that are made at a time

Weighted = tuple[ChainModel, FloatArray]


def chain_of_tables(model: TableModel) -> Weighted:
    """Return the chain that says what tables say, and its weights.

    Raises:
        OptionError: If it would have too many weights.
    """
    makers: dict[Form, Callable[[TableModel], Weighted]] = {
        Form.HMM: _moore,
        Form.MEALY: _mealy,
        Form.CONDITIONAL: _memm,
        Form.NEXT_WORD: _next_word,
        Form.PREVIOUS_WORD: _previous_word,
    }
    return makers[model.factors.form](model)


@dataclass(frozen=True, slots=True, eq=False)
class _States:
    """States that are tags, or several in a row, and the arcs between them.

    Attributes:
        shown: [states], the tag that each shows; None where states are tags.
        count: How many states there are; the boundary's number among them.
        places: For each axis of tags of a table of probabilities, [arcs].
        before: [arcs], the state that each leaves.
        after: [arcs], the one that it leads to.
    """

    shown: IntArray | None
    count: int
    places: tuple[IntArray, ...]
    before: IntArray
    after: IntArray


def _tags_as_states(tags: int) -> _States:
    before, after = np.indices((tags + 1, tags)).reshape(2, -1)
    return _States(None, tags, (before, after), before, after)


def _pairs_as_states(tags: int) -> _States:
    """The state of t″ t′ is number t″ · tags + t′; a table's axes are t′, t″ and t."""
    before, earlier, after = np.indices((tags + 1, tags + 1, tags)).reshape(3, -1)
    # Before t′ = ⋆ there is nothing but ⋆.
    kept = (before < tags) | (earlier == tags)
    before, earlier, after = before[kept], earlier[kept], after[kept]
    count = (tags + 1) * tags
    leaving = np.where(before == tags, count, earlier * tags + before)
    return _States(
        np.arange(count) % tags, count, (before, earlier, after), leaving, before * tags + after
    )


def _states_of(factors: Factors) -> _States:
    return _pairs_as_states(factors.tags) if factors.tripled else _tags_as_states(factors.tags)


def _moore(model: TableModel) -> Weighted:
    factors = model.factors
    topology, weights = ngrams_of(_plain(factors.order, factors.tags), _step_table(factors))
    columns = np.arange(factors.tags)
    _check_words(model, len(columns))
    logs = np.concatenate([_log(token_probs(factors, items)) for items in _batches(factors)])
    return _chain(model, topology, weights, logs, columns, Normalisation.JOINT)


def _mealy(model: TableModel) -> Weighted:
    factors = model.factors
    topology, weights = ngrams_of(_plain(factors.order, factors.tags), _step_table(factors))
    states = _tags_as_states(factors.tags)
    logs = _arc_logs(model, states)
    return _chain(model, topology, weights, logs, states, Normalisation.JOINT)


def _memm(model: TableModel) -> Weighted:
    states = _states_of(model.factors)
    logs = _arc_logs(model, states)
    allowed = _possible(states)
    allowed[: states.count, states.count] = True
    topology = _topology(states.count, ~allowed)
    none = np.zeros((1, topology.width, topology.width))
    topology, weights = ngrams_of(topology, none)
    return _chain(model, topology, weights, logs, states, Normalisation.CONDITIONAL)


def _next_word(model: TableModel) -> Weighted:
    factors = model.factors
    states = _states_of(factors)
    logs = _arc_logs(model, states)
    with np.errstate(divide="ignore"):
        steps = np.log(np.exp(logs).sum(axis=0))
    ends = _log(end_probs(factors, np.zeros(1, np.int64))[0]).reshape(-1)  # the same for all items
    topology, weights = _with_steps(states, steps, ends)
    return _chain(model, topology, weights, logs, states, Normalisation.JOINT)


def _previous_word(model: TableModel) -> Weighted:
    """States have one tag more, the next: [(t″,) t′, t], t the boundary at the end."""
    factors = model.factors
    tags, order = factors.tags, factors.order
    shape = (tags + 1,) * (order - 1) + (tags, tags + 1)
    axes = np.indices(shape).reshape(order + 1, -1)
    count = axes.shape[1]
    check_size((count + 1) ** 2, "the matrix of its steps", "a model with fewer tags")
    _check_words(model, count)
    logs = np.concatenate([_log(_leaving(factors, items, axes)) for items in _batches(factors)])
    with np.errstate(divide="ignore"):
        steps = np.log(np.exp(logs).sum(axis=0))  # P(t | t′ (, t″))
    number = np.arange(count).reshape(shape)
    ending = axes[-1] == tags
    first = np.flatnonzero(axes[0] == tags) if order == 2 else np.arange(count)
    boundary = (tags,) * order
    start = _log(pair_probs(factors, np.array([factors.boundary]))[0][boundary])
    # From [t″, t′, t] to all [t′, t, …], where t is a tag.
    leaving = np.repeat(np.flatnonzero(~ending), tags + 1)
    reached = number[tuple(axes[1:, ~ending])].reshape(-1)
    states = _States(
        axes[order - 1],
        count,
        (),
        np.concatenate([np.full(len(first), count), leaving]),
        np.concatenate([first, reached]),
    )
    logs_of_arcs = np.concatenate([start[axes[order - 1, first]] + steps[first], steps[reached]])
    topology, weights = _with_steps(states, logs_of_arcs, np.where(ending, 0.0, -np.inf))
    return _chain(model, topology, weights, logs, np.arange(count), Normalisation.JOINT, states)


def _leaving(factors: Factors, items: IntArray, axes: IntArray) -> FloatArray:
    """[items, states]: the probability of an item given its tag, with that of the next tag."""
    tags = factors.tags
    # As steps have them: [items, t′ (, t″), t], and the end behind.
    onward = pair_probs(factors, items)[:, :tags]
    ends = np.moveaxis(end_probs(factors, items), -1, 1)[..., None]
    probs = np.concatenate([onward, ends], axis=-1)
    own = axes[factors.order - 1]
    places = (own, *axes[: factors.order - 1], axes[-1])
    found: FloatArray = token_probs(factors, items)[:, own] * _at(probs, places)
    return found


def _at(probs: FloatArray, places: tuple[IntArray, ...]) -> FloatArray:
    """[items, …]: what stands at some places of each item's table."""
    where: tuple[Any, ...] = (slice(None), *places)
    found: FloatArray = probs[where]
    return found


def _with_steps(states: _States, arcs: FloatArray, ends: FloatArray) -> tuple[Topology, FloatArray]:
    """A topology of order 1 with these steps and no others, and their weights."""
    check_size((states.count + 1) ** 2, "the matrix of its steps", "a model with fewer tags")
    width = pad(states.count + 1)
    table = np.zeros((1, width, width))
    table[0, states.before, states.after] = arcs
    table[0, : states.count, states.count] = ends
    allowed = _possible(states)
    allowed[: states.count, states.count] = ends > -np.inf
    return ngrams_of(_topology(states.count, ~allowed), table)


def _possible(states: _States) -> BoolArray:
    allowed: BoolArray = np.zeros((states.count + 1,) * 2, np.bool_)
    allowed[states.before, states.after] = True
    return allowed


def _plain(order: int, tags: int) -> Topology:
    return _topology(tags, np.zeros((tags + 1, tags + 1), np.bool_), order)


def _topology(states: int, forbidden: BoolArray, order: int = 1) -> Topology:
    none: IndexArray = np.empty((0, 2), np.int32)
    return Topology(order, states, forbidden, none, 0, none[:, [0, 0, 0]], 0)


def _step_table(factors: Factors) -> FloatArray:
    """[groups, width, width]: the logs of the steps of order 1 or 2."""
    size, width = factors.tags + 1, pad(factors.tags + 1)
    steps = _log(step_probs(factors)).reshape(-1, size, size)
    table = np.zeros((1 if factors.order == 1 else width, width, width))
    table[: len(steps), :size, :size] = steps
    return table


def _batches(factors: Factors) -> Iterator[IntArray]:
    """All items but the boundary, some at a time."""
    most = max(1, _CELLS // (factors.tags + 1) ** (3 if factors.tripled else 2))
    for first in range(0, factors.boundary, most):
        yield np.arange(first, min(first + most, factors.boundary))


def _arc_logs(model: TableModel, states: _States) -> FloatArray:
    """[items, arcs]: the logs of the factors of items with arcs."""
    _check_words(model, len(states.before))
    factors = model.factors
    return np.concatenate(
        [_log(_at(pair_probs(factors, items), states.places)) for items in _batches(factors)]
    )


def _check_words(model: TableModel, each: int) -> None:
    check_size(
        model.items.boundary * each, "its table of words", "tables of order 1, or of fewer tags"
    )


def _chain(
    model: TableModel,
    topology: Topology,
    ngrams: FloatArray,
    logs: FloatArray,
    where: IntArray | _States,
    normalisation: Normalisation,
    states: _States | None = None,
) -> Weighted:
    """A chain whose items have the same weights each, [items, weights], on states or on arcs."""
    width, start = topology.width, len(ngrams)
    paired = isinstance(where, _States)
    if isinstance(where, _States):
        states, columns = where, where.before * width + where.after
    else:
        columns = where
    order = np.argsort(columns)
    offsets = np.arange(len(logs) + 1, dtype=np.int64) * len(columns)
    full = RowTable(
        offsets,
        np.tile(columns[order].astype(np.int32), len(logs)),
        start,
        width**2 if paired else width,
    )
    empty = RowTable(np.zeros_like(offsets), full.columns[:0], start, width)
    classes = model.items.signatures
    shown = None if states is None or states.shown is None else tuple(states.shown.tolist())
    chain = ChainModel(
        model.tags,
        topology,
        index_words(model.items.words, [f"unknown:{name}" for name in classes.names]),
        empty if paired else full,
        full if paired else None,
        None,
        model.items.words,
        normalisation,
        classes,
        shown,
    )
    return chain, np.concatenate([ngrams, logs[:, order].reshape(-1)])


def _log(probs: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(probs)
    return logs
