"""Treebanks as examples, their parts, and what grammars they give."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from trees import tree
from weft.corpora import PARTS, USUAL, find_steps, read_tree_part, read_treebank
from weft.errors import FormatError, OptionError, WeftError
from weft.grammars.induce import grammar_of
from weft.grammars.transforms import binarise_left, without_words
from weft.structures.evidence import Example
from weft.structures.tree import Tree, leaves

OVER_TAGS = (*USUAL, without_words)


def parse_of(example: Example) -> Tree:
    assert isinstance(example.parse, Tree)
    return example.parse


def test_words_and_tags_as_leaves() -> None:
    text = b"( (S (NP-SBJ (-NONE- *)) (VP (VB Run)) (. !)))\n((S (-NONE- *)))\n(X a (B b))(NP)"
    first, second, third = read_treebank(io.BytesIO(text))
    assert first.parse == tree("(TOP (S (VP (VB Run)) (. !)))")
    assert (first.tokens.columns, first.analysis) == ((("Run", "!"),), ("VB", "."))
    assert second.parse == tree("(TOP (X a (B b)))")
    assert second.analysis is None, "a has no tag"
    assert [each.tokens.source for each in (first, second, third)] == [
        "<stream>:1",
        "<stream>:3",
        "<stream>:3",
    ]
    assert third.tokens.words == ()


def test_tags_as_leaves() -> None:
    [only] = read_treebank(io.BytesIO(b"(S (NP (NN dogs)) (VBP run))"), clean=OVER_TAGS)
    assert only.parse == tree("(TOP (S (NP NN) VBP))")
    assert only.tokens.columns == (("NN", "VBP"), ("dogs", "run"))
    assert only.analysis is None
    [other] = read_treebank(
        io.BytesIO(b"(S (NP (NN dogs)) (VBP run))"), clean=find_steps("words,top")
    )
    assert (other.parse, other.tokens.columns) == (only.parse, only.tokens.columns)


def test_trees_that_cannot_be_cleaned() -> None:
    with pytest.raises(FormatError, match=r"<stream>:2: the word 'a' has no tag of its own"):
        read_treebank(io.BytesIO(b"(A a)\n(X a (B b))"), clean=OVER_TAGS)
    with pytest.raises(FormatError, match=r"<stream>:1: .* is a tag alone: put a root over it"):
        read_treebank(io.BytesIO(b"(A a)"), clean=[without_words])


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "02").mkdir()
    (tmp_path / "02" / "b.mrg").write_text("(S (A b))")
    (tmp_path / "a.tree.gz").write_bytes(gzip.compress(b"(S (A z))\n(S (A y))"))
    (tmp_path / "README").write_text("no trees")
    found = read_treebank(tmp_path)
    assert [each.tokens.words for each in found] == [("b",), ("z",), ("y",)]
    assert found[2].tokens.source == f"{tmp_path / 'a.tree.gz'}:2"
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match=r"there are no trees in this folder: no name ends in"):
        read_treebank(tmp_path / "empty")
    with pytest.raises(FormatError, match="no such file"):
        read_treebank(tmp_path / "absent.mrg")


def test_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no treebank 'ewt'; there are wsj-sample, wsj-tenths"):
        read_tree_part("ewt", "train")
    with pytest.raises(OptionError, match="no part 'heldout'; there are train, dev, test"):
        read_tree_part("redwoods-vm", "heldout")
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    with pytest.raises(WeftError, match=r"there is no folder '.*redwoods-vm'; `weft data list`"):
        read_tree_part("redwoods-vm", "train")


@pytest.fixture
def corpora(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    return data_folder


@pytest.mark.slow
@pytest.mark.usefixtures("corpora")
@pytest.mark.parametrize(
    ("corpus", "part", "count"), [("wsj-tenths", "dev", 391), ("craft", "dev", 2_780)]
)
def test_trees_of_penn(corpus: str, part: str, count: int) -> None:
    found = read_tree_part(corpus, part, clean=OVER_TAGS)
    assert len(found) == count
    assert all(parse_of(each).label == "TOP" for each in found)


@pytest.mark.slow
@pytest.mark.usefixtures("corpora")
def test_figures_of_the_wsj_sample() -> None:
    """Counted by a script that shares nothing with this code."""
    parts = [read_tree_part("wsj-sample", part, clean=OVER_TAGS) for part in PARTS]
    trees = [parse_of(each) for part in parts for each in part]
    assert [len(part) for part in parts] == [3_396, 273, 245]
    assert sum(1 for each in trees for _ in leaves(each)) == 94_084
    plain, _ = grammar_of(trees)
    assert plain.rule_count == 3_756
    # Children are joined from the left, and what begins alike is named alike in all phrases.
    factored, _ = grammar_of([binarise_left(each, parent=False) for each in trees])
    assert len(factored.nonterminals) + len(factored.terminals) == 3_307
    assert sum(len(factored.body(number)) == 2 for number in range(factored.rule_count)) == 6_875


@pytest.mark.slow
@pytest.mark.usefixtures("corpora")
def test_trees_of_redwoods() -> None:
    parts = [read_tree_part("redwoods-vm", part) for part in PARTS]
    assert [len(part) for part in parts] == [1_088, 294, 294]
    assert parts[1][0].tokens.source.endswith("vm6/result.gz:1089")
    first = parts[2][0]
    assert first.tokens.words == ("oh", "hello", ",")
    assert first.analysis == ("UH", "UH", ".")
    assert first.parse == tree(
        "(TOP (root_inffrag (aj-hd_scp_c (UH oh) (r_dsc-frg_c (hd-pct_c (UH hello) (. ,))))))"
    )
