"""Classes of unknown words: a finite partition of all strings that forgets the order of words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import OptionError
from weft.features.signatures import EVERYTHING, Signatures, learn_signatures, shape_of

TEXT = st.text(max_size=8)
RARE = ["eating", "Being", "weaving", "Bonn", "Köln", "1990s", "U.S.", "e-mail", "%", "12,5", "İi"]


def nodes_by_hand(word: str, longest: int) -> list[str]:
    """Every node that could hold a word, from the widest to the narrowest."""
    suffixes = [word[len(word) - n :].lower() for n in range(1, longest + 1) if n < len(word)]
    return [EVERYTHING, shape_of(word), *(f"{shape_of(word)}:{suffix}" for suffix in suffixes)]


@given(st.lists(TEXT, max_size=8, unique=True), TEXT)
def test_every_string_has_a_class_that_contains_it(rare, word):
    signatures = learn_signatures(rare, longest=3, enough=1)
    name = signatures.names[signatures.class_of(word)]
    assert name == EVERYTHING or name.partition(":")[0] == shape_of(word)
    assert word.lower().endswith(name.partition(":")[2])


@given(st.lists(st.sampled_from("abB-1"), max_size=3), st.integers(1, 3))
def test_a_class_is_the_deepest_node_that_enough_rare_words_share(letters, enough):
    rare = ["bab", "bb", "Bab", "ab-1", "b1b", "aab", "Bb", "a-b"]
    word = "".join(letters)
    support = [node for each in rare for node in nodes_by_hand(each, 3)]
    expected = [node for node in nodes_by_hand(word, 3) if support.count(node) >= enough]
    signatures = learn_signatures(rare, longest=3, enough=enough)
    assert signatures.names[signatures.class_of(word)] == [EVERYTHING, *expected][-1]


@given(st.permutations(RARE))
def test_the_order_of_rare_words_does_not_matter(rare):
    assert learn_signatures(rare, enough=1).names == learn_signatures(RARE, enough=1).names


def test_parents_are_the_classes_around():
    signatures = learn_signatures(RARE, longest=3, enough=1)
    assert signatures.parents[0] == -1
    for number, name in enumerate(signatures.names[1:], start=1):
        around = signatures.names[signatures.parents[number]]
        shape, _, suffix = name.partition(":")
        assert around == (
            EVERYTHING if not suffix else shape if len(suffix) == 1 else f"{shape}:{suffix[1:]}"
        )
        assert signatures.parents[number] < number


def test_many_words_at_once_are_the_same_as_one_at_a_time():
    signatures = learn_signatures(RARE, enough=2)
    words = [*RARE, "", "xing", "Frankfurt", "x" * 10_000]
    expected = [signatures.class_of(word) for word in words]
    np.testing.assert_array_equal(signatures.classes_of(words), expected)
    assert signatures.classes_of(words).dtype == np.int32


def test_names_alone_give_the_signatures_back():
    signatures = learn_signatures(RARE, enough=1)
    again = Signatures(signatures.names, signatures.longest)
    np.testing.assert_array_equal(again.classes_of(RARE), signatures.classes_of(RARE))


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("", "symbol"),
        ("--", "symbol+hyphen"),
        ("A", "capital"),
        ("USA", "capitals"),
        ("mRNA", "mixed"),
        ("F-16", "capital+digit+hyphen"),
        ("-1", "number+hyphen"),
        ("été", "lower"),
    ],
)
def test_shapes(word, shape):
    assert shape_of(word) == shape


@pytest.mark.parametrize(
    "names", [(), ("lower",), ("*", "*"), ("*", "lower:g"), ("*", "lower:g", "lower")]
)
def test_names_that_are_no_tree_are_refused(names):
    with pytest.raises(OptionError):
        Signatures(names, 3)


@pytest.mark.parametrize("options", [{"enough": 0}, {"longest": -1}, {"longest": 21}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(OptionError):
        learn_signatures(["a"], **options)
