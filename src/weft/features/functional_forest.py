"""Packed forests of lexical-functional analyses whose edges bear the properties of analyses.

An edge says by how much a constituent has more of each feature than its daughters have; over a
whole analysis that sums up to what the property says of it. The difference is the same whichever
derivations the daughters have: the forest tells them apart by all of their f-structures that
statements outside can still ask for or add to, and here vertices become several, so that all
derivations of one look the same from above to every property (`FunctionalProperty.view`).

What no statement says is not seen: a property that counts nodes in a way that their f-structures do
not decide may still differ. Each edge is therefore asked twice, over two derivations of its tails,
and sums over some whole analyses, far from each other, are compared with what is said of these.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from weft.errors import LimitError, NotDefined, OptionError, quote
from weft.features.compile import LARGEST_FOREST
from weft.features.functional import (
    FUNCTIONAL,
    FunctionalProperty,
    Functions,
    functional_features,
)
from weft.lfg.forest import AtEnd, LfgForest
from weft.lfg.reference.solve import Run, Solution
from weft.lfg.replay import finish, look
from weft.structures.derivation import Derivation, derivation_of, preorder
from weft.structures.hypergraph import edges_of, tails_of
from weft.structures.parse_set import Packed, PackedEdge

ROOT = "root"
_COMPARED = 12
"""How many whole analyses sums over edges are compared with."""
Way = tuple[int, tuple[int, ...]]
"""An edge of the forest, with the vertices of the packed one that it is over."""


class Row(NamedTuple):
    """An edge of a packed forest: its head, and its features."""

    head: int
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PackedAnalyses:
    """The optimal analyses of a sentence, packed for parse selection.

    Attributes:
        forest: All analyses.
        packed: The optimal ones, with features on edges.
        ways: What each edge of it was made of.
        heads: The vertex that each way makes.
    """

    forest: LfgForest
    packed: Packed
    ways: tuple[Way, ...]
    heads: Mapping[Way, int]

    def edges(self, derivation: Derivation) -> tuple[int, ...]:
        """Return the packed edges of an optimal analysis.

        Raises:
            KeyError: If it is not optimal.
        """
        numbers = {
            (way, edge.node == ROOT): number
            for number, (way, edge) in enumerate(zip(self.ways, self.packed.edges, strict=True))
        }
        made: list[int] = []
        found: list[Way] = []
        for edge in reversed(preorder(derivation)):
            if self.forest.steps[edge] is not None:
                below = tuple(made.pop() for _ in tails_of(self.forest.hypergraph, edge))
                found.append((edge, below))
                made.append(self.heads[edge, below])
        top = found.pop()
        return tuple(sorted({numbers[top, True], *(numbers[way, False] for way in found)}))

    def features(self, derivation: Derivation) -> dict[str, float]:
        """Return the features of an optimal analysis: the sums over its packed edges."""
        total = Counter[str]()
        for edge in self.edges(derivation):
            total.update(self.packed.edges[edge].features)
        return {name: float(value) for name, value in total.items() if value}

    def derivation(self, edges: Sequence[int]) -> Derivation:
        """Return the derivation of packed edges, which are in pre-order."""
        numbers = [self.ways[edge][0] for edge in edges]
        above = self.forest.tops[int(self.forest.hypergraph.heads[numbers[0]])]
        whole = numbers if above is None else [above, *numbers]
        return derivation_of(self.forest.hypergraph, whole)


def pack_forest(
    forest: LfgForest,
    functions: Functions,
    properties: Iterable[FunctionalProperty] = tuple(FUNCTIONAL.values()),
) -> PackedAnalyses:
    """Return the optimal analyses of a forest as parse selection takes them, without listing them.

    Raises:
        ValueError: If there is no analysis.
        OptionError: If a property looks at whole analyses.
        NotDefined: If what a property says is no sum over the parts of this forest.
        LimitError: If it would have too many edges.
    """
    if not forest.optimal:
        raise ValueError(f"{' '.join(forest.words)!r} has no analysis to pack")
    given = tuple(properties)
    for each in given:
        if each.view is None:
            raise OptionError(
                f"the property '{each.name}' looks at whole analyses, and those of "
                f"{quote(' '.join(forest.words))} are to be packed; list them"
            )
    packer = _Packer(forest, functions, given)
    packer.fill()
    found = packer.pack()
    # There may be more analyses than a machine word counts.
    last, steps = forest.optimal - 1, _COMPARED - 1
    for number in sorted({last * step // steps for step in range(_COMPARED)}):
        derivation = forest.derivation(number)
        whole = functional_features(forest.show(derivation), functions, given)
        packer.check(found.features(derivation), whole)
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """A derivation of a vertex that stands for all of them."""

    edge: int
    below: tuple[_Part, ...]
    solution: Solution
    features: Counter[str]


@dataclass(slots=True)
class _Packer:
    forest: LfgForest
    functions: Functions
    properties: tuple[FunctionalProperty, ...]
    run: Run = field(init=False)
    reuses: bool = field(init=False)
    views: list[dict[Hashable, int]] = field(init=False)
    parts: list[tuple[_Part, _Part]] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    rows: dict[Way, Row] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.run = Run(self.forest.kernel.solver, self.forest.lattice)
        # What is over no words may come twice in an analysis, with f-structures of their own.
        self.reuses = all(start < end for start, end, _ in self.forest.spans)
        self.views = [{} for _ in self.forest.spans]

    def fill(self) -> None:
        for edge, (head, tails) in enumerate(edges_of(self.forest.hypergraph)):
            if self.forest.steps[edge] is None:
                continue
            choices = [tuple(self.views[tail].values()) for tail in tails]
            if len(self.rows) + math.prod(map(len, choices)) > LARGEST_FOREST:
                raise LimitError(
                    f"the forest of {quote(' '.join(self.forest.words))} has more than "
                    f"{LARGEST_FOREST:,} edges, once nodes are told apart by properties"
                )
            for below in itertools.product(*choices):
                self.add(edge, head, below)

    def add(self, edge: int, head: int, below: tuple[int, ...]) -> None:
        """Add an edge over some of the vertices that its tails have become."""
        first, last = ([self.parts[each][end] for each in below] for end in (0, -1))
        part, more = self.join(edge, first)
        other = part
        if any(one is not two for one, two in zip(first, last, strict=True)):
            other, again = self.join(edge, last)
            self.check(more, again)
        tree = part.solution.tree
        view = tuple(each.view(tree) for each in self.properties if each.view is not None)
        number = self.views[head].setdefault(view, len(self.parts))
        if number == len(self.parts):
            self.parts.append((part, other))
            self.places.append(head)
        else:
            self.parts[number] = (self.parts[number][0], other)
        self.rows[edge, below] = Row(number, more)

    def join(self, edge: int, below: Sequence[_Part]) -> tuple[_Part, dict[str, float]]:
        """Return an edge over derivations of its tails, and what it has more than they have."""
        made = [each.solution if self.reuses else self.renew(each) for each in below]
        solution = self.forest.replay_edge(self.run, edge, made)
        features = Counter[str]()
        way = self.forest.steps[edge]
        if isinstance(way, AtEnd):
            analysis = finish(self.run, solution, (way.number, way.count))
        else:
            analysis = look(self.run, solution)
        features.update(functional_features(analysis, self.functions, self.properties))
        more = features.copy()
        for each in below:
            more.subtract(each.features)
        found = {name: float(value) for name, value in sorted(more.items()) if value}
        return _Part(edge, tuple(below), solution, features), found

    def renew(self, part: _Part) -> Solution:
        return self.forest.replay_edge(
            self.run, part.edge, [self.renew(each) for each in part.below]
        )

    def check(self, one: Mapping[str, float], two: Mapping[str, float]) -> None:
        names = {name.partition(":")[0] for name, _ in one.items() ^ two.items()}
        if names:
            raise NotDefined(
                f"what the property '{min(names)}' says is no sum over the parts of "
                f"{quote(' '.join(self.forest.words))}; list its analyses"
            )

    # ------------------------------------------------------------------------------ the result

    def pack(self) -> PackedAnalyses:
        spans = self.forest.spans
        numbers = [spans[place][2] for place in self.places]
        labels = [self.forest.categories[each] if each >= 0 else ROOT for each in numbers]
        tops = {number for vertex in self.forest.tops for number in self.views[vertex].values()}
        inside = self.reach(tops)
        edges: list[PackedEdge] = []
        ways: list[Way] = []

        def name(number: int) -> str:
            start, end, _ = spans[self.places[number]]
            return f"{labels[number]}:{start}-{end}:{number}"

        for way, row in self.rows.items():
            nodes = [name(row.head)] if row.head in inside else []
            for node in [*nodes, ROOT] if row.head in tops else nodes:
                children = tuple(map(name, way[1]))
                words = self.words(way[0])
                edges.append(PackedEdge(node, labels[row.head], children, words, row.features))
                ways.append(way)
        heads = {way: row.head for way, row in self.rows.items()}
        return PackedAnalyses(self.forest, Packed(tuple(edges), ROOT), tuple(ways), heads)

    def words(self, edge: int) -> tuple[str, ...]:
        steps = self.forest.steps[edge]
        if isinstance(steps, tuple) and steps and steps[0][0] < 0:
            return (self.forest.entries[-1 - steps[0][0]].text,)
        return ()

    def reach(self, tops: Iterable[int]) -> set[int]:
        """The vertices below some, which have higher numbers than what is below them."""
        found: set[int] = set()
        above = set(tops)
        for (_, below), row in reversed(self.rows.items()):
            if row.head in above or row.head in found:
                found.update(below)
        return found
