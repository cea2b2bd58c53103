"""Feature structures as immutable graphs in canonical form.

A structure is a tuple of nodes. A node is an atom, a variable, a structure (features with values),
a list, or a term (a symbol with arguments); values are numbers of nodes. Sharing is sharing of a
number: two features whose values are one node are *reentrant*. Nodes are numbered depth first from
the root, features in the order of their names, atoms and terms anew at every use: so structures
that differ only in the names of their variables are equal as tuples, and

    equal up to renaming  ⇔  equal  ⇔  equal hash keys.

Variables have names only for people (:mod:`weft.unification.write`).

Reference: Carpenter (1992), The Logic of Typed Feature Structures, chapter 3, without types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from weft.errors import WeftError
from weft.reprs import Pictured, shorten
from weft.unification.terms import Symbol

AtomValue = str | int | bool | None
"""What an atom may be; ``True`` and 1 differ."""

TYPE, SLASH = "*type*", "*slash*"
"""The features that are written before and after the brackets of a category."""


class CycleError(WeftError, ValueError):
    """A structure would contain itself."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A constant. Atoms are equal if they are of the same Python type, too."""

    value: AtomValue
    kind: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", type(self.value).__name__)


@dataclass(frozen=True, slots=True)
class Variable:
    """A node of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Struct:
    """Features with the numbers of their values, in the order of the features' names."""

    features: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of values; it unifies only with lists of the same length."""

    items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A symbol, such as a λ-expression with gaps or a set, with the values of its arguments."""

    symbol: Symbol
    arguments: tuple[int, ...]


Node = Atom | Variable | Struct | Listed | Term

VARIABLE = Variable()


@dataclass(frozen=True, slots=True, repr=False)
class FeatureStructure(Pictured):
    """A graph of nodes, the root first.

    :func:`canonical` makes one, :func:`~weft.unification.notation.read_structure` reads one.

    >>> from weft.unification import read_structure
    >>> read_structure("[A=?x, B=?x]") == read_structure("[B=?y, A=?y]")
    True
    >>> read_structure("[A=?x, B=?x]") == read_structure("[A=?x, B=?y]")
    False

    Attributes:
        nodes: In depth-first order, each once; atoms and terms once for every use.
        names: The names of variables by their nodes, for people: they are no part of what is equal.
    """

    nodes: tuple[Node, ...]
    names: tuple[tuple[int, str], ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        from weft.unification.write import write_structure

        return write_structure(self)

    def __repr__(self) -> str:
        return f"FeatureStructure({shorten(str(self))!r})"


def values_of(node: Node) -> tuple[int, ...]:
    """Return the numbers of the nodes right below a node.

    >>> values_of(Struct((("A", 3), ("B", 5))))
    (3, 5)
    """
    if isinstance(node, Struct):
        return tuple(value for _, value in node.features)
    if isinstance(node, Listed):
        return node.items
    return node.arguments if isinstance(node, Term) else ()


def with_values(node: Node, values: Sequence[int]) -> Node:
    """Return a node with other numbers below it.

    >>> with_values(Listed((1, 2)), (7, 8))
    Listed(items=(7, 8))
    """
    if isinstance(node, Struct):
        names = (name for name, _ in node.features)
        return Struct(tuple(zip(names, values, strict=True)))
    if isinstance(node, Listed):
        return Listed(tuple(values))
    return Term(node.symbol, tuple(values)) if isinstance(node, Term) else node


def canonical(
    nodes: Sequence[Node],
    root: int = 0,
    names: Callable[[int], str | None] = lambda _: None,
) -> FeatureStructure:
    """Make a structure of what can be reached from a node, in canonical form.

    Args:
        nodes: Any nodes, in any order; the features of each in the order of their names.
        root: The number of the root.
        names: The name of a variable, by its number.

    Raises:
        CycleError: If a node contains itself.

    >>> canonical([Atom("c"), Struct((("A", 2), ("B", 2))), VARIABLE], 1).nodes
    (Struct(features=(('A', 1), ('B', 1))), Variable())
    """
    made: list[Node] = []
    number: dict[int, int] = {}
    open_nodes: set[int] = set()
    called: list[tuple[int, str]] = []
    # Nodes with the values above them that they become; and, to be closed, with their own values.
    waiting: list[tuple[int, list[int], bool]] = [(root, [], False)]
    while waiting:
        old, values, is_done = waiting.pop()
        node = nodes[old]
        if is_done:
            made[number[old]] = with_values(node, values)
            open_nodes.remove(old)
        elif old in open_nodes:
            raise CycleError("a feature structure would contain itself")
        elif old in number and not isinstance(node, Atom | Term):
            values.append(number[old])
        else:
            number[old] = len(made)
            values.append(len(made))
            made.append(node)
            if isinstance(node, Variable):
                if (name := names(old)) is not None:
                    called.append((number[old], name))
            elif below := values_of(node):
                open_nodes.add(old)
                mine: list[int] = []
                waiting.append((old, mine, True))
                waiting.extend((each, mine, False) for each in reversed(below))
    return FeatureStructure(tuple(made), tuple(called))


def part(structure: FeatureStructure, place: int) -> FeatureStructure:
    """Return what lies below a node, as a structure of its own.

    >>> from weft.unification import read_structure
    >>> print(part(read_structure("[A=[B=c]]"), 1))
    [B='c']
    """
    return canonical(structure.nodes, place, dict(structure.names).get)


def feature(structure: FeatureStructure, *path: str) -> FeatureStructure | None:
    """Return the value at the end of a path of features; None if there is none.

    >>> from weft.unification import read_structure
    >>> print(feature(read_structure("NP[AGR=[NUM=sg]]"), "AGR", "NUM"))
    'sg'
    """
    place = find(structure, *path)
    return None if place is None else part(structure, place)


def find(structure: FeatureStructure, *path: str, start: int = 0) -> int | None:
    """Return the number of the node at the end of a path of features; None if there is none."""
    place = start
    for name in path:
        node = structure.nodes[place]
        below = dict(node.features) if isinstance(node, Struct) else {}
        if name not in below:
            return None
        place = below[name]
    return place


def shared_nodes(structure: FeatureStructure) -> Iterator[int]:
    """Yield the structures and lists that are values more than once.

    >>> from weft.unification import read_structure
    >>> list(shared_nodes(read_structure("[A=(1)[B=c], D->(1)]")))
    [1]
    """
    seen: set[int] = set()
    told: set[int] = set()
    for node in structure.nodes:
        for value in values_of(node):
            below = structure.nodes[value]
            if value in seen and value not in told and isinstance(below, Struct | Listed):
                told.add(value)
                yield value
            seen.add(value)
