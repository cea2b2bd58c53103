"""Sets of parses: forests whose derivations know their trees."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.derivations.derivation_set import Ranked
from weft.derivations.forest import Forest, Weighted, best_of, gains_of, gains_of_numbers
from weft.derivations.forest_parts import right_edges
from weft.derivations.stack.chains import Chain, Chains
from weft.derivations.stack.move_scores import MoveScores
from weft.derivations.stack.parses import Parses
from weft.derivations.stack.spelling import spell_chains
from weft.errors import NotDefined
from weft.inference import inside_outside, kbest, viterbi
from weft.structures.constituents import Span
from weft.structures.derivation import Derivation, preorder
from weft.structures.hypergraph import Hypergraph
from weft.structures.tree import Tree

_NONE = Tree("", ())

_LIGHT = -20.0  # what moves weigh of which all that matters is whether they may be made

_COSTS = (
    "reduce moves lead from a label back to it, as often as one likes: a parse may have any number "
    "of wrong moves, and there is no worst one; use free weights (the recipe shift-reduce-global), "
    "with which rounds are bounded"
)
"""Why wrong moves are not counted where chains have no end."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ParseDerivation(Derivation):
    """A derivation with its tree.

    Attributes:
        tree: The binary tree, with labels for leaves.
        score: Its log-weight.
        chains: By edge that stands for chains, that which the derivation has.
    """

    tree: Tree = _NONE
    score: float = -np.inf
    chains: Mapping[int, Chain] = field(default_factory=dict)

    @property
    def rows(self) -> list[int]:
        """The rows of its moves: edges, and moves within chains."""
        return [*preorder(self), *(row for chain in self.chains.values() for row in chain)]

    def __eq__(self, other: object) -> bool:
        mine = other.chains if isinstance(other, ParseDerivation) else {}
        return Derivation.__eq__(self, other) and self.chains == mine

    def __hash__(self) -> int:
        return Derivation.__hash__(self)


@dataclass(frozen=True, slots=True)
class Chained(Weighted):
    """A member some of whose edges may stand for chains.

    It has w₀ and Φ for every row: for the edges, and then for the moves within chains.

    Attributes:
        chains: What these edges are made of; None where there are none.
    """

    chains: Chains | None = None


