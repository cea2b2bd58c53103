"""Trees to look at: text that is read back, and pictures that are well made."""

from __future__ import annotations

import io
import itertools
import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import quick
from trees import TREES, deep, tree
from weft.corpora import read_trees
from weft.errors import LimitError
from weft.report import trees as drawing
from weft.report.trees import indent_tree, tree_svg
from weft.structures.tree import Tree, leaves, subtrees, write_brackets

SENTENCE = tree(
    "(S (NP (NP (DT The) (NN dog)) (PP (IN in) (NP (DT the) (NN garden)))) (VP (VBZ barks)) (. .))"
)


@quick
@given(one=TREES, width=st.integers(0, 60))
def test_indented_trees_are_read_back(one: Tree, width: int) -> None:
    text = indent_tree(one, width)
    assert [record.tree for record in read_trees(io.BytesIO(text.encode()))] == [one]
    if len(write_brackets(one)) <= width:
        assert text == write_brackets(one)


def test_indentation() -> None:
    assert indent_tree(SENTENCE, 42) == (
        "(S\n"
        "  (NP\n"
        "    (NP (DT The) (NN dog))\n"
        "    (PP (IN in) (NP (DT the) (NN garden))))\n"
        "  (VP (VBZ barks))\n"
        "  (. .))"
    )
    assert indent_tree(tree("(NP the (NN dog) barks)"), 5) == "(NP\n  the\n  (NN dog)\n  barks)"
    assert indent_tree(Tree("", (SENTENCE, SENTENCE)), 30).startswith("(\n  (S\n    (NP\n")
    assert indent_tree(Tree("X", ("(", Tree("Y", ("b",)))), 3) == "(X\n  -LRB-\n  (Y b))"
    with pytest.raises(ValueError, match="cannot be written in brackets"):
        indent_tree(Tree("N P", ("a",)))


def elements(picture: str, name: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(picture)  # noqa: S314
    return root.findall(f"{{http://www.w3.org/2000/svg}}{name}")


@quick
@given(one=TREES)
def test_every_node_and_word_is_drawn_once(one: Tree) -> None:
    picture = tree_svg(one)
    texts = [each.text or "" for each in elements(picture, "text")]
    assert sorted(texts) == sorted([*(each.label for each in subtrees(one)), *leaves(one)])
    drawn = "".join(each.get("d", "") for each in elements(picture, "path"))
    assert drawn.count("M") == len(texts) - 1
    assert picture == tree_svg(one)


def test_nothing_overlaps_or_leaves_the_picture() -> None:
    one = tree("(A-very-long-label (B b) (Another-long-label (C c) (D d)) wide-words-here (E))")
    picture = tree_svg(one)
    root = ElementTree.fromstring(picture)  # noqa: S314
    rows: dict[str, list[tuple[float, float]]] = {}
    for each in elements(picture, "text"):
        half = drawing.text_width(each.text or "") / 2
        x = float(each.get("x", "nan"))
        rows.setdefault(each.get("y", ""), []).append((x - half, x + half))
    assert len(rows) == 4
    for places in rows.values():
        assert all(one[1] < other[0] for one, other in itertools.pairwise(sorted(places)))
        assert min(places)[0] >= 0
        assert max(places)[1] <= float(root.get("width", "nan"))
    assert max(map(float, rows)) < float(root.get("height", "nan"))


def test_texts_of_pictures() -> None:
    picture = tree_svg(Tree("<&>", ("a" * 100, "\x00", "日本")), title="1 < 2")
    texts = [each.text for each in elements(picture, "text")]
    assert texts[0] == "<&>"
    assert {"a" * 39 + "…", "\N{REPLACEMENT CHARACTER}", "日本"} < set(texts)
    assert [each.text for each in elements(picture, "title")] == ["1 < 2"]
    assert not re.search(r"\b(nan|inf)\b", picture)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = indent_tree(deep(), 80).split("\n")
    assert len(lines) > 1_000
    assert lines[500] == " " * 200 + "(X"
    assert tree_svg(deep(1_000)).startswith("<svg")
    monkeypatch.setattr(drawing, "MOST_DRAWN", 10)
    with pytest.raises(LimitError, match="a picture of over 10 nodes and words would show"):
        tree_svg(SENTENCE)
