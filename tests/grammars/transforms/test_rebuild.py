"""Trees from the words upwards, and tags as leaves."""

from __future__ import annotations

import pytest
from hypothesis import given

from trees import TAGGED, TREES, deep, tree
from weft.grammars.transforms import (
    add_root,
    rebuilt,
    relabel,
    remove_root,
    with_leaves,
    with_words,
    without_words,
)
from weft.structures.tree import Tree, is_preterminal, leaves, preterminals, subtrees


@given(one=TREES)
def test_nodes_come_after_their_children_and_words_from_left_to_right(one: Tree) -> None:
    words: list[str] = []
    nodes: list[Tree] = []

    def make(node: Tree, children: tuple[Tree | str, ...]) -> Tree:
        nodes.append(node)
        return Tree(node.label, children)

    def leaf(word: str) -> str:
        words.append(word)
        return word

    def post_order(node: Tree) -> list[Tree]:
        below = [each for c in node.children if isinstance(c, Tree) for each in post_order(c)]
        return [*below, node]

    assert rebuilt(one, make, leaf) == one
    assert words == list(leaves(one))
    assert [id(each) for each in nodes] == [id(each) for each in post_order(one)]


@given(one=TREES)
def test_labels_alone_change(one: Tree) -> None:
    other = relabel(one, lambda label: label + "!")
    assert [each.label for each in subtrees(other)] == [each.label + "!" for each in subtrees(one)]
    assert list(leaves(other)) == list(leaves(one))
    assert relabel(other, lambda label: label[:-1]) == one


@given(one=TAGGED)
def test_words_go_and_come_back(one: Tree) -> None:
    if is_preterminal(one):
        with pytest.raises(ValueError, match="is a tag alone: put a root over it"):
            without_words(one)
        one = add_root(one)
    bare = without_words(one)
    assert list(leaves(bare)) == [each.label for each in preterminals(one)]
    assert with_words(bare, leaves(one)) == one
    assert without_words(with_words(bare)) == bare


@given(one=TREES)
def test_other_leaves(one: Tree) -> None:
    words = [f"{number}" for number, _ in enumerate(leaves(one))]
    other = with_leaves(one, words)
    assert list(leaves(other)) == words
    assert with_leaves(other, leaves(one)) == one
    assert remove_root(add_root(one)) == one


def test_words_and_tags_that_do_not_go_together() -> None:
    with pytest.raises(ValueError, match=r"the word 'the' has no tag of its own"):
        without_words(tree("(NP the (NN dog))"))
    with pytest.raises(ValueError, match="2 tags need as many words, not 1"):
        with_words(tree("(NP DT NN)"), ["dog"])
    with pytest.raises(ValueError, match="2 leaves need as many words, not 3"):
        with_leaves(tree("(NP DT NN)"), ["a", "big", "dog"])


@pytest.mark.parametrize("text", ["(TOP a)", "(TOP)", "(TOP (A a) (B b))"])
def test_roots_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="expected a root over one tree, not 'TOP' over"):
        remove_root(tree(text))


def test_deep_trees() -> None:
    one = deep()
    assert relabel(one, str) == one
    assert with_words(without_words(one), leaves(one)) == one
