"""Sets of parses: forests whose derivations know their trees."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import Ranked
from weft.derivations.forest import Forest, Weighted
from weft.derivations.stack.move_scores import MoveScores
from weft.derivations.stack.parses import Parses
from weft.errors import NotDefined
from weft.structures.constituents import Span
from weft.structures.derivation import Derivation, preorder
from weft.structures.tree import Tree

_NONE = Tree("", ())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ParseDerivation(Derivation):
    """A derivation with its tree.

    Attributes:
        tree: The binary tree, with labels for leaves.
        score: Its log-weight.
    """

    tree: Tree = _NONE
    score: float = -np.inf


class StackForest(Forest):
    """The parses of sentences.

    Args:
        members: One forest each.
        size: How many coordinates θ has.
        derive: From evidence to its member.
        parses: What the vertices and edges of each member are.
        names: The labels.
        parts_of: From parses to the label over a span that each edge [edges] makes; None for none.
        flat: Why there is no gradient; None where there is one.
    """

    def __init__(
        self,
        members: Sequence[Weighted],
        size: int,
        derive: Callable[[Any], Weighted],
        parses: Sequence[Parses],
        names: Sequence[str],
        parts_of: Callable[[Parses], Sequence[Span | None]],
        flat: str | None = None,
    ) -> None:
        super().__init__(members, size, derive)
        self._parts_of = parts_of
        self.parses = tuple(parses)
        self._names = names
        self._flat = flat

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
        """Return the score [members] and the derivation of each member's best."""
        scores, found = super().best(theta)
        pairs = enumerate(zip(scores.tolist(), found, strict=True))
        return scores, [
            None if best is None else self._told(member, score, best)
            for member, (score, best) in pairs
        ]

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member."""
        return [
            [(score, self._told(member, score, each)) for score, each in ranked]
            for member, ranked in enumerate(super().kbest(theta, count))
        ]

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Derivation]]:
        """Draw derivations of each member; none where it has none."""
        drawn = super().sample(theta, rng, count)
        return [self._scored(theta, member, some) for member, some in enumerate(drawn)]

    def surest(
        self, theta: FloatArray, parts: Sequence[Sequence[Hashable | None]] | None = None
    ) -> list[Derivation | None]:
        """Return the derivation of each member with the fewest wrong and missing parts expected.

        By default these are labels over spans.
        """
        parts = parts or [self._parts_of(each) for each in self.parses]
        found = super().surest(theta, parts)
        return [
            None if each is None else self._scored(theta, member, [each])[0]
            for member, each in enumerate(found)
        ]

    def spans(self, theta: FloatArray) -> list[dict[Span, float]]:
        """Return, for each member, how often labels are expected over spans."""
        found = []
        for parses, uses in zip(self.parses, self.marginals(theta)[1], strict=True):
            expected: dict[Span, float] = {}
            for span, share in zip(self._parts_of(parses), uses.tolist(), strict=True):
                if span is not None and share:
                    expected[span] = expected.get(span, 0.0) + share
            found.append(expected)
        return found

    def impossible(self, member: int) -> int | None:
        """The first word that no derivation of a member gets past; None if there is none."""
        if super().impossible(member) is None:
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
        """Return the same parses, each edge that no right one has adding to the score."""
        return self._like(super().charged(observed, cost).members, self.parses)

    def for_many(self) -> StackForest:
        """Return the same parses, whose scores are asked for at many values of θ."""
        return self._like([_repeatable(member) for member in self.members], self.parses)

    def _like(self, members: Sequence[Weighted], parses: Sequence[Parses]) -> StackForest:
        return StackForest(
            members, self.size, self.derive, parses, self._names, self._parts_of, self._flat
        )

    def _told(self, member: int, score: float, each: Derivation) -> ParseDerivation:
        tree = self.parses[member].tree(each, self._names)
        return ParseDerivation(each.edge, each.children, tree, score)

    def _scored(
        self, theta: FloatArray, member: int, several: Sequence[Derivation]
    ) -> list[Derivation]:
        weights = self.members[member].weights(theta)
        return [
            self._told(member, float(weights[list(preorder(each))].sum()), each) for each in several
        ]


def _repeatable(member: Weighted) -> Weighted:
    if not isinstance(member.choices, MoveScores):
        return member
    return replace(member, choices=member.choices.repeatable)
