"""A feature grammar without its features: which categories its rules may be about.

A side of no name may be of any category; two of them whose names are one value are of the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from weft.unification.grammar import FeatureGrammar, FeatureRule, category_of
from weft.unification.structure import TYPE, find, part


@dataclass(frozen=True, slots=True)
class Side:
    """A category on the right side of a rule, from 0."""

    rule: FeatureRule
    number: int

    def __str__(self) -> str:
        place = f"{self.rule.path}:{self.rule.line}: " if self.rule.line else ""
        return f"{place}{part(self.rule.structure, self.rule.sides[self.number + 1])}"


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The categories of a grammar and of its rules.

    Attributes:
        start: What a sentence is.
        rules: The rules.
        names: All categories that have a name.
    """

    start: str
    rules: tuple[FeatureRule, ...]
    names: frozenset[str]

    def lefts(self, rule: FeatureRule) -> frozenset[str]:
        """What a rule may be for."""
        return self._named(rule, 0)

    def rights(self, side: Side) -> frozenset[str]:
        """What a side may be."""
        return self._named(side.rule, side.number + 1)

    def pairs(self, side: Side) -> Iterator[tuple[str, str]]:
        """What a rule may be for, and then a side of it be."""
        lefts, rights = self.lefts(side.rule), self.rights(side)
        if _is_own(side):
            return ((name, name) for name in lefts)
        return ((left, right) for left in lefts for right in rights)

    def sides(self) -> Iterator[Side]:
        """The categories of all right sides."""
        return (side for rule in self.rules for side in sides_of(rule))

    def _named(self, rule: FeatureRule, number: int) -> frozenset[str]:
        name = category_of(rule.structure, rule.sides[number])
        return self.names if name is None else frozenset({name})


def outline(grammar: FeatureGrammar) -> Outline:
    """Return the outline of a grammar."""
    rules = grammar.rules
    found = {category_of(rule.structure, side) for rule in rules for side in rule.sides}
    names = frozenset(name for name in found if name is not None)
    return Outline(category_of(grammar.start, 0) or "", rules, names)


def sides_of(rule: FeatureRule) -> list[Side]:
    """Return the categories of a right side."""
    return [Side(rule, number) for number, word in enumerate(rule.words) if word is None]


def reachable(outlined: Outline) -> set[str]:
    """Return the categories that a sentence may have in it."""
    below: defaultdict[str, set[str]] = defaultdict(set)
    for side in outlined.sides():
        for left, right in outlined.pairs(side):
            below[left].add(right)
    return closure([outlined.start], below)


def closure(start: Iterable[str], below: Mapping[str, set[str]]) -> set[str]:
    """Return all that can be reached."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(below.get(name, ()))
    return reached


def derivable(outlined: Outline, empty: bool = False) -> set[str]:
    """Return the categories that can become words; with ``empty``, no words at all."""
    found: set[str] = set()
    while True:
        more = {
            name
            for rule in outlined.rules
            if not (empty and any(word is not None for word in rule.words))
            and all(not found.isdisjoint(outlined.rights(side)) for side in sides_of(rule))
            for name in outlined.lefts(rule)
        }
        if more <= found:
            return found
        found |= more


def _is_own(side: Side) -> bool:
    """Whether the name of a side is that of the left side, whichever it is."""
    structure = side.rule.structure
    left, right = side.rule.sides[0], side.rule.sides[side.number + 1]
    if left == right:
        return True
    name = find(structure, TYPE, start=left)
    return name is not None and name == find(structure, TYPE, start=right)
