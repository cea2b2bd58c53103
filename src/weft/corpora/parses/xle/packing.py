"""Readings as a packed forest, by a sum over choices with a frontier.

Choices are made one after the other. What was chosen is forgotten but for what later choices need:
a vertex is a choice with a *state*, what is left of every context that has begun and is not yet
decided. A feature is counted on the edge that decides its context. So there is one derivation for
each reading, and its features are those whose contexts hold there; a context of choices that lie
far apart only makes more states between them.

Reference: Geman and Johnson (2002), "Dynamic programming for parsing and estimation of stochastic
unification-based grammars".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from weft.corpora.parses.xle.contexts import ALWAYS, NEVER, Diagrams
from weft.structures.parse_set import Packed, PackedEdge

RULE = "choice"
"""The rule of all edges: properties of rules then tell no readings apart."""

MOST_EDGES = 100_000
MOST_WORK = 5_000_000
MOST_LOOKED_AT = 20_000
_TOP = "top"
_WRONG = "\0wrong"  # no attribute, category or word has this in its name

_Counts = frozenset[tuple[str, float]]
_State = tuple[tuple[int, int], ...]


class TooManyStates(ValueError):  # noqa: N818
    """A forest that would be too large."""


@dataclass(frozen=True, slots=True)
class Forest:
    """A packed forest of readings.

    Attributes:
        packed: The forest.
        right: The edges of readings in which nothing is said to be wrong.
        readings: How many readings there are.
    """

    packed: Packed
    right: tuple[int, ...]
    readings: int


def pack(
    diagrams: Diagrams,
    features: Iterable[tuple[str, int]],
    wrong: Iterable[int] = (),
    names: Sequence[Sequence[str]] = (),
) -> Forest:
    """Pack the readings of a file.

    >>> diagrams = Diagrams()
    >>> both = diagrams.add_choice(2, ALWAYS)
    >>> forest = pack(diagrams, [("x", diagrams.alternative(both, 2)), ("y", ALWAYS)])
    >>> [(edge.node, edge.children, edge.features) for edge in forest.packed.edges]
    [('top', ('1.0',), {'y': 1.0}), ('1.0', (), {}), ('1.0', (), {'x': 1.0})]

    Args:
        diagrams: The choices and contexts.
        features: Names with the contexts in which each counts one.
        wrong: Contexts that hold in no right reading.
        names: What the alternatives of each choice are called.

    Raises:
        TooManyStates: If there are too many edges.
    """
    bags: dict[int, Counter[str]] = defaultdict(Counter)
    for name, context in _joined(diagrams, features):
        bags[context][name] += 1
    for context in wrong:
        bags[context][_WRONG] += 1
    return _Packing(diagrams, bags, names).forest()


def _joined(diagrams: Diagrams, features: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Features of one name whose contexts exclude each other are one: less has to be told apart."""
    open_contexts: dict[str, int] = {}
    for name, context in features:
        before = open_contexts.get(name, NEVER)
        if diagrams.both(before, context) != NEVER:
            yield name, context
        else:
            open_contexts[name] = diagrams.either(before, context)
    yield from open_contexts.items()


@dataclass(slots=True)
class _Vertex:
    """A state of a choice, and how many readings lead here."""

    name: str
    readings: int = 0


