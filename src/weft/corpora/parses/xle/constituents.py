"""Features of c-structures: rules, put together from XLE's binary subtrees.

``subtree(7, 'NP', 5, 3)`` says that node 7 is an NP whose last daughter is node 3, and that those
before it are the daughters of 5, which is not a node of its own; ``-`` stands for none. A daughter
is a subtree, too, or a terminal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from weft.corpora.parses.xle.contexts import NEVER, Diagrams
from weft.corpora.parses.xle.functions import Fact, Feature

MOST_WAYS = 64
"""A node with more ways to be built has features of single daughters instead of whole rules."""

_Ways = dict[tuple[str, ...], int]


def constituent_features(diagrams: Diagrams, facts: Iterable[Fact]) -> Iterator[Feature]:
    """Yield the rules of a c-structure, each with its context: ``rule NP → D N``.

    Args:
        diagrams: The contexts.
        facts: All facts; those that are neither subtrees nor terminals are left alone.
    """
    return _Tree(diagrams, facts).features()


class _Tree:
    def __init__(self, diagrams: Diagrams, facts: Iterable[Fact]) -> None:
        self.diagrams = diagrams
        self.labels: dict[int, dict[str, int]] = defaultdict(dict)
        self.subtrees: dict[int, list[tuple[str, int | None, int, int]]] = defaultdict(list)
        for context, fact in facts:
            number, name, *rest = (*fact.arguments, None, None)[:4]
            if not isinstance(number, int) or not isinstance(name, str | int | float):
                continue
            if fact.name == "terminal":
                self.label(number, f"'{name}'", context)
            elif fact.name == "subtree" and isinstance(rest[1], int):
                self.label(number, str(name), context)
                left = rest[0] if isinstance(rest[0], int) else None
                self.subtrees[number].append((str(name), left, rest[1], context))
        self.ways: dict[int, _Ways | None] = {}

    def label(self, number: int, name: str, context: int) -> None:
        known = self.labels[number]
        known[name] = self.diagrams.either(known.get(name, NEVER), context)

    def names(self, number: int) -> list[tuple[str, int]]:
        """What a daughter is, with the contexts of each; a question mark where it is nothing."""
        known = self.labels.get(number, {})
        nothing = self.diagrams.negate(self.diagrams.any_of(known.values()))
        return [*known.items(), ("?", nothing)]

    def features(self) -> Iterator[Feature]:
        every = [each for found in self.subtrees.values() for each in found]
        # What only stands before a last daughter is part of a node.
        parts = {left for _, left, _, _ in every} - {right for _, _, right, _ in every}
        taken: set[int] = set()
        for number in self.subtrees:
            if number in parts:
                continue
            ways = self.expand(number)
            if ways is not None:
                for (mother, *daughters), context in ways.items():
                    yield f"rule {mother} → {' '.join(daughters)}", context
                continue
            for mother, _, right, context in self.chain(number, taken):
                for daughter, here in self.names(right):
                    yield f"rule {mother} → … {daughter}", self.diagrams.both(context, here)

    def expand(self, number: int) -> _Ways | None:
        """Mother and daughters, with the contexts of each; None where there are too many."""
        if number not in self.ways:
            self.ways[number] = self.expanded(number)
        return self.ways[number]

    def expanded(self, number: int) -> _Ways | None:
        found: _Ways = {}
        both = self.diagrams.both
        for mother, left, right, context in self.subtrees.get(number, ()):
            before: _Ways | None = {("",): context} if left is None else self.expand(left)
            if before is None:
                return None
            for (_, *daughters), here in before.items():
                within = both(context, here)
                for daughter, known in self.names(right):
                    way = (mother, *daughters, daughter)
                    added = both(within, known)
                    if added != NEVER:
                        found[way] = self.diagrams.either(found.get(way, NEVER), added)
            if len(found) > MOST_WAYS:
                return None
        return found

    def chain(self, number: int, taken: set[int]) -> Iterator[tuple[str, int | None, int, int]]:
        """The subtrees of a node and of its parts that are not yet taken."""
        waiting: list[int | None] = [number]
        while waiting:
            part = waiting.pop()
            if part is not None and part not in taken:
                taken.add(part)
                yield from self.subtrees.get(part, ())
                waiting.extend(left for _, left, _, _ in self.subtrees.get(part, ()))
