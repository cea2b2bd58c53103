"""Contexts: in which readings something holds, as decision diagrams over choices.

A choice has alternatives A₁ … Aₙ, of which exactly one holds where the context of the choice does,
and none elsewhere. A reading is a value for each choice: the number of its alternative, or 0 where
none holds. A context is a set of readings, made from alternatives by *and*, *or* and *not*.

A diagram is the number of a node: `NEVER`, `ALWAYS`, or one that looks at a choice and has a child
for each of its values. Equal sets have the same number, since nodes are shared, choices come in one
order and no node has only equal children.

Reference: Bryant (1986), "Graph-Based Algorithms for Boolean Function Manipulation"; Maxwell and
Kaplan (1995), "A Method for Disjunctive Constraint Satisfaction", for contexts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NEVER, ALWAYS = 0, 1
MOST_NODES = 200_000
"""Diagrams of more nodes in all are refused."""

_END = 1 << 60  # comes after every choice


class TooManyNodes(ValueError):  # noqa: N818
    """Contexts that have too much to do with each other."""


class Diagrams:
    """All contexts of a file.

    >>> one = Diagrams()
    >>> choice = one.add_choice(2, ALWAYS)
    >>> first, second = one.alternative(choice, 1), one.alternative(choice, 2)
    >>> one.both(first, second) == NEVER, one.either(first, second) == ALWAYS
    (True, True)
    >>> one.negate(first) == second
    True
    """

    def __init__(self) -> None:
        self.choices: list[int] = []  # how many alternatives each has
        self.contexts: list[int] = []  # where each is made
        self._levels = [_END, _END]
        self._children: list[tuple[int, ...]] = [(), ()]
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._products: dict[tuple[int, int], int] = {}
        self._negations: dict[int, int] = {NEVER: ALWAYS, ALWAYS: NEVER}

    def add_choice(self, alternatives: int, context: int) -> int:
        """Add a choice that depends on none but earlier ones, and return its number."""
        self.choices.append(alternatives)
        self.contexts.append(context)
        return len(self.choices) - 1

    def choice_of(self, node: int) -> int:
        """Return the first choice that a context depends on; a huge number where it is known."""
        return self._levels[node]

    def given(self, node: int, choice: int, value: int) -> int:
        """Return what is left of a context that depends on no earlier choice, given this one."""
        return self._children[node][value] if self._levels[node] == choice else node

    def alternative(self, choice: int, value: int) -> int:
        """Return the context of an alternative, counted from 1."""
        return self._node(choice, [int(value == v) for v in range(self.choices[choice] + 1)])

    def negate(self, node: int) -> int:
        """Return where a context does not hold."""
        if node not in self._negations:
            below = [self.negate(child) for child in self._children[node]]
            self._negations[node] = self._node(self._levels[node], below)
        return self._negations[node]

    def both(self, left: int, right: int) -> int:
        """Return where two contexts hold."""
        if left == right or right == ALWAYS:
            return left
        if left == ALWAYS:
            return right
        if NEVER in (left, right):
            return NEVER
        key = (left, right) if left < right else (right, left)
        if key not in self._products:
            choice = min(self._levels[left], self._levels[right])
            values = range(self.choices[choice] + 1)
            below = [
                self.both(self.given(left, choice, v), self.given(right, choice, v)) for v in values
            ]
            self._products[key] = self._node(choice, below)
        return self._products[key]

    def either(self, left: int, right: int) -> int:
        """Return where one of two contexts holds, or both do."""
        return self.negate(self.both(self.negate(left), self.negate(right)))

    def all_of(self, nodes: Iterable[int]) -> int:
        """Return where all of some contexts hold."""
        found = ALWAYS
        for node in nodes:
            found = self.both(found, node)
        return found

    def any_of(self, nodes: Iterable[int]) -> int:
        """Return where at least one of some contexts holds."""
        return self.negate(self.all_of(map(self.negate, nodes)))

    def _node(self, choice: int, children: Sequence[int]) -> int:
        if self.contexts[choice] == ALWAYS:
            # The value 0 does not occur: let it be like another, so that less is told apart.
            children = [children[1], *children[1:]]
        if children.count(children[0]) == len(children):
            return children[0]
        key = (choice, tuple(children))
        if key not in self._numbers:
            if len(self._levels) >= MOST_NODES:
                raise TooManyNodes("its contexts depend on too many choices at once")
            self._numbers[key] = len(self._levels)
            self._levels.append(choice)
            self._children.append(key[1])
        return self._numbers[key]
