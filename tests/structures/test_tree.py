from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.structures.tree import (
    Tree,
    is_preterminal,
    leaves,
    preterminals,
    subtrees,
    write_brackets,
)

NAMES = st.text("NPab-()|*", min_size=1, max_size=3)
TREES = st.recursive(
    st.builds(lambda label, word: Tree(label, (word,)), NAMES, NAMES),
    lambda below: st.builds(
        lambda label, children: Tree(label, tuple(children)),
        NAMES,
        st.lists(below | NAMES, max_size=3),
    ),
)


def plain(tree: Tree) -> list[object]:
    """The tree as nested lists."""
    return [tree.label, *(c if isinstance(c, str) else plain(c) for c in tree.children)]


def recursive(tree: Tree) -> tuple[list[str], list[str], list[str], str]:
    """Labels in pre-order, tags, words and brackets, in the obvious way."""
    labels, tags, words, texts = [tree.label], [], [], []
    for child in tree.children:
        if isinstance(child, str):
            words.append(child)
            texts.append(child)
            if len(tree.children) == 1:
                tags.append(tree.label)
        else:
            below = recursive(child)
            labels += below[0]
            tags += below[1]
            words += below[2]
            texts.append(below[3])
    return labels, tags, words, f"({' '.join([tree.label, *texts])})"


@given(tree=TREES)
def test_walks_are_those_of_recursion(tree: Tree) -> None:
    labels, tags, words, text = recursive(tree)
    assert [each.label for each in subtrees(tree)] == labels
    assert [each.label for each in preterminals(tree)] == tags
    assert list(leaves(tree)) == words
    assert repr(tree) == f"Tree({text!r})"


@given(first=TREES, second=TREES)
def test_equality_is_that_of_nested_lists(first: Tree, second: Tree) -> None:
    copy = Tree(first.label, first.children)
    assert copy == first
    assert hash(copy) == hash(first)
    assert (first == second) == (plain(first) == plain(second))


def test_shapes_and_words_are_not_confused() -> None:
    a = Tree("A", ("a",))
    different = [
        Tree("X", (a, "b")),
        Tree("X", (Tree("A", ("a", "b")),)),
        Tree("X", ("A", "a", "b")),
        Tree("X", (a, Tree("b", ("b",)))),
    ]
    assert len(set(different)) == len(different)
    assert a != "(A a)"


@pytest.mark.parametrize("children", ["dog", ["dog"]])
def test_children_are_a_tuple_and_some(children: object) -> None:
    with pytest.raises(ValueError, match="children of 'NN' must be a tuple"):
        Tree("NN", children)  # type: ignore[arg-type]


def test_preterminals_have_one_word() -> None:
    noun = Tree("NN", ("dog",))
    assert is_preterminal(noun)
    assert not is_preterminal(Tree("NP", (noun,)))
    assert not is_preterminal(Tree("NP", ("the", "dog")))


class TestBrackets:
    def test_escapes(self) -> None:
        tree = Tree("", (Tree("-LRB-", ("(",)), Tree("NN", ("a(b)",))))
        assert write_brackets(tree) == "( (-LRB- -LRB-) (NN a-LRB-b-RRB-))"

    @pytest.mark.parametrize(
        "tree",
        [
            Tree("N P", ("a",)),
            Tree("N(", ("a",)),
            Tree("NP", ("a\n",)),
            Tree("NP", ("",)),
            Tree("NP", (Tree("", ("a",)),)),
            Tree("", ("a", Tree("NN", ("b",)))),
        ],
    )
    def test_what_could_not_be_read_back(self, tree: Tree) -> None:
        with pytest.raises(ValueError, match="cannot be written in brackets"):
            write_brackets(tree)


def test_deep_trees() -> None:
    depth = 10 * sys.getrecursionlimit()
    trees = []
    for _ in range(2):
        tree = Tree("X", ("a",))
        for _ in range(depth):
            tree = Tree("X", (tree,))
        trees.append(tree)
    first, second = trees
    assert first == second
    assert hash(first) == hash(second)
    assert sum(1 for _ in subtrees(first)) == depth + 1
    assert list(leaves(first)) == ["a"]
    assert write_brackets(first) == "(X " * depth + "(X a)" + ")" * depth
