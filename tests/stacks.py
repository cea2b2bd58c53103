"""Brute force for shift-reduce parsers: every move sequence, or every stack, of a short sentence.

Nothing here shares stacks between parses, and nothing is pruned: it is for sentences of a few
words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from weft.structures.moves import ACCEPT, END, Move, Reduce, Shift, State

MoveProbs = Callable[[State], Mapping[Move, float]]
"""The distribution of moves, given what the parser knows; a joint parser does not look at what is
next."""

Stack = tuple[str, ...]


class Moves(Protocol):
    """Moves with their scores, by context; a move is ``kind * labels + label``."""

    rows: np.ndarray
    looks: int
    offsets: np.ndarray
    moves: np.ndarray
    scores: np.ndarray


def probs_of(moves: Moves, labels: Sequence[str], looks: Sequence[str] = ()) -> MoveProbs:
    """The distribution that arrays give.

    Args:
        moves: The arrays.
        labels: The labels of the stack, ⋆ first.
        looks: The terminals that are looked ahead to, ⋆ first; none for a joint parser.
    """
    number = {label: place for place, label in enumerate(labels)}
    look = {terminal: place for place, terminal in enumerate(looks)}

    def probs(state: State) -> dict[Move, float]:
        row = int(moves.rows[number[state.top], number[state.below]])
        if row < 0:
            return {}
        context = row * moves.looks + (look[state.next.label] if looks and state.next else 0)
        found: dict[Move, float] = {}
        for entry in range(*moves.offsets[context : context + 2].tolist()):
            kind, label = divmod(int(moves.moves[entry]), len(labels))
            move = Reduce(kind, labels[label]) if kind else Shift(labels[label])
            found[move] = float(np.exp(moves.scores[entry]))
        return found

    return probs


def all_parses(
    terminals: Sequence[str], probs: MoveProbs, *, unaries: int
) -> dict[tuple[Move, ...], float]:
    """Every parse of a sentence with its probability.

    Args:
        terminals: The sentence.
        probs: The distribution of moves.
        unaries: How many reduce₁ may follow one another. With as many as there are labels, the most
            probable parse is among these; where reduce₁ moves lead from a label back to it, the sum
            is that of :func:`sums_of` only in the limit.
    """
    return dict(_parses(terminals, probs, unaries))


def best_parse(terminals: Sequence[str], probs: MoveProbs, *, unaries: int) -> tuple[Move, ...]:
    """The most probable parse of a sentence that has one."""
    found = all_parses(terminals, probs, unaries=unaries)
    return max(found, key=found.__getitem__)


def _parses(
    terminals: Sequence[str], probs: MoveProbs, unaries: int
) -> Iterator[tuple[tuple[Move, ...], float]]:
    ahead = _ahead(terminals)
    waiting: list[tuple[tuple[Move, ...], Stack, int, int, float]] = [((), (), 0, 0, 1.0)]
    while waiting:
        moves, stack, place, chain, mass = waiting.pop()
        for move, prob in probs(_state(stack, ahead[place])).items():
            if not prob:
                continue
            after, so_far = (*moves, move), mass * prob
            if isinstance(move, Reduce):
                longer = chain + 1 if move.size == 1 else 0
                if longer <= unaries:
                    rest = stack[: -move.size]
                    waiting.append((after, (*rest, move.label), place, longer, so_far))
            elif move == ahead[place] == ACCEPT:
                yield after, so_far
            elif move == ahead[place]:
                waiting.append((after, (*stack, move.label), place + 1, 0, so_far))


class Sums(NamedTuple):
    """Sums over move sequences.

    Attributes:
        total: Over the parses of the sentence.
        prefixes: [words + 1], over what begins with so many of the shifts.
        visits: [words + 1], by stack, how often it is met after so many shifts: a probability
            where no reduce₁ leads back to a label.
    """

    total: float
    prefixes: list[float]
    visits: list[dict[Stack, float]]


def sums_of(terminals: Sequence[str], probs: MoveProbs) -> Sums:
    """Sum over all move sequences, those that go round in circles included."""
    ahead = _ahead(terminals)
    arrivals: dict[Stack, float] = {(): 1.0}
    prefixes, visits, total = [], [], 0.0
    for coming in ahead:
        prefixes.append(sum(arrivals.values()))
        visits.append(_visits(arrivals, coming, probs))
        arrivals = {}
        for stack, mass in visits[-1].items():
            prob = probs(_state(stack, coming)).get(coming, 0.0)
            if prob:
                arrivals[(*stack, coming.label)] = mass * prob
        total = sum(arrivals.values())
    return Sums(total, prefixes, visits)


def _visits(arrivals: Mapping[Stack, float], coming: Shift, probs: MoveProbs) -> dict[Stack, float]:
    """How often each stack is met before the next shift: the highest stacks are done first."""
    found: dict[Stack, float] = {}
    waiting: dict[int, dict[Stack, float]] = defaultdict(lambda: defaultdict(float))
    for stack, mass in arrivals.items():
        waiting[len(stack)][stack] += mass
    for height in range(max(waiting, default=0), -1, -1):
        by_rest: dict[Stack, dict[str, float]] = defaultdict(dict)
        for stack, mass in waiting[height].items():
            if stack:
                by_rest[stack[:-1]][stack[-1]] = mass
            else:
                found[stack] = mass
        for rest, tops in by_rest.items():
            for top, mass in _closed(rest, tops, coming, probs).items():
                found[(*rest, top)] = mass
                for move, prob in probs(_state((*rest, top), coming)).items():
                    if isinstance(move, Reduce) and move.size == 2:
                        waiting[height - 1][(*rest[:-1], move.label)] += mass * prob
    return found


def _closed(
    rest: Stack, tops: Mapping[str, float], coming: Shift, probs: MoveProbs
) -> dict[str, float]:
    """How often each label is on top of the rest, however many reduce₁ there are: v = a + v U."""
    labels = list(tops)
    edges: dict[tuple[str, str], float] = {}
    for top in labels:  # grows
        for move, prob in probs(_state((*rest, top), coming)).items():
            if isinstance(move, Reduce) and move.size == 1 and prob:
                edges[top, move.label] = prob
                if move.label not in labels:
                    labels.append(move.label)
    place = {label: number for number, label in enumerate(labels)}
    unary = np.zeros((len(labels), len(labels)))
    for (source, target), prob in edges.items():
        unary[place[source], place[target]] = prob
    arriving = np.array([tops.get(label, 0.0) for label in labels])
    unary *= 1 - 1e-13  # so that labels of a cycle that never ends are met finitely often
    visits = np.linalg.solve((np.eye(len(labels)) - unary).T, arriving)
    return dict(zip(labels, visits.tolist(), strict=True))


def _ahead(terminals: Sequence[str]) -> list[Shift]:
    return [*map(Shift, terminals), ACCEPT]


def _state(stack: Stack, coming: Shift) -> State:
    padded = (END, END, *stack)
    return State(padded[-1], padded[-2], coming)
