"""Sentences of chains laid out for the kernels: which batch, which member, which tag sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, offsets_of
from weft.derivations.chain.scoring import Scoring
from weft.derivations.chain.topology import Topology
from weft.kernels import kernels

_BATCH_TOKENS = 32_768
_TAG_BYTES = 16 * 2**20  # for one batch's scores of tags
_PAIR_BYTES = 64 * 2**20  # for one batch's pair scores


@dataclass(frozen=True, slots=True)
class ChainMembers:
    """Which sentence each member sums over, and the tags that it allows there.

    Attributes:
        sentences: [members].
        sets: For each member the number of each token's tag set.
    """

    sentences: IntArray
    sets: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive sentences with their members, counted from 0 within the batch."""

    tokens: int
    members: slice  # of the members in the order of their sentences
    labels: slice  # of those members' tag sets
    sentence_offsets: IntArray
    member_offsets: IntArray
    member_starts: IntArray


class ChainArguments(NamedTuple):
    """What every kernel of a chain begins with."""

    order: int
    tags: int
    transitions: FloatArray
    sentence_offsets: IntArray
    emission: FloatArray
    pair: FloatArray | None
    set_offsets: IntArray
    set_tags: IndexArray
    set_bias: FloatArray
    member_offsets: IntArray
    member_starts: IntArray
    member_sets: IndexArray
    cell_offsets: IntArray | None
    cell_columns: IndexArray | None


Choose = Callable[[ChainArguments, slice, FloatArray, IndexArray, int], None]
"""Writes the score and the tags of a sequence of each member of a batch, given which of all
members' tokens are the batch's, with this many threads."""


def best_sequences(
    arguments: ChainArguments,
    tokens: slice,  # noqa: ARG001
    scores: FloatArray,
    tags: IndexArray,
    threads: int,
) -> None:
    """Choose the best sequence of each member: Viterbi."""
    kernels.chain_viterbi(*arguments, scores, tags, threads)


def batch_tokens(topology: Topology, scoring: Scoring) -> int:
    """How many tokens a batch may have; fixed by the model, so that sums have a fixed order."""
    if not scoring.paired:
        return max(1, min(_BATCH_TOKENS, _TAG_BYTES // (8 * topology.width)))
    cells = topology.width ** (3 if scoring.tripled else 2)
    return max(1, min(_BATCH_TOKENS, _PAIR_BYTES // (8 * cells)))


def split(lengths: IntArray, most: int) -> list[int]:
    """Where to cut a sequence of sentences so that no batch has more than this many tokens.

    >>> split(np.array([3, 3, 3, 9, 1]), 6)
    [0, 2, 3, 4, 5]
    """
    bounds, tokens = [0], 0
    for sentence, length in enumerate(lengths.tolist()):
        if tokens and tokens + length > most:
            bounds.append(sentence)
            tokens = 0
        tokens += length
    return [*bounds, len(lengths)]


def cut_out(
    lengths: IntArray, sorted_sentences: IntArray, starts: IntArray, first: int, last: int
) -> Batch:
    """Cut out the sentences ``first … last - 1`` and the members that look at them."""
    members = np.searchsorted(sorted_sentences, np.arange(first, last + 1)).astype(np.int64)
    begin, end = int(members[0]), int(members[-1])
    labels = slice(int(starts[begin]), int(starts[end]))
    return Batch(
        tokens=int(lengths[first:last].sum()),
        members=slice(begin, end),
        labels=labels,
        sentence_offsets=offsets_of(lengths[first:last]),
        member_offsets=members - begin,
        member_starts=starts[begin : end + 1] - labels.start,
    )
