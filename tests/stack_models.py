"""All parses of a short sentence by a shift-reduce model, by plain loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from stacks import probs_of
from weft.models.options import Normalisation
from weft.models.stack.feature_model import FeatureModel
from weft.models.stack.model import StackModel
from weft.structures.moves import ACCEPT, END, Move, Reduce, Shift, State

Entry = tuple[str, int]
"""A label of the stack, and where it begins."""

Scorer = Callable[[tuple[Entry, ...], int], dict[Move, float]]
"""From a stack and how many words were shifted to the log-weights of the possible moves."""


def state_of(stack: tuple[Entry, ...], coming: Shift) -> State:
    padded = (END, END, *(label for label, _ in stack))
    return State(padded[-1], padded[-2], coming)


def move_scores(model: StackModel, words: Sequence[str], theta: np.ndarray) -> Scorer:
    """The moves of a model, over tags as words."""
    probs = probs_of(model.table, model.labels, model.looks)
    ahead = [*map(Shift, words), ACCEPT]

    def of_table(stack: tuple[Entry, ...], place: int) -> dict[Move, float]:
        found = probs(state_of(stack, ahead[place]))
        return {move: float(np.log(prob)) for move, prob in found.items() if prob}

    if not isinstance(model, FeatureModel):
        return of_table
    names = model.named(np.arange(model.parameters.size))
    weights = {name: theta[place] for place, name in enumerate(names)}

    def of_features(stack: tuple[Entry, ...], place: int) -> dict[Move, float]:
        start = stack[-1][1] if stack else 0
        around = (END, *words, END, END)
        values = {
            "s1": state_of(stack, ahead[place]).top,
            "s2": state_of(stack, ahead[place]).below,
            "first": words[start] if stack else END,
            "last": words[place - 1] if stack else END,
            "before": around[start],
            "next": around[place + 1],
            "after": around[place + 2] if place < len(words) else END,
        }
        able = [
            move
            for move in of_table(stack, place)
            if isinstance(move, Reduce) or move == ahead[place]
        ]
        scores = {}
        for move in able:
            seen = [
                (each, f"{' '.join(f'{n}={values[n]}' for n in each.split('+'))} → {move}")
                for each in model.templates
            ]
            scores[move] = float(sum(weights.get(name, 0.0) for name in seen))
        if model.normalisation is Normalisation.CONDITIONAL and scores:
            total = float(np.logaddexp.reduce(list(scores.values())))
            scores = {move: score - total for move, score in scores.items()}
        return scores

    return of_features


def list_parses(words: Sequence[str], scorer: Scorer) -> Iterator[tuple[list[Move], float]]:
    """Every parse with its score; no cycle of reduce moves may be possible."""
    ahead = [*map(Shift, words), ACCEPT]
    waiting: list[tuple[list[Move], tuple[Entry, ...], int, float]] = [([], (), 0, 0.0)]
    while waiting:
        moves, stack, place, so_far = waiting.pop()
        for move, score in scorer(stack, place).items():
            after, total = [*moves, move], so_far + score
            if isinstance(move, Reduce):
                top = (move.label, stack[-move.size][1])
                waiting.append((after, (*stack[: -move.size], top), place, total))
            elif move == ahead[place] == ACCEPT:
                yield after, total
            elif move == ahead[place]:
                waiting.append((after, (*stack, (move.label, place)), place + 1, total))


def edges_of_moves(moves: Sequence[Move]) -> list[tuple[object, ...]]:
    """The edges of a parse, by names of their own."""
    found: list[tuple[object, ...]] = [("bottom",)]
    stack: list[tuple[str, int, int]] = []  # label, start, end
    place = 0
    for move in moves:
        below = stack[-2][0] if len(stack) > 1 else END
        if move == ACCEPT:
            found += [("end", stack[-1]), ("root",)]
        elif isinstance(move, Shift):
            under = stack[-1][0] if stack else END
            stack.append((move.label, place, place + 1))
            place += 1
            found.append(("open", stack[-1], under))
        elif move.size == 1:
            found.append(("reduce", stack[-1], below, move.label))
            stack[-1] = (move.label, *stack[-1][1:])
        else:
            right, left = stack.pop(), stack.pop()
            under = stack[-1][0] if stack else END
            found.append(("close", right, below, move.label))
            found.append(("join", left, under, move.label, place))
            stack.append((move.label, left[1], place))
    return found
