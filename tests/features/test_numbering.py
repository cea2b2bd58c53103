"""Texts looked up at once are those looked up one by one, whatever they are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from weft.features.numbering import Numbering, number_names

HALF = "\ud800"  # of a surrogate pair, which a core of the stable ABI leaves to Python
READS_HALVES = number_names([HALF]).occurrences_at_once([[[HALF]]]) is not None
# Characters of one, two and four bytes.
ALPHABETS = ["ab", "aé", "a\u6161\u6262", "\uffff\0" + HALF * READS_HALVES, "a\U0001f600"]


def random_texts(rng, count: int) -> list[str]:
    """Texts of all lengths from 0 to 40, in characters of all widths."""
    alphabets = [list(rng.choice(ALPHABETS)) for _ in range(count)]
    return ["".join(rng.choice(letters, rng.integers(41))) for letters in alphabets]


def in_tokens(rng, texts: list[str]) -> list:
    """Cut texts into tokens, some of them empty, and these into sentences; lists and tuples."""
    cuts = np.sort(rng.integers(len(texts) + 1, size=len(texts) // 5)).tolist()
    tokens = [
        kind(texts[first:last])
        for kind, first, last in zip(
            rng.choice([list, tuple], len(cuts) + 1), [0, *cuts], [*cuts, len(texts)], strict=True
        )
    ]
    return [tokens[:7], (), tuple(tokens[7:])]


def plain(numbering: dict[str, int], sentences) -> list[list[int]]:
    tokens = [token for sentence in sentences for token in sentence]
    return [[numbering[text] for text in token if text in numbering] for token in tokens]


def by_token(occurrences) -> list[list[int]]:
    return [each.tolist() for each in np.split(occurrences.attributes, occurrences.offsets[1:-1])]


@pytest.mark.parametrize("known", [0, 1, 40, 3000])
def test_every_known_text_is_found_and_no_other(rng, known):
    texts = random_texts(rng, 3000)
    numbering = number_names(texts[:known], 100)
    sentences = in_tokens(rng, [*texts[::2], *random_texts(rng, 1500)])
    found = numbering.occurrences_at_once(sentences)
    assert by_token(found) == plain(dict(numbering), sentences)
    assert by_token(Numbering(numbering)._singly(sentences, None)) == by_token(found)
    assert found.values is None


def test_texts_of_the_same_bytes_are_told_apart():
    """Python's hash takes "aa" and U+6161 for the same."""
    same = ["aa", "\u6161", "a\0\x01\0", "\U00010061", "aaaa", "\u6161\u6161", "a", "a\0", ""]
    assert hash("aa") == hash("\u6161")
    for text in same:
        found = number_names([text]).occurrences_at_once([[same]])
        assert len(found.attributes) == 1


def test_halves_of_surrogate_pairs_are_found():
    found = number_names(["a", HALF]).occurrences([[["b", HALF, "a"]]])
    assert found.attributes.tolist() == [1, 0]


def test_texts_keep_their_values(rng):
    texts = random_texts(rng, 500)
    numbering = number_names(texts[::3])
    sentences, values = in_tokens(rng, texts), rng.normal(size=len(texts))
    found = numbering.occurrences_at_once(sentences, values)
    expected = [value for text, value in zip(texts, values, strict=True) if text in numbering]
    assert found.values.tolist() == expected
    assert numbering._singly(sentences, values).values.tolist() == expected
    with pytest.raises(ValueError, match="too few values"):
        numbering.occurrences_at_once(sentences, values[:-1])


class Shouted(str):
    """A string that is more than a string."""

    def __hash__(self) -> int:
        return hash("b")

    def __eq__(self, other: object) -> bool:
        return other == "b"


@pytest.mark.parametrize("odd", [np.str_("b"), Shouted("a"), 5, None, ("b",)], ids=repr)
def test_what_is_no_plain_string_is_looked_up_as_in_a_dictionary(odd):
    numbering = number_names(["a", "b", "c"])
    assert numbering.occurrences_at_once([[["a", odd]]]) is None
    expected = [0, 1] if odd in numbering else [0]
    assert numbering.occurrences([[["a", odd]]]).attributes.tolist() == expected
    known = number_names([odd, "c"])
    assert known.occurrences([[["a", odd]], [["c"]]]).attributes.tolist() == [0, 1]


def test_what_has_no_hash_is_refused():
    with pytest.raises(TypeError, match="unhashable"):
        number_names(["a"]).occurrences([[["a", ["b"]]]])


def test_sentences_that_are_no_lists_are_looked_up_too():
    numbering = number_names(["a", "b"])
    assert numbering.occurrences([iter_twice([["a"]]), [{"b": 1.0}]]).attributes.tolist() == [0, 1]


class iter_twice(list):  # noqa: N801
    """A list that is more than a list."""


def test_a_few_texts_need_no_table():
    numbering = number_names(map(str, range(1000)))
    assert numbering.occurrences_at_once([[["5"]]]) is None
    assert numbering.occurrences([[["5", "x"]]]).attributes.tolist() == [5]


def test_a_copy_makes_its_own_table():
    numbering = number_names(["b", "a"])
    numbering.occurrences([[["a"]]])
    copy = pickle.loads(pickle.dumps(numbering))  # noqa: S301
    assert copy == numbering
    assert copy.occurrences([[["a", "b", "c"]]]).attributes.tolist() == [1, 0]
