"""Small feature structures, with and without sharing, and small grammars, for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from weft.unification.structure import (
    VARIABLE,
    Atom,
    CycleError,
    FeatureStructure,
    Listed,
    Struct,
    Term,
    canonical,
)
from weft.unification.terms import Symbol

FEATURES = ("A", "B", "C")
TUPLE = Symbol("tuple")


@st.composite
def structures(draw: st.DrawFn, shared: bool = True) -> FeatureStructure:
    """A structure of a few nodes; values of each are nodes after it, so that none is cyclic."""
    size = draw(st.integers(1, 6))
    nodes = [draw(_nodes(place, size)) for place in range(size)]
    return canonical(nodes) if shared else canonical(_unfold(nodes, 0))


@st.composite
def _nodes(draw: st.DrawFn, place: int, size: int):
    kinds = ["struct", "struct", "struct", "atom", "variable", "list", "tuple"]
    kind = "struct" if place == 0 else draw(st.sampled_from(kinds))
    if kind == "atom" or place == size - 1:
        values = [Atom(value) for value in ("b", "c", 1, True)]
        return draw(st.sampled_from([*values, VARIABLE])) if place else Struct(())
    if kind == "variable":
        return VARIABLE
    below = st.integers(place + 1, size - 1)
    if kind == "list":
        return Listed(tuple(draw(st.lists(below, min_size=1, max_size=2))))
    if kind == "tuple":
        return Term(TUPLE, tuple(draw(st.lists(below, max_size=2))))
    names = sorted(draw(st.sets(st.sampled_from(FEATURES))))
    return Struct(tuple((name, draw(below)) for name in names))


def _unfold(nodes, root):
    """The same nodes with one of their own for each use."""
    from weft.unification.structure import values_of, with_values

    made = []

    def visit(old):
        place = len(made)
        made.append(None)
        made[place] = with_values(nodes[old], [visit(each) for each in values_of(nodes[old])])
        return place

    visit(root)
    return made


def unified(unify, *structures):
    """What is left of several structures, one after the other; None where nothing is."""
    first, *rest = structures
    for each in rest:
        try:
            first = None if first is None else unify(first, each)
        except CycleError:
            return None
    return first


VALUES = ("a", "b", "?x", "?y", "[F=a]", "[F=?x]", "[F=?x, G=?y]", "(1)[F=?y]", "(a, ?x)", "[?x]")


PLAIN_VALUES = VALUES[:-2]
"""What can be said in equations."""


@st.composite
def categories(draw, names="SAB", plain=False):
    name = draw(st.sampled_from(names))
    features = []
    for feature in ("F", "G"):
        values = PLAIN_VALUES if plain else VALUES
        value = draw(st.sampled_from([None, None, "?x", "?y", *values]))
        if value is not None:
            features.append(f"{feature}={value}")
    if len(features) == 2 and features[0][2:5] == features[1][2:5] == "(1)":
        features[1] = "G->(1)"
    slash = "" if plain else draw(st.sampled_from([*[""] * 8, "/A", "/?z"]))
    return name, features, slash


def written(category, more=()):
    name, features, slash = category
    return f"{name}[{', '.join([*features, *more])}]{slash}"


@st.composite
def grammars(draw):
    """A few rules, with a carried feature here and there."""
    lines = ["% start S"]
    for word in ("u", "v"):
        sem = draw(st.sampled_from([(), ("SEM=<u>",)]))
        lines.append(f"{written(draw(categories()), sem)} -> '{word}'")
        lines.append(f"{written(draw(categories('S')), sem)} -> '{word}'")
    for _ in range(draw(st.integers(1, 5))):
        left, right = draw(categories("SSA")), draw(st.lists(categories(), max_size=3))
        carried = draw(st.booleans())
        meanings = [f"SEM=?s{n}" for n in range(len(right))]
        inside = "".join(f"(?s{n})" for n in range(len(right)))
        sides = [
            written(each, [sem] if carried else [])
            for each, sem in zip(right, meanings, strict=True)
        ]
        if right and draw(st.integers(0, 4)) == 0:
            sides.insert(draw(st.integers(0, len(sides))), "'u'")
        head = written(left, [f"SEM=<f{inside}>"] if carried else [])
        lines.append(f"{head} -> {' '.join(sides)}")
    return "\n".join(lines)


@st.composite
def plain_grammars(draw):
    """A few rules that have features, atoms and variables only."""
    lines = ["% start S"]
    for word in ("u", "v"):
        lines.append(f"{written(draw(categories(plain=True)))} -> '{word}'")
        lines.append(f"{written(draw(categories('S', plain=True)))} -> '{word}'")
    for _ in range(draw(st.integers(1, 5))):
        left = draw(categories("SSA", plain=True))
        right = draw(st.lists(categories(plain=True), max_size=3))
        sides = [written(each) for each in right]
        if right and draw(st.integers(0, 4)) == 0:
            sides.insert(draw(st.integers(0, len(sides))), "'u'")
        lines.append(f"{written(left)} -> {' '.join(sides)}")
    return "\n".join(lines)


@st.composite
def open_grammars(draw):
    """A few rules of PATR-II: categories may be unknown, and values of features."""
    lines = ["Parameter: Start symbol is S."]
    for word in ("u", "v", "v"):
        values = draw(st.lists(st.sampled_from(WORD_VALUES), max_size=2, unique=True))
        lines.append(f"Word {word}: <cat> = {draw(st.sampled_from('SAB'))} {' '.join(values)}.")
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(0, 2))
        sides = [f"{draw(st.sampled_from('SAXX'))}_{number}" for number in range(size + 1)]
        equations = [draw(_equations(sides)) for _ in range(draw(st.integers(0, 3)))]
        lines.append(f"Rule {sides[0]} -> {' '.join(sides[1:])}: {' '.join(equations)}.")
    return "\n".join(lines)


WORD_VALUES = ("<F> = a", "<F G> = a", "<G> = b", "<F cat> = S", "<G cat> = A", "<F> = <G>")


@st.composite
def _equations(draw, sides):
    one, other = draw(st.sampled_from(sides)), draw(st.sampled_from(sides))
    path, value = (draw(st.sampled_from(["F", "G", "F G"])) for _ in range(2))
    found = [f"<{one} {path}> = a", f"<{one} {path}> = <{other} {value}>"]
    if one != other:
        found.append(f"<{one} {path}> = <{other}>")
        if one[0] == "X":
            found += [f"<{one} cat> = <{other} cat>", f"<{one}> = <{other}>"]
    elif one[0] == "X":
        found.append(f"<{one} cat> = {draw(st.sampled_from('SA'))}")
    return draw(st.sampled_from(found))
