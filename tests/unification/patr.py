"""Grammars written in the notation of PATR-II."""

from __future__ import annotations

from weft.unification.grammar import category_of
from weft.unification.structure import TYPE, Atom, Struct, Variable


def as_patr(grammar):
    """A grammar whose values are atoms, variables and structures."""
    lines = [f"Parameter: Start symbol is {category_of(grammar.start, 0)}."]
    return "\n".join([*lines, *map(_rule, grammar.rules)])


def _rule(rule):
    structure = rule.structure
    names = [
        f'"{node.value}"' if isinstance(node, Atom) else f"{category_of(structure, side)}_{number}"
        for number, side in enumerate(rule.sides)
        for node in [structure.nodes[side]]
    ]
    seen: dict[int, str] = {}
    equations = [
        equation
        for name, side in zip(names, rule.sides, strict=True)
        for equation in _equations(structure, side, [name], seen)
    ]
    return f"Rule {names[0]} -> {' '.join(names[1:])}: {' '.join(equations)}."


def _equations(structure, place, path, seen):
    node = structure.nodes[place]
    shown = f"<{' '.join(path)}>"
    if isinstance(node, Atom):
        if len(path) > 1:
            yield f"{shown} = {node.value}"
    elif place in seen:
        yield f"{shown} = {seen[place]}"
    elif isinstance(node, Variable):
        seen[place] = shown
        yield f"{shown} = {shown}"
    else:
        assert isinstance(node, Struct)
        seen[place] = shown
        for name, value in node.features:
            if name != TYPE:
                yield from _equations(structure, value, [*path, name], seen)
