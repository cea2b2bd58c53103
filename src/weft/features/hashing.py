"""Many look-ups at once: an open hash table in arrays.

A dictionary of a million texts costs several cache misses a look-up, one after the other. Here
the texts' hashes, which Python keeps with them, are looked up all together. Two texts are taken to
be the same if their 64 bits of hash are: Python keys its hashes afresh in every process, so that
nobody can make two texts agree on purpose, and by chance two of a million do so once in 10⁷ runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from weft.arrays import IndexArray, IntArray


class HashTable(NamedTuple):
    """Slots, a power of two of them; a text stands in the first free one from its hash on.

    Attributes:
        hashes: [slots].
        numbers: [slots], -1 where a slot is free.
    """

    hashes: IntArray
    numbers: IndexArray


def hash_table(numbering: Mapping[str, int]) -> HashTable:
    """Return the table of a numbering.

    >>> table = hash_table({"a": 7})
    >>> find_hashes(table, np.array([hash("a"), hash("b")]))
    array([ 7, -1], dtype=int32)
    """
    size = 1 << max(4 * len(numbering), 8).bit_length()
    table = HashTable(np.zeros(size, np.int64), np.full(size, -1, np.int32))
    hashes = np.fromiter(map(hash, numbering), np.int64, len(numbering))
    numbers = np.fromiter(numbering.values(), np.int32, len(numbering))
    slots = hashes & (size - 1)
    while len(hashes):
        # Of those that want the same free slot, the first gets it; the others go on to the next.
        free = np.flatnonzero(table.numbers[slots] < 0)
        winners = free[np.unique(slots[free], return_index=True)[1]]
        table.hashes[slots[winners]] = hashes[winners]
        table.numbers[slots[winners]] = numbers[winners]
        left = np.ones(len(hashes), np.bool_)
        left[winners] = False
        hashes, numbers = hashes[left], numbers[left]
        slots = (slots[left] + 1) & (size - 1)
    return table


def find_hashes(table: HashTable, hashes: IntArray) -> IndexArray:
    """Return the numbers that belong to hashes, -1 where there is none."""
    mask = len(table.hashes) - 1
    slots = hashes & mask
    found: IndexArray = np.where(table.hashes[slots] == hashes, table.numbers[slots], np.int32(-1))
    pending = np.flatnonzero((found < 0) & (table.numbers[slots] >= 0))
    slots = slots[pending]
    while len(pending):
        slots = (slots + 1) & mask
        numbers = table.numbers[slots]
        hit = (numbers >= 0) & (table.hashes[slots] == hashes[pending])
        found[pending[hit]] = numbers[hit]
        further = (numbers >= 0) & ~hit
        pending, slots = pending[further], slots[further]
    return found
