"""Sentences of a feature grammar, with their trees: all up to a depth, or random ones.

Rules are applied from the start category downward, and features are unified at every step, so that
what cannot become a sentence is left as soon as that is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weft.errors import OptionError
from weft.unification.grammar import FeatureGrammar, FeatureRule, category_of
from weft.unification.structure import CycleError
from weft.unification.trees import FeatureTree, make_label
from weft.unification.unify import Graph


@dataclass(frozen=True, slots=True)
class _Plan:
    """A rule with what its categories become; without structures."""

    rule: FeatureRule
    children: tuple[_Plan | str, ...]


def generate(
    grammar: FeatureGrammar, depth: int, rng: np.random.Generator | None = None
) -> Iterator[FeatureTree]:
    r"""Yield the trees of a grammar that are at most so deep, each once.

    Args:
        grammar: The grammar.
        depth: How many categories may lie above a word.
        rng: Takes rules in random order, anew wherever there is a choice; without it, in theirs.

    Raises:
        OptionError: If the depth is not positive.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> rules = b"S -> NP[N=?n] VP[N=?n]\nNP[N=sg] -> 'Kim'\nNP -> 'fish'\nVP[N=pl] -> 'swim'"
    >>> [str(tree) for tree in generate(read_fcfg(io.BytesIO(rules)), 2)]
    ["(S[] (NP[] fish) (VP[N='pl'] swim))"]
    """
    if depth < 1:
        raise OptionError(f"the depth of trees must be at least 1, not {depth}")
    generator = _Generator(grammar, rng)
    graph = Graph(grammar.start.nodes)
    kind = category_of(grammar.start, 0) or ""
    for _, plan in generator.expand(graph, 0, kind, depth):
        tree = _carry_out(grammar, plan)
        if tree is not None:
            yield tree


class _Generator:
    def __init__(self, grammar: FeatureGrammar, rng: np.random.Generator | None) -> None:
        self.grammar, self.rng = grammar, rng
        self.rules: defaultdict[str, list[FeatureRule]] = defaultdict(list)
        for rule in grammar.rules:
            self.rules[category_of(rule.structure, rule.sides[0]) or ""].append(rule)

    def expand(
        self, graph: Graph, place: int, kind: str, depth: int
    ) -> Iterator[tuple[Graph, _Plan]]:
        """The ways to make a category, each with what is known of all structures then."""
        rules: Sequence[FeatureRule] = self.rules[kind] if depth else ()
        if self.rng is not None:
            rules = [rules[number] for number in self.rng.permutation(len(rules))]
        for rule in rules:
            # All but the last rule on a path has categories, which need another level.
            if depth == 1 and not all(rule.words):
                continue
            mine = graph.copy()
            base = mine.add(rule.structure.nodes)
            left, *right = (base + side for side in rule.sides)
            if mine.unify(place, left, self.grammar.defaults):
                yield from self.sides(mine, rule, right, (), depth)

    def sides(
        self,
        graph: Graph,
        rule: FeatureRule,
        places: Sequence[int],
        made: tuple[_Plan | str, ...],
        depth: int,
    ) -> Iterator[tuple[Graph, _Plan]]:
        """The ways to make what is left of a right side."""
        number = len(made)
        if number == len(places):
            yield graph, _Plan(rule, made)
            return
        word = rule.words[number]
        if word is not None:
            yield from self.sides(graph, rule, places, (*made, word), depth)
            return
        kind = category_of(rule.structure, rule.sides[number + 1]) or ""
        for then, plan in self.expand(graph, places[number], kind, depth - 1):
            yield from self.sides(then, rule, places, (*made, plan), depth)


def _carry_out(grammar: FeatureGrammar, plan: _Plan) -> FeatureTree | None:
    """The tree of a plan, with structures as parsing gives them; None if rules do not apply so."""
    children: list[FeatureTree | str] = []
    for part in plan.children:
        child = part if isinstance(part, str) else _carry_out(grammar, part)
        if child is None:
            return None
        children.append(child)
    labels = [child.label for child in children if isinstance(child, FeatureTree)]
    try:
        return FeatureTree(make_label(grammar, plan.rule, labels), tuple(children), plan.rule)
    except (ValueError, CycleError):
        return None


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
