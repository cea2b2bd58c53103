"""Bounds of what a model of parse sets sums to over all analyses of a feature grammar.

Without most of its features, a feature grammar is a context-free grammar over its rules: a rule
over rules, wherever each left side unifies with the side that it stands at. That grammar covers the
analyses and more, and a local property looks at nothing else; so with the model's weights it is a
weighted grammar whose sum bounds that of the model. Draws cannot notice that a sum is infinite; if
this one is finite, so is the model's.

Reference: Abney (1997), "Stochastic Attribute-Value Grammars", section 5: the covering grammar.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache

from weft.arrays import FloatArray
from weft.errors import LimitError, OptionError
from weft.features.derived import entity
from weft.features.properties import Node, add_names
from weft.grammars import partition
from weft.models.selection.model import SelectionModel
from weft.structures.alternatives import FeatureName
from weft.structures.grammar import Rule, Terminal, grammar
from weft.unification.forest import ROOT
from weft.unification.grammar import FeatureGrammar
from weft.unification.unify import Graph

LARGEST = 200_000
"""A covering grammar with more rules than this is refused."""


def bound_partition(rules: FeatureGrammar, model: SelectionModel, weights: FloatArray) -> float:
    """Return an upper bound of the log of the sum of all analyses' weights; inf for none.

    Raises:
        OptionError: If a property looks at whole trees, so that there is no such bound.
        LimitError: If the covering grammar is too large.
    """
    for each in model.selection.properties:
        if each.of_node is None:
            raise OptionError(
                f"the property '{each.name}' looks at whole trees, which a covering grammar does "
                "not bound: take local properties only"
            )
    made = grammar(_Cover(rules, model, weights).rules(), ROOT)
    return partition(made).log_value


State = tuple[int, tuple[str, ...]]
"""A rule, and the names of those above it that properties look at."""


class _Cover:
    def __init__(self, rules: FeatureGrammar, model: SelectionModel, weights: FloatArray) -> None:
        self.grammar, self.model, self.weights = rules, model, weights
        self.above = max((each.above for each in model.selection.properties), default=0)

        @cache
        def fitting(rule: int, side: int) -> tuple[int, ...]:
            return tuple(self._fitting(rule, side))

        self.fitting: Callable[[int, int], tuple[int, ...]] = fitting

    def rules(self) -> Iterator[Rule]:
        """The rules of the covering grammar, from the root down."""
        tops = [self._unary(top) for top in self._tops()]
        yield from (rule for rule, _ in tops)
        waiting = [state for _, state in tops]
        seen, count = set(waiting), 0
        while waiting:
            state = waiting.pop()
            for rule, below in self._expand(state):
                count += 1
                if count > LARGEST:
                    raise LimitError(
                        f"the grammar that covers all analyses has more than {LARGEST:,} rules: "
                        "take properties that look at fewer nodes, or a smaller lexicon"
                    )
                yield rule
                waiting.extend(each for each in dict.fromkeys(below) if each not in seen)
                seen.update(below)

    def _tops(self) -> Iterator[int]:
        start = self.grammar.start.nodes
        for number, rule in enumerate(self.grammar.rules):
            graph = Graph(start)
            left = graph.add(rule.structure.nodes) + rule.sides[0]
            if graph.unify(0, left, self.grammar.defaults):
                yield number

    def _unary(self, top: int) -> tuple[Rule, State]:
        above = ("^",) * self.above
        node = Node(ROOT, (self._label(top),), (), above, (self._type(top),))
        state = top, (ROOT, *above)[: self.above]
        return Rule(ROOT, (_named(state),), self._score(node)), state

    def _expand(self, state: State) -> Iterator[tuple[Rule, list[State]]]:
        number, above = state
        rule = self.grammar.rules[number]
        label = self._label(number)
        inner = (label, *above)[: self.above]
        if all(word is not None for word in rule.words):
            words = tuple(word for word in rule.words if word is not None)
            score = self._score(Node(rule.name, (), words, above))
            yield Rule(_named(state), tuple(map(Terminal, words)), score), []
            return
        sides = [
            [-1] if word is not None else self.fitting(number, side)
            for side, word in enumerate(rule.words)
        ]
        for below in itertools.product(*sides):
            labels = [
                f"'{word}'" if child < 0 else self._label(child)
                for child, word in zip(below, rule.words, strict=True)
            ]
            types = ["" if child < 0 else self._type(child) for child in below]
            node = Node(label, tuple(labels), (), above, tuple(types))
            score = self._score(node)
            for word in rule.words:
                if word is not None:  # a node of its own, as in packed forests
                    score += self._score(Node(f"'{word}'", (), (word,), inner))
            states = [(child, inner) for child in below if child >= 0]
            body = [
                Terminal(str(word)) if child < 0 else _named((child, inner))
                for child, word in zip(below, rule.words, strict=True)
            ]
            yield Rule(_named(state), tuple(body), score), states

    def _fitting(self, number: int, side: int) -> Iterator[int]:
        """The rules whose left side unifies with a side of a rule, whatever is around it."""
        rule = self.grammar.rules[number]
        for child, other in enumerate(self.grammar.rules):
            graph = Graph(rule.structure.nodes)
            left = graph.add(other.structure.nodes) + other.sides[0]
            if graph.unify(rule.sides[side + 1], left, self.grammar.defaults):
                yield child

    def _label(self, number: int) -> str:
        return entity(self.grammar.rules[number].name)

    def _type(self, number: int) -> str | None:
        return "" if all(word is not None for word in self.grammar.rules[number].words) else None

    def _score(self, node: Node) -> float:
        counts: defaultdict[FeatureName, float] = defaultdict(float)
        for each in self.model.selection.properties:
            add_names(counts, each, node)
        index = self.model.index
        return math.fsum(
            value * float(self.weights[index[name]])
            for name, value in counts.items()
            if name in index
        )


def _named(state: State) -> str:
    return f"{state[0]} {state[1]}"