class _Packing:
    def __init__(
        self,
        diagrams: Diagrams,
        bags: Mapping[int, Counter[str]],
        names: Sequence[Sequence[str]],
    ) -> None:
        self.diagrams = diagrams
        self.names = names
        self.bags = bags
        # Whether a choice is made is one more context; its key is negative, and it is not counted.
        self.begins: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for node in bags:
            self.begins[diagrams.choice_of(node)].append((node, node))
        for choice, node in enumerate(diagrams.contexts):
            self.begins[diagrams.choice_of(node)].append((-1 - choice, node))
        self.edges: list[PackedEdge] = []
        self.right: list[int] = []
        self.work = 0

    def forest(self) -> Forest:
        count = len(self.diagrams.choices)
        bag = self.bags.get(ALWAYS, Counter())
        wrong = _WRONG in bag
        self.edge(_TOP, ("1.0",) if count else (), bag, not wrong)
        # Whether a reading is still right is part of the state: edges of right readings then make
        # no others.
        start = _Vertex("1.0", 1)
        layer: dict[tuple[_State, bool], _Vertex] = {((), not wrong): start}
        for choice in range(count):
            layer = self.layer(choice, layer)
        return Forest(
            Packed(tuple(self.edges), _TOP),
            self.whole(),
            sum(vertex.readings for vertex in layer.values()),
        )

    def layer(
        self, choice: int, layer: Mapping[tuple[_State, bool], _Vertex]
    ) -> dict[tuple[_State, bool], _Vertex]:
        """Make one choice in all states; the states after it."""
        last = choice + 1 == len(self.diagrams.choices)
        following: dict[tuple[_State, bool], _Vertex] = {}
        for (state, is_right), vertex in layer.items():
            pending = (*state, *self.begins[choice])
            for value in self.values(choice, state):
                left, bag = self.step(pending, choice, value)
                right = is_right and _WRONG not in bag
                if last:  # nothing is left, and right ones are told by their edges
                    left = ()
                after = following.get((left, right))
                if after is None:
                    after = _Vertex(f"{choice + 2}.{len(following)}")
                    following[left, right] = after
                after.readings += vertex.readings
                name = self.names[choice][value - 1] if self.names and value else ""
                self.edge(vertex.name, () if last else (after.name,), bag, right, name)
        return following

    def values(self, choice: int, state: _State) -> Iterable[int]:
        context = self.diagrams.contexts[choice]
        made = context == ALWAYS or (-1 - choice, ALWAYS) in state
        return range(1, self.diagrams.choices[choice] + 1) if made else (0,)

    def step(self, pending: _State, choice: int, value: int) -> tuple[_State, Counter[str]]:
        """What is left of contexts, given one more choice, and the features that are decided."""
        self.work += len(pending) + 1
        if self.work > MOST_WORK:
            raise TooManyStates("its contexts depend on too many choices at once")
        left: list[tuple[int, int]] = []
        bag: Counter[str] = Counter()
        for key, node in pending:
            rest = self.diagrams.given(node, choice, value)
            if rest == ALWAYS and key > 0:
                bag.update(self.bags[key])
            elif rest != NEVER and key != -1 - choice:
                left.append((key, rest))
        return tuple(left), bag

    def edge(
        self,
        node: str,
        children: tuple[str, ...],
        bag: Counter[str],
        right: bool,
        name: str = "",
    ) -> None:
        if len(self.edges) >= MOST_EDGES:
            raise TooManyStates(f"it would have more than {MOST_EDGES:,} edges")
        features = {name: float(count) for name, count in bag.items() if name != _WRONG}
        if right:
            self.right.append(len(self.edges))
        self.edges.append(PackedEdge(node, RULE, children, (), features, name=name))

    def whole(self) -> tuple[int, ...]:
        """The right edges from which a right reading can be finished."""
        found: list[int] = []
        finished: set[str] = set()
        for number in reversed(self.right):
            edge = self.edges[number]
            if finished.issuperset(edge.children):
                finished.add(edge.node)
                found.append(number)
        return tuple(reversed(found))


def find_reading(packed: Packed, features: Mapping[str, float]) -> tuple[int, ...] | None:
    """Return the edges of the first reading that has exactly some features; None if there is none.

    >>> edges = (PackedEdge("top", RULE), PackedEdge("top", RULE, features={"x": 1.0}))
    >>> find_reading(Packed(edges, "top"), {"x": 1.0})
    (1,)

    Raises:
        TooManyStates: If too many have to be looked at.
    """
    by_node: dict[str, list[int]] = defaultdict(list)
    for number, edge in enumerate(packed.edges):
        by_node[edge.node].append(number)
    wanted = frozenset((name, value) for name, value in features.items() if value)
    waiting: list[tuple[str | None, _Counts, tuple[int, ...]]] = [(packed.root, wanted, ())]
    seen: set[tuple[str | None, _Counts]] = set()
    while waiting:
        node, missing, used = waiting.pop()
        if node is None:
            if not missing:
                return used
            continue
        for number in reversed(by_node[node]):
            edge = packed.edges[number]
            rest = _without(missing, edge.features)
            child = edge.children[0] if edge.children else None
            if rest is not None and (child, rest) not in seen:
                seen.add((child, rest))
                waiting.append((child, rest, (*used, number)))
        if len(seen) > MOST_LOOKED_AT:
            raise TooManyStates("too many of its readings are alike")
    return None


def _without(missing: _Counts, features: Mapping[str, float]) -> _Counts | None:
    """What is missing after some more features; None where there is one too many."""
    if not features:
        return missing
    counts = dict(missing)
    for name, value in features.items():
        counts[name] = counts.get(name, 0.0) - value
        if counts[name] < 0:
            return None
    return frozenset((name, value) for name, value in counts.items() if value)
