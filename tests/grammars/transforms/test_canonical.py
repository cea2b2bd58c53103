"""Canonical binary trees: those that binarising makes, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from weft.grammars.heads import HeadRules, HeadSearch
from weft.grammars.transforms import binarise_by_head, unbinarise
from weft.grammars.transforms.canonical import NEVER, PLAIN, CanonicalTrees
from weft.structures.tree import Tree

LEAVES = ("a", "b", "c")
LABELS = ("P", "Q", *LEAVES, *(f"@{leaf}-{side}" for leaf in LEAVES for side in (1, 2)))
RULES = {
    "left": HeadRules({"P": (HeadSearch("left", ("a", "b")),)}),
    "right": HeadRules({"P": (HeadSearch("right", ("b", "a")),), "*": (HeadSearch("right", ()),)}),
    "any": HeadRules(
        {"P": (HeadSearch("any-right", ("a", "b")),), "Q": (HeadSearch("any-left", ("a", "c")),)}
    ),
    "last": HeadRules(
        {"P": (HeadSearch("last", ("a",)), HeadSearch("left", ("b",)), HeadSearch("right", ()))}
    ),
    "later last": HeadRules({"P": (HeadSearch("left", ("b",)), HeadSearch("last", ("a", "c")))}),
    "coordinated": HeadRules({"P": (HeadSearch("right", ()),)}, frozenset({"c"})),
    "coordinated, last": HeadRules(
        {
            "P": (HeadSearch("last", ("a",)), HeadSearch("any-right", ("a", "b"))),
            "Q": (HeadSearch("any-left", ("b",)),),
        },
        frozenset({"c"}),
    ),
}


def tops(words: tuple[str, ...]) -> Iterator[Tree | str]:
    """All binary trees over some leaves, nodes being P, Q at the root and made ones below it."""
    if len(words) == 1:
        yield words[0]
    for cut in range(1, len(words)):
        for left in tops(words[:cut]):
            for right in tops(words[cut:]):
                yield from (Tree(label, (left, right)) for label in LABELS if label[0] == "@")


def whole(words: tuple[str, ...]) -> Iterator[Tree]:
    for cut in range(1, len(words)):
        for left in tops(words[:cut]):
            for right in tops(words[cut:]):
                yield from (Tree(label, (left, right)) for label in "PQ")


def state_of(trees: CanonicalTrees, tree: Tree | str) -> tuple[int, int]:
    """The label and the state of a node; NEVER also where a child has it."""
    if isinstance(tree, str):
        return LABELS.index(tree), PLAIN
    below = [state_of(trees, child) for child in tree.children]
    label = LABELS.index(tree.label)
    if any(state == NEVER for _, state in below):
        return label, NEVER
    return label, trees.over(label, below[0], below[1])


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("words", ["abc", "aab", "cba", "bca", "bac", "cac"])
def test_every_binary_tree_of_three(name: str, words: str) -> None:
    rules = RULES[name]
    trees = CanonicalTrees(LABELS, rules, LEAVES)
    found = [tree for tree in whole(tuple(words)) if state_of(trees, tree)[1] == PLAIN]
    flat = {Tree(label, tuple(words)) for label in "PQ"}
    assert {unbinarise(tree) for tree in found} == flat
    assert sorted(map(str, found)) == sorted(str(binarise_by_head(each, rules)) for each in flat)


@pytest.mark.parametrize("name", RULES)
def test_wide_nodes_over_every_sequence_of_children(name: str) -> None:
    rules = RULES[name]
    trees = CanonicalTrees(LABELS, rules, LEAVES)
    several = [
        (one, *more) for one in LEAVES for more in ("abc", "cab", "acab", "bcac", "ccba", "aacb")
    ]
    for words in several:
        for label in "PQ":
            flat = Tree(label, tuple(words))
            allowed = []
            for head in range(len(words)):
                binary = binarise_by_head(flat, lambda _, head=head: head)
                if state_of(trees, binary)[1] == PLAIN:
                    allowed.append(binary)
            assert allowed == [binarise_by_head(flat, rules)]


def test_made_nodes_are_never_over_one_child_nor_under_one() -> None:
    trees = CanonicalTrees(LABELS, RULES["left"], LEAVES)
    assert trees.above(LABELS.index("P"), LABELS.index("a")) == PLAIN
    assert trees.above(LABELS.index("@a-1"), LABELS.index("a")) == NEVER
    assert trees.above(LABELS.index("P"), LABELS.index("@a-1")) == NEVER
