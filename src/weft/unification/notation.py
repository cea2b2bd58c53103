r"""Feature structures as NLTK writes them: ``NP[AGR=[NUM=sg], CASE=?c, +WH]/PP``.

=======================  ===========================================================================
``[A=b, C='d e']``       features with atoms; ``None``, ``True``, ``False`` and integers are such
``[+A, -B]``             ``True`` and ``False``
``[A=?x, B=?x]``         variables; one name is one value
``[A=(1)[B=c], D->(1)]``  a value that is shared
``NP[…]``, ``…/NP``      the features ``*type*`` and ``*slash*``; brackets may be left out
``[a, ?x]``              a list
``<?f(?x)>``             a λ-expression; in it, ``@x`` is a variable, too
``(a, ?x)``, ``(?a+?b)``  tuples, and tuples one after the other
``{a, ?x}``, ``{?a+?b}``  sets, and sets taken together
=======================  ===========================================================================

Reference: Bird, Klein and Loper (2009), Natural Language Processing with Python, chapter 9.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from weft.errors import FormatError, quote
from weft.unification.logic import LogicError, read_logic, write_logic
from weft.unification.structure import (
    SLASH,
    TYPE,
    VARIABLE,
    Atom,
    AtomValue,
    FeatureStructure,
    Listed,
    Node,
    Struct,
    Term,
    canonical,
)
from weft.unification.terms import JOINED, Symbol

DEEPEST = 100
"""Structures that are nested more deeply are refused."""

_OPEN = re.compile(r"\s*(?:\((\d+)\)\s*)?(\??[\w-]+)?\[")
_BARE = re.compile(r"\s*(?:\((\d+)\)\s*)?(\??[\w-]+)\s*")
_CLOSE = re.compile(r"\s*]\s*")
_FEATURE = re.compile(r"\s*([+-]?)([^\s()<>\"'\-=\[\],]+)\s*")
_FIRST_FEATURE = re.compile(r"\s*(?:[^\s()<>\"'\-=\[\],]+\s*(?:=|->)|[+-][^\s()<>\"'\-=\[\],]|])")
_ARROW = re.compile(r"\s*->\s*")
_TARGET = re.compile(r"\s*\((\d+)\)\s*")
_EQUALS = re.compile(r"\s*=\s*")
_COMMA = re.compile(r"\s*,\s*")
_VARIABLE = re.compile(r"\?([a-zA-Z_][a-zA-Z0-9_]*)")
_GAPS = re.compile(r"[?@][a-zA-Z_][a-zA-Z0-9_]*")
_QUOTED = re.compile(r"[uU]?[rR]?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
_NUMBER = re.compile(r"-?\d+")
_WORD = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_CALL = re.compile(r"<app\((\?[a-z]+)\s*,\s*(\?[a-z]+)\)>")
_LOGIC = re.compile(r"<(.*?)(?<!-)>")
_SPECIAL = {"type": TYPE, "slash": SLASH}
_CONSTANTS: dict[str, AtomValue] = {"None": None, "True": True, "False": False}


_Reading = Callable[[int, dict[str, int]], tuple[int, int]]


class NotationError(ValueError):
    """A text is not in the notation.

    Attributes:
        place: The place in the text, from 0.
    """

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


def read_structure(text: str) -> FeatureStructure:
    """Read a feature structure.

    Raises:
        FormatError: With the column, if the text is none.

    >>> print(read_structure("NP[+WH, AGR=[NUM=sg]]/?x"))
    NP[AGR=[NUM='sg'], +WH]/?x[]
    """
    reader = StructureReader(text)
    try:
        root, place = reader.category(len(text) - len(text.lstrip()))
        if place != len(text.rstrip()) and place < len(text):
            raise NotationError("expected the end", place)
    except NotationError as error:
        raise FormatError(str(error), column=error.place + 1, text=text) from None
    return reader.structure(root)


class StructureReader:
    """Reads categories of one text into one graph: variables of the same name are one node."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.nodes: list[Node] = []
        self.variables: dict[str, int] = {}
        self.depth = 0

    def structure(self, root: int) -> FeatureStructure:
        """Return what was read, from a node on."""
        names = {place: name for name, place in self.variables.items()}
        return canonical(self.nodes, root, names.get)

    def category(self, place: int) -> tuple[int, int]:
        """Read a category or a structure; return its node and where it ends."""
        return self._structure(place, {})

    def add(self, node: Node) -> int:
        """Add a node; return its number."""
        self.nodes.append(node)
        return len(self.nodes) - 1

    def variable(self, name: str) -> int:
        """Return the node of a variable."""
        if name not in self.variables:
            self.variables[name] = self.add(VARIABLE)
        return self.variables[name]

    def _structure(self, place: int, shared: dict[str, int]) -> tuple[int, int]:
        found = _OPEN.match(self.text, place) or _BARE.match(self.text, place)
        if found is None:
            raise NotationError("expected a category or '['", place)
        node = self.add(VARIABLE)
        if found.group(1) is not None:
            if found.group(1) in shared:
                raise NotationError(f"({found.group(1)}) is there already", found.start(1))
            shared[found.group(1)] = node
        bracket, end = self.text[found.end() - 1] == "[" and found.re is _OPEN, found.end()
        if bracket and found.group(2) is None and not _FIRST_FEATURE.match(self.text, end):
            self.nodes[node], end = self._list(end, shared)
            return node, end
        features: dict[str, int] = {}
        if found.group(2) is not None:
            features[TYPE] = self._type(found.group(2))
        if bracket:
            end = self._features(end, shared, features)
        if self.text.startswith("/", end):
            # Also of a variable, NLTK makes a structure of which only the type is known.
            features[SLASH], end = self._deeper(self._structure, end + 1, shared)
        self.nodes[node] = Struct(tuple(sorted(features.items())))
        return node, end

    def _type(self, name: str) -> int:
        return self.variable(name[1:]) if name.startswith("?") else self.add(Atom(name))

    def _features(self, place: int, shared: dict[str, int], features: dict[str, int]) -> int:
        while place < len(self.text):
            closed = _CLOSE.match(self.text, place)
            if closed is not None:
                return closed.end()
            found = _FEATURE.match(self.text, place)
            if found is None:
                raise NotationError("expected the name of a feature", place)
            sign, name = found.groups()
            if name[0] == "*" and name[-1] == "*" and len(name) > 2:
                if name[1:-1] not in _SPECIAL:
                    raise NotationError("*type* and *slash* are the special features", place)
                name = _SPECIAL[name[1:-1]]
            if name in features:
                raise NotationError(f"{name} has a value already", found.start(2))
            place = found.end()
            if sign:
                features[name] = self.add(Atom(sign == "+"))
            else:
                features[name], place = self._assigned(place, shared)
            place = self._separated(place)
        raise NotationError("expected ']'", place)

    def _assigned(self, place: int, shared: dict[str, int]) -> tuple[int, int]:
        arrow = _ARROW.match(self.text, place)
        if arrow is not None:
            return self._target(arrow.end(), shared)
        equals = _EQUALS.match(self.text, place)
        if equals is None:
            raise NotationError("expected '=' and a value", place)
        return self.value(equals.end(), shared)

    def _target(self, place: int, shared: dict[str, int]) -> tuple[int, int]:
        found = _TARGET.match(self.text, place)
        if found is None or found.group(1) not in shared:
            raise NotationError("expected the number of a value before, such as (1)", place)
        return shared[found.group(1)], found.end()

    def _separated(self, place: int) -> int:
        if _CLOSE.match(self.text, place):
            return place
        comma = _COMMA.match(self.text, place)
        if comma is None:
            found = re.compile(r"\s*").match(self.text, place)
            raise NotationError("expected ',' or ']'", found.end() if found else place)
        return comma.end()

    def _list(self, place: int, shared: dict[str, int]) -> tuple[Node, int]:
        items: list[int] = []
        while place < len(self.text):
            closed = _CLOSE.match(self.text, place)
            if closed is not None:
                return Listed(tuple(items)), closed.end()
            arrow = _ARROW.match(self.text, place)
            read = self._target if arrow is not None else self.value
            item, place = read(place if arrow is None else arrow.end(), shared)
            items.append(item)
            place = self._separated(place)
        raise NotationError("expected ']'", place)

    def value(self, place: int, shared: dict[str, int]) -> tuple[int, int]:
        """Read a value; return its node and where it ends."""
        return self._deeper(self._value, place, shared)

    def _deeper(self, read: _Reading, place: int, shared: dict[str, int]) -> tuple[int, int]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotationError(f"values are nested more than {DEEPEST} deep", place)
        try:
            return read(place, shared)
        finally:
            self.depth -= 1

    def _value(self, place: int, shared: dict[str, int]) -> tuple[int, int]:
        text = self.text
        if _OPEN.match(text, place):
            return self._structure(place, shared)
        for pattern, read in _VALUES:
            found = pattern.match(text, place)
            if found is not None:
                return read(self, found), found.end()
        for closing, start in (("}", "{"), (")", "(")):
            if text.startswith(start, place):
                return self._sequence(place + 1, closing, shared)
        raise NotationError("expected a value", place)

    def _sequence(self, place: int, closing: str, shared: dict[str, int]) -> tuple[int, int]:
        """Read the rest of a tuple or set."""
        end = re.compile(rf"\s*/?\s*{re.escape(closing)}")
        between = re.compile(rf"\s*(,|\+|(?={re.escape(closing)}))\s*")
        items: list[int] = []
        joined = False
        while True:
            closed = end.match(self.text, place)
            if closed is not None:
                kind = "set" if closing == "}" else "tuple"
                return self.sequence(items, kind, joined), closed.end()
            item, place = self.value(place, shared)
            items.append(item)
            found = between.match(self.text, place)
            if found is None:
                raise NotationError(f"expected ',', '+' or '{closing}'", place)
            joined = joined or found.group(1) == "+"
            place = found.end()

    def logic(self, text: str) -> int:
        """Return the term of an expression with variables, which become numbered gaps."""
        names: list[str] = []

        def gap(found: re.Match[str]) -> str:
            name = found.group().removeprefix("?")
            if name not in names:
                names.append(name)
            return f"?{names.index(name)}"

        gapped = _GAPS.sub(gap, text)
        try:
            gapped, kind = write_logic(read_logic(gapped)), "logic"
        except LogicError:
            kind = "text"
        arguments = tuple(map(self.variable, names))
        return self.add(Term(Symbol(kind, gapped, computed=bool(names)), arguments))

    def sequence(self, items: list[int], kind: str, joined: bool) -> int:
        """Return a tuple or set; of items that are to be joined, one as soon as it can be."""
        variable = any(self.nodes[item] is VARIABLE for item in items)
        if kind == "set":
            names = {place: name for name, place in self.variables.items()}
            items.sort(key=lambda item: (names.get(item, ""), repr(self.nodes[item])))
        if joined and variable and len(items) > 1:
            return self.add(Term(Symbol(JOINED[kind], computed=True), tuple(items)))
        if joined and variable:
            return items[0]
        if joined:
            flat = [each for item in items for each in self._flat(item, kind)]
            return self.sequence(flat, kind, joined=False)
        return self.add(Term(Symbol(kind, computed=kind == "set" and variable), tuple(items)))

    def _flat(self, item: int, kind: str) -> tuple[int, ...]:
        node = self.nodes[item]
        return node.arguments if isinstance(node, Term) and node.symbol.kind == kind else (item,)


_Read = Callable[[StructureReader, "re.Match[str]"], int]


def _read_quoted(reader: StructureReader, found: re.Match[str]) -> int:
    return reader.add(Atom(re.sub(r"\\(.)", r"\1", found.group(1)[1:-1])))


def _read_number(reader: StructureReader, found: re.Match[str]) -> int:
    try:
        return reader.add(Atom(int(found.group())))
    except ValueError:
        message = f"the number {quote(found.group())} has too many digits"
        raise NotationError(message, found.start()) from None


def _read_word(reader: StructureReader, found: re.Match[str]) -> int:
    return reader.add(Atom(_CONSTANTS.get(found.group(), found.group())))


_VALUES: tuple[tuple[re.Pattern[str], _Read], ...] = (
    (_VARIABLE, lambda reader, found: reader.variable(found.group(1))),
    (_QUOTED, _read_quoted),
    (_NUMBER, _read_number),
    (_WORD, _read_word),
    (_CALL, lambda reader, found: reader.logic(f"{found.group(1)}({found.group(2)})")),
    (_LOGIC, lambda reader, found: reader.logic(found.group(1))),
)
