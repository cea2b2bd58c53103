"""Sets: what is said of a set's attribute is said of each element.

What an equation says of an attribute of a set, it says of each of its elements in the set's stead:
nodes that only the set's attributes lead to are made anew for each element; all others are shared.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.lfg.names import Names
from weft.lfg.reference.graph import Clash, Content, Graph
from weft.unification.limits import check_time

_PASSES = 50


def distribute(graph: Graph, owned: Names, roots: Iterable[int]) -> None:
    """Give the elements of all sets what the sets' attributes have.

    Args:
        graph: It is changed. Calling this again changes nothing more.
        owned: Attributes that sets have themselves.
        roots: The nodes of c-structures.

    Raises:
        Clash: If an element has something else, or a set is its own element.
    """
    _refuse_sets_within_themselves(graph)
    if not any(_is_said_of(graph, node, owned) for node in graph.contents):
        return
    named = list(roots)
    # Sets within sets: what one pass gives to an inner set, the next gives to its elements.
    for _ in range(_PASSES):
        nodes = _preorder(graph, named)
        sets = [node for node in nodes if _is_said_of(graph, node, owned)]
        if not sets:
            return
        before = _size(graph, nodes)
        for whole in sets:
            _distribute_one(graph, graph.find(whole), owned, named)
        _refuse_sets_within_themselves(graph)
        if before == _size(graph, _preorder(graph, named)):
            return
    raise Clash("what is said of a set grows without end")


def _refuse_sets_within_themselves(graph: Graph) -> None:
    sets = {node: c.elements for node, c in graph.contents.items() if c.elements is not None}
    while sets:
        inside = {node for node, each in sets.items() if any(graph.find(e) in sets for e in each)}
        if len(inside) == len(sets):
            raise Clash("a set is an element of itself")
        sets = {node: sets[node] for node in inside}


def _size(graph: Graph, nodes: list[int]) -> tuple[int, int]:
    return len(nodes), sum(len(graph[node].features) for node in nodes)


def _is_said_of(graph: Graph, node: int, owned: Names) -> bool:
    content = graph.contents[node]
    return content.elements is not None and any(name not in owned for name in content.features)


def _distribute_one(graph: Graph, whole: int, owned: Names, named: list[int]) -> None:
    features = {k: v for k, v in graph.contents[whole].features.items() if k not in owned}
    shared = set(_preorder(graph, named, (whole, features.keys())))
    for element in graph.elements(whole) or ():
        copier = _Copier(graph, element, shared)
        for name, value in sorted(features.items()):
            graph.unify(graph.step(element, name), copier.copy(value))


class _Copier:
    """Makes what a set has anew for one element; a second time, what is new is added."""

    def __init__(self, graph: Graph, element: int, shared: set[int]) -> None:
        self.graph = graph
        self.element = element
        self.shared = shared
        self.seen: dict[int, int] = {}

    def copy(self, node: int) -> int:
        check_time()
        graph = self.graph
        node = graph.find(node)
        if node in self.shared:
            return node
        if node in self.seen:
            return self.seen[node]
        key = (graph.find(self.element), node)
        if key not in graph.copies:
            graph.copies[key] = graph.new()
        made = self.seen[node] = graph.copies[key]
        content = graph.contents[node]
        if content.value is not None:
            graph.unify(made, graph.new(Content(content.value)))
        for name, value in sorted(content.features.items()):
            graph.unify(graph.step(made, name), self.copy(value))
        for each in content.elements or ():
            if graph.find(each) not in (graph.elements(made) or ()):
                graph.put(each, made)
        return made


def _preorder(
    graph: Graph, roots: Iterable[int], without: tuple[int, Iterable[str]] = (-1, ())
) -> list[int]:
    """Return the nodes that roots lead to, what holds before what is held."""
    whole, names = without
    seen: dict[int, None] = {}
    agenda = [graph.find(node) for node in reversed(list(roots))]
    while agenda:
        node = agenda.pop()
        if node in seen:
            continue
        seen[node] = None
        content = graph.contents[node]
        below = [v for k, v in content.features.items() if node != whole or k not in names]
        agenda += [graph.find(each) for each in (*below, *(content.elements or ()))]
    return list(seen)
