"""Unification and subsumption of feature structures, in plain Python: the specification.

The unification of two structures is the least structure that both subsume, or nothing. It is
commutative, associative and idempotent, up to the names of variables, and monotone: what unifies
with more unifies with less. A *default* takes these laws away: a feature that has one, and is in
only one of two structures that meet, is taken to have the default in the other; NLTK's slash has
the default ``False``, so that ``VP`` and ``VP/NP`` do not unify.

Terms with the same symbol unify argument by argument. A term that is computed from its arguments, a
concatenation for example, has no unification with a term of another symbol that could be decided
here: :class:`~weft.errors.NotDefined` is raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.errors import NotDefined
from weft.unification.structure import (
    SLASH,
    Atom,
    FeatureStructure,
    Listed,
    Node,
    Struct,
    Term,
    Variable,
    canonical,
    values_of,
    with_values,
)

NLTK_DEFAULTS: Mapping[str, Atom] = {SLASH: Atom(False)}
"""The defaults of ``.fcfg`` grammars."""


def unify(
    one: FeatureStructure, other: FeatureStructure, defaults: Mapping[str, Atom] | None = None
) -> FeatureStructure | None:
    """Return the least structure that two subsume; None if there is none.

    >>> from weft.unification import read_structure
    >>> print(unify(read_structure("[A=?x, B=?x]"), read_structure("[A=[C=d]]")))
    [A=(1)[C='d'], B->(1)]
    >>> unify(read_structure("[A=b]"), read_structure("[A=c]")) is None
    True

    Args:
        one: A structure; its variables are not those of the other one.
        other: Another.
        defaults: Values of features where only one of two structures has them.

    Raises:
        CycleError: If the structure would contain itself.
        NotDefined: If terms meet that would have to be computed first.
    """
    graph = Graph(one.nodes)
    second = graph.add(other.nodes)
    if not graph.unify(0, second, defaults or {}):
        return None
    named = {second + place: name for place, name in other.names} | dict(one.names)
    return graph.structure(0, named)


@dataclass(frozen=True, slots=True)
class Clash:
    """Two values that do not unify: where they were met, and what they had become by then."""

    places: tuple[int, int]
    nodes: tuple[Node, Node]


def describe(node: Node) -> str:
    """Say what a value is, for people.

    >>> describe(Atom("sg")), describe(Struct(()))
    ("'sg'", 'a structure')
    """
    match node:
        case Atom(value):
            return repr(value)
        case Term(symbol, _):
            return str(symbol)
        case Listed(items):
            return f"a list of {len(items)}"
    return "a structure"


class Graph:
    """Nodes that are made equal step by step; where that fails, the graph is of no more use.

    Attributes:
        failed: What could not be made equal, where something could not.
    """

    def __init__(self, nodes: tuple[Node, ...] = ()) -> None:
        self.nodes: list[Node] = list(nodes)
        self.forward: list[int] = list(range(len(nodes)))
        self.failed: Clash | None = None

    def copy(self) -> Graph:
        """Return another graph of the same nodes."""
        made = Graph()
        made.nodes, made.forward = list(self.nodes), list(self.forward)
        return made

    def add(self, nodes: tuple[Node, ...]) -> int:
        """Add the nodes of a structure; return the number of its root."""
        base = len(self.nodes)
        moved = (with_values(node, [base + value for value in values_of(node)]) for node in nodes)
        self.nodes.extend(moved)
        self.forward.extend(range(base, len(self.nodes)))
        return base

    def add_node(self, node: Node) -> int:
        """Add one node, with values that are numbers of nodes of the graph."""
        self.nodes.append(node)
        self.forward.append(len(self.forward))
        return len(self.forward) - 1

    def find(self, place: int) -> int:
        """Return the node that stands for a node."""
        while self.forward[place] != place:
            place = self.forward[place]
        return place

    def unify(self, one: int, other: int, defaults: Mapping[str, Atom]) -> bool:
        """Make two nodes equal; say whether they can be."""
        waiting = [(one, other)]
        while waiting:
            pair = waiting.pop()
            first, second = map(self.find, pair)
            nodes = self.nodes[first], self.nodes[second]
            if first != second and not self._merge(first, second, defaults, waiting):
                self.failed = Clash(pair, nodes)
                return False
        return True

    def structure(self, root: int, names: Mapping[int, str] | None = None) -> FeatureStructure:
        """Return what is below a node as it has become."""
        below = _Forwarded(self)
        called = {self.find(place): name for place, name in (names or {}).items()}
        return canonical(below, self.find(root), called.get)

    def _merge(
        self, one: int, other: int, defaults: Mapping[str, Atom], waiting: list[tuple[int, int]]
    ) -> bool:
        first, second = self.nodes[one], self.nodes[other]
        if isinstance(second, Variable):
            self.forward[other] = one
            return True
        self.forward[one] = other
        match first, second:
            case Variable(), _:
                return True
            case Struct(), Struct():
                self.nodes[other] = self._joined(first, second, defaults, waiting)
                return True
            case Listed(), Listed():
                waiting.extend(zip(first.items, second.items, strict=False))
                return len(first.items) == len(second.items)
            case (Atom() | Term(), Atom() | Term()):
                return self._same_base(first, second, waiting)
        return False

    def _joined(
        self,
        first: Struct,
        second: Struct,
        defaults: Mapping[str, Atom],
        waiting: list[tuple[int, int]],
    ) -> Struct:
        both = dict(second.features)
        for name, value in first.features:
            if name in both:
                waiting.append((value, both[name]))
            else:
                both[name] = value
        lone = {name for name, _ in first.features} ^ {name for name, _ in second.features}
        for name in lone & defaults.keys():
            waiting.append((both[name], self.add_node(defaults[name])))  # noqa: PERF401
        return Struct(tuple(sorted(both.items())))

    def _same_base(
        self, first: Atom | Term, second: Atom | Term, waiting: list[tuple[int, int]]
    ) -> bool:
        if isinstance(first, Atom) and isinstance(second, Atom):
            return first == second
        same = isinstance(first, Term) and isinstance(second, Term)
        if isinstance(first, Term) and isinstance(second, Term) and first.symbol == second.symbol:
            waiting.extend(zip(first.arguments, second.arguments, strict=False))
            return len(first.arguments) == len(second.arguments)
        for node in (first, second):
            if isinstance(node, Term) and node.symbol.computed and node.arguments:
                what = "another term" if same else "an atom"
                raise NotDefined(
                    f"{node.symbol} meets {what}: whether a term that is computed from others is "
                    "equal to one cannot be decided while parsing; compare an atomic feature"
                )
        return False


class _Forwarded(Sequence[Node]):
    """The nodes of a graph, each as it has become, made when they are asked for."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return len(self._graph.nodes)

    def __getitem__(self, place: int) -> Node:  # type: ignore[override]
        node = self._graph.nodes[self._graph.find(place)]
        return with_values(node, [self._graph.find(value) for value in values_of(node)])


