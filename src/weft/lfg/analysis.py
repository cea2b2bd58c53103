"""Analyses by a lexical-functional grammar: a c-structure, an f-structure, and what joins them."""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.reprs import Pictured, bracketed, count_things, describe, shorten


@dataclass(frozen=True, slots=True)
class FValue:
    """A value of an f-structure.

    Attributes:
        atom: The atom or, with `arguments`, the name of the semantic form; None for structures.
        arguments: Of a semantic form, the numbers of its thematic and non-thematic arguments
            (-1 for NULL); None for what is no semantic form.
        features: Attributes in alphabetic order, with the numbers of their values.
        elements: The numbers of a set's elements, in the order of the words; None for no set.
    """

    atom: str | None = None
    arguments: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    features: tuple[tuple[str, int], ...] = ()
    elements: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class CNode:
    """A node of a c-structure, with the number of its f-structure (φ); words have no children."""

    label: str
    children: tuple[CNode, ...] = ()
    value: int = -1
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        return "".join(bracketed(self, _look))

    def __repr__(self) -> str:
        return f"CNode({shorten(bracketed(self, _look))!r})"


def _look(node: CNode) -> tuple[str, tuple[CNode, ...] | None]:
    return node.label, None if node.value < 0 else node.children


@dataclass(frozen=True, slots=True, repr=False)
class Analysis(Pictured):
    """An analysis of a sentence.

    Attributes:
        tree: The c-structure.
        values: The f-structure's values; numbers of values are places here. The numbering is
            canonical, depth first from the root's, so that equal analyses are equal.
        marks: Names of the marks of optimality, sorted, each as often as it was made.
        words: The words of the sentence, each with where it begins and ends; nodes count
            morphemes.
    """

    tree: CNode
    values: tuple[FValue, ...]
    marks: tuple[str, ...] = ()
    words: tuple[tuple[str, int, int], ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        tree = shorten(bracketed(self.tree, _look))
        return describe(self, tree, count_things(len(self.values), "value"))
