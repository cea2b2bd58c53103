"""Every tree of every treebank is binarised, made into moves, and found again.

The numbers of trees are those that the corpora are said to have, so that a lost tree is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.corpora.bundled import bundled_trees
from weft.corpora.parts import PARTS, part_files
from weft.corpora.trees.brackets import read_trees
from weft.corpora.trees.cleaning import USUAL
from weft.corpora.trees.redwoods import read_redwoods
from weft.corpora.trees.treebanks import read_tree_part
from weft.grammars.heads import HeadFinder, find_head_rules, first_child
from weft.grammars.transforms import (
    binarise_by_head,
    moves_of,
    tree_of,
    unbinarise,
    without_words,
)
from weft.structures.moves import Shift
from weft.structures.tree import Tree, leaves

COLLINS = find_head_rules("collins")


def trees_as_they_are(folder: Path, name: str) -> Iterator[Tree]:
    """All trees, with their functions and traces."""
    if name == "redwoods-vm":
        profiles = [read_redwoods(folder / name / profile) for profile in ("vm6", "vm32")]
    else:
        profiles = [read_trees(file) for part in PARTS for file in part_files(name, part)]
    return (record.tree for records in profiles for record in records)


def count_identities(trees: Iterator[Tree], heads: HeadFinder, *, words: bool) -> tuple[int, int]:
    """How many trees there are, and how many words; each is found again, or this fails."""
    found = tokens = 0
    for one in trees:
        binary = binarise_by_head(one, heads)
        moves = moves_of(binary, words=words)
        assert tree_of(moves) == binary
        assert unbinarise(binary) == one
        found, tokens = found + 1, tokens + sum(isinstance(move, Shift) for move in moves) - 1
    return found, tokens


def test_bundled_trees() -> None:
    trees = [record.tree for record in read_trees(bundled_trees())]
    tokens = sum(1 for each in trees for _ in leaves(each))
    for heads in (COLLINS, first_child):
        assert count_identities(iter(trees), heads, words=True) == (63, tokens)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"), [("wsj-sample", 3_914), ("redwoods-vm", 4_593), ("craft", 30_830)]
)
def test_trees_as_they_are(
    name: str, count: int, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (data_folder / name).is_dir():
        pytest.skip(f"no corpus {name}")
    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    found, tokens = count_identities(trees_as_they_are(data_folder, name), COLLINS, words=True)
    assert found == count
    assert tokens >= count


@pytest.mark.slow
def test_trees_over_tags(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (data_folder / "wsj-sample").is_dir():
        pytest.skip("no corpus wsj-sample")
    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    for part, count in zip(PARTS, (3_396, 273, 245), strict=True):
        examples = read_tree_part("wsj-sample", part, clean=(*USUAL, without_words))
        trees = [each.parse for each in examples if isinstance(each.parse, Tree)]
        tokens = sum(1 for each in trees for _ in leaves(each))
        for heads in (COLLINS, first_child):
            assert count_identities(iter(trees), heads, words=False) == (count, tokens)
