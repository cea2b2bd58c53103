"""Chains of reduce₁ moves that lead from labels back to them, summed in closed form.

Over one span, and with one label below, let M[X, Z] be the weight of reduce₁(Z) at X. The chains of
such moves from X to Z, of which there are infinitely many, sum to

    M*[X, Z],    M* = I + M + M² + … = (I − M)⁻¹,

and in the forest they are one edge. A use of it has M*[X, A] M[A, B] M*[B, Z] / M*[X, Z] moves from
A to B on average, which is the slope of log M*[X, Z] in log M[A, B]. The best chain is that of max
in place of +, a chain is drawn move by move, and where all labels of some set must be met, states
are labels with those that were met.

What is said of moves is said of *rows*: the edges of a forest, then its moves within chains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, ranges
from weft.errors import DivergenceError
from weft.grammars.sums.closure import log_star

Chain = tuple[int, ...]
"""The rows of the moves of a chain, in their order."""


class Size(NamedTuple):
    """Groups with as many states: their places in matrices [groups, states, states]."""

    shape: tuple[int, int, int]
    groups: IntArray
    moves: IntArray
    steps: tuple[IntArray, IntArray, IntArray]
    chains: IntArray
    ends: tuple[IntArray, IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class Chains:
    """What the edges of a forest that stand for chains are made of.

    Attributes:
        edge_count: How many edges the forest has.
        edges: [chains], those that stand for chains.
        starts: [chains], the state that each begins in.
        ends: [chains], the state that it ends in.
        offsets: [groups + 1], the first state of each group; moves and chains stay within one.
        sources: [moves], the state that each leaves, in the order of groups.
        targets: [moves], the state that it leads to.
        rows: [moves], its row.
        labels: [states], their labels, as numbers.
        names: The labels, by number.
    """

    edge_count: int
    edges: IntArray
    starts: IntArray
    ends: IntArray
    offsets: IntArray
    sources: IntArray
    targets: IntArray
    rows: IntArray
    labels: IndexArray
    names: Sequence[str]

    @cached_property
    def sizes(self) -> list[Size]:
        """The groups, those with as many states together."""
        sizes = np.diff(self.offsets)
        of_moves, of_chains = self._groups(self.sources), self._groups(self.starts)
        found = []
        for size in np.unique(sizes).tolist():
            groups = np.flatnonzero(sizes == size)
            moves = np.flatnonzero(sizes[of_moves] == size)
            chains = np.flatnonzero(sizes[of_chains] == size)
            steps = self._within(groups, of_moves[moves], self.sources[moves], self.targets[moves])
            ends = self._within(groups, of_chains[chains], self.starts[chains], self.ends[chains])
            shape = len(groups), size, size
            found.append(Size(shape, groups, moves, steps, chains, ends))
        return found

    def _groups(self, states: IntArray) -> IntArray:
        return np.searchsorted(self.offsets, states, side="right") - 1

    def _within(
        self, groups: IntArray, mine: IntArray, first: IntArray, last: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        begin = self.offsets[mine]
        return np.searchsorted(groups, mine), first - begin, last - begin

    def matrices(self, size: Size, scores: FloatArray) -> FloatArray:
        """[groups, states, states]: numbers of rows [rows]; -inf where there is no move."""
        found = np.full(size.shape, -np.inf)
        found[size.steps] = scores[self.rows[size.moves]]
        return found

    def _stars(self, scores: FloatArray) -> Iterator[tuple[Size, FloatArray]]:
        for size in self.sizes:
            # Groups over many spans are alike, where moves do not depend on the words there.
            several = self.matrices(size, scores)
            first, places = _distinct(several)
            stars, endless = log_star(several[first])
            if endless.any():
                place = np.flatnonzero(endless[places])[0]
                raise self._endless(int(size.groups[place]), "sum over parses is infinite")
            yield size, stars[places]

    def _endless(self, group: int, what: str) -> DivergenceError:
        labels = self.labels[self.offsets[group] : self.offsets[group + 1]]
        shown = ", ".join(sorted({self.names[label] for label in labels.tolist()}))
        return DivergenceError(
            f"the {what}: reduce moves that lead from {shown} back to it keep all of their weight "
            "in each round, to rounding; lower their weights"
        )

    def weights(self, scores: FloatArray) -> FloatArray:
        """Return the log-weights of edges, given the scores of rows.

        Raises:
            DivergenceError: If chains have no finite sum.
        """
        found = scores[: self.edge_count].copy()
        for size, stars in self._stars(scores):
            found[self.edges[size.chains]] += stars[size.ends]
        return found

    def uses(self, scores: FloatArray, edge_uses: FloatArray) -> FloatArray:
        """Return how often rows are used, given the scores of rows and how often edges are."""
        found = np.concatenate([edge_uses, np.zeros(len(scores) - self.edge_count)])
        offsets = self._move_offsets
        for size, stars in self._stars(scores):
            used = np.flatnonzero(edge_uses[self.edges[size.chains]] > 0)
            group, start, end = (each[used] for each in size.ends)
            of_group = size.groups[group]
            lengths = offsets[of_group + 1] - offsets[of_group]
            moves = ranges(offsets[of_group], lengths)
            owner = np.repeat(np.arange(len(used)), lengths)
            begin = self.offsets[of_group][owner]
            source, target = self.sources[moves] - begin, self.targets[moves] - begin
            logs = stars[group[owner], start[owner], source] + scores[self.rows[moves]]
            logs += stars[group[owner], target, end[owner]] - stars[group, start, end][owner]
            shares = np.exp(logs) * edge_uses[self.edges[size.chains]][used][owner]
            found += np.bincount(self.rows[moves], shares, len(found))
        return found

    def best(self, scores: FloatArray) -> BestChains:
        """Return the best chain of each edge, given the scores of rows.

        Raises:
            DivergenceError: If there is none, because going round gains weight.
        """
        weights, ways = scores[: self.edge_count].copy(), []
        for size in self.sizes:
            best, after = _best_ways(self.matrices(size, scores))
            gains = np.flatnonzero((np.diagonal(best, axis1=1, axis2=2) > 0).any(axis=1))
            if len(gains):
                raise self._endless(int(size.groups[gains[0]]), "best parse is infinitely long")
            weights[self.edges[size.chains]] += best[size.ends]
            ways.append((after, best))
        return BestChains(self, weights, ways)

    def place_of(self, group: int) -> tuple[int, int]:
        """Return the size of a group, as a place among sizes, and its place there."""
        widths = [size.shape[1] for size in self.sizes]
        number = widths.index(int(self.offsets[group + 1] - self.offsets[group]))
        return number, int(np.searchsorted(self.sizes[number].groups, group))

    @cached_property
    def _move_offsets(self) -> IntArray:
        """[groups + 1]: where the moves of each begin."""
        return np.searchsorted(self.sources, self.offsets)

    @cached_property
    def _places(self) -> IntArray:
        """[edges]: the chains that each stands for; -1 where it stands for none."""
        found = np.full(self.edge_count, -1, np.int64)
        found[self.edges] = np.arange(len(self.edges))
        return found

    def has(self, edge: int) -> bool:
        """Whether an edge stands for chains."""
        return bool(self._places[edge] >= 0)

    def ends_of(self, edge: int) -> tuple[int, int, int]:
        """Return the group of an edge, and the places in it where its chains begin and end."""
        place = self._places[edge]
        start, end = int(self.starts[place]), int(self.ends[place])
        group = int(np.searchsorted(self.offsets, start, side="right")) - 1
        begin = int(self.offsets[group])
        return group, start - begin, end - begin

    @cached_property
    def _ways(self) -> dict[int, dict[int, dict[int, int]]]:
        return {}

    def moves_of(self, group: int) -> dict[int, dict[int, int]]:
        """Return, by source, the row of the move to each target, as places in the group."""
        if group not in self._ways:  # few of many are asked for, and these often
            mine = slice(*self._move_offsets[group : group + 2])
            begin, found = self.offsets[group], self._ways.setdefault(group, {})
            columns = self.sources[mine] - begin, self.targets[mine] - begin, self.rows[mine]
            for source, target, row in zip(*(each.tolist() for each in columns), strict=True):
                found.setdefault(source, {})[target] = row
        return self._ways[group]

    def draw(self, scores: FloatArray, rng: np.random.Generator) -> Callable[[int], Chain]:
        """Return what draws a chain of an edge, given the scores of rows."""
        stars = {
            int(group): each
            for size, several in self._stars(scores)
            for group, each in zip(size.groups, several, strict=True)
        }

        def draw(edge: int) -> Chain:
            group, place, end = self.ends_of(edge)
            drawn: list[int] = []
            while True:
                ways = list(self.moves_of(group).get(place, {}).items())
                logs = [scores[row] + stars[group][target, end] for target, row in ways]
                logs.append(0.0 if place == end else -np.inf)
                shares = np.exp(np.array(logs) - stars[group][place, end])
                chosen = int(rng.choice(len(logs), p=shares / shares.sum()))
                if chosen == len(ways):
                    return tuple(drawn)
                place = ways[chosen][0]
                drawn.append(ways[chosen][1])

        return draw


def _distinct(matrices: FloatArray) -> tuple[IntArray, IntArray]:
    """The first of equal matrices, bit by bit, and the place among them that each has."""
    flat = np.ascontiguousarray(matrices.reshape(len(matrices), -1))
    keys = flat.view(np.dtype((np.void, flat.itemsize * flat.shape[1])))[:, 0]
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    return first, places.reshape(-1)


def _best_ways(matrices: FloatArray) -> tuple[FloatArray, IntArray]:
    """The best ways [groups, states, states], none being one, and the first state of each."""
    size = matrices.shape[-1]
    best, places = matrices.copy(), np.arange(size)
    after = np.broadcast_to(places, best.shape).copy()
    best[:, places, places] = np.maximum(best[:, places, places], 0.0)
    for place in range(size):
        through = best[:, :, place, None] + best[:, None, place, :]
        better = through > best
        best = np.where(better, through, best)
        after = np.where(better, after[:, :, place, None], after)
    return best, after


@dataclass(frozen=True, slots=True, eq=False)
class BestChains:
    """The best chains of edges.

    Attributes:
        chains: All chains.
        weights: [edges], the log-weights of edges with their best chains.
        ways: By size, [groups, states, states] each: the state after each on the best way to each
            other, and its log-weight.
    """

    chains: Chains
    weights: FloatArray
    ways: list[tuple[IntArray, FloatArray]]

    def _ways_of(self, group: int) -> tuple[IntArray, FloatArray]:
        size, place = self.chains.place_of(group)
        after, best = self.ways[size]
        return after[place], best[place]

    def totals(self, amounts: FloatArray) -> FloatArray:
        """[edges]: the sums of amounts [rows] along the best chains."""
        found = np.zeros(self.chains.edge_count)
        for size, (after, _) in zip(self.chains.sizes, self.ways, strict=True):
            mine = self.chains.matrices(size, amounts)
            group, place, end = size.ends
            total = np.zeros(len(group))
            for _ in range(size.shape[1]):
                going = np.flatnonzero(place != end)
                target = after[group[going], place[going], end[going]]
                total[going] += mine[group[going], place[going], target]
                place = place.copy()
                place[going] = target
            found[self.chains.edges[size.chains]] = total
        return found

    def best(self, edge: int) -> Chain:
        """Return the best chain of an edge."""
        group, place, end = self.chains.ends_of(edge)
        found = []
        while place != end:
            target = int(self._ways_of(group)[0][place, end])
            found.append(self.chains.moves_of(group)[place][target])
            place = target
        return tuple(found)

    def several(
        self, edge: int, scores: FloatArray, count: int, least: float
    ) -> list[tuple[float, Chain]]:
        """Return the best ``count`` chains of an edge with their log-weights, the best first.

        Args:
            edge: The edge.
            scores: Of rows.
            count: How many at most.
            least: What a chain must weigh.
        """
        group, start, end = self.chains.ends_of(edge)
        rest = self._ways_of(group)[1][:, end]
        if np.isneginf(rest[start]) or rest[start] < least:
            return []
        # What is still to come is known, and so the best come out first. Of equals, the shorter.
        waiting: list[tuple[float, int, Chain, int, float]] = [(-rest[start], 0, (), start, 0.0)]
        found: list[tuple[float, Chain]] = []
        while waiting and len(found) < count:
            _, length, chain, place, so_far = heappop(waiting)
            if place < 0:
                found.append((so_far, chain))
                continue
            if place == end:
                heappush(waiting, (-so_far, length, chain, -1, so_far))
            for target, row in self.chains.moves_of(group).get(place, {}).items():
                score = so_far + float(scores[row])
                if score + rest[target] > -np.inf and score + rest[target] >= least:
                    after = (-(score + rest[target]), length + 1, (*chain, row), target, score)
                    heappush(waiting, after)
        return found
