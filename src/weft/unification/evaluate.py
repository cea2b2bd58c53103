r"""Terms computed from the values of their arguments.

λ-expressions are filled and reduced, tuples put one after the other, sets taken together. Parsing
needs none of this, for terms only travel upward; it is done for what people see.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.unification.logic import Expression, Name, fill, read_logic, write_logic
from weft.unification.structure import (
    Atom,
    FeatureStructure,
    Node,
    Term,
    Variable,
    canonical,
    values_of,
    with_values,
)
from weft.unification.terms import GAP, JOINED, Symbol

_JOINED = {joined: kind for kind, joined in JOINED.items()}


def evaluate(structure: FeatureStructure) -> FeatureStructure:
    r"""Compute every term of a structure as far as its variables are known.

    >>> from weft.unification import read_structure, unify
    >>> rule = read_structure(r"[SEM=<?f(kim)>, F=?f, ALL=(?s+b), S=?s]")
    >>> print(evaluate(unify(rule, read_structure(r"[F=<\x.bark(x)>, S=(a)]"))))
    [ALL=('a', 'b'), F=<\x.bark(x)>, S=('a'), SEM=<bark(kim)>]
    """
    if not any(isinstance(node, Term) and node.symbol.computed for node in structure.nodes):
        return structure
    made: list[Node] = []
    number: dict[int, int] = {}
    names: dict[int, str] = {}
    known = dict(structure.names)

    def visit(old: int) -> int:
        if old not in number:
            node = structure.nodes[old]
            values = [visit(value) for value in values_of(node)]
            made.append(compute(node, values, made))
            number[old] = len(made) - 1
            if old in known:
                names[number[old]] = known[old]
        return number[old]

    root = visit(0)
    return canonical(made, root, names.get)


def compute(node: Node, values: Sequence[int], made: list[Node]) -> Node:
    """Return a node over values that are computed; nodes that it needs are added to ``made``."""
    if not isinstance(node, Term) or not node.symbol.computed:
        return with_values(node, values)
    if node.symbol.kind == "logic":
        return _filled(node.symbol, values, made)
    if node.symbol.kind == "text":
        return _substituted(node.symbol, values, made)
    return _joined(node.symbol, values, made)


def _filled(symbol: Symbol, values: Sequence[int], made: list[Node]) -> Node:
    expressions = {f"?{gap}": _expression(value, made) for gap, value in enumerate(values)}
    return _gapped("logic", write_logic(fill(read_logic(symbol.text), expressions)))


def _expression(place: int, made: list[Node]) -> Expression:
    """A value as a λ-expression, in which gaps have the numbers of their nodes."""
    node = made[place]
    if isinstance(node, Atom):
        return Name(str(node.value))
    if isinstance(node, Term) and node.symbol.kind == "logic":
        gaps = {f"?{gap}": Name(f"?{value}") for gap, value in enumerate(node.arguments)}
        return fill(read_logic(node.symbol.text), gaps)
    return Name(f"?{place}")


def _substituted(symbol: Symbol, values: Sequence[int], made: list[Node]) -> Node:
    def text(place: int) -> str:
        node = made[place]
        if isinstance(node, Term) and node.symbol.text:
            return GAP.sub(lambda gap: f"?{node.arguments[int(gap[1])]}", node.symbol.text)
        return str(node.value) if isinstance(node, Atom) else f"?{place}"

    return _gapped("text", GAP.sub(lambda gap: text(values[int(gap[1])]), symbol.text))


def _gapped(kind: str, text: str) -> Term:
    """A term of a text whose gaps are numbers of nodes."""
    order = list(dict.fromkeys(int(number) for number in GAP.findall(text)))
    again = GAP.sub(lambda gap: f"?{order.index(int(gap[1]))}", text)
    return Term(Symbol(kind, again, computed=bool(order)), tuple(order))


def _joined(symbol: Symbol, values: Sequence[int], made: list[Node]) -> Node:
    """A concatenation or union; a tuple or set, as soon as no variable is in it."""
    kind = _JOINED.get(symbol.kind, symbol.kind)
    parts = _spliced(values, made, symbol.kind)
    variable = any(isinstance(made[place], Variable) for place in parts)
    if symbol.kind in _JOINED and variable:
        return Term(symbol, tuple(parts))
    if symbol.kind in _JOINED:
        parts = _spliced(parts, made, kind)
    if kind == "set":
        parts = list({repr(made[place]): place for place in parts}.values())
        parts.sort(key=lambda place: repr(made[place]))
    return Term(Symbol(kind, computed=kind == "set" and variable), tuple(parts))


def _spliced(values: Sequence[int], made: list[Node], kind: str) -> list[int]:
    parts: list[int] = []
    for place in values:
        node = made[place]
        inner = isinstance(node, Term) and node.symbol.kind == kind
        parts.extend(node.arguments if inner and isinstance(node, Term) else (place,))
    return parts
