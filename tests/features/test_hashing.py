from __future__ import annotations

import numpy as np

from weft.features.attributes import numbered
from weft.features.hashing import find_hashes, hash_table


def test_every_text_is_found_and_no_other():
    names = [f"name {n}" for n in range(5000)]
    numbering = numbered(names, 100)
    asked = [*names[::3], *(f"other {n}" for n in range(5000))]
    expected = [numbering[name] for name in asked]
    assert numbering.numbers_of(asked, len(asked)).tolist() == expected
    assert numbering.numbers_of(asked[:5], 5).tolist() == expected[:5]


def test_hashes_that_want_the_same_slot():
    """Small integers hash to themselves: these all want one slot, or the one beside it."""
    keys = [1024 * n for n in range(1, 30)] + [1024 * n + 1 for n in range(1, 30)]
    table = hash_table({key: number for number, key in enumerate(keys)})
    assert len(table.hashes) <= 1024
    asked = np.array([*keys, 3, 1024 * 31])
    assert find_hashes(table, asked).tolist() == [*range(len(keys)), -1, -1]


def test_an_empty_numbering_finds_nothing():
    assert numbered([]).numbers_of(["a"], 1).tolist() == [-1]
