"""f-structures in the making: nodes that are joined by union–find.

Nodes have numbers that no other graph of the same sentence uses, so that the graphs of two
constituents are put together by a union of dictionaries. Contents are never changed, but replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

from weft.lfg.language import Path


class Clash(Exception):  # noqa: N818 - it ends one attempt, and no user ever sees it
    """Two values cannot be one."""


@dataclass(frozen=True, slots=True)
class Atom:
    """An atomic value; an instantiated one has the number of its instance."""

    text: str
    instance: int | None = None


@dataclass(frozen=True, slots=True)
class SemanticForm:
    """A semantic form with the paths of its arguments from what has it as its PRED.

    Attributes:
        name: What stands before the arguments.
        instance: The number of its instance.
        base: The f-structure that its arguments are of.
        thematic: Paths of thematic arguments; None is NULL.
        other: Paths of the others.
    """

    name: str
    instance: int
    base: int
    thematic: tuple[Path | None, ...] = ()
    other: tuple[Path | None, ...] = ()


@dataclass(frozen=True, slots=True)
class OneAtomOf:
    """One of several atoms."""

    texts: frozenset[str]


Value: TypeAlias = "Atom | SemanticForm | OneAtomOf"


@dataclass(frozen=True, slots=True)
class Content:
    """What is known of a node."""

    value: Value | None = None
    features: dict[str, int] = field(default_factory=dict)
    elements: tuple[int, ...] | None = None


_EMPTY = Content()


class Graph:
    """Nodes, which of them are one, and what is known of each.

    Attributes:
        copies: What was made anew for an element of a set: (element, node of the set) → node.
    """

    __slots__ = ("contents", "copies", "numbers", "parents")

    def __init__(self, numbers: count[int]) -> None:
        self.numbers = numbers
        self.parents: dict[int, int] = {}
        self.contents: dict[int, Content] = {}
        self.copies: dict[tuple[int, int], int] = {}

    def copy(self) -> Graph:
        """Return a graph that can be changed without this one."""
        other = Graph(self.numbers)
        other.parents = self.parents.copy()
        other.contents = self.contents.copy()
        other.copies = self.copies.copy()
        return other

    def add(self, other: Graph) -> None:
        """Put another graph beside this one."""
        self.parents.update(other.parents)
        self.contents.update(other.contents)

    def new(self, content: Content = _EMPTY) -> int:
        """Make a node."""
        number = next(self.numbers)
        self.parents[number] = number
        self.contents[number] = content
        return number

    def find(self, node: int) -> int:
        """Return the node that stands for all that are one with this."""
        while (up := self.parents[node]) != node:
            node = up
        return node

    def __getitem__(self, node: int) -> Content:
        return self.contents[self.find(node)]

    def nodes(self) -> Iterator[int]:
        """Yield the nodes that stand for others."""
        return (node for node, up in self.parents.items() if node == up)

    def step(self, node: int, attribute: str) -> int:
        """Return the value of an attribute, which is made if there is none."""
        node = self.find(node)
        content = self.contents[node]
        if content.value is not None:
            raise Clash(f"{show_value(content.value)} has no attribute {attribute}")
        if attribute not in content.features:
            features = {**content.features, attribute: self.new()}
            self.contents[node] = Content(None, features, content.elements)
        return self.contents[node].features[attribute]

    def put(self, element: int, whole: int) -> None:
        """Make a node an element of a set."""
        whole = self.find(whole)
        content = self.contents[whole]
        if content.value is not None:
            raise Clash(f"{show_value(content.value)} is no set")
        elements = (*(content.elements or ()), element)
        self.contents[whole] = Content(None, content.features, elements)

    def unify(self, left: int, right: int) -> None:
        """Make two nodes one."""
        agenda = [(left, right)]
        while agenda:
            one, two = (self.find(node) for node in agenda.pop())
            if one == two:
                continue
            here, there = self.contents[one], self.contents[two]
            value = join_values(here.value, there.value)
            features = {**there.features, **here.features}
            elements = here.elements
            if there.elements is not None:
                elements = (*(elements or ()), *there.elements)
            if value is not None and (features or elements is not None):
                raise Clash(f"{show_value(value)} is no f-structure")
            self.parents[two] = one
            del self.contents[two]
            self.contents[one] = Content(value, features, elements)
            shared = here.features.keys() & there.features.keys()
            agenda += [(here.features[name], there.features[name]) for name in sorted(shared)]

    def elements(self, node: int) -> tuple[int, ...] | None:
        """Return the elements of a set, each once; None if it is no set."""
        found = self[node].elements
        if found is None:
            return None
        kept: dict[object, int] = {}
        for each in map(self.find, found):
            value = self.contents[each].value
            kept.setdefault(value if isinstance(value, Atom) else each, each)
        return tuple(kept.values())


def join_values(one: Value | None, two: Value | None) -> Value | None:
    """Return what two values are together.

    Raises:
        Clash: If they cannot be one.
    """
    if one is None or two is None:
        return two if one is None else one
    if isinstance(one, OneAtomOf) and isinstance(two, OneAtomOf):
        both = one.texts & two.texts
        if both:
            return closed(both)
    elif isinstance(one, OneAtomOf) and isinstance(two, Atom):
        if two.text in one.texts:
            return two
    elif isinstance(two, OneAtomOf) and isinstance(one, Atom):
        if one.text in two.texts:
            return one
    elif type(one) is type(two) and (
        one.instance == two.instance  # type: ignore[union-attr]
        and (not isinstance(one, Atom) or one == two)
    ):
        return one
    raise Clash(f"{show_value(one)} is not {show_value(two)}")


def closed(texts: frozenset[str]) -> Value:
    """Return the value that is one of these atoms."""
    return Atom(next(iter(texts))) if len(texts) == 1 else OneAtomOf(texts)


def show_value(value: Value) -> str:
    """Return a value for messages and results."""
    match value:
        case OneAtomOf(texts):
            return f"{{{' '.join(sorted(texts))}}}"
        case SemanticForm(name):
            return f"'{name}'"
        case Atom(text, instance):
            return text if instance is None else f"{text}_"
