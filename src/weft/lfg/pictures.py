"""An analysis as a tree and a matrix that can be drawn, with equal tags where φ leads.

PRED comes first in a matrix, other attributes in alphabetic order. An f-structure that is at
several places is drawn at the first of them; so are those that lead to themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weft.lfg.analysis import Analysis, CNode, FValue
from weft.structures.avm import Avm, AvmTree, Group, Leaf, Link, Matrix, draw_avm


def draw_tree(analysis: Analysis) -> AvmTree:
    """Return the c-structure with the tags of its nodes' f-structures."""
    return _tree(analysis.tree, _tags(analysis))


def draw_structure(analysis: Analysis) -> Avm:
    """Return the f-structure of the whole sentence.

    >>> from weft.lfg.analysis import CNode, FValue
    >>> values = (FValue(features=(("PRED", 1), ("SUBJ", 2))), FValue("rain", ((), (2,))), FValue())
    >>> print(draw_avm(draw_structure(Analysis(CNode("S", (), 0), values))))
    (1)⎡PRED  'rain<>(2)'⎤
       ⎣SUBJ  (2)[]      ⎦
    """
    return _Drawing(analysis).draw(max(analysis.tree.value, 0))


def show_analysis(analysis: Analysis) -> str:
    """Return an analysis as text: nodes with their f-structures' tags, then the f-structure."""
    tree = "\n".join(_lines(draw_tree(analysis), 0))
    return f"{tree}\n\n{draw_avm(draw_structure(analysis))}"


def _tree(node: CNode, tags: dict[int, str]) -> AvmTree:
    children = tuple(c.label if c.value < 0 else _tree(c, tags) for c in node.children)
    return AvmTree(Leaf(node.label), children, tags.get(node.value, ""))


def _lines(tree: AvmTree, depth: int) -> Iterator[str]:
    words = "".join(f"  {child}" for child in tree.children if isinstance(child, str))
    yield f"{'  ' * depth}{draw_avm(tree.label)} ({tree.link}){words}"
    for child in tree.children:
        if isinstance(child, AvmTree):
            yield from _lines(child, depth + 1)


def _nodes(tree: CNode) -> Iterator[CNode]:
    agenda = [tree]
    while agenda:
        here = agenda.pop()
        yield here
        agenda += reversed(here.children)


def _tags(analysis: Analysis) -> dict[int, str]:
    """The tags of f-structures that nodes have, that are arguments, or that are met twice."""
    found = {node.value for node in _nodes(analysis.tree) if node.value >= 0}
    met: Counter[int] = Counter()
    for value in analysis.values:
        met.update(below for _, below in value.features)
        met.update(value.elements or ())
        found.update(each for part in value.arguments or () for each in part if each >= 0)
    found |= {number for number, times in met.items() if times > 1}
    shown = [n for n in sorted(found) if analysis.values[n].atom is None]
    return {number: str(tag) for tag, number in enumerate(shown, 1)}


class _Drawing:
    def __init__(self, analysis: Analysis) -> None:
        self.values = analysis.values
        self.tags = _tags(analysis)
        self.drawn: set[int] = set()

    def draw(self, number: int) -> Avm:
        value = self.values[number]
        if value.atom is not None:
            return Leaf(self._atom(value))
        tag = self.tags.get(number, "")
        if number in self.drawn:
            return Link(tag)
        self.drawn.add(number)
        features = sorted(value.features, key=lambda each: (each[0] != "PRED", each[0]))
        drawn = tuple((name, self.draw(below)) for name, below in features)
        if value.elements is None:
            return Matrix(drawn, tag=tag)
        inside = tuple(self.draw(each) for each in value.elements)
        if not drawn:
            return Group(inside, tag=tag)
        return Matrix((*drawn, ("$", Group(inside))), tag=tag)

    def _atom(self, value: FValue) -> str:
        if value.arguments is None:
            return value.atom or ""
        thematic, other = ("".join(map(self._argument, part)) for part in value.arguments)
        shown = f"<{thematic}>{other}" if thematic or other else ""
        return f"'{value.atom}{shown}'"

    def _argument(self, number: int) -> str:
        return f"({self.tags[number]})" if number in self.tags else "NULL"
