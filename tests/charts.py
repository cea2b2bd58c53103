"""Small grammars, and sums over their trees in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import assume, reject
from hypothesis import strategies as st

from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar
from weft.structures.tree import Tree

NAMES = ("S", "A", "B")
WORDS = ("a", "b")
_SYMBOLS = st.sampled_from([*NAMES, Terminal("a"), Terminal("b")])


@st.composite
def grammars(draw: st.DrawFn, weights: st.SearchStrategy[float] | None = None) -> Grammar:
    """Empty and unary rules, cycles of them, long right sides, terminals anywhere."""
    mild = st.integers(-40, -6).map(lambda number: number / 8)
    numbers = mild if weights is None else weights
    bodies = st.lists(_SYMBOLS, max_size=4).map(tuple)
    keys = draw(
        st.lists(st.tuples(st.sampled_from(NAMES), bodies), min_size=2, max_size=9, unique=True)
    )
    words = [(name, (Terminal(word),)) for name, word in zip(NAMES, "aba", strict=True)]
    rules = [Rule(head, body, draw(numbers)) for head, body in dict.fromkeys([*keys, *words])]
    return grammar(rules, "S")


def sentences(most: int = 4) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(WORDS), max_size=most)


class Sums:
    """The least solution of the equations of all spans, found by iterating from 0."""

    def __init__(self, rules: Grammar, theta: np.ndarray, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.bodies = [rule.body for rule in rules.rules()]
        self.heads = [rule.head for rule in rules.rules()]
        self.weights = np.exp(theta)
        self.start = rules.nonterminals[rules.start]
        n = len(words)
        self.values = {
            (name, i, k): 0.0
            for name in rules.nonterminals
            for i in range(n + 1)
            for k in range(i, n + 1)
        }
        self.converged = False
        for _ in range(400):
            fresh = dict.fromkeys(self.values, 0.0)
            for head, body, weight in zip(self.heads, self.bodies, self.weights, strict=True):
                for i in range(n + 1):
                    for k in range(i, n + 1):
                        fresh[head, i, k] += weight * self.body(body, i, k)
            largest = max(fresh.values())
            change = max(abs(fresh[key] - self.values[key]) for key in fresh)
            self.values = fresh
            if largest > 1e6:
                return
            if change <= 1e-15 * largest:
                self.converged = True
                return

    def body(self, body: tuple[Symbol, ...], i: int, k: int) -> float:
        if not body:
            return float(i == k)
        first, rest = body[0], body[1:]
        if isinstance(first, Terminal):
            if i < k and self.words[i] == first.text:
                return self.body(rest, i + 1, k)
            return 0.0
        return math.fsum(
            self.values[first, i, m] * self.body(rest, m, k)
            for m in range(i, k + 1)
            if self.values[first, i, m]
        )

    @property
    def log_partition(self) -> float:
        value = self.values[self.start, 0, len(self.words)]
        return math.log(value) if value else -math.inf


class TooManyError(Exception):
    """There are more trees than a test wants to list."""


def finite_trees(rules: Grammar, words: Sequence[str]) -> list[tuple[Tree, list[int]]]:
    """Every tree, for a sentence that has few; others are not for this test."""
    try:
        trees = all_trees(rules, words, depth=6, most=500)
        deeper = all_trees(rules, words, depth=8, most=500)
    except TooManyError:
        reject()
    assume(len(trees) == len(deeper))
    return trees


def all_trees(
    rules: Grammar, words: Sequence[str], depth: int, most: int = 20_000
) -> list[tuple[Tree, list[int]]]:
    """Every tree of at most some depth, with the numbers of its rules."""
    known: dict[tuple[str, int, int, int], list[tuple[Tree, list[int]]]] = {}
    every = rules.rules()
    steps: list[None] = []

    def symbol(name: str, i: int, k: int, left: int) -> list[tuple[Tree, list[int]]]:
        key = name, i, k, left
        if key not in known:
            found = known[key] = []
            for number, rule in enumerate(every):
                if rule.head != name or left == 0:
                    continue
                for children, used in expand(rule.body, i, k, left - 1):
                    found.append((Tree(name, children), [number, *used]))
                    if len(found) > most:
                        raise TooManyError
        return known[key]

    def expand(
        body: tuple[Symbol, ...], i: int, k: int, left: int
    ) -> Iterator[tuple[tuple[Tree | str, ...], list[int]]]:
        if not body:
            if i == k:
                yield (), []
            return
        first, rest = body[0], body[1:]
        if isinstance(first, Terminal):
            if i < k and words[i] == first.text:
                for others, used in expand(rest, i + 1, k, left):
                    yield (first.text, *others), used
            return
        for m in range(i, k + 1):
            heads = symbol(first, i, m, left)
            for others, used in expand(rest, m, k, left) if heads else ():
                for tree, own in heads:
                    steps.append(None)
                    if len(steps) > 50 * most:
                        raise TooManyError
                    yield (tree, *others), [*own, *used]

    return symbol(rules.nonterminals[rules.start], 0, len(words), depth)
