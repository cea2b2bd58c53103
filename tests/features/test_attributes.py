"""Attributes of tokens, against a plain program that makes each one as a string."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import EvidenceError, OptionError
from weft.features.attributes import (
    attribute_names,
    find_attributes,
    index_attributes,
    keep_attributes,
)
from weft.features.templates import Template, find_function, templates
from weft.structures.evidence import Sentence, sentence


def indexed(sentences, several):
    """The attributes of sentences, and where they occur."""
    index = index_attributes([sentences], several)
    return index, find_attributes(index, sentences)


TEMPLATES = templates("bias word[0] suffix2[-1] word[-2]|column2[0] column2.lower[1] shape[2]")


def value_at(sentence: Sentence, position: int, column: int, function: str) -> str | None:
    if position < 0:
        return f"<{position}>"
    if position >= len(sentence):
        return f"<+{position - len(sentence) + 1}>"
    return find_function(function)(sentence.columns[column][position])


def plain_attributes(sentence: Sentence, position: int, several: tuple[Template, ...]) -> list[str]:
    names = []
    for each in several:
        values = [value_at(sentence, position + a.offset, a.column, a.function) for a in each.atoms]
        if None not in values:
            names.append(f"{each}={'|'.join(values)}" if values else str(each))
    return names


def random_sentences(rng, count: int) -> list[Sentence]:
    words = ["a", "Bc", "def", "G-7", "<-1>"]
    return [
        Sentence(tuple(tuple(rng.choice(words, length).tolist()) for _ in range(2)))
        for length in rng.integers(1, 6, count)
    ]


def names_by_token(index, occurrences) -> list[list[str]]:
    names = attribute_names(index)
    return [
        [names[a] for a in occurrences.attributes[start:stop]]
        for start, stop in zip(occurrences.offsets[:-1], occurrences.offsets[1:], strict=True)
    ]


def test_attributes_equal_the_plain_program(rng):
    sentences = random_sentences(rng, 20)
    index, occurrences = indexed(sentences, TEMPLATES)
    expected = [
        plain_attributes(sentence, position, TEMPLATES)
        for sentence in sentences
        for position in range(len(sentence))
    ]
    assert names_by_token(index, occurrences) == expected
    assert len(set(attribute_names(index))) == len(index)


def test_known_attributes_are_found_again_and_unknown_ones_left_out(rng):
    index, _ = indexed(random_sentences(rng, 4), TEMPLATES)
    known = set(attribute_names(index))
    others = random_sentences(rng, 30)
    expected = [
        [name for name in plain_attributes(sentence, position, TEMPLATES) if name in known]
        for sentence in others
        for position in range(len(sentence))
    ]
    assert names_by_token(index, find_attributes(index, others)) == expected
    assert sum(map(len, expected)) < 6 * len(expected)


def test_given_attributes_keep_their_values():
    sentence = Sentence((("x", "y"),), ({"f": 0.5, "g": 2.0}, ["g", "h"]))
    index, occurrences = indexed([sentence], templates("word[0]"))
    assert names_by_token(index, occurrences) == [["word[0]=x", "f", "g"], ["word[0]=y", "g", "h"]]
    assert occurrences.values.tolist() == [1.0, 0.5, 2.0, 1.0, 1.0, 1.0]
    found = find_attributes(index, [Sentence((("z",),), ({"new": 3.0, "f": -1.0},))])
    assert found.attributes.tolist() == [index.given["f"]]
    assert found.values.tolist() == [-1.0]


def test_names_without_values_are_binary():
    _, occurrences = indexed([Sentence((("x",),), (["f", "g"],))], ())
    assert occurrences.values is None


@pytest.mark.parametrize("value", [np.inf, np.nan, "heavy", None, {"nested": 1.0}])
def test_a_value_that_is_no_number_is_refused(value):
    sentences = [Sentence((("w",),), (["f"],)), Sentence((("x", "y"),), ({"f": 1.0}, {"g": value}))]
    with pytest.raises(EvidenceError, match=r"sentence 2: attribute 'g' of token 2 .*no finite"):
        indexed(sentences, ())


def test_kept_attributes_are_renumbered_in_order(rng):
    sentences = [Sentence(((("u", "v")), ("p", "q")), (["f"], ["g"]))]
    index, _ = indexed(sentences, TEMPLATES)
    kept = rng.random(len(index)) < 0.5
    kept[index.given["g"]] = True
    expected = [name for name, keep in zip(attribute_names(index), kept, strict=True) if keep]
    smaller = keep_attributes(index, kept)
    assert attribute_names(smaller) == expected
    assert smaller.given["g"] == len(expected) - 1


def test_a_missing_column_is_named():
    with pytest.raises(EvidenceError, match=r"here:3: .* look at 2 input columns.*only 1"):
        indexed([Sentence((("x",),), source="here:3")], TEMPLATES)


def test_keys_never_overflow():
    words = tuple(f"w{n}" for n in range(3000))
    wide = templates("|".join(f"word[{offset}]" for offset in range(-3, 4)))
    with pytest.raises(OptionError, match="too many values"):
        indexed([Sentence((words,))], wide)


def test_empty_input_has_no_attributes():
    index, occurrences = indexed([], TEMPLATES)
    assert len(index) == 0
    assert occurrences.offsets.tolist() == [0]


def test_only_what_is_looked_up_in_small_batches_is_remembered(monkeypatch):
    sentences = [sentence(["time", "flies"]), sentence(["fruit", "flies"])]
    index = index_attributes([sentences], templates("word[0] suffix2[0]"))
    monkeypatch.setattr("weft.features.attributes._REMEMBERED", 3)
    whole = find_attributes(index, sentences)
    assert not index.seen
    first = find_attributes(index, sentences[:1])
    assert first.attributes.tolist() == whole.attributes[:4].tolist()
    assert len(index.seen) == 2