def subsumes(general: FeatureStructure, special: FeatureStructure) -> bool:
    """Say whether a structure holds whatever another one does, and perhaps less.

    >>> from weft.unification import read_structure
    >>> subsumes(read_structure("[A=?x]"), read_structure("[A=b, C=d]"))
    True
    >>> subsumes(read_structure("[A=?x, B=?x]"), read_structure("[A=[], B=[]]"))
    False
    """
    image: dict[int, int] = {}
    waiting = [(0, 0)]
    while waiting:
        place, target = waiting.pop()
        if place in image:
            if not _identical(special, image[place], target):
                return False
            continue
        image[place] = target
        below = _below(general.nodes[place], special.nodes[target])
        if below is None:
            return False
        waiting.extend(below)
    return True


def _identical(structure: FeatureStructure, one: int, other: int) -> bool:
    """Whether two nodes are one, or atoms or terms of the same value, which are never shared."""
    if one == other:
        return True
    first, second = structure.nodes[one], structure.nodes[other]
    if isinstance(first, Atom):
        return first == second
    if isinstance(first, Term) and isinstance(second, Term):
        pairs = zip(first.arguments, second.arguments, strict=False)
        return first.symbol == second.symbol and all(_identical(structure, *each) for each in pairs)
    return False


def _below(general: Node, special: Node) -> list[tuple[int, int]] | None:
    """The values that must stand in the same relation; None if the nodes do not."""
    if isinstance(general, Variable):
        return []
    if isinstance(general, Struct) and isinstance(special, Struct):
        known = dict(special.features)
        if not all(name in known for name, _ in general.features):
            return None
        return [(value, known[name]) for name, value in general.features]
    if isinstance(general, Atom) or type(general) is not type(special):
        return [] if general == special else None
    if isinstance(general, Term) and isinstance(special, Term) and general.symbol != special.symbol:
        return None
    values = values_of(general), values_of(special)
    return list(zip(*values, strict=True)) if len(values[0]) == len(values[1]) else None
