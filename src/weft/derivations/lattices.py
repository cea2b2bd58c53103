"""Sums over the tag sequences of all strings of lattices, arcs implicit.

A state of a lattice stands for the tags of the last one or two words on the way to it. Arcs that
bear the same word (in the same window, where attributes look further) share its scores, and what
is expected of them is added up before it is turned into expectations of features. Memory grows
with the arcs and the tags that each allows, never with their product over neighbouring words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weft import _native
from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray, offsets_of, ranges
from weft.derivations.scoring import Scoring
from weft.derivations.tagsets import TagSets
from weft.derivations.topology import Topology
from weft.errors import OptionError
from weft.structures.lattice import Lattice

Masks = npt.NDArray[np.uint64]
"""[n, words]: sets of tags, the boundary included, as bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Distinct sets of tags.

    Attributes:
        offsets: [sets + 1].
        tags: [sum of sizes], ascending within a set.
    """

    offsets: IntArray
    tags: IndexArray

    @property
    def sizes(self) -> IntArray:
        """[sets]."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """Lattices in flat arrays, as the kernels take them.

    Attributes:
        sets: The tag sets that others refer to.
        state_offsets: [lattices + 1].
        rows: [states], the set of rows of each state; see ``native/lattice.hpp``.
        groups: [states], and of groups.
        nexts: [states], the tags of all arcs out of a state, and the boundary if it is final.
        final: [states].
        arc_offsets: [states + 1].
        targets: [arcs], counted from the first state of the lattice.
        words: [arcs], the row of the scores.
        allowed: [arcs], the set of tags.
        entry_offsets: [arcs + 1], an entry an allowed tag of an arc.
        base_offsets: [states], the first base of each state's arcs.
        bases: Arc after arc, where steps from each group begin in the block of the target.
        places: [entries], where a tag stands there.
    """

    sets: Sets
    state_offsets: IntArray
    rows: IndexArray
    groups: IndexArray
    nexts: IndexArray
    final: npt.NDArray[np.uint8]
    arc_offsets: IntArray
    targets: IndexArray
    words: IndexArray
    allowed: IndexArray
    entry_offsets: IntArray
    base_offsets: IntArray
    bases: IndexArray
    places: IndexArray


def compile_lattices(
    topology: Topology,
    lattices: Sequence[Lattice],
    words: Sequence[IndexArray],
    sets: TagSets,
    allowed: Sequence[IndexArray],
) -> Compiled:
    """Lay lattices out for sums over chains.

    Args:
        topology: The tags.
        lattices: The lattices.
        words: For each lattice, the row of each arc's word.
        sets: Sets of tags.
        allowed: For each lattice, the number of each arc's set.
    """
    state_offsets = offsets_of(each.state_count for each in lattices)
    arcs = offsets_of(each.arc_count for each in lattices)
    targets = _joined([each.targets for each in lattices])
    final = _joined([each.final for each in lattices]).astype(np.bool_)
    starts = [each.arc_offsets[:-1] + arc for each, arc in zip(lattices, arcs[:-1], strict=True)]
    arc_offsets = np.append(_joined(starts), arcs[-1]).astype(np.int64)
    sources = np.repeat(np.arange(len(final)), np.diff(arc_offsets))
    globally = targets + np.repeat(state_offsets[:-1], np.diff(arcs))
    of_set = _masks(np.isfinite(sets.bias[:, : topology.tags]), topology.tags)
    of_arc = of_set[_joined(allowed)]
    boundary, one = (
        _masks(np.eye(topology.tags + 1, dtype=np.bool_)[[tag]], topology.tags)
        for tag in (topology.tags, 0)
    )
    last = _united(of_arc, globally, len(final))
    last[state_offsets[:-1]] = boundary
    before = _united(last[sources], globally, len(final))
    before[state_offsets[:-1]] = boundary
    nexts = _united(of_arc, sources, len(final))
    nexts[final] |= boundary
    single = np.broadcast_to(one, last.shape)
    rows, groups = (last, single) if topology.order == 1 else (before, last)
    distinct, numbers = _distinct([rows, groups, nexts, of_arc], topology)
    landings = _landings(topology, distinct, numbers, arc_offsets, sources, globally)
    return Compiled(
        distinct,
        state_offsets,
        numbers[0],
        numbers[1],
        numbers[2],
        final.astype(np.uint8),
        arc_offsets,
        targets.astype(np.int32),
        _joined(words),
        numbers[3],
        offsets_of(distinct.sizes[numbers[3]]),
        *landings,
    )


def _joined(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, np.int32)


def _landings(
    topology: Topology,
    sets: Sets,
    numbers: Sequence[IndexArray],
    arc_offsets: IntArray,
    sources: IntArray,
    targets: IntArray,
) -> tuple[IntArray, IndexArray, IndexArray]:
    """Where steps end in the blocks of the states that they lead to: offsets, bases, places."""
    rows, groups, _, allowed = numbers
    table = np.zeros((len(sets.sizes), topology.width), np.int32)
    owners = np.repeat(np.arange(len(sets.sizes)), sets.sizes)
    table[owners, sets.tags] = np.arange(len(sets.tags)) - sets.offsets[owners]
    sizes = sets.sizes[allowed]
    of_entry = np.repeat(targets, sizes)
    tags = sets.tags[ranges(sets.offsets[:-1][allowed], sizes)]
    if topology.order == 1:
        places = table[rows[of_entry], tags]
        return arc_offsets[:-1].copy(), np.zeros(len(targets), np.int32), places
    widths = sets.sizes[groups[sources]]  # the groups that an arc leads from
    of_group = np.repeat(targets, widths)
    group_tags = sets.tags[ranges(sets.offsets[:-1][groups[sources]], widths)]
    bases = table[rows[of_group], group_tags] * sets.sizes[groups[of_group]]
    places = table[groups[of_entry], tags]
    return offsets_of(widths)[arc_offsets[:-1]], bases.astype(np.int32), places


def _masks(allowed: BoolArray, tags: int) -> Masks:
    """Sets of tags as bits, [n, words]."""
    words = tags // 64 + 1
    padded = np.zeros((len(allowed), words * 64), np.bool_)
    padded[:, : allowed.shape[1]] = allowed
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _united(masks: Masks, owners: IntArray, count: int) -> Masks:
    """The union of the sets of each owner, [count, words]."""
    united = np.zeros((count, masks.shape[1]), np.uint64)
    if len(owners):
        order = np.argsort(owners, kind="stable")
        ordered = owners[order]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        united[ordered[first]] = np.bitwise_or.reduceat(masks[order], first, axis=0)
    return united


def _distinct(several: Sequence[Masks], topology: Topology) -> tuple[Sets, list[IndexArray]]:
    """The distinct sets among several lists, and the number of each."""
    together = np.concatenate(several)
    if together.shape[1] == 1:  # much faster than rows are
        flat, inverse = np.unique(together[:, 0], return_inverse=True)
        found = flat[:, None]
    else:
        found, inverse = np.unique(together, axis=0, return_inverse=True)
    bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")[:, : topology.tags + 1]
    owners, tags = np.nonzero(bits)
    sizes = np.bincount(owners, minlength=len(found))
    offsets = offsets_of(sizes)
    bounds = np.cumsum([len(each) for each in several])[:-1]
    numbers = [part.astype(np.int32) for part in np.split(inverse.reshape(-1), bounds)]
    return Sets(offsets, tags.astype(np.int32)), numbers


class _Arguments(NamedTuple):
    """What the kernels begin with."""

    order: int
    tags: int
    transitions: FloatArray
    emission: FloatArray
    set_offsets: IntArray
    set_tags: IndexArray
    state_offsets: IntArray
    rows: IndexArray
    groups: IndexArray
    nexts: IndexArray
    final: npt.NDArray[np.uint8]
    arc_offsets: IntArray
    targets: IndexArray
    words: IndexArray
    allowed: IndexArray
    entry_offsets: IntArray
    base_offsets: IntArray
    bases: IndexArray
    places: IndexArray


class LatticeTrellis:
    """Members that are chains over lattices.

    Args:
        topology: The tags and tag n-grams.
        scoring: How words (in their windows) are scored; a word is in the place of a token.
        compiled: The lattices, one a member.
        threads: How many threads to use; no result depends on it.
    """

    def __init__(
        self, topology: Topology, scoring: Scoring, compiled: Compiled, threads: int = 1
    ) -> None:
        if scoring.paired:
            raise OptionError(
                "attributes that go with pairs of tags are not supported where the words vary; "
                "leave out pair_templates"
            )
        self.topology = topology
        self.compiled = compiled
        words = int(compiled.words.max(initial=-1)) + 1
        self._scores = scoring.over(np.array([0, words], np.int64), threads)
        self._threads = threads
        sizes = compiled.sets.sizes[compiled.allowed]
        keys = np.repeat(compiled.words.astype(np.int64), sizes) * topology.width
        keys += compiled.sets.tags[ranges(compiled.sets.offsets[:-1][compiled.allowed], sizes)]
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        self._owners = ordered[first].astype(np.int32)
        self._entries = order.astype(np.int32)
        self._owner_offsets = np.append(first, len(ordered)).astype(np.int64)

    def __len__(self) -> int:
        return len(self.compiled.state_offsets) - 1

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        steps = self._scores.at(theta)
        values = np.empty(len(self))
        arguments = self._arguments(steps.transitions, steps.tokens(0)[0])
        _native.lattice_log_partition(*arguments, values, self._threads)
        return values

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        steps = self._scores.at(theta)
        expectations = steps.expectations()
        totals = np.zeros_like(steps.transitions)
        values = np.empty(len(self))
        entries = np.zeros(int(self.compiled.entry_offsets[-1]))
        arguments = self._arguments(steps.transitions, steps.tokens(0)[0])
        _native.lattice_sweep(*arguments, coefficients, values, entries, totals, self._threads)
        marginals, _ = expectations.marginals(0)
        _native.sum_entries(
            self._owner_offsets,
            self._entries,
            None,
            entries,
            self._owners,
            marginals.reshape(-1),
            self._threads,
        )
        expectations.collect(0)
        return values, expectations.finish(totals)

    def impossible(self, member: int) -> int | None:  # noqa: ARG002
        """The place where a string ends is not known of lattices: their first token."""
        return 0

    def _arguments(self, transitions: FloatArray, emission: FloatArray) -> _Arguments:
        these = self.compiled
        return _Arguments(
            self.topology.order,
            self.topology.tags,
            transitions,
            emission,
            these.sets.offsets,
            these.sets.tags,
            these.state_offsets,
            these.rows,
            these.groups,
            these.nexts,
            these.final,
            these.arc_offsets,
            these.targets,
            these.words,
            these.allowed,
            these.entry_offsets,
            these.base_offsets,
            these.bases,
            these.places,
        )
