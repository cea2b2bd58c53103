"""Constituents as the kernel gives them, made feature structures again."""

from __future__ import annotations

from collections.abc import Sequence

from weft.unification.compile import ATOM, BOX, LIST, STRUCT, CompiledGrammar
from weft.unification.structure import (
    TYPE,
    VARIABLE,
    Atom,
    FeatureStructure,
    Listed,
    Node,
    Struct,
    Term,
    canonical,
)


def decode(compiled: CompiledGrammar, category: int, cells: Sequence[int]) -> FeatureStructure:
    """Return the structure of a constituent, without what is carried.

    Args:
        compiled: The grammar.
        category: The number of its category.
        cells: The words of its object (``native/unify_objects.hpp``).
    """
    decoder = _Decoder(compiled, cells)
    root = decoder.value(cells[2 + 2 * cells[1]])
    node = decoder.nodes[root]
    assert isinstance(node, Struct)  # noqa: S101
    if not compiled.grammar.is_open:
        kind = decoder.add(Atom(compiled.categories[category]))
        decoder.nodes[root] = Struct(tuple(sorted((*node.features, (TYPE, kind)))))
    return canonical(decoder.nodes, root)


class _Decoder:
    def __init__(self, compiled: CompiledGrammar, cells: Sequence[int]) -> None:
        self.compiled, self.cells = compiled, cells
        self.nodes: list[Node] = []
        pairs = (cells[place : place + 2] for place in range(2, 2 + 2 * cells[1], 2))
        self.shared = {pair[0]: pair[1] for pair in pairs}
        self.variables: dict[int, int] = {}

    def add(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def value(self, word: int) -> int:
        kind, payload = word & 3, word >> 2
        if kind == ATOM:
            return self.add(self.compiled.atoms[payload])
        if kind == BOX:
            return self.box(payload)
        if payload not in self.variables:
            shared = self.shared.get(payload)
            self.variables[payload] = self.add(VARIABLE) if shared is None else self.value(shared)
        return self.variables[payload]

    def box(self, at: int) -> int:
        kind, count = self.cells[at] & 3, self.cells[at] >> 2
        if kind == STRUCT:
            pairs = self.cells[at + 1 : at + 1 + 2 * count]
            names = (self.compiled.features[number] for number in pairs[::2])
            values = (self.value(word) for word in pairs[1::2])
            return self.add(Struct(tuple(sorted(zip(names, values, strict=True)))))
        if kind == LIST:
            return self.add(Listed(tuple(map(self.value, self.cells[at + 1 : at + 1 + count]))))
        symbol = self.compiled.symbols[self.cells[at + 1] >> 1]
        return self.add(Term(symbol, tuple(map(self.value, self.cells[at + 2 : at + 2 + count]))))
