from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora import (
    Dilution,
    bundled,
    check_not_excluded,
    dictionary_from_tagger,
    dictionary_of,
    dilute,
    exclude,
    open_tags_of,
    read_dilution,
)
from weft.errors import OptionError
from weft.models import Chain
from weft.structures.evidence import Example, example
from weft.train import fit

LABEL = st.one_of(
    st.none(), st.sampled_from("ABC"), st.frozensets(st.sampled_from("ABC"), min_size=1)
)
TOKENS = st.lists(st.tuples(st.sampled_from("uvwx"), LABEL), max_size=5)


def corpus_of(rows) -> list[Example]:
    return [example([word for word, _ in row], [label for _, label in row]) for row in rows]


@given(st.lists(TOKENS, max_size=4))
def test_a_corpus_is_never_excluded_by_its_own_dictionary(rows):
    corpus = corpus_of(rows)
    dictionary = dictionary_of(corpus)
    assert not list(exclude(dictionary, corpus))
    tokens = [token for row in rows for token in row]
    for word in "uvwx":
        labels = [label for form, label in tokens if form == word]
        if not labels or None in labels:
            assert word not in dictionary
        else:
            assert dictionary[word] == frozenset().union(*map(frozenset, labels))


def test_raw_sentences_take_their_words_out():
    corpus = [example(["u", "v"], ["A", "B"]), example(["v"])]
    assert dictionary_of(corpus) == {"u": frozenset({"A"})}


@given(st.lists(TOKENS, max_size=5), st.integers(0, 4), st.integers(0, 4))
def test_dilution(rows, sentences, count):
    corpus = corpus_of(rows)
    dictionary = {word: frozenset({"A"}) for word in "uvwxyz"}
    words = [[word for word, _ in row] for row in rows]
    seen = {word for row in words[:sentences] for word in row}
    often = {word for word in dictionary if sum(row.count(word) for row in words) >= count}
    assert set(dilute(dictionary, corpus, Dilution(sentences))) == seen
    assert set(dilute(dictionary, corpus, Dilution(count=count))) == often
    assert set(dilute(dictionary, corpus, Dilution(sentences, count))) == seen & often


@given(st.builds(Dilution, st.none() | st.integers(0, 999), st.integers(1, 99)))
def test_dilutions_as_text(dilution):
    assert read_dilution(str(dilution)) == dilution


@pytest.mark.parametrize("text", ["", "count", "count<", "count<x", "-1", "5,6", "1.5", "count<-1"])
def test_what_is_no_dilution(text):
    with pytest.raises(OptionError, match="is no dilution; expected 500"):
        read_dilution(text)
    with pytest.raises(OptionError, match="at least 0"):
        Dilution(count=-1)


def test_open_tags_need_enough_words():
    dictionary = dictionary_of(bundled("train"))
    found = open_tags_of(dictionary, 40)
    assert {"NN", "VB", "JJ"} <= found
    assert not {"DT", "CC", "TO"} & found
    assert open_tags_of({"a": {"A"}, "b": {"A", "B"}}, 1) == {"A", "B"}
    with pytest.raises(OptionError, match="the most that a tag has is 2"):
        open_tags_of({"a": {"A"}, "b": {"A"}}, 3)


def test_excluded_tokens():
    corpus = [
        example(["u", "v", "w"], ["A", frozenset({"A", "B"}), None]),
        example(["u", "v", "x"], ["B", frozenset({"A", "C"}), "B"]),
    ]
    dictionary = {"u": {"A"}, "v": {"B"}}

    def places(open_tags=None) -> list[tuple[int, int]]:
        return [(corpus.index(e), place) for e, place in exclude(dictionary, corpus, open_tags)]

    assert places() == [(1, 0), (1, 1)]
    assert places({"A"}) == [(1, 0), (1, 1), (1, 2)]
    with pytest.raises(OptionError, match=r"token 1, 'u', has the tag B, .* allows it only A;"):
        check_not_excluded(dictionary, corpus)
    check_not_excluded(dictionary, corpus[:1])


def test_a_taggers_own_tags():
    tagger = fit(
        Chain(),
        [example(["the", "saw", "fell"], ["D", "N", "V"]), example(["we", "saw"], ["P", "V"])],
    )
    sentences = [["the", "saw", "fell"], ["we", "saw"]]
    best = dictionary_from_tagger(tagger, sentences, 1.0)
    assert best == {
        word: frozenset(
            tag
            for row, tags in zip(sentences, tagger.tag(sentences), strict=True)
            for form, tag in zip(row, tags, strict=True)
            if form == word
        )
        for word in ("the", "saw", "fell", "we")
    }
    assert best["saw"] == {"N", "V"}
    # As small a share as that allows everything.
    assert dictionary_from_tagger(tagger, sentences, 1e-300)["the"] == set(tagger.model.tags)
    assert dictionary_from_tagger(tagger, []) == {}
    with pytest.raises(OptionError, match="above 0"):
        dictionary_from_tagger(tagger, sentences, 0.0)


def test_shares_are_of_single_tokens():
    tagger = fit(Chain(), [example(["u", "v"], ["A", "B"]), example(["v", "u"], ["B", "A"])])
    [probs] = tagger.marginals([["u", "v"]])
    share = float(probs[0].min())
    assert dictionary_from_tagger(tagger, [["u", "v"]], share)["u"] == {"A", "B"}
    assert dictionary_from_tagger(tagger, [["u", "v"]], share * 1.001)["u"] == {"A"}


@pytest.mark.parametrize("count", [7, 9, 25])
def test_last_digits_forbid_no_tag(count):
    names = [f"T{number}" for number in range(count)]
    tagger = fit(Chain(), [example(names, names)], patience=0)
    even = type(tagger)(tagger.model, np.zeros_like(tagger.weights))
    assert dictionary_from_tagger(even, [["T0"]], 1 / count)["T0"] == set(names)


def test_a_dilution_of_too_many_digits():
    with pytest.raises(OptionError, match="is no dilution"):
        read_dilution("9" * 5000)
