from __future__ import annotations

import io

import pytest

from weft.corpora import (
    TAG_MAPS,
    bundled,
    coarse_dictionary,
    coarse_examples,
    dictionary_of,
    find_tag_map,
    read_tag_map,
    tag_map_text,
)
from weft.errors import EvidenceError, FormatError, OptionError
from weft.structures.evidence import example

SIZES = {"penn-17": 17, "penn-universal": 12}
"""Smith and Eisner (2005), section 5.2; Petrov, Das and McDonald (2012)."""


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", TAG_MAPS)
def test_the_maps_have_every_tag(name):
    tag_map = find_tag_map(name)
    assert len(set(tag_map.values())) == SIZES[name]
    assert len(tag_map) == 45 + 5  # HYPH, AFX, NFP, ADD and GW are of later treebanks
    corpus = bundled("train")
    mapped = coarse_examples(corpus, tag_map)
    assert [e.tokens for e in mapped] == [e.tokens for e in corpus]
    assert coarse_dictionary(dictionary_of(corpus), tag_map) == dictionary_of(mapped)
    assert read_tag_map(io.BytesIO(tag_map_text(tag_map).encode())) == tag_map


def test_some_tags():
    seventeen, universal = map(find_tag_map, TAG_MAPS)
    tags = ["NNP", "PRP$", "IN", "WRB", "-LRB-", "$", "FW", "CD"]
    assert [seventeen[tag] for tag in tags] == ["N", "ADJ", "PREP", "W", "LPUNC", "N", "N", "ADJ"]
    assert [universal[tag] for tag in tags] == ["NOUN", "PRON", "ADP", "ADV", ".", ".", "X", "NUM"]


def test_labels_of_every_kind():
    before = example(["a", "b", "c"], ["NN", frozenset({"NN", "VB"}), None], weight=2.0)
    [after] = coarse_examples([before], {"NN": "N", "VB": "V"})
    assert (after.analysis, after.weight) == (("N", frozenset({"N", "V"}), None), 2.0)
    raw = example(["a"])
    assert coarse_examples([raw], {}) == [raw]


def test_a_missing_tag_is_named():
    corpus = [example(["a"], ["NN"]), example(["b", "c"], ["NN", frozenset({"VB", "UH"})])]
    with pytest.raises(EvidenceError, match="token 2, 'c', has the tag UH, which the tag map"):
        coarse_examples(corpus, {"NN": "N", "VB": "V"})
    with pytest.raises(EvidenceError, match="gives 'c' the tag UH"):
        coarse_dictionary({"a": {"NN"}, "c": {"VB", "UH"}}, {"NN": "N", "VB": "V"})
    with pytest.raises(OptionError, match="no tag map 'none'; there are penn-17"):
        find_tag_map("none")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("N NN", "there is no tab"),
        ("\tNN", "there is no coarse tag"),
        ("N\t ", "there is no fine tag"),
        ("V\tVB NN", "'NN' has the coarse tag N already"),
    ],
)
def test_refusals(line, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_tag_map(io.BytesIO(f"N\tNN\n{line}\n".encode()))
    assert caught.value.line == 2


def test_a_fine_tag_may_come_twice_in_agreement():
    assert read_tag_map(io.BytesIO(b"N\tNN\nN\tNN NNS\n")) == {"NN": "N", "NNS": "N"}
