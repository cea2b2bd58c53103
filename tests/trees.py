"""Random trees for Hypothesis, and plain ways to write things about them."""

from __future__ import annotations

from hypothesis import strategies as st

from weft.structures.tree import Tree

LABELS = st.sampled_from(
    [
        "S",
        "NP",
        "VP",
        "NP-1",
        "NP-2",
        "@NP-1",
        "\\@NP",
        "@",
        "\\",
        "X^Y",
        "X+Y",
        "|",
        "<",
        "NP^S",
        "^",
    ]
)
"""Labels, some of which look as if a transform had made them."""

WORDS = st.sampled_from(["a", "b", "S", "NP", "@NP-1", "-LRB-"])


def _node(label: str, children: list[Tree | str]) -> Tree:
    return Tree(label, tuple(children))


TAGS = st.builds(lambda label, word: Tree(label, (word,)), LABELS, WORDS)
"""Tags with their words."""

TAGGED = st.recursive(
    TAGS,
    lambda below: st.builds(_node, LABELS, st.lists(below, min_size=1, max_size=5)),
    max_leaves=12,
)
"""Trees in which every word has a tag."""

TREES = st.recursive(
    TAGS | st.builds(_node, LABELS, st.just([])),
    lambda below: st.builds(_node, LABELS, st.lists(below | WORDS, max_size=5)),
    max_leaves=12,
)
"""Trees with words, tags and nodes that have nothing below them, in any order."""


def tree(text: str) -> Tree:
    """Read a tree in brackets, the plain way."""
    symbols = text.replace("(", " ( ").replace(")", " ) ").split()

    def read(position: int) -> tuple[Tree, int]:
        label, position = symbols[position + 1], position + 2
        children: list[Tree | str] = []
        while symbols[position] != ")":
            if symbols[position] == "(":
                child, position = read(position)
                children.append(child)
            else:
                children.append(symbols[position])
                position += 1
        return Tree(label, tuple(children)), position + 1

    return read(0)[0]


def deep(depth: int = 3_000, label: str = "X") -> Tree:
    """A tree deeper than Python can recurse."""
    made = Tree("NN", ("a",))
    for number in range(depth):
        made = Tree(label, (made,) if number % 2 else (made, Tree("NN", ("b",))))
    return made
