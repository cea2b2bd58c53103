"""Sums over the tag sequences of all strings of lattices, arcs implicit.

A state of a lattice stands for the tags of the last one or two words on the way to it. Arcs that
bear the same word (in the same window, where attributes look further) share its scores, and what
is expected of them is added up before it is turned into expectations of features. Memory grows
with the arcs and the tags that each allows, never with their product over neighbouring words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weft import _native
from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray, offsets_of
from weft.derivations.scoring import Scoring
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
        places: [sets, width]: where a tag stands in a set.
    """

    offsets: IntArray
    tags: IndexArray
    places: npt.NDArray[np.int16]

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


def compile_lattices(
    topology: Topology, lattices: Sequence[Lattice], words: Sequence[IndexArray], bias: FloatArray
) -> Compiled:
    """Lay lattices out for sums over chains.

    Args:
        topology: The tags.
        lattices: The lattices.
        words: For each lattice, the row of each arc's word.
        bias: [rows, width]: 0 where a word may have a tag, else -inf.
    """
    state_offsets = offsets_of(each.state_count for each in lattices)
    arcs = offsets_of(each.arc_count for each in lattices)
    flat = np.concatenate([np.empty(0, np.int32), *words]).astype(np.int32)
    targets = np.concatenate([np.empty(0, np.int32), *(each.targets for each in lattices)])
    final = np.concatenate([np.empty(0, np.bool_), *(each.final for each in lattices)])
    starts = [each.arc_offsets[:-1] + arc for each, arc in zip(lattices, arcs[:-1], strict=True)]
    arc_offsets = np.append(np.concatenate([np.empty(0, np.int64), *starts]), arcs[-1])
    sources = np.repeat(np.arange(len(final)), np.diff(arc_offsets))
    globally = targets + np.repeat(state_offsets[:-1], np.diff(arcs))
    of_row = _masks(np.isfinite(bias[:, : topology.tags]), topology.tags)
    of_arc = of_row[flat]
    boundary = _masks(np.eye(topology.tags + 1, dtype=np.bool_)[-1:], topology.tags)
    initial = state_offsets[:-1]
    last = _united(of_arc, globally, len(final))
    last[initial] = boundary
    before = _united(last[sources], globally, len(final))
    before[initial] = boundary
    nexts = _united(of_arc, sources, len(final))
    nexts[final] |= boundary
    one = _masks(np.eye(topology.tags + 1, dtype=np.bool_)[:1], topology.tags)
    single = np.broadcast_to(one, last.shape)
    rows, groups = (last, single) if topology.order == 1 else (before, last)
    sets, numbers = _distinct([rows, groups, nexts, of_row], topology)
    allowed = numbers[3][flat]
    return Compiled(
        sets,
        state_offsets,
        numbers[0],
        numbers[1],
        numbers[2],
        final.astype(np.uint8),
        arc_offsets.astype(np.int64),
        targets.astype(np.int32),
        flat,
        allowed,
        offsets_of(sets.sizes[allowed]),
    )


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
    found, inverse = np.unique(together, axis=0, return_inverse=True)
    bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")[:, : topology.tags + 1]
    owners, tags = np.nonzero(bits)
    sizes = np.bincount(owners, minlength=len(found))
    places = np.zeros((len(found), topology.width), np.int16)
    offsets = offsets_of(sizes)
    places[owners, tags] = np.arange(len(tags)) - offsets[owners]
    bounds = np.cumsum([len(each) for each in several])[:-1]
    numbers = [part.astype(np.int32) for part in np.split(inverse.reshape(-1), bounds)]
    return Sets(offsets, tags.astype(np.int32), places), numbers


class _Arguments(NamedTuple):
    """What the kernels begin with."""

    order: int
    tags: int
    transitions: FloatArray
    emission: FloatArray
    set_offsets: IntArray
    set_tags: IndexArray
    set_places: npt.NDArray[np.int16]
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
        starts = np.repeat(compiled.sets.offsets[:-1][compiled.allowed], sizes)
        within = np.arange(len(starts)) - np.repeat(compiled.entry_offsets[:-1], sizes)
        keys = np.repeat(compiled.words.astype(np.int64), sizes) * topology.width
        keys += compiled.sets.tags[starts + within]
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
            these.sets.places,
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
        )
