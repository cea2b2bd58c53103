"""How probable the moves are that a shift-reduce parser may make at a state of a sentence.

Where moves are normalised one by one, this is P(m | state). Where they are not, it is the
probability given the words and the whole stack: of the weight of all parses that reach this stack,
the share of those that go on with the move. Either way, the probabilities of a parse's moves
multiply to its own.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray
from weft.derivations.stack.parses import Parses
from weft.derivations.stack.rounds import SETTLED
from weft.derivations.stack.table import SHIFT
from weft.inference import inside_outside
from weft.models.options import Normalisation
from weft.models.stack.feature_model import FeatureModel
from weft.models.stack.model import StackModel
from weft.structures.evidence import Evidence


class Given(Enum):
    """What the probability of a move is given."""

    STACK = "the two labels on top of the stack"
    NEXT = "the two labels on top of the stack, and what is next"
    FEATURES = "what features see of the stack and of the words"
    SENTENCE = "the whole stack and the whole sentence"


class Place(NamedTuple):
    """A state of the parser, in a forest.

    Attributes:
        vertex: The item on top of the stack.
        below: The items below it, from the bottom.
    """

    vertex: int
    below: tuple[int, ...]


Chances = Callable[[Place], dict[int, float]]
"""From a state to the moves that the sentence allows there, by number, with probabilities."""


def given_of(model: StackModel) -> Given:
    """Return what the probability of a move is given."""
    if not isinstance(model, FeatureModel):
        return Given.NEXT if model.looks else Given.STACK
    return Given.SENTENCE if model.normalisation is Normalisation.NONE else Given.FEATURES


def chances_of(model: StackModel, theta: FloatArray, evidence: Evidence, parses: Parses) -> Chances:
    """Return how probable moves are.

    Args:
        model: The model.
        theta: Its weights.
        evidence: A sentence.
        parses: The forest of the sentence.
    """
    if not isinstance(model, FeatureModel):
        return _of_table(model, parses)
    if model.normalisation is Normalisation.NONE:
        return _of_forest(parses, model.weighted(parses, evidence).weights(theta))
    return _of_choices(model, theta, evidence, parses)


def _openings(parses: Parses) -> dict[tuple[int, int], float]:
    """By node and label, what is added to the score of a shift."""
    given = parses.terminals
    places = zip(given.sources.tolist(), given.labels.tolist(), strict=True)
    return dict(zip(places, given.scores.tolist(), strict=True))


def _of_table(model: StackModel, parses: Parses) -> Chances:
    openings, last = _openings(parses), len(parses.terminals.positions) - 1

    def chances(place: Place) -> dict[int, float]:
        _, top, node, below, _ = parses.items[place.vertex].tolist()
        where = model.table.context(top, below, int(parses.terminals.looks[node]))
        found = {}
        pairs = zip(model.table.moves[where].tolist(), model.table.scores[where], strict=True)
        for move, score in pairs:
            kind, label = divmod(move, len(model.labels))
            more = 0.0
            if kind == SHIFT:
                ended = 0.0 if node == last and not label else -np.inf
                more = openings.get((node, label), ended)
            found[move] = float(np.exp(score + more))
        return found

    return chances


def _of_choices(
    model: FeatureModel, theta: FloatArray, evidence: Evidence, parses: Parses
) -> Chances:
    vertices, moves, scores = model.scored_choices(parses, evidence, theta)
    openings = _openings(parses)

    def chances(place: Place) -> dict[int, float]:
        node = int(parses.items[place.vertex, 2])
        mine = slice(*np.searchsorted(vertices, [place.vertex, place.vertex + 1]).tolist())
        pairs = zip(moves[mine].tolist(), scores[mine].tolist(), strict=True)
        # The number of a shift is that of its label.
        return {move: float(np.exp(s + openings.get((node, move), 0.0))) for move, s in pairs}

    return chances


def _of_forest(parses: Parses, weights: FloatArray) -> Chances:
    graph = parses.hypergraph
    lengths = np.diff(graph.tail_offsets)
    firsts = np.full(graph.edge_count, -1, np.int64)
    firsts[lengths > 0] = graph.tails[graph.tail_offsets[:-1][lengths > 0]]
    joins, ends = lengths == 2, parses.spans[:, 1]
    begins = np.full(graph.edge_count, -1, np.int64)  # of joins, where the second tail does
    begins[joins] = parses.spans[graph.tails[graph.tail_offsets[:-1][joins] + 1], 0]

    # The tag of the next word, which nodes tell apart, is not yet on the stack.
    keys = parses.items.copy()
    keys[:, 2] = ends
    if parses.states is not None:
        keys = np.column_stack([keys, parses.states])

    def chances(place: Place) -> dict[int, float]:
        right = np.ones(graph.edge_count, np.bool_)
        for vertex in place.below:  # every word has one join, where it is shifted
            right &= (begins != ends[vertex]) | (firsts == vertex)
        uses = inside_outside(graph, np.where(right, weights, -np.inf))[1]
        alike = np.flatnonzero((keys == keys[place.vertex]).all(axis=1))
        return _shares(parses, firsts, uses, alike)

    return chances


def _shares(
    parses: Parses, firsts: IntArray, uses: FloatArray, vertices: IntArray | IndexArray
) -> dict[int, float]:
    """The share of each move of some items among all uses of them."""
    edges = np.flatnonzero(np.isin(firsts, vertices))
    shares = uses[edges] / uses[edges].sum()
    found: dict[int, float] = {}
    for edge, share in zip(edges.tolist(), shares.tolist(), strict=True):
        if share <= 0:
            continue
        move, head = int(parses.moves[edge]), parses.hypergraph.heads[edge : edge + 1]
        # An item that is settled has the moves of what it is then.
        settled = move < 0 and parses.items[head[0], 4] == SETTLED
        after = _shares(parses, firsts, uses, head) if settled else {move: 1.0}
        for other, part in after.items():
            found[other] = found.get(other, 0.0) + share * part
    return found
