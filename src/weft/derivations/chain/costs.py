"""Charges: what tags other than the observed ones add to the score of a sequence.

The score of y becomes score(y) + cost × the number of tokens whose tag is not an observed one: with
labels that are complete, cost times the Hamming distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import IntArray, offsets_of, ranges
from weft.derivations.chain.layout import ChainMembers
from weft.derivations.chain.tagsets import TagSets

if TYPE_CHECKING:
    from weft.derivations.chain.trellis import Trellis


def charged_sets(
    trellis: Trellis, observed: Sequence[Sequence[int]], cost: float
) -> tuple[ChainMembers, TagSets]:
    """Return the members of a trellis with sets of tags of which unobserved ones score higher.

    Args:
        trellis: The members.
        observed: For each member the number of each token's set of observed tags; a member whose
            own sets are given is charged nothing.
        cost: What each other tag adds, at least 0.
    """
    own, seen = (
        np.array([number for each in several for number in each], np.int64)
        for several in (trellis.members.sets, observed)
    )
    count = len(trellis.sets.bias)
    pairs, numbers = np.unique(own * count + seen, return_inverse=True)
    bounds = pairwise(offsets_of(map(len, observed)).tolist())
    sets = [numbers.reshape(-1)[first:last].tolist() for first, last in bounds]
    table = _charged(trellis.sets, pairs // count, pairs % count, cost)
    return ChainMembers(trellis.members.sentences, sets), table


def _charged(sets: TagSets, own: IntArray, seen: IntArray, cost: float) -> TagSets:
    """A set for each pair of sets: the first one's tags, free of charge those of the second."""
    sizes = np.diff(sets.offsets)[own]
    tags = sets.tags[ranges(sets.offsets[own], sizes)]
    bias = sets.bias[own] + np.where(np.isneginf(sets.bias[seen]), cost, 0.0)
    return TagSets(offsets_of(sizes), tags, bias)
