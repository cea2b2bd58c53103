"""Feature structures written on one line, as NLTK does, and as attribute–value matrices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

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

_SIGNS = {True: "+", False: "-"}


def write_structure(structure: FeatureStructure) -> str:
    """Write a structure on one line, so that it can be read back.

    >>> from weft.unification import read_structure
    >>> write_structure(read_structure("NP[AGR=(1)[NUM=sg], HEAD=[AGR->(1)], +WH]"))
    "NP[AGR=(1)[NUM='sg'], HEAD=[AGR->(1)], +WH]"
    """
    return _Writer(structure).value(0)


def write_matrix(structure: FeatureStructure) -> str:
    """Draw a structure as an attribute–value matrix.

    >>> from weft.unification import read_structure
    >>> print(write_matrix(read_structure("NP[AGR=[NUM=sg, PER=3], CASE=?c]")))
    ⎡NP                ⎤
    ⎢AGR   ⎡NUM  'sg'⎤ ⎥
    ⎢      ⎣PER  3   ⎦ ⎥
    ⎣CASE  ?c          ⎦
    """
    return "\n".join(_Writer(structure).matrix(0))


class _Writer:
    def __init__(self, structure: FeatureStructure) -> None:
        self.structure = structure
        self.names = _variable_names(structure)
        self.tags = {place: str(tag + 1) for tag, place in enumerate(shared_nodes(structure))}
        self.written: set[int] = set()

    def value(self, place: int) -> str:
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
            if self._again(slash):
                inside.append(self._feature(SLASH, slash))
            else:
                after = f"/{self.value(slash)}"
        return f"{before}[{', '.join(inside)}]{after}"

    def _again(self, place: int) -> bool:
        return place in self.tags and place in self.written

    def _feature(self, name: str, place: int) -> str:
        node = self.structure.nodes[place]
        if self._again(place):
            return f"{name}->({self.tags[place]})"
        if isinstance(node, Atom) and isinstance(node.value, bool):
            return f"{_SIGNS[node.value]}{name}"
        return f"{name}={self.value(place)}"

    def _item(self, place: int) -> str:
        return f"->({self.tags[place]})" if self._again(place) else self.value(place)

    def _term(self, node: Term) -> str:
        if node.symbol.text:
            values = list(map(self.value, node.arguments))
            return f"<{GAP.sub(lambda gap: values[int(gap[1])], node.symbol.text)}>"
        between = "+" if node.symbol.kind in ("concat", "union") else ", "
        inside = between.join(self.value(place) for place in node.arguments)
        if node.symbol.kind in ("tuple", "concat"):
            return f"({inside})"
        return f"{{{inside or '/'}}}"

    def matrix(self, place: int) -> list[str]:
        """The lines of a value."""
        node = self.structure.nodes[place]
        if self._again(place):
            return [f"({self.tags[place]})"]
        tag = self._tag(place)
        if not isinstance(node, Struct):
            return [self.value(place)]
        features = dict(node.features)
        lines: list[str] = []
        kind = self.structure.nodes[features[TYPE]] if TYPE in features else None
        if isinstance(kind, Atom):
            lines.append(str(kind.value))
            del features[TYPE]
        width = max(map(len, features), default=0)
        for name, value in features.items():
            first, *rest = self.matrix(value)
            lines.append(f"{name:{width}}  {first}")
            lines.extend(f"{'':{width}}  {line}" for line in rest)
        return _tagged(tag, _bracketed(lines))


def _bracketed(lines: list[str]) -> list[str]:
    if len(lines) < 2:
        return [f"[{''.join(lines)}]"]
    width = max(map(len, lines)) + (any(line[-1:] in "⎤⎦⎥" for line in lines))
    lefts, rights = "⎡" + "⎢" * (len(lines) - 2) + "⎣", "⎤" + "⎥" * (len(lines) - 2) + "⎦"
    rows = zip(lefts, lines, rights, strict=True)
    return [f"{left}{line:{width}}{right}" for left, line, right in rows]


def _tagged(tag: str, lines: list[str]) -> list[str]:
    first, *rest = lines
    return [tag + first, *(" " * len(tag) + line for line in rest)]


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
