"""All analyses of a sentence by a feature grammar, packed.

A vertex is a constituent: where it begins and ends, and its structure without what is carried; an
edge is a rule over constituents. Alternatives of a vertex are interchangeable in every context, so
that the forest is an ordinary hypergraph: what counts, sums, samples or finds the best derivations
of hypergraphs needs no unification.

Reference: Miyao and Tsujii (2008), "Feature Forest Models for Probabilistic HPSG Parsing"; Oepen
and Carroll (2000), "Ambiguity Packing in Constraint-based Parsing", section 2: equivalence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from weft.arrays import IndexArray
from weft.inference.listing import Listing
from weft.reprs import Pictured, shorten
from weft.structures.derivation import Derivation, preorder
from weft.structures.hypergraph import Hypergraph, edges_of, tails_of
from weft.structures.parse_set import Packed, PackedEdge
from weft.unification.compile import CompiledGrammar
from weft.unification.decode import decode
from weft.unification.evaluate import evaluate
from weft.unification.structure import FeatureStructure
from weft.unification.trees import FeatureTree, make_label

ROOT = "root"


@dataclass(frozen=True, eq=False, repr=False)
class FeatureForest(Listing[FeatureTree], Pictured):
    """The analyses of a sentence.

    It is a sequence of trees in a fixed order: by rules, as they stand in the grammar.

    Attributes:
        words: The sentence.
        compiled: The grammar.
        hypergraph: The packed forest; edges of the root are constituents that are sentences.
        rules: The rule of each edge; of the root's edges, one more than the last. [edges]
        spans: Where each vertex begins and ends, and its category. [vertices, 3]
        objects: Of each vertex, what the kernel knows of its structure.
        truncated: Whether a limit ended the search, so that analyses are missing.
        unknown: Words that are in no rule.
    """

    words: tuple[str, ...]
    compiled: CompiledGrammar
    hypergraph: Hypergraph
    rules: IndexArray
    spans: IndexArray
    objects: tuple[IndexArray, ...]
    truncated: bool = False
    unknown: tuple[str, ...] = ()

    def __repr__(self) -> str:
        more = ", truncated" if self.truncated else ""
        words = shorten(" ".join(self.words))
        things = "analysis" if self.count == 1 else "analyses"
        return f"<FeatureForest of {self.count:,} {things} of {words!r}{more}>"

    def draw(self, number: int = 0) -> str:
        """Return a tree as text, a line for each node, with words at its right.

        Raises:
            IndexError: If there is no such tree.
        """
        return "\n".join(_lines(self[number], 0))

    def show(self, derivation: Derivation) -> FeatureTree:
        """Return the tree of a derivation."""
        made: list[FeatureTree] = []
        for edge in reversed(preorder(derivation)):
            arity = len(tails_of(self.hypergraph, edge))
            below = [made.pop() for _ in range(arity)]
            if self.rules[edge] < len(self.compiled.grammar.rules):
                below = [self._node(edge, below)]
            made.extend(below)
        return made[0]

    def _node(self, edge: int, below: Sequence[FeatureTree]) -> FeatureTree:
        rule = self.compiled.grammar.rules[self.rules[edge]]
        trees = iter(below)
        children = tuple(next(trees) if word is None else word for word in rule.words)
        return FeatureTree(self._label(edge, below), children, rule)

    def _label(self, edge: int, below: Sequence[FeatureTree]) -> FeatureStructure:
        # What is carried differs between derivations of a vertex, and terms keep variables' names.
        key = (edge, *(id(tree.label) for tree in below)) if self._by_rules else edge
        return self._labels(key, lambda: self._make_label(edge, below))

    def _make_label(self, edge: int, below: Sequence[FeatureTree]) -> FeatureStructure:
        if not self._by_rules:
            return self.structure(int(self.hypergraph.heads[edge]))
        rule = self.compiled.grammar.rules[self.rules[edge]]
        return make_label(self.compiled.grammar, rule, [tree.label for tree in below])

    @property
    def _by_rules(self) -> bool:
        """Whether labels are made by applying rules again, not only by reading the kernel's."""
        return bool(self.compiled.carried or self.compiled.symbols)

    @cached_property
    def _labels(self) -> Callable[[object, Callable[[], FeatureStructure]], FeatureStructure]:
        kept: dict[object, FeatureStructure] = {}

        def look_up(key: object, make: Callable[[], FeatureStructure]) -> FeatureStructure:
            if key not in kept:
                kept[key] = make()
            return kept[key]

        return look_up

    def structure(self, vertex: int) -> FeatureStructure:
        """Return the structure of a vertex other than the root, without what is carried."""
        return self._labels(("vertex", vertex), lambda: self._decode(vertex))

    def _decode(self, vertex: int) -> FeatureStructure:
        category = int(self.spans[vertex, 2])
        return evaluate(decode(self.compiled, category, self.objects[vertex].tolist()))


def pack(forest: FeatureForest) -> Packed:
    """Return a forest as parse selection takes it, without unpacking it.

    Nodes are called by category, span and a number; words within a rule over other constituents
    are nodes of their own.

    Raises:
        ValueError: If there is no analysis.
    """
    if not forest:
        raise ValueError(f"{' '.join(forest.words)!r} has no analysis to pack")
    return Packed(tuple(_packed_edges(forest).values()), ROOT)


def packed_numbers(forest: FeatureForest) -> tuple[int, ...]:
    """Return the number that each edge of a packed forest has in the forest; -1 of a word."""
    return tuple(number for _, number in _packed_edges(forest))


def _packed_edges(forest: FeatureForest) -> dict[tuple[str, int], PackedEdge]:
    """By their nodes and their numbers in the forest."""
    names = [
        f"{forest.compiled.categories[category]}:{start}-{end}:{vertex}" if category >= 0 else ROOT
        for vertex, (start, end, category) in enumerate(forest.spans.tolist())
    ]
    edges: dict[tuple[str, int], PackedEdge] = {}
    for edge, (head, tails) in enumerate(edges_of(forest.hypergraph)):
        number = int(forest.rules[edge])
        children = tuple(names[tail] for tail in tails)
        if number == len(forest.compiled.grammar.rules):
            edges[names[head], edge] = PackedEdge(names[head], ROOT, children)
            continue
        rule = forest.compiled.grammar.rules[number]
        words = tuple(word for word in rule.words if word is not None)
        if tails and words:
            below = iter(children)
            children = tuple(next(below) if word is None else f"'{word}'" for word in rule.words)
            for word in words:
                edges[f"'{word}'", -1] = PackedEdge(f"'{word}'", f"'{word}'", words=(word,))
            words = ()
        edges[names[head], edge] = PackedEdge(names[head], rule.name, children, words)
    return edges


def _lines(tree: FeatureTree, depth: int) -> Iterator[str]:
    words = [child for child in tree.children if isinstance(child, str)]
    below = [child for child in tree.children if isinstance(child, FeatureTree)]
    shown = f"  {' '.join(words)}" if words else ""
    yield f"{'  ' * depth}{tree.label}{shown}"
    for child in below:
        yield from _lines(child, depth + 1)
