"""Where paths lead in a graph that is not changed by it.

What a path leads to is a *group*: one node, or in a set the nodes of all its elements, None for an
element where the path ends. Attributes of a set are those of its elements, unless the grammar
says that they are the set's own.

Inside out, a path goes through a set by one element: an attribute leads to what it has and, where
that is a set, to each of its elements. What elements have does not count as the set's then.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from weft.lfg.language import FORM_NAME, AnyAttribute, Attribute, Description, Element, Path
from weft.lfg.names import Names
from weft.lfg.paths import build_path
from weft.lfg.reference.graph import Atom, Content, Graph, SemanticForm
from weft.unification.limits import check_time

Group: TypeAlias = tuple[int | None, ...]


class View:
    """A graph that is only looked at, with the attributes that sets have themselves."""

    __slots__ = ("graph", "owned")

    def __init__(self, graph: Graph, owned: Names) -> None:
        self.graph = graph
        self.owned = owned

    def holders(self, node: int, attribute: str) -> tuple[int, ...]:
        """Return which nodes an attribute of this one belongs to: the elements of a set."""
        elements = self.graph.elements(node)
        if elements is None or attribute in self.owned:
            return (self.graph.find(node),)
        return tuple(each for e in elements for each in self.holders(e, attribute))

    def follow(self, group: Group, attribute: str) -> Group:
        """Return where an attribute leads."""
        return tuple(
            self._value(holder, attribute)
            for node in group
            for holder in (self.holders(node, attribute) if node is not None else (None,))
        )

    def _value(self, node: int | None, attribute: str) -> int | None:
        if node is None:
            return None
        content = self.graph[node]
        if isinstance(content.value, SemanticForm) and attribute == FORM_NAME:
            return self.graph.new(Content(Atom(content.value.name)))
        found = content.features.get(attribute)
        return None if found is None else self.graph.find(found)

    def attributes(self, group: Group) -> list[str]:
        """Return the attributes that some node of a group has."""
        found: set[str] = set()
        for node in group:
            if node is not None:
                content = self.graph[node]
                elements = self.graph.elements(node)
                if elements is None:
                    found |= content.features.keys()
                else:
                    found |= {name for name in content.features if name in self.owned}
                    found |= {n for n in self.attributes(elements) if n not in self.owned}
        return sorted(found)

    def moves(self, group: Group, move: object) -> Iterator[tuple[Attribute | None, Group]]:
        """Yield the steps that a move of a path allows, with where each leads."""
        match move:
            case Attribute(name):
                yield move, self.follow(group, name)
            case AnyAttribute(off_path):
                for name in self.attributes(group):
                    yield Attribute(name, off_path), self.follow(group, name)
            case Element():
                for node in group:
                    for each in (self.graph.elements(node) or ()) if node is not None else ():
                        yield None, (each,)

    def look_up(self, targets: Container[int | None], path: Path) -> Iterator[tuple[int, Way]]:
        """Yield the nodes from which a path leads to one of some nodes, with each of its ways.

        A set that has the node as an element is found only where a path begins with nothing else.
        """
        only_sets = all(isinstance(move, Element) for move, _, _ in build_path(path).arcs[0])
        for node in list(self.graph.nodes()):
            for way in self.walk((node,), path, by_elements=True):
                if way.end[0] in targets and (only_sets or not isinstance(way.first, tuple)):
                    yield node, way

    def walk(self, group: Group, path: Path, *, by_elements: bool = False) -> Iterator[Way]:
        """Yield the ways that a path leads; inside out, by single elements of sets.

        One that comes back to the same group in the same state of its expression is left.
        """
        machine = build_path(path)
        agenda: list[tuple[int, Way, frozenset[tuple[int, Group]]]] = [
            (0, Way((), (), group), frozenset())
        ]
        while agenda:
            check_time()
            state, way, seen = agenda.pop()
            here = way.end
            if (state, here) in seen:
                continue
            if state in machine.final:
                yield way
            for move, target, _ in machine.arcs[state]:
                for step, there in self.moves(here, move):
                    if by_elements and step is not None and self._is_of_elements(here, step.name):
                        continue
                    if any(node is not None for node in there):
                        longer, before = way.go(step, there), seen | {(state, here)}
                        agenda.append((target, longer, before))
                        if by_elements and step is not None:
                            inside = self._elements_within(there[0])
                            agenda += [(target, longer.enter(each), before) for each in inside]

    def _is_of_elements(self, group: Group, attribute: str) -> bool:
        node = group[0]
        is_set = node is not None and self.graph.elements(node) is not None
        return is_set and attribute not in self.owned

    def _elements_within(self, node: int | None) -> Iterator[int]:
        """The elements of a set, of sets in it, and so on."""
        for each in (self.graph.elements(node) or ()) if node is not None else ():
            yield each
            yield from self._elements_within(each)


@dataclass(frozen=True, slots=True)
class Beside:
    """Off-path statements, with the groups that <- and -> are in them."""

    description: Description
    before: Group
    after: Group


@dataclass(frozen=True, slots=True)
class Way:
    """A way through a graph.

    Attributes:
        steps: The attributes, or groups of one element, that it goes through.
        beside: Off-path statements on the way.
        end: Where it leads.
    """

    steps: tuple[Attribute | Group, ...]
    beside: tuple[Beside, ...]
    end: Group

    @property
    def first(self) -> Attribute | Group | None:
        """Its first step, if it has one."""
        return self.steps[0] if self.steps else None

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes that it goes through."""
        return tuple(step for step in self.steps if isinstance(step, Attribute))

    def enter(self, element: int) -> Way:
        """Return the way that goes on to an element of where it leads."""
        return Way(self.steps, self.beside, (element,))

    def go(self, step: Attribute | None, there: Group) -> Way:
        """Return the way that is longer by a step; None is one to an element."""
        beside = self.beside
        if step is not None and step.off_path:
            beside = (*beside, Beside(step.off_path, self.end, there))
        return Way((*self.steps, there if step is None else step), beside, there)
