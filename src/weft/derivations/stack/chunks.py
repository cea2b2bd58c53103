"""The parses of many sentences, of which only some are in memory at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.derivations.derivation_set import DerivationSet, Hits, Parts, Ranked
from weft.derivations.stack.forest import StackForest
from weft.structures.constituents import Span

FoundT = TypeVar("FoundT")

_WORDS, _EDGES = 256, 2_000_000  # of the sentences whose forests are in memory together, about


class Chunks:
    """Members that are made anew, some at a time, whenever something is asked.

    What criteria ask for is asked of all of them at once.

    Args:
        evidences: The evidence about each member.
        lengths: How many words each has.
        build: From evidence to forests.
    """

    def __init__(
        self,
        evidences: Sequence[Any],
        lengths: Sequence[int],
        build: Callable[[Sequence[Any]], StackForest],
    ) -> None:
        self._evidences = list(evidences)
        self._lengths = list(lengths)
        self._build = build
        # What is asked about one sentence is asked together.
        first: dict[Any, int] = {}
        ranks = [first.setdefault(each.tokens, len(first)) for each in evidences]
        self._order = np.argsort(ranks, kind="stable").tolist()

    def __len__(self) -> int:
        return len(self._evidences)

    def _each(self, ask: Callable[[StackForest], Sequence[FoundT]]) -> list[FoundT]:
        found: dict[int, FoundT] = {}
        waiting, words = deque(self._order), _WORDS // 4
        while waiting:
            members = [waiting.popleft()]
            size = self._lengths[members[0]]
            while waiting and size + self._lengths[waiting[0]] <= words:
                size += self._lengths[waiting[0]]
                members.append(waiting.popleft())
            made = self._build([self._evidences[member] for member in members])
            # How many edges a word has depends on the beam, and so do the words of the next ones.
            edges = sum(each.hypergraph.edge_count for each in made.members)
            words = min(_WORDS, _EDGES * max(size, 1) // max(edges, 1))
            found |= zip(members, ask(made), strict=True)
        return [found[member] for member in range(len(self))]

    def _whole(self) -> StackForest:
        return self._build(self._evidences)

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        return np.array(self._each(lambda each: each.log_partition(theta).tolist()))

    def best(self, theta: FloatArray) -> tuple[FloatArray, list[Any]]:
        """Return the score [members] and the derivation of each member's best."""
        found = self._each(lambda each: list(zip(*each.best(theta), strict=True)))
        return np.array([score for score, _ in found]), [best for _, best in found]

    def kbest(self, theta: FloatArray, count: int) -> list[Ranked]:
        """Return the best ``count`` derivations of each member."""
        return self._each(lambda each: each.kbest(theta, count))

    def sample(
        self, theta: FloatArray, rng: np.random.Generator, count: int = 1
    ) -> list[list[Any]]:
        """Draw derivations of each member; none where it has none."""
        return self._each(lambda each: each.sample(theta, rng, count))

    def marginals(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """Return log Z [members] and how often each edge is expected to be used [edges]."""
        found = self._each(lambda each: list(zip(*each.marginals(theta), strict=True)))
        return np.array([value for value, _ in found]), [uses for _, uses in found]

    def spans(self, theta: FloatArray) -> list[dict[Span, float]]:
        """Return, for each member, how often labels are expected over spans."""
        return self._each(lambda each: each.spans(theta))

    def surest(self, theta: FloatArray) -> list[Any]:
        """Return the derivation of each member with the fewest wrong and missing labels."""
        return self._each(lambda each: each.surest(theta))

    def entropy(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z less the expected score."""
        return np.array(self._each(lambda each: each.entropy(theta).tolist()))

    def impossible(self, member: int) -> int | None:
        """The first word that no derivation of a member gets past; None if there is none."""
        return self._build(self._evidences[member : member + 1]).impossible(0)

    def select(self, members: IntArray) -> Chunks:
        """Return some members, in the order given."""
        chosen = members.tolist()
        lengths = [self._lengths[member] for member in chosen]
        return Chunks([self._evidences[member] for member in chosen], lengths, self._build)

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ]."""
        return self._whole().evaluate(theta, coefficients)

    def follow(self, theta: FloatArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best scores [members] and Σ_k c_k f(best_k) [θ]."""
        return self._whole().follow(theta, coefficients)

    def charged(self, observed: Sequence[Any], cost: float) -> DerivationSet:
        """Return the same parses, each edge that no right one has adding to the score."""
        return self._whole().charged(observed, cost)

    def without(self, observed: Sequence[Any]) -> DerivationSet:
        """Return the best parse of each member with an edge that no right one has."""
        return self._whole().without(observed)

    def parts(self, observed: Sequence[Any]) -> Parts:
        """Return the right edges of each member."""
        return self._whole().parts(observed)

    def hits(self, observed: Sequence[Any]) -> Hits:
        """Return whether the best parses are right."""
        return self._whole().hits(observed)
