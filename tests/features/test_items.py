"""Attributes in dictionaries, as python-crfsuite reads them."""

from __future__ import annotations

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import EvidenceError
from weft.features.items import encode_item, sentence_of_items

TEXTS = st.text("ab=é ", max_size=3)  # without a colon, no name is made twice
NUMBERS = st.one_of(st.booleans(), st.integers(-3, 3), st.floats(-2, 2))
VALUES = st.recursive(
    st.one_of(TEXTS, NUMBERS, st.lists(TEXTS, unique=True, max_size=3), st.sets(TEXTS, max_size=3)),
    lambda inside: st.dictionaries(TEXTS, inside, max_size=3),
    max_leaves=5,
)


@given(st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=3))
def test_dictionaries_are_read_as_python_crfsuite_reads_them(items):
    assert [encode_item(item) for item in items] == pycrfsuite.ItemSequence(items).items()


def test_names_alone_are_kept_and_names_twice_count_twice():
    assert encode_item(["a", "a"]) == ("a", "a")
    assert encode_item({"a": ["b", "b"], "a:b": 0.5}) == {"a:b": 2.5}
    assert encode_item({"n": np.float32(0.5), "b": np.bool_(True)}) == {"n": 0.5, "b": 1.0}


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"a": None}, "attribute 'a' has the value None: expected a finite number"),
        ({"a": float("nan")}, "attribute 'a' has the value nan"),
        ({"a": {"b": [1]}}, "attribute 'a:b': the values of a list are texts, not 1"),
        ({1: "a"}, "attribute 1: names are texts"),
        ("word", "a dictionary of attributes or a list of their names, not 'word'"),
        (["a", 1], "a dictionary of attributes or a list of their names, not"),
    ],
)
def test_other_values_are_refused_with_their_place(item, message):
    with pytest.raises(EvidenceError, match=r"X\[3\], token 2: .*" + message):
        sentence_of_items([{"a": 1}, item], "X[3]")
