"""Sentences of a feature grammar, with their trees: all up to a depth, or random ones.

Trees are taken from a packed forest of all that the grammar can make up to their depth
(:mod:`weft.unification.levels`). All of them come by depth, those of depth 1 first, and deeper
forests are made only when they are needed. Random ones each come from a forest of some of the
lexical entries, taken at random, which is small however large the lexicon is; in it every rule that
can be completed is as likely as any other, wherever there is a choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from weft.errors import LimitError, OptionError
from weft.unification.grammar import FeatureGrammar
from weft.unification.levels import Level, Way, Wordless, find_level, leave_words_out
from weft.unification.structure import CycleError, FeatureStructure
from weft.unification.trees import FeatureTree, make_label

DEEPEST = 200
"""Trees are not made deeper than this."""

_MOST_ATTEMPTS = 500_000_000
_RANDOM_ATTEMPTS = 1_000_000  # a second, at the very most
_RANDOM_ENTRIES = 60
_MOST_NODES = 1_000  # of a random tree, before it is ended as soon as can be


@dataclass(frozen=True, slots=True)
class _Plan:
    """The number of a rule with what its categories become; without structures."""

    rule: int
    children: tuple[_Plan, ...]

    @property
    def depth(self) -> int:
        return 1 + max((child.depth for child in self.children), default=0)


def generate(grammar: FeatureGrammar, depth: int) -> Iterator[FeatureTree]:
    r"""Yield the trees of a grammar that are at most so deep, each once, by their depth.

    Args:
        grammar: The grammar.
        depth: How many categories may lie above a word.

    Raises:
        OptionError: If the depth is not positive, or too large.
        LimitError: If a depth takes too much; all trees that are less deep have been given.
        NotDefined: If terms are compared that would have to be computed first.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> rules = b"S -> NP[N=?n] VP[N=?n]\nNP[N=sg] -> 'Kim'\nNP -> 'fish'\nVP[N=pl] -> 'swim'"
    >>> [str(tree) for tree in generate(read_fcfg(io.BytesIO(rules)), 2)]
    ["(S[] (NP[] fish) (VP[N='pl'] swim))"]
    """
    check_depth(depth)
    wordless, trees = leave_words_out(grammar), _Trees(grammar)
    for each in range(1, depth + 1):
        level = find_level(wordless, each, _MOST_ATTEMPTS)
        if not level.complete:
            message = f"trees of depth {each} take too many steps; all of less depth were given"
            raise LimitError(f"{message}. Ask for a smaller depth, or for random ones")
        for plan in _all_plans(level, each):
            tree = trees.make(plan) if plan.depth == each else None
            if tree is not None:
                yield tree


def generate_random(
    grammar: FeatureGrammar, depth: int, rng: np.random.Generator
) -> Iterator[FeatureTree]:
    """Yield random trees of a grammar that are at most so deep, without end; none if there is none.

    Args:
        grammar: The grammar.
        depth: How many categories may lie above a word.
        rng: Chooses lexical entries for each tree, and rules wherever there is a choice.

    Raises:
        OptionError: If the depth is not positive, or too large.
        LimitError: If it cannot be found out whether there is a tree.
        NotDefined: If terms are compared that would have to be computed first.
    """
    check_depth(depth)
    wordless, trees = leave_words_out(grammar), _Trees(grammar)
    everything: Level | None = None
    while True:
        level = everything or _some_level(wordless, depth, rng)
        if len(wordless.entries) <= _RANDOM_ENTRIES:
            everything = level
        if not level.roots:
            return
        tree = trees.make(_Draw(level, rng).sentence(depth))
        if tree is not None:
            yield tree


def check_depth(depth: int) -> None:
    """Refuse a depth that is not positive, or so large that trees could not be walked.

    Raises:
        OptionError: If it is.
    """
    if not 1 <= depth <= DEEPEST:
        raise OptionError(f"the depth of trees must be from 1 to {DEEPEST}, not {depth}")


def _some_level(wordless: Wordless, depth: int, rng: np.random.Generator) -> Level:
    """A forest with a sentence in it, of few lexical entries if that will do, or of all of them."""
    size, attempts = _RANDOM_ENTRIES, _RANDOM_ATTEMPTS
    order = rng.permutation(len(wordless.entries))
    while size < len(order):
        entries = [number for place in order[:size] for number in wordless.entries[place]]
        level = find_level(wordless, depth, attempts, entries)
        if level.roots:
            return level
        size, attempts = 2 * size, 4 * attempts
    level = find_level(wordless, depth, attempts)
    if not level.roots and not level.complete:
        message = f"no tree of depth {depth} was found within {attempts:,} steps"
        raise LimitError(f"{message}; ask for a smaller depth")
    return level


def _all_plans(level: Level, depth: int) -> Iterator[_Plan]:
    for root in level.roots:
        if level.levels[root] <= depth:
            yield from _plans(level, root, depth)


def _plans(level: Level, number: int, depth: int) -> Iterator[_Plan]:
    for rule, before, child in level.ways_to(number, depth - 1):
        for children in _sides(level, before, child, depth - 1):
            yield _Plan(rule, children)


def _sides(level: Level, before: int, child: int, depth: int) -> Iterator[tuple[_Plan, ...]]:
    if child < 0:
        yield ()
        return
    for left in _beginnings(level, before, depth):
        for last in _plans(level, child, depth):
            yield (*left, last)


def _beginnings(level: Level, before: int, depth: int) -> Iterator[tuple[_Plan, ...]]:
    if before < 0:
        yield ()
        return
    for _, earlier, child in level.ways_to(level.count + before, depth):
        yield from _sides(level, earlier, child, depth)


class _Draw:
    """Draws one tree."""

    def __init__(self, level: Level, rng: np.random.Generator) -> None:
        self.level, self.rng, self.nodes = level, rng, 0

    def sentence(self, depth: int) -> _Plan:
        ways = [way for root in self.level.roots for way in self.level.ways_to(root, depth - 1)]
        return self.plan(ways, depth)

    def plan(self, ways: list[Way], depth: int) -> _Plan:
        self.nodes += 1
        rules = sorted({rule for rule, _, _ in self.shallow(ways)})
        rule = rules[self.rng.integers(len(rules))]
        _, before, child = self.choose([way for way in ways if way[0] == rule])
        children: list[_Plan] = []
        while child >= 0:
            children.append(self.plan(self.level.ways_to(child, depth - 2), depth - 1))
            if before < 0:
                break
            earlier = self.level.ways_to(self.level.count + before, depth - 1)
            _, before, child = self.choose(earlier)
        return _Plan(rule, tuple(reversed(children)))

    def choose(self, ways: list[Way]) -> Way:
        some = self.shallow(ways)
        return some[self.rng.integers(len(some))]

    def shallow(self, ways: list[Way]) -> list[Way]:
        """Ways that may be taken: all of them, or the least deep ones in a tree that is large."""
        if self.nodes <= _MOST_NODES:
            return ways
        least = min(map(self.level.least_depth, ways))
        return [way for way in ways if self.level.least_depth(way) == least]


class _Trees:
    """Makes trees of plans, with structures as parsing gives them; equal ones are made once."""

    def __init__(self, grammar: FeatureGrammar) -> None:
        self.grammar = grammar
        self.labels: dict[tuple[int, ...], FeatureStructure | None] = {}
        self.known: dict[FeatureStructure, FeatureStructure] = {}

    def make(self, plan: _Plan) -> FeatureTree | None:
        """The tree of a plan; None if what is carried cannot be."""
        below = list(map(self.make, plan.children))
        made = [tree for tree in below if tree is not None]
        if len(made) < len(below):
            return None
        label = self.label(plan.rule, [tree.label for tree in made])
        if label is None:
            return None
        rule, trees = self.grammar.rules[plan.rule], iter(made)
        children = tuple(next(trees) if word is None else word for word in rule.words)
        return FeatureTree(label, children, rule)

    def label(self, rule: int, below: list[FeatureStructure]) -> FeatureStructure | None:
        key = (rule, *map(id, below))  # labels are kept, so that none has the place of another
        if key not in self.labels:
            try:
                found = make_label(self.grammar, self.grammar.rules[rule], below)
            except (ValueError, CycleError):
                self.labels[key] = None
            else:
                self.labels[key] = self.known.setdefault(found, found)
        return self.labels[key]


def sentence_of(tree: FeatureTree) -> tuple[str, ...]:
    r"""Return the words of a tree, from left to right.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> [tree] = generate(read_fcfg(io.BytesIO(b"S -> 'it' V\nV -> 'rains'")), 2)
    >>> sentence_of(tree)
    ('it', 'rains')
    """
    parts = (child if isinstance(child, str) else sentence_of(child) for child in tree.children)
    return tuple(word for part in parts for word in ((part,) if isinstance(part, str) else part))
