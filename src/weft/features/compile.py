"""Parse sets as bags of features: listed analyses, and packed forests without listing them.

In a forest the features of a derivation are those of its edges. Properties look at the rules of
daughters, and some at nodes above: so a node becomes several, one for each rule at it and for each
of the labels that may stand above it. The derivations remain the same, and every edge has its
features for certain.

Reference: Miyao and Tsujii (2002), "Maximum Entropy Estimation for Feature Forests".
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from weft.errors import EvidenceError, FormatError, LimitError, OptionError, abbreviate
from weft.features.derived import entity, lexical_type
from weft.features.properties import Node, Property, add_names, features
from weft.features.reference import UNKNOWN, Reference, score_candidates
from weft.structures.alternatives import (
    Alternatives,
    FeatureName,
    Selected,
    alternatives,
    row_features,
)
from weft.structures.hypergraph import edges_of, hypergraph
from weft.structures.parse_set import Candidate, Packed, PackedEdge, ParseSet

GIVEN = "given"
"""The kind of features that a file gives."""

LARGEST_FOREST = 1_000_000
"""A forest that would have more edges, once nodes are told apart by those above, is refused."""


def compile_parses(
    parse_set: ParseSet, properties: Sequence[Property], reference: Reference | None = None
) -> Selected:
    """Return a parse set as what estimation needs of it.

    >>> from weft.features.properties import properties
    >>> from weft.structures.tree import Tree
    >>> trees = [Tree("S", (Tree(entry, ("flies",)),)) for entry in ("fly_v", "fly_n")]
    >>> both = ParseSet("1", "flies", tuple(Candidate(tree) for tree in trees), right=(0,))
    >>> compile_parses(both, properties("entries")).tokens.names
    (('entries', 'fly_n'), ('entries', 'fly_v'))

    Args:
        parse_set: The sentence with its analyses.
        properties: What they are told apart by.
        reference: A model that scores them, too, beside the scores that the file gives.

    Raises:
        OptionError: If a property or the reference looks at whole trees, and the analyses are
            packed.
        FormatError: If the forest has a node without edges, or one that is part of itself.
        EvidenceError: If the right edges make no analysis.
        LimitError: If it would have too many edges.
    """
    analyses = parse_set.analyses
    if isinstance(analyses, Packed):
        tokens, origins = expand_packed(analyses, properties, parse_set.source, reference)
        right = parse_set.right
        if right is not None:
            _check_whole(parse_set, analyses, right)
            wanted = {-1, *right}
            right = tuple(row for row, edge in enumerate(origins) if edge in wanted)
        return Selected(tokens, right, parse_set.weight)
    rows = [_candidate(each, properties) for each in analyses]
    base = [each.score for each in analyses]
    if reference is not None:
        scored = score_candidates(reference, analyses, parse_set.source)
        base = [score + each.score for score, each in zip(base, scored, strict=True)]
        rows = [{**row, UNKNOWN: each.unknown} for row, each in zip(rows, scored, strict=True)]
    return Selected(
        alternatives(rows, base, None, parse_set.source), parse_set.right, parse_set.weight
    )


def _check_whole(parse_set: ParseSet, packed: Packed, right: Sequence[int]) -> None:
    """Refuse right edges that make no derivation of the root, by the first node without one."""
    edges = [packed.edges[number] for number in right]
    made: set[str] = set()
    while True:
        more = {edge.node for edge in edges if made.issuperset(edge.children)} - made
        if not more:
            break
        made |= more
    if packed.root in made:
        return
    begun, waiting = {packed.root}, [packed.root]
    missing = packed.root
    while waiting:
        missing = waiting.pop(0)
        below = [child for edge in edges if edge.node == missing for child in edge.children]
        fresh = [child for child in below if child not in made and child not in begun]
        if not below:
            break
        begun.update(fresh)
        waiting.extend(fresh)
    raise EvidenceError(
        f"{parse_set.source or 'a parse set'}: sentence '{abbreviate(parse_set.id)}': the edges "
        "that are said to be right make no whole analysis: none of them makes the node "
        f"'{abbreviate(missing)}'; name all edges of the right analysis, from the root down"
    )


def _candidate(candidate: Candidate, properties: Sequence[Property]) -> dict[FeatureName, float]:
    given = {(GIVEN, name): value for name, value in candidate.features.items()}
    return given if candidate.tree is None else {**features(candidate.tree, properties), **given}


def expand_packed(
    packed: Packed, properties: Sequence[Property], source: str, reference: Reference | None
) -> tuple[Alternatives, list[int]]:
    """Return the forest, and the number of the packed edge that each of its edges comes from.

    Edges that come from none, -1, lead from a new root to the old one, whatever rule is there.

    Raises:
        OptionError: If a property or the reference looks at whole trees.
        FormatError: If the forest has a node without edges, or one that is part of itself.
        LimitError: If it would have too many edges.
    """
    for each in properties:
        if each.of_node is None:
            raise OptionError(
                f"{source or 'a forest'}: the property '{each.name}' looks at whole trees, and the "
                "analyses are packed; take local properties only, such as rules, or list them"
            )
    if reference is not None and reference.of_trees is not None:
        raise OptionError(
            f"{source or 'a forest'}: {reference.why_listed}, and the analyses are packed: list "
            "them, or take a reference that looks at one node at a time, such as a pcfg"
        )
    expansion = _Expansion(packed, properties, source or "a forest", reference)
    order = expansion.order()
    place = {vertex: number for number, vertex in enumerate(order)}
    edges: list[tuple[int, list[int]]] = []
    rows: list[dict[FeatureName, float]] = []
    base: list[float] = []
    origins: list[int] = []
    for vertex in order:
        for number, children in expansion.ways[vertex]:
            edges.append((place[vertex], [place[child] for child in children]))
            score, row = expansion.row(number, vertex, children)
            rows.append(row)
            base.append(score)
            origins.append(number)
    return alternatives(rows, base, hypergraph(len(order), edges), source), origins


def edge_names(
    packed: Packed, properties: Sequence[Property], reference: Reference | None = None
) -> list[str]:
    """Return what the edges of a forest are called that is made as :func:`compile_parses` does it.

    Returns:
        A name for each row, empty where an edge has none; nothing where none has.

    >>> edges = tuple(PackedEdge("top", "choice", name=name) for name in ("A1", "A2"))
    >>> edge_names(Packed(edges, "top"), ())
    ['A1', 'A2', '']
    """
    if not any(edge.name for edge in packed.edges):
        return []
    _, origins = expand_packed(packed, properties, "", reference)
    return ["" if number < 0 else packed.edges[number].name for number in origins]


class _Vertex(NamedTuple):
    """A node of a packed forest, told apart by what properties see of it."""

    node: str
    label: str
    type: str | None
    above: tuple[str, ...]


_TOP = _Vertex("", "", None, ())
_Kind = tuple[str, str | None]


class _Expansion:
    """A packed forest whose nodes are told apart by the rule at them and by those above."""

    def __init__(
        self,
        packed: Packed,
        properties: Sequence[Property],
        where: str,
        reference: Reference | None = None,
    ) -> None:
        self.packed = packed
        self.properties = properties
        self.reference = reference or Reference()
        self.where = where
        self.above = max([each.above for each in properties] + [self.reference.above])
        self.by_kind: dict[str, dict[_Kind, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, edge in enumerate(packed.edges):
            self.by_kind[edge.node][self.kind(edge)].append(number)
        self.count = 0
        self.ways: dict[_Vertex, list[tuple[int, tuple[_Vertex, ...]]]] = {}

    def kind(self, edge: PackedEdge) -> _Kind:
        """The name of an edge's rule, and the type of a lexical entry, which phrases do not have.

        All are alike where no property looks at them.
        """
        if not self.properties and self.reference.of_node is None:
            return "", None
        return entity(edge.rule), None if edge.children else lexical_type(edge.rule)

    def order(self) -> list[_Vertex]:
        """Return the vertices that the root needs, children before heads."""
        order: list[_Vertex] = []
        finished: dict[_Vertex, bool] = {}
        waiting: list[tuple[_Vertex, bool]] = [(_TOP, False)]
        while waiting:
            vertex, is_done = waiting.pop()
            if is_done:
                finished[vertex] = True
                order.append(vertex)
            elif vertex not in finished:
                finished[vertex] = False
                waiting.append((vertex, True))
                self.ways[vertex] = self.expand(vertex)
                waiting.extend(
                    (child, False) for _, children in self.ways[vertex] for child in children
                )
            elif not finished[vertex]:
                raise FormatError(
                    f"the node '{abbreviate(vertex.node)}' is part of itself", path=self.where
                )
        return order

    def expand(self, vertex: _Vertex) -> list[tuple[int, tuple[_Vertex, ...]]]:
        """Return the edges of a vertex, with the number of the packed edge that each is."""
        if vertex is _TOP:
            tops = self.vertices(self.packed.root, ("^",) * self.above)
            return [(-1, (top,)) for top in tops]
        found: list[tuple[int, tuple[_Vertex, ...]]] = []
        for number in self.by_kind[vertex.node][vertex.label, vertex.type]:
            inner = (vertex.label, *vertex.above)[: self.above]
            below = [self.vertices(child, inner) for child in self.packed.edges[number].children]
            self.count += math.prod(map(len, below))
            if self.count > LARGEST_FOREST:
                raise LimitError(f"{self.where}: it has more than {LARGEST_FOREST:,} edges")
            found.extend((number, children) for children in itertools.product(*below))
        return found

    def vertices(self, node: str, above: tuple[str, ...]) -> list[_Vertex]:
        """Return what a node is told apart into."""
        if node not in self.by_kind:
            raise FormatError(
                f"there is no edge for the node '{abbreviate(node)}'", path=self.where
            )
        return [_Vertex(node, *kind, above) for kind in self.by_kind[node]]

    def row(
        self, number: int, vertex: _Vertex, children: Sequence[_Vertex]
    ) -> tuple[float, dict[FeatureName, float]]:
        """Return the log-weight and the features of an edge."""
        if number < 0:
            return 0.0, {}
        edge = self.packed.edges[number]
        found: dict[FeatureName, float] = defaultdict(float)
        label = edge.rule if edge.words else vertex.label
        names = tuple(child.label for child in children)
        types = tuple(child.type for child in children)
        node = Node(label, names, edge.words, vertex.above, types)
        for each in self.properties:
            add_names(found, each, node)
        score, of_node = edge.score + self.reference.given(edge.features), self.reference.of_node
        if of_node is not None:
            scored = of_node(node)
            score, found[UNKNOWN] = score + scored.score, scored.unknown
        return score, {**found, **{(GIVEN, name): value for name, value in edge.features.items()}}


def unpack_parses(example: Selected, most: int = 10_000) -> Selected:
    """Return an example with its analyses listed, as criteria of single analyses need them.

    >>> from weft.features.properties import properties
    >>> edges = tuple(PackedEdge("top", rule, (), ("rain",)) for rule in ("rain_n", "rain_v"))
    >>> rain = ParseSet("1", "rain", Packed(edges, "top"), (1,))
    >>> packed = compile_parses(rain, properties("entries"))
    >>> listed = unpack_parses(packed)
    >>> len(listed.tokens), listed.analysis
    (2, (1,))

    Args:
        example: Packed, or listed already.
        most: How many analyses it may have.

    Raises:
        LimitError: If there are more.
    """
    tokens = example.tokens
    if tokens.forest is None:
        return example
    ways: list[list[tuple[int, ...]]] = [[] for _ in range(tokens.forest.vertex_count)]
    for edge, (head, tails) in enumerate(edges_of(tokens.forest)):
        if len(ways[head]) + math.prod(len(ways[tail]) for tail in tails) > most:
            raise LimitError(f"{tokens.source or 'a forest'}: it has more than {most:,} analyses")
        for below in itertools.product(*(ways[tail] for tail in tails)):
            ways[head].append((edge, *itertools.chain.from_iterable(below)))
    listed = ways[tokens.forest.root]
    rows = [row_features(tokens, each) for each in listed]
    base = [float(tokens.base[list(each)].sum()) for each in listed]
    right = None
    if example.analysis is not None:
        known = frozenset(example.analysis)
        right = tuple(place for place, each in enumerate(listed) if known.issuperset(each))
    return Selected(alternatives(rows, base, None, tokens.source), right, example.weight)
