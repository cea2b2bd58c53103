"""Lattices laid out in flat arrays for sums over chains.

A state of a lattice stands for the tags of the last one or two words on the way to it, each of a
set: the tags of all words that arcs to it bear, and of those before. Sets are stored once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.arrays import BoolArray, IndexArray, IntArray, offsets_of, ranges
from weft.derivations.chain.tagsets import TagSets
from weft.derivations.chain.topology import Topology

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

    def __getitem__(self, number: int) -> IndexArray:
        """The tags of a set."""
        return self.tags[self.offsets[number] : self.offsets[number + 1]]


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
        uses: [arcs], where uses of its word with the first of its tags are counted.
        use_places: [uses], ``word * width + tag`` of each count.
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
    uses: IndexArray
    use_places: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """A lattice whose arcs bear rows of scores and sets of tags.

    Attributes:
        arc_offsets: [states + 1].
        targets: [arcs].
        final: [states].
        words: [arcs], the row of each arc's word.
        allowed: [arcs], the number of each arc's set.
    """

    arc_offsets: IntArray
    targets: IndexArray
    final: BoolArray
    words: IndexArray
    allowed: IndexArray


def compile_lattices(topology: Topology, several: Sequence[Strings], sets: TagSets) -> Compiled:
    """Lay lattices out for sums over chains.

    Args:
        topology: The tags.
        several: The lattices.
        sets: The sets of tags that arcs refer to.
    """
    state_offsets = offsets_of(len(each.final) for each in several)
    arcs = offsets_of(len(each.targets) for each in several)
    targets = _joined([each.targets for each in several])
    final = _joined([each.final for each in several]).astype(np.bool_)
    starts = _joined([each.arc_offsets[:-1] for each in several]).astype(np.int64)
    starts += np.repeat(arcs[:-1], np.diff(state_offsets))
    arc_offsets = np.append(starts, arcs[-1])
    sources = np.repeat(np.arange(len(final)), np.diff(arc_offsets))
    globally = targets + np.repeat(state_offsets[:-1], np.diff(arcs))
    of_set = _masks(np.isfinite(sets.bias[:, : topology.tags]), topology.tags)
    of_arc = of_set[_joined([each.allowed for each in several]).astype(np.int32)]
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
    words = _joined([each.words for each in several]).astype(np.int32)
    return Compiled(
        distinct,
        state_offsets,
        numbers[0],
        numbers[1],
        numbers[2],
        final.astype(np.uint8),
        arc_offsets,
        targets.astype(np.int32),
        words,
        numbers[3],
        offsets_of(distinct.sizes[numbers[3]]),
        *landings,
        *_uses(topology, distinct, words, numbers[3]),
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


def _uses(
    topology: Topology, sets: Sets, words: IndexArray, allowed: IndexArray
) -> tuple[IndexArray, IntArray]:
    """Where uses of words with tags are counted, once for a word and set: by arc, and places."""
    keys = words.astype(np.int64) * len(sets.sizes) + allowed
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    of_word, of_set = words[first], allowed[first]
    sizes = sets.sizes[of_set]
    tags = sets.tags[ranges(sets.offsets[:-1][of_set], sizes)]
    places = np.repeat(of_word.astype(np.int64), sizes) * topology.width + tags
    return offsets_of(sizes)[numbers.reshape(-1)].astype(np.int32), places


def _masks(allowed: BoolArray, tags: int) -> Masks:
    """Sets of tags as bits, [n, words]."""
    words = tags // 64 + 1
    padded = np.zeros((len(allowed), words * 64), np.bool_)
    padded[:, : allowed.shape[1]] = allowed
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _united(masks: Masks, owners: IntArray, count: int) -> Masks:
    """The union of the sets of each owner, [count, words]."""
    united = np.zeros((count, masks.shape[1]), np.uint64)
    for word in range(masks.shape[1]):  # one column at a time, which NumPy does much faster
        np.bitwise_or.at(united[:, word], owners, masks[:, word])
    return united


def _distinct(several: Sequence[Masks], topology: Topology) -> tuple[Sets, list[IndexArray]]:
    """The distinct sets among several lists, and the number of each."""
    together = np.concatenate(several)
    if together.shape[1] == 1:  # much faster than rows are, and than the inverse that unique finds
        flat = np.unique(together)
        found, inverse = flat[:, None], np.searchsorted(flat, together[:, 0])
    else:
        found, inverse = np.unique(together, axis=0, return_inverse=True)
    bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")[:, : topology.tags + 1]
    owners, tags = np.nonzero(bits)
    sizes = np.bincount(owners, minlength=len(found))
    offsets = offsets_of(sizes)
    bounds = np.cumsum([len(each) for each in several])[:-1]
    numbers = [part.astype(np.int32) for part in np.split(inverse.reshape(-1), bounds)]
    return Sets(offsets, tags.astype(np.int32)), numbers
