"""All parses of a short sentence by a shift-reduce model, by plain loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from stacks import probs_of
from trees import tree
from weft.models.options import Normalisation
from weft.models.stack.feature_model import FeatureModel
from weft.models.stack.model import StackModel
from weft.models.stack.spec import MoveTables
from weft.structures.evidence import Evidence, Example, sentence
from weft.structures.grammar import Grammar, Rule, Terminal, grammar
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


TREES = [
    "(S (A a) (B b))",
    "(S (A a a) (B b))",
    "(S (A a) (B (A a) b))",
    "(S (B (A a)))",
    "(S (A a b a) (B b))",
]
# A becomes B and B becomes A.
CYCLIC = [*TREES, "(S (A (B (A a))) (B b))", "(S (A (B b)))"]
NONE = np.zeros(0)


def corpus(texts: list[str]) -> list[Example]:
    return MoveTables().compile([tree(text) for text in texts])


def model_of(texts: list[str], form: str, unseen: str = "back-off", **options) -> StackModel:
    given = {"rare": 0, "beam": 0.0, "canonical": False, **options}
    return MoveTables(form, unseen, **given).prepare(corpus(texts))


def sentences(longest: int) -> list[tuple[str, ...]]:
    lengths = range(1, longest + 1)
    return [words for length in lengths for words in itertools.product("ab", repeat=length)]


def totals(model: StackModel, several) -> np.ndarray:
    found = model.forest([Evidence(sentence(words)) for words in several])
    return np.exp(found.log_partition(NONE))


def pair_grammar(model: StackModel) -> Grammar:
    """The weighted grammar that a joint parser defines: [Z; W, V] → [Y; W, V] [X; Y, W]."""
    names, rules = model.labels, []

    def moves(top: int, below: int):
        where = model.table.context(top, below)
        for move, score in zip(model.table.moves[where], model.table.scores[where], strict=True):
            yield *divmod(int(move), len(names)), float(score)

    def symbol(*three: int) -> str:
        return "[{};{},{}]".format(*(names[each] for each in three))

    size = range(len(names))
    for x, y, w in itertools.product(size, size, size):
        if y == 0 != w:
            continue
        if x == 0:
            for kind, label, score in moves(y, w):
                if kind == 0 and label:
                    rules.append(Rule(symbol(label, y, w), (Terminal(names[label]),), score))
            continue
        for kind, label, score in moves(x, y):
            if kind == 1:
                rules.append(Rule(symbol(label, y, w), (symbol(x, y, w),), score))
            elif kind == 2:
                for v in size:
                    if not (w == 0 != v):
                        body = symbol(y, w, v), symbol(x, y, w)
                        rules.append(Rule(symbol(label, w, v), body, score))
            elif label == 0:
                rules.append(Rule("TOP", (symbol(x, y, w),), score))
    return grammar(rules, "TOP")
