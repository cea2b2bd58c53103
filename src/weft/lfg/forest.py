"""All analyses of a sentence by a lexical-functional grammar, packed.

A vertex is a constituent with what can be seen of its f-structure from outside; an edge is a right
side over constituents with one branch of each annotation, or an entry with a branch. Alternatives
of a vertex are interchangeable in every context, so that the forest is an ordinary hypergraph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from weft.inference.listing import Listing
from weft.lfg.analyses import Analyses
from weft.lfg.analysis import Analysis, CNode
from weft.lfg.branches import Branch
from weft.lfg.compile import CompiledLfg
from weft.lfg.language import Entry, Mark
from weft.lfg.optimality import Optimality
from weft.lfg.ranking import rank_forest
from weft.lfg.reference.solve import Run, Solution, Solver
from weft.lfg.replay import Chosen, finish, replay_entry, replay_node
from weft.lfg.tokens import TokenLattice
from weft.structures.derivation import Derivation, preorder
from weft.structures.hypergraph import Hypergraph, edges_of, hypergraph, tails_of


@dataclass(frozen=True, slots=True)
class Word:
    """An entry of a sentence: where it stands, how it is written, what it says."""

    start: int
    end: int
    text: str
    entry: Entry
    branches: tuple[Branch, ...]


Step = tuple[int, int]
"""An arc of a right side, or -1 - an entry; and a branch."""


@dataclass(frozen=True, slots=True)
class AtEnd:
    """One of several ways in which a sentence ends, where only the whole of it decides."""

    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """What derivations are read with: the grammar, compiled, and the solver that replays them."""

    compiled: CompiledLfg
    solver: Solver


@dataclass(frozen=True, eq=False, repr=False)
class LfgForest(Listing[Analysis], Analyses):
    """The analyses of a sentence, packed.

    Those of an order of marks come best first, others in a fixed order.

    Attributes:
        lattice: The sentence, looked up.
        kernel: The grammar.
        hypergraph: The packed forest; where there are marks, edges of its root are for each bag
            of them.
        spans: Where each vertex begins and ends, and its category, -1 for a root of marks.
        steps: Of each edge, its steps; None for those of a root of marks, and for those of a root
            above whole sentences the way in which these end.
        entries: The entries of the sentence.
        best_edges: How many edges of the root, the first ones, are for optimal analyses.
        truncated: Whether a limit ended the search, so that analyses are missing.
        is_starred: Whether the optimal analyses are ungrammatical.
    """

    lattice: TokenLattice
    kernel: Kernel
    hypergraph: Hypergraph
    spans: tuple[tuple[int, int, int], ...]
    steps: tuple[tuple[Step, ...] | AtEnd | None, ...]
    entries: tuple[Word, ...]
    best_edges: int | None = None
    truncated: bool = False
    is_starred: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the sentence."""
        return self.lattice.words

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that the lexicon has nothing for."""
        return self.lattice.unknown

    @property
    def optimal(self) -> int:
        """How many of the analyses, the first ones, are optimal."""
        return sum(self.counts[vertex] for vertex in self.tops)

    @cached_property
    def tops(self) -> Mapping[int, int | None]:
        """The vertices of whole optimal sentences, with the edge of a root of marks above each."""
        if self.best_edges is None:
            return {self.hypergraph.root: None}
        first = self.steps.index(None) if None in self.steps else 0
        best = range(first, first + self.best_edges)
        return {tails_of(self.hypergraph, edge)[0]: edge for edge in best}

    def show(self, derivation: Derivation) -> Analysis:
        """Return the analysis of a derivation."""
        run = Run(self.kernel.solver, self.lattice)
        edges = preorder(derivation)
        ways = [each for each in map(self.steps.__getitem__, edges) if isinstance(each, AtEnd)]
        way = (ways[0].number, ways[0].count) if ways else (0, 1)
        return finish(run, self.replay(run, edges), way)

    def replay(self, run: Run, edges: Sequence[int]) -> Solution:
        """Return the solution of a derivation, given by its edges in preorder."""
        made: list[Solution] = []
        for edge in reversed(edges):
            steps = self.steps[edge]
            if isinstance(steps, tuple):
                below = [made.pop() for _ in tails_of(self.hypergraph, edge)]
                made.append(self._solution(run, edge, steps, below))
        return made[0]

    def replay_edge(self, run: Run, edge: int, below: Sequence[Solution]) -> Solution:
        """Return the solution of an edge, other than one of a root of marks, over its tails'."""
        steps = self.steps[edge]
        return self._solution(run, edge, steps, below) if isinstance(steps, tuple) else below[0]

    def _solution(
        self, run: Run, edge: int, steps: tuple[Step, ...], below: Sequence[Solution]
    ) -> Solution:
        if steps and steps[0][0] < 0:
            word = self.entries[-1 - steps[0][0]]
            leaf = CNode(word.text, (), -1, word.start, word.end)
            return replay_entry(run, word.entry, leaf, word.branches[steps[0][1]])
        start, end, category = self.spans[self.hypergraph.heads[edge]]
        chosen = []
        for number, branch in steps:
            arc = self.kernel.compiled.arcs[number]
            chosen.append(Chosen(arc.step, arc.described.branches[branch]))
        return replay_node(run, self.categories[category], (start, end), chosen, below)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The grammar's categories by number."""
        return tuple(self.kernel.compiled.categories)

    def branches(self, edge: int) -> Iterator[Branch]:
        """Yield the branches that were chosen at an edge."""
        steps = self.steps[edge]
        for number, branch in steps if isinstance(steps, tuple) else ():
            if number < 0:
                yield self.entries[-1 - number].branches[branch]
            else:
                yield self.kernel.compiled.arcs[number].described.branches[branch]

    def marks(self, edge: int) -> tuple[str, ...]:
        """Return the marks of optimality of an edge."""
        said = (each for branch in self.branches(edge) for each in branch)
        return tuple(each.name for each in said if isinstance(each, Mark))


def rank(forest: LfgForest, order: Optimality) -> LfgForest:
    """Return a forest with its best analyses first, and without those that are none."""
    marks = [forest.marks(edge) for edge in range(forest.hypergraph.edge_count)]
    if not any(marks):
        return forest
    ranked = rank_forest(forest.hypergraph, marks, order)
    spans = [forest.spans[vertex] for vertex in ranked.vertices[:-1]]
    return replace(
        forest,
        hypergraph=ranked.hypergraph,
        spans=(*spans, (*forest.spans[-1][:2], -1)),
        steps=tuple(None if edge < 0 else forest.steps[edge] for edge in ranked.edges),
        best_edges=ranked.best,
        is_starred=ranked.is_starred,
    )


def keep_edges(
    forest: LfgForest, is_kept: Callable[[int, tuple[int, ...]], bool]
) -> tuple[LfgForest, list[int]]:
    """Return a forest without some edges, and the number that each of the others had.

    Args:
        forest: The forest.
        is_kept: Is asked for each edge by its head and its tails.
    """
    rows = list(edges_of(forest.hypergraph))
    kept = [
        number
        for number, (head, tails) in enumerate(rows)
        if not isinstance(forest.steps[number], tuple) or is_kept(head, tails)
    ]
    graph = hypergraph(forest.hypergraph.vertex_count, [rows[number] for number in kept])
    steps = tuple(forest.steps[number] for number in kept)
    return replace(forest, hypergraph=graph, steps=steps), kept
