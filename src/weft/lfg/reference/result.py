"""The analysis that a finished graph and a tree make, numbered canonically."""

from __future__ import annotations

from weft.lfg.analysis import Analysis, CNode, FValue
from weft.lfg.language import Path
from weft.lfg.reference.graph import Graph, SemanticForm, show_value
from weft.lfg.reference.reading import View
from weft.lfg.tokens import TokenLattice


def build_analysis(
    view: View, tree: CNode, marks: tuple[str, ...], lattice: TokenLattice
) -> Analysis:
    """Return the analysis; f-structures that the root's does not lead to come after it."""
    numbering = _Numbering(view, tree)
    shown = numbering.show(tree)
    return Analysis(shown, tuple(numbering.values()), tuple(sorted(marks)), lattice.spans)


class _Numbering:
    def __init__(self, view: View, tree: CNode) -> None:
        self.view = view
        self.graph: Graph = view.graph
        self.numbers: dict[int, int] = {}
        self.order: dict[int, int] = {}
        agenda = [tree]
        preorder = []
        while agenda:
            here = agenda.pop()
            if here.value >= 0:
                preorder.append(self.graph.find(here.value))
                self.order.setdefault(preorder[-1], len(preorder))
            agenda += reversed(here.children)
        for node in preorder:
            self._number(node)

    def _number(self, node: int) -> None:
        agenda = [node]
        while agenda:
            here = self.graph.find(agenda.pop())
            if here not in self.numbers:
                self.numbers[here] = len(self.numbers)
                agenda += reversed(self._below(here))

    def _below(self, node: int) -> list[int]:
        features = [value for _, value in self._features(node)]
        return features + list(self._elements(node) or ())

    def _features(self, node: int) -> list[tuple[str, int]]:
        content = self.graph.contents[node]
        return [
            (name, value)
            for name, value in sorted(content.features.items())
            if content.elements is None or name in self.view.owned
        ]

    def _elements(self, node: int) -> tuple[int, ...] | None:
        found = self.graph.elements(node)
        if found is None:
            return None
        last = len(self.order) + 1
        return tuple(sorted(found, key=lambda each: self.order.get(each, last)))

    def values(self) -> list[FValue]:
        return [self._value(node) for node in self.numbers]

    def _value(self, node: int) -> FValue:
        content = self.graph.contents[node]
        value = content.value
        if isinstance(value, SemanticForm):
            arguments = (
                tuple(self._argument(value.base, path) for path in value.thematic),
                tuple(self._argument(value.base, path) for path in value.other),
            )
            return FValue(value.name, arguments)
        if value is not None:
            return FValue(show_value(value))
        features = tuple((name, self._at(each)) for name, each in self._features(node))
        elements = self._elements(node)
        return FValue(
            None,
            None,
            features,
            None if elements is None else tuple(map(self._at, elements)),
        )

    def _at(self, node: int) -> int:
        return self.numbers[self.graph.find(node)]

    def _argument(self, base: int, path: Path | None) -> int:
        if path is None:
            return -1
        for way in self.view.walk((self.graph.find(base),), path):
            node = way.end[0]
            if node is not None and self.graph.find(node) in self.numbers:
                return self._at(node)
        return -1

    def show(self, tree: CNode) -> CNode:
        value = -1 if tree.value < 0 else self._at(tree.value)
        children = tuple(self.show(child) for child in tree.children)
        return CNode(tree.label, children, value, tree.start, tree.end)
