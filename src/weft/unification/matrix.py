"""Feature structures as attribute–value matrices (:mod:`weft.structures.avm`), for people.

Atoms are written without quotes where that cannot mislead, and what is true or false as a sign.
"""

from __future__ import annotations

import re

from weft.structures.avm import Avm, AvmTree, Group, Leaf, Link, Matrix, draw_avm
from weft.unification.grammar import category_of
from weft.unification.structure import (
    SLASH,
    TYPE,
    Atom,
    FeatureStructure,
    Listed,
    Node,
    Struct,
    Term,
)
from weft.unification.trees import FeatureTree, subtrees
from weft.unification.write import SIGNS, Writer

_PLAIN = re.compile(r"[^\W\d][\w.-]*")
_JOINED = {"tuple": ("()", ", "), "concat": ("()", "+"), "set": ("{}", ", "), "union": ("{}", "+")}


def write_matrix(structure: FeatureStructure) -> str:
    """Draw a structure as an attribute–value matrix.

    >>> from weft.unification import read_structure
    >>> print(write_matrix(read_structure("NP[AGR=[NUM=sg, PER=3], CASE=?c, +WH]")))
    ⎡NP             ⎤
    ⎢AGR   ⎡NUM  sg⎤⎥
    ⎢      ⎣PER  3 ⎦⎥
    ⎢CASE  ?c       ⎥
    ⎣WH    +        ⎦
    """
    return draw_avm(to_avm(structure))


def to_avm(structure: FeatureStructure, tag: str = "") -> Avm:
    """Return a structure as it is drawn; tags are numbers from 1.

    Args:
        structure: The structure.
        tag: What the whole is called, before the numbers of what is shared within it.

    >>> from weft.unification import read_structure
    >>> to_avm(read_structure("[A={b, c}]"))
    Matrix(features=(('A', Group(items=(Leaf(text='b', tag=''), Leaf(text='c', tag='')), \
brackets='{}', separator=', ', tag='')),), heading='', tag='')
    """
    return _Drawing(structure, tag).value(0)


def to_avm_tree(tree: FeatureTree, plain: bool = False) -> AvmTree:
    """Return a tree with a matrix at each node; or only its category."""
    label = Leaf(category_of(tree.label, 0) or "") if plain else to_avm(tree.label)
    below = (
        child if isinstance(child, str) else to_avm_tree(child, plain) for child in tree.children
    )
    return AvmTree(label, tuple(below))


def numbered(tree: FeatureTree) -> tuple[AvmTree, tuple[Avm, ...]]:
    """Return a tree of categories, and beside it the matrix of each node, under its number."""
    matrices = tuple(
        to_avm(each.label, str(number)) for number, each in enumerate(subtrees(tree), 1)
    )
    numbers = iter(range(1, len(matrices) + 1))

    def make(node: FeatureTree) -> AvmTree:
        link = str(next(numbers))
        below = (child if isinstance(child, str) else make(child) for child in node.children)
        return AvmTree(Leaf(category_of(node.label, 0) or ""), tuple(below), link)

    return make(tree), matrices


class _Drawing:
    def __init__(self, structure: FeatureStructure, tag: str) -> None:
        self.structure, self.writer, self.tag = structure, Writer(structure), tag

    def value(self, place: int) -> Avm:
        again, node = self.writer.again(place), self.structure.nodes[place]
        tag = self.tag_of(place)
        if again:
            return Link(tag)
        if isinstance(node, Struct):
            self.writer.written.add(place)
            return self.matrix(node, tag)
        if isinstance(node, Listed):
            self.writer.written.add(place)
            return Group(tuple(map(self.value, node.items)), "⟨⟩", tag=tag)
        if isinstance(node, Term) and node.symbol.kind in _JOINED and not node.symbol.text:
            return Group(tuple(map(self.value, node.arguments)), *_JOINED[node.symbol.kind])
        return Leaf(self.text(place, node))

    def tag_of(self, place: int) -> str:
        number = self.writer.tags.get(place, "")
        if not self.tag or place == 0:
            return number or self.tag
        return f"{self.tag}.{number}" if number else ""

    def matrix(self, node: Struct, tag: str) -> Matrix:
        features = dict(node.features)
        heading = ""
        kind = self.structure.nodes[features[TYPE]] if TYPE in features else None
        if kind is not None and not isinstance(kind, Struct | Listed | Term):
            place = features.pop(TYPE)
            heading = str(kind.value) if isinstance(kind, Atom) else self.writer.value(place)
        named = (("/" if name == SLASH else name, value) for name, value in features.items())
        return Matrix(tuple((name, self.value(value)) for name, value in named), heading, tag)

    def text(self, place: int, node: Node) -> str:
        if not isinstance(node, Atom):
            return self.writer.value(place)
        if isinstance(node.value, bool):
            return SIGNS[node.value]
        plain = isinstance(node.value, str) and _PLAIN.fullmatch(node.value)
        return str(node.value) if plain else repr(node.value)