class StackForest(Forest):
    """The parses of sentences.

    Args:
        members: One forest each.
        size: How many coordinates θ has.
        derive: From evidence to its member.
        parses: What the vertices and edges of each member are.
        names: The labels.
        parts_of: From parses to labels over spans, and the number of that which each row [rows]
            makes; -1 for none.
        flat: Why there is no gradient; None where there is one.
    """

    def __init__(
        self,
        members: Sequence[Weighted],
        size: int,
        derive: Callable[[Any], Weighted],
        parses: Sequence[Parses],
        names: Sequence[str],
        parts_of: Callable[[Parses], tuple[IntArray, list[Span]]],
        flat: str | None = None,
    ) -> None:
        super().__init__(members, size, derive)
        self._parts_of = parts_of
        self.parses = tuple(parses)
        self._names = names
        self._flat = flat

    @property
    def _chains(self) -> list[Chains | None]:
        return [each.chains if isinstance(each, Chained) else None for each in self.members]

    def weighted(self, theta: FloatArray) -> Iterator[tuple[Hypergraph, FloatArray]]:
        """Yield each member's hypergraph and the scores of its edges, chains summed.

        Raises:
            DivergenceError: If chains have no finite sum.
        """
        for (graph, rows), chains in zip(self._rows(theta), self._chains, strict=True):
            yield graph, rows if chains is None else chains.weights(rows)

    def _rows(self, theta: FloatArray) -> Iterator[tuple[Hypergraph, FloatArray]]:
        """Each member's hypergraph and the scores of its rows."""
        return super().weighted(theta)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        return np.array([inside_outside(*each)[0] for each in self.weighted(theta)])

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often each row is expected to be used [rows]."""
        values, several = super().marginals(theta)
        for place, (chains, (_, rows)) in enumerate(
            zip(self._chains, self._rows(theta), strict=True)
        ):
            if chains is not None:
                several[place] = chains.uses(rows, several[place])
        return values, several

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z less the expected score."""
        found = []
        pairs = zip(*self.marginals(theta), self._rows(theta), strict=True)
        for value, uses, (_, rows) in pairs:
            used = uses > 0
            found.append(float(value - uses[used] @ rows[used]) if used.any() else 0.0)
        return np.array(found)

    def gradient(
        self, theta: FloatArray, uses: Sequence[FloatArray], coefficients: FloatArray
    ) -> FloatArray:
        """Return Σ_k c_k Φ_kᵀ μ_k [θ]; see :meth:`Forest.gradient`.

        Raises:
            NotDefined: If scores are no function of θ.
        """
        if self._flat is not None:
            raise NotDefined(self._flat)
        return super().gradient(theta, uses, coefficients)

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Derivation | None]]:
        """Return the score [members] and the derivation of each member's best.

        Raises:
            DivergenceError: If there is none, because going round a cycle gains weight.
        """
        scores: list[float] = []
        found: list[Derivation | None] = []
        for member, (graph, rows) in enumerate(self._rows(theta)):
            chains = self._chains[member]
            best = None if chains is None else chains.best(rows)
            score, each = best_of(graph, rows if best is None else best.weights)
            scores.append(score)
            chosen = None if best is None else best.best
            found.append(None if each is None else self._told(member, score, each, chosen))
        return np.array(scores), found

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k f(best_k) [θ]."""
        scores, found = self.best(theta)
        sizes = np.diff(self.edge_offsets).tolist()
        uses = [
            np.bincount(_rows_of(each), minlength=size).astype(np.float64)
            for size, each in zip(sizes, found, strict=True)
        ]
        return scores, self.gradient(theta, uses, coefficients)

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member."""
        if not count:
            return [[] for _ in self.members]
        return [
            self._ranked(member, graph, rows, count)
            for member, (graph, rows) in enumerate(self._rows(theta))
        ]

    def _ranked(self, member: int, graph: Hypergraph, rows: FloatArray, count: int) -> Ranked:
        chains = self._chains[member]
        if chains is None:
            ranked = kbest(graph, rows, count)
            return [(score, self._told(member, score, one)) for score, one in ranked]
        spelt = spell_chains(graph, chains, rows, count)
        found: Ranked = []
        for score, one in kbest(spelt.hypergraph, spelt.weights, count):
            each, chosen = spelt.restore(one)
            found.append((score, self._told(member, score, each, chosen.__getitem__)))
        return found

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Derivation]]:
        """Draw derivations of each member; none where it has none."""
        found: list[list[Derivation]] = []
        drawn = zip(super().sample(theta, rng, count), self._rows(theta), strict=True)
        for member, (some, (_, rows)) in enumerate(drawn):
            chains = self._chains[member]
            draw = None if chains is None or not some else chains.draw(rows, rng)
            found.append([self._scored(member, rows, each, draw) for each in some])
        return found

    def surest(
        self, theta: FloatArray, parts: Sequence[Sequence[Hashable | None]] | None = None
    ) -> list[Derivation | None]:
        """Return the derivation of each member with the fewest wrong and missing parts expected.

        By default these are labels over spans. Of the chains of an edge only the best is looked at:
        to find the best of them by parts is to find a longest way without repetition.
        """
        found: list[Derivation | None] = []
        several = zip(*self.marginals(theta), self._rows(theta), strict=True)
        for member, (value, uses, (graph, rows)) in enumerate(several):
            if np.isneginf(value):
                found.append(None)
                continue
            if parts is None:
                gains = gains_of_numbers(uses, self._parts_of(self.parses[member])[0])
            else:
                gains = gains_of(uses, parts[member])
            chains = self._chains[member]
            best = None if chains is None else chains.best(rows)
            edges = gains[: graph.edge_count].copy()
            if best is not None:
                edges += best.totals(gains)
            each = viterbi(graph, edges)[1]
            found.append(self._scored(member, rows, each, None if best is None else best.best))
        return found

    def spans(self, theta: FloatArray) -> list[dict[Span, float]]:
        """Return, for each member, how often labels are expected over spans."""
        found = []
        for parses, uses in zip(self.parses, self.marginals(theta)[1], strict=True):
            numbers, spans = self._parts_of(parses)
            some = (numbers >= 0) & (uses > 0)
            shares = np.bincount(numbers[some], uses[some], len(spans)).tolist()
            found.append({span: share for span, share in zip(spans, shares, strict=True) if share})
        return found

    def impossible(self, member: int) -> int | None:
        """The first word that no derivation of a member gets past; None if there is none."""
        mine = self.members[member]
        able = np.where(np.isneginf(mine.base), -np.inf, 0.0)
        if isinstance(mine, Chained) and mine.chains is not None:
            able = mine.chains.best(able).weights
        if inside_outside(mine.hypergraph, able)[0] > -np.inf:
            return None
        parses = self.parses[member]
        places = parses.terminals.positions[np.isneginf(parses.prefixes)]
        last = max(int(parses.terminals.positions[-1]) - 1, 0)
        return min(int(places.min(initial=last + 1)) - 1, last) if len(places) else last

    def select(self, members: IntArray) -> StackForest:
        """Return some members, in the order given."""
        chosen = members.tolist()
        mine = [self.members[member] for member in chosen]
        return self._like(mine, [self.parses[member] for member in chosen])

    def charged(self, observed: Sequence[Any], cost: float) -> StackForest:
        """Return the same parses, each move that no right one has adding to the score.

        Moves within chains add as often as they are made, and so what is asked of the result may
        have no finite answer, which is then told.
        """
        members = []
        for each, parses, known in zip(self.members, self.parses, observed, strict=True):
            right = _with_same(right_rows(self.derive(known)), parses.row_numbers)
            members.append(replace(each, base=each.base + np.where(right, 0.0, cost)))
        return self._like(members, self.parses)

    def for_many(self) -> StackForest:
        """Return the same parses, whose scores are asked for at many values of θ."""
        return self._like([_repeatable(member) for member in self.members], self.parses)

    def _like(self, members: Sequence[Weighted], parses: Sequence[Parses]) -> StackForest:
        return StackForest(
            members, self.size, self.derive, parses, self._names, self._parts_of, self._flat
        )

    def right(self, observed: Sequence[Any]) -> list[BoolArray]:
        """Return which edges [edges] of each member some observed derivation has.

        Raises:
            NotDefined: If a parse may have any number of moves.
        """
        if any(each is not None for each in self._chains):
            raise NotDefined(_COSTS)
        pairs = zip(super().right(observed), self.part_numbers(), strict=True)
        return [_with_same(*each) for each in pairs]

    def part_numbers(self) -> list[IntArray]:
        """Return a number [edges] for each move; the same move at the same items counts as one."""
        return [each.row_numbers[: each.hypergraph.edge_count] for each in self.parses]

    def scores(self, theta: FloatArray, derivations: Sequence[Derivation]) -> FloatArray:
        """[members]: the score of a derivation of each."""
        pairs = zip(self._rows(theta), derivations, strict=True)
        return np.array([rows[_rows_of(each)].sum() for (_, rows), each in pairs])

    def rows_of(self, derivation: Derivation) -> list[int]:
        """Return the rows of a derivation, those of its chains among them."""
        return _rows_of(derivation)

    def _told(
        self,
        member: int,
        score: float,
        each: Derivation,
        chosen: Callable[[int], Chain] | None = None,
    ) -> ParseDerivation:
        mine, chains = self._chains[member], {}
        if chosen is not None and mine is not None:
            chains = {edge: chosen(edge) for edge in preorder(each) if mine.has(edge)}
        tree = self.parses[member].tree(each, self._names, chains)
        return ParseDerivation(each.edge, each.children, tree, score, chains)

    def _scored(
        self,
        member: int,
        rows: FloatArray,
        each: Derivation,
        chosen: Callable[[int], Chain] | None,
    ) -> ParseDerivation:
        found = self._told(member, 0.0, each, chosen)
        return replace(found, score=float(rows[found.rows].sum()))


def _with_same(right: BoolArray, numbers: IntArray) -> BoolArray:
    """[rows]: whether each row is right, or one that counts as the same."""
    return (np.bincount(numbers, right) > 0)[numbers] if len(right) else right


def right_rows(observed: Weighted) -> BoolArray:
    """[rows]: whether some derivation has each row that may be used at all."""
    chains = observed.chains if isinstance(observed, Chained) else None
    if chains is None:
        return right_edges(observed)
    able = np.where(np.isneginf(observed.base), -np.inf, 0.0)
    able[chains.edge_count :] += _LIGHT
    uses = inside_outside(observed.hypergraph, chains.weights(able))[1]
    return chains.uses(able, uses) > 0


def _rows_of(derivation: Derivation | None) -> list[int]:
    if derivation is None:
        return []
    if isinstance(derivation, ParseDerivation):
        return derivation.rows
    return list(preorder(derivation))


def _repeatable(member: Weighted) -> Weighted:
    if not isinstance(member.choices, MoveScores):
        return member
    return replace(member, choices=member.choices.repeatable)
