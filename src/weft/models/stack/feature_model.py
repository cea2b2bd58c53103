"""Log-linear shift-reduce parsers: moves scored by features, normalised move by move or not at all.

A *choice* is a move at a vertex. Its score is s = θ·f; normalised, s − log Σ exp s over the moves
that are possible there. The table of moves says which are, and guides the search if it has a beam.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, ranges
from weft.derivations.combine import derive_kinds
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.feature_map import FeatureMap, from_columns
from weft.derivations.forest import Weighted
from weft.derivations.known import Certain
from weft.derivations.reparametrise import Weighting, Weights
from weft.derivations.stack.forest import Chained, StackForest
from weft.derivations.stack.move_scores import MoveScores
from weft.derivations.stack.parses import CLOSED, Parses
from weft.derivations.stack.rounds import chains_of
from weft.derivations.stack.table import REDUCE_2, SHIFT
from weft.errors import NotDefined
from weft.features.parameters import Parameters, parameters
from weft.kernels import MoveScorer
from weft.models.options import Normalisation
from weft.models.smoothing.counts import find_numbers
from weft.models.stack.model import OF_SENTENCES, StackModel
from weft.models.stack.templates import Contexts, Template
from weft.models.tree_parser import words_of
from weft.structures.alternatives import FeatureName
from weft.structures.evidence import Evidence, Example, Sentence
from weft.structures.moves import Move, Reduce, Shift
from weft.structures.tree import Tree

_TREE, _PART, _RAW = range(3)


@dataclass(frozen=True, eq=False, repr=False)
class FeatureModel(StackModel):
    """A parser whose moves are scored by features.

    Attributes:
        terminals_known: The terminals that features know.
        templates: What features look at.
        keys: [templates], the features of each, ascending: the number of what is looked at times
            the number of moves, and the move.
        normalisation: Whether moves are normalised given the words, or not at all.
        by_moves: Whether the parses of a sentence are taken to sum to one, as they do where none
            ends nowhere: what estimation move by move does.
    """

    terminals_known: tuple[str, ...] = ()
    templates: tuple[Template, ...] = ()
    keys: tuple[IntArray, ...] = ()
    normalisation: Normalisation = Normalisation.NONE
    by_moves: bool = False

    @cached_property
    def contexts(self) -> Contexts:
        """What features look at."""
        return Contexts(self.labels, self.terminals_known, self.templates)

    @cached_property
    def scorer(self) -> MoveScorer:
        """What scores moves."""
        return self.contexts.scorer(self.keys, self.table)

    @cached_property
    def parameters(self) -> Parameters:
        """The layout of θ: the features of each template."""
        return parameters(list(zip(self.templates, map(len, self.keys), strict=True)))

    def named(self, coordinates: IntArray) -> list[FeatureName]:
        """Return the kinds and names of some coordinates of θ."""
        kinds, contexts = self.parameters.kinds, self.contexts
        starts = [kind.start for kind in kinds]
        found = []
        for place in coordinates.tolist():
            which = int(np.searchsorted(starts, place, side="right")) - 1
            number, move = divmod(int(self.keys[which][place - starts[which]]), contexts.moves)
            seen = contexts.shown(self.templates[which], number)
            found.append((kinds[which].name, f"{seen} → {self.shown_move(move)}"))
        return found

    def shown_move(self, number: int) -> Move:
        """Return a move, given its number."""
        kind, label = divmod(number, len(self.labels))
        name = self.labels[label]
        return Shift(name) if kind == SHIFT else Reduce(kind, name)

    @property
    def joint(self) -> bool:
        """Whether there is a distribution over sentences with their trees: there is none."""
        return False

    @property
    def flat(self) -> None:
        """None: there is a gradient."""
        return

    def derivations(
        self, evidences: Sequence[Evidence], threads: int | None = None
    ) -> DerivationSet:
        """Return the parses that agree with each piece of evidence.

        Raises:
            NotDefined: If sentences vary.
        """
        if not all(isinstance(each.tokens, Sentence) for each in evidences):
            raise NotDefined(OF_SENTENCES)
        kinds = [self._kind(each) for each in evidences]
        trees = [each for each, kind in zip(evidences, kinds, strict=True) if kind == _TREE]

        def derive(kind: int, members: IntArray) -> DerivationSet:
            chosen = [evidences[member] for member in members.tolist()]
            if kind == _TREE:
                return self.golds(chosen)
            asked = {each.tokens for each in chosen}
            beside = [each for each in trees if each.tokens in asked]

            def spelt() -> StackForest:
                return self.forest(chosen, threads, beside).for_many()

            return Certain(len(chosen), spelt) if self.by_moves and kind == _RAW else spelt()

        return derive_kinds(np.array(kinds, np.int64), derive)

    def _kind(self, evidence: Evidence) -> int:
        if isinstance(evidence.parse, Tree) and self.covers(_example(evidence)):
            return _TREE
        known = evidence.parse is not None or evidence.analysis is not None
        return _PART if known else _RAW

    def golds(self, evidences: Sequence[Evidence]) -> StackForest:
        """Return sets of one parse each, given trees that the parser has."""
        parses = [self.gold(each) for each in evidences]
        found = [each for each in parses if each is not None]

        def derive(evidence: Evidence) -> Weighted:
            mine = self.gold(evidence)
            if mine is None:
                raise TypeError("a set of one parse is made of a tree that the parser has")
            return self.listed(mine, evidence)

        pairs = zip(found, evidences, strict=True)
        members = [self.listed(*pair) for pair in pairs]
        return StackForest(
            members, self.parameters.size, derive, found, self.labels, self.parts, None
        )

    def weighted(self, parses: Parses, evidence: Evidence) -> Chained:
        """Return the forest of a sentence with its weights, which features make when asked."""
        moves, vertices = parses.row_moves, np.maximum(parses.row_vertices, 0).astype(np.int32)
        terminals = self.terminals(words_of(evidence))
        # As far as scores go, a row is an edge from the item that makes its move.
        offsets, made, used = self.scorer.choices(
            np.arange(len(moves) + 1), vertices, moves, parses.hypergraph.vertex_count
        )
        scores = MoveScores(
            self.scorer,
            parses,
            self.contexts.ids_of(terminals),
            offsets,
            made,
            self.parameters.size,
            self.normalisation is not Normalisation.NONE,
            partial(self._features, parses, terminals),
        )
        return self._chained(parses, from_columns(used, len(made)), scores)

    def listed(self, parses: Parses, evidence: Evidence) -> Chained:
        """Return the same with lists of features: what is faster where there are few edges."""
        choices, moves = self._choices(parses), parses.row_moves
        made = moves >= 0
        used = np.full(len(moves), -1, np.int64)
        used[made] = choices.find(parses.row_vertices[made], moves[made])
        features = from_columns(used, len(choices.moves))
        return self._chained(parses, features, self._weighting(parses, choices, evidence))

    def _chained(self, parses: Parses, features: FeatureMap, choices: Weights) -> Chained:
        chains = chains_of(parses, self.labels)
        return Chained(parses.hypergraph, _given(parses), features, choices, chains=chains)

    def _weighting(self, parses: Parses, choices: _Choices, evidence: Evidence) -> Weighting:
        terminals = self.terminals(words_of(evidence))
        features = self._features(parses, terminals, choices.vertices, choices.moves)
        return Weighting(self.parameters.size, features, choices.groups(self.normalisation))

    def scored_choices(
        self, parses: Parses, evidence: Evidence, theta: FloatArray
    ) -> tuple[IntArray, IndexArray, FloatArray]:
        """Return the vertices [choices] of choices, ascending, their moves, and their scores."""
        choices = self._choices(parses)
        scores = self._weighting(parses, choices, evidence).weights(theta)
        return choices.vertices, choices.moves, scores

    def _choices(self, parses: Parses) -> _Choices:
        """The moves that are possible at each item."""
        items = np.flatnonzero(parses.items[:, 4] != CLOSED)
        table, given = self.table, parses.terminals
        tops, second, nodes = (parses.items[items, column] for column in (1, 3, 2))
        rows = table.rows[tops, second].astype(np.int64)
        places = np.maximum(rows, 0) * table.looks + given.looks[nodes]
        lengths = np.where(rows >= 0, np.diff(table.offsets)[places], 0)
        moves = table.moves[ranges(table.offsets[places], lengths)]
        owners = np.repeat(np.arange(len(items)), lengths)
        kinds, labels = np.divmod(moves, table.labels)
        last = len(given.positions) - 1
        coming = given.sources.astype(np.int64) * table.labels + given.labels
        end = (nodes[owners] == last) & (second[owners] == 0)
        able = np.isin(nodes[owners].astype(np.int64) * table.labels + labels, coming)
        shifts = np.where(labels == 0, end, able & (labels > 0))
        keep = np.where(kinds == SHIFT, shifts, (kinds != REDUCE_2) | (second[owners] > 0))
        return _Choices(items[owners[keep]], moves[keep], len(self.labels) * 3)

    def _features(
        self,
        parses: Parses,
        terminals: Sequence[str],
        vertices: IntArray,
        moves: IndexArray,
    ) -> FeatureMap:
        """Φ of moves at vertices."""
        columns = np.full((len(moves), len(self.keys)), -1, np.int64)
        several = self.contexts.numbers_of(parses, terminals)
        for place, (numbers, keys) in enumerate(zip(several, self.keys, strict=True)):
            wanted = numbers[vertices] * self.contexts.moves + moves
            found = find_numbers(keys, wanted)
            columns[:, place] = np.where(found >= 0, found + self.parameters.kinds[place].start, -1)
        return from_columns(columns, self.parameters.size)


def _given(parses: Parses) -> FloatArray:
    """[rows]: w₀. Of several tags that a word may have, features do not choose."""
    graph = parses.hypergraph
    base = np.zeros(len(parses.row_moves))
    joins = np.flatnonzero(np.diff(graph.tail_offsets) == 2)
    opened = parses.items[graph.tails[graph.tail_offsets[joins] + 1], 0]
    base[joins] = parses.terminals.scores[opened]
    return base


def _example(evidence: Evidence) -> Example:
    """The same as an example."""
    assert isinstance(evidence.tokens, Sentence)  # noqa: S101
    return Example(evidence.tokens, evidence.analysis, parse=evidence.parse)


@dataclass(frozen=True, slots=True, eq=False)
class _Choices:
    """Moves at vertices.

    Attributes:
        vertices: [choices], ascending.
        moves: [choices], ascending at each vertex.
        radix: How many moves there are.
    """

    vertices: IntArray
    moves: IndexArray
    radix: int

    def find(self, vertices: IntArray, moves: IndexArray) -> IntArray:
        """Return the numbers of some choices, which must be there."""
        keys = self.vertices * self.radix + self.moves
        found: IntArray = np.searchsorted(keys, vertices * self.radix + moves)
        return found

    def groups(self, normalisation: Normalisation) -> IntArray | None:
        """[choices]: which are normalised together; None where none are."""
        if normalisation is Normalisation.NONE:
            return None
        return np.unique(self.vertices, return_inverse=True)[1].astype(np.int64)


def gold_keys(model: FeatureModel, evidences: Sequence[Evidence]) -> tuple[IntArray, ...]:
    """Return the features that the trees of sentences have, for each template.

    Args:
        model: The model, whose own features do not matter.
        evidences: Sentences with their trees.
    """
    found: list[list[IntArray]] = [[] for _ in model.templates]
    for evidence in evidences:
        parses = model.gold(evidence)
        if parses is None:
            continue
        made = parses.moves >= 0
        firsts = parses.hypergraph.tails[parses.hypergraph.tail_offsets[:-1][made]]
        terminals = model.terminals(words_of(evidence))
        numbers = model.contexts.numbers_of(parses, terminals)
        for place, each in enumerate(numbers):
            found[place].append(each[firsts] * model.contexts.moves + parses.moves[made])
    empty = np.zeros(0, np.int64)
    return tuple(np.unique(np.concatenate([empty, *each])) for each in found)
