"""Feature structures written on one line, as NLTK does."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from weft.errors import LimitError
from weft.unification.structure import (
    SLASH,
    TYPE,
    Atom,
    FeatureStructure,
    Listed,
    Node,
    Struct,
    Term,
    Variable,
    shared_nodes,
)
from weft.unification.terms import GAP

SIGNS = {True: "+", False: "-"}
"""How values are written that are true or false."""


def write_structure(structure: FeatureStructure) -> str:
    """Write a structure on one line, so that it can be read back.

    >>> from weft.unification import read_structure
    >>> write_structure(read_structure("NP[AGR=(1)[NUM=sg], HEAD=[AGR->(1)], +WH]"))
    "NP[AGR=(1)[NUM='sg'], HEAD=[AGR->(1)], +WH]"

    Raises:
        LimitError: If it is nested too deeply to be written.
    """
    try:
        return Writer(structure).value(0)
    except RecursionError:
        raise LimitError("a feature structure is nested too deeply to be written") from None


class Writer:
    """Writes the values of a structure, shared ones whole only once."""

    def __init__(self, structure: FeatureStructure) -> None:
        self.structure = structure
        self.names = _variable_names(structure)
        self.tags = {place: str(tag + 1) for tag, place in enumerate(shared_nodes(structure))}
        self.written: set[int] = set()

    def value(self, place: int) -> str:
        """Return a value as text; it has been written then."""
        node = self.structure.nodes[place]
        tag = self._tag(place)
        if isinstance(node, Struct):
            return tag + self._struct(node)
        if isinstance(node, Listed):
            return f"{tag}[{', '.join(self._item(item) for item in node.items)}]"
        return self._base(place, node)

    def _tag(self, place: int) -> str:
        self.written.add(place)
        return f"({self.tags[place]})" if place in self.tags else ""

    def _base(self, place: int, node: Node) -> str:
        if isinstance(node, Atom):
            return repr(node.value)
        return self._term(node) if isinstance(node, Term) else self._variable(place)

    def _variable(self, place: int) -> str:
        name = self.names[place]
        return name if name.startswith("@") else f"?{name}"

    def _struct(self, node: Struct) -> str:
        features = dict(node.features)
        before = after = ""
        kind = self.structure.nodes[features[TYPE]] if TYPE in features else None
        if kind is not None and not isinstance(kind, Struct | Listed | Term):
            place = features.pop(TYPE)
            before = str(kind.value) if isinstance(kind, Atom) else self.value(place)
        slash = features.pop(SLASH, None)
        inside = [self._feature(name, place) for name, place in features.items()]
        if slash is not None:
            if self.again(slash):
                inside.append(self._feature(SLASH, slash))
            else:
                after = f"/{self.value(slash)}"
        return f"{before}[{', '.join(inside)}]{after}"

    def again(self, place: int) -> bool:
        """Say whether a value is shared, and has been written."""
        return place in self.tags and place in self.written

    def _feature(self, name: str, place: int) -> str:
        node = self.structure.nodes[place]
        if self.again(place):
            return f"{name}->({self.tags[place]})"
        if isinstance(node, Atom) and isinstance(node.value, bool):
            return f"{SIGNS[node.value]}{name}"
        return f"{name}={self.value(place)}"

    def _item(self, place: int) -> str:
        return f"->({self.tags[place]})" if self.again(place) else self.value(place)

    def _term(self, node: Term) -> str:
        if node.symbol.text:
            values = list(map(self.value, node.arguments))
            return f"<{GAP.sub(lambda gap: values[int(gap[1])], node.symbol.text)}>"
        between = "+" if node.symbol.kind in ("concat", "union") else ", "
        inside = between.join(self.value(place) for place in node.arguments)
        if node.symbol.kind in ("tuple", "concat"):
            return f"({inside})"
        return f"{{{inside or '/'}}}"


def _variable_names(structure: FeatureStructure) -> dict[int, str]:
    """A name for each variable: its own, with a number if another one has it, or a new one."""
    named: dict[int, str] = {}
    taken: set[str] = set()
    given = dict(structure.names)
    for place in range(len(structure.nodes)):
        if place in given:
            named[place] = next(name for name in _numbered(given[place]) if name not in taken)
            taken.add(named[place])
    fresh = (name for name in fresh_names() if name not in taken)
    variables = (n for n, node in enumerate(structure.nodes) if isinstance(node, Variable))
    unnamed = (each for each in variables if each not in named)
    return named | dict(zip(unnamed, fresh, strict=False))


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}{number}" for number in itertools.count(2))


def fresh_names() -> Iterator[str]:
    """Yield names of variables: a, b, c and so on."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for number in itertools.count():
        yield from (f"{letter}{number or ''}" for letter in letters)
