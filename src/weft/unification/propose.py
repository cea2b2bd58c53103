"""Analyses of a feature grammar drawn from a covering grammar, with their probabilities.

The covering grammar has the rules of the feature grammar, each with a probability among those of
its category, and no features. A tree is drawn from the start downward: wherever a category is to be
made, a rule is drawn among those whose left side unifies with what is known of it by then, in
proportion to their probabilities. What comes to a category that no rule is left for, gets too deep
or too large, or has a constituent that is part of itself, is thrown away, and counted as tried.

A tree of rules is one analysis, and so its probability is known. With q(ω) the product of those of
its choices and n the number of trials, the sum of w(ω) / n q(ω) over what was drawn has the
expectation Σ_ω w(ω), over all analyses that are not too deep or too large.

Reference: Abney (1997), "Stochastic Attribute-Value Grammars", section 5, which draws rules without
a look at features, and throws more away.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.structures.parse_set import Candidate, ParseSet
from weft.structures.tree import Tree
from weft.unification.carried import carried_features, part_of_itself
from weft.unification.forest import ROOT
from weft.unification.generate import check_depth
from weft.unification.grammar import FeatureGrammar, FeatureRule, category_of
from weft.unification.structure import CycleError
from weft.unification.trees import FeatureTree, make_label
from weft.unification.unify import Graph

DEPTH = 40
"""How many categories may lie above a word, if nothing is said."""

LARGEST = 1000
"""A tree with more rules than this is given up: the covering grammar may have no finite trees."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """What was drawn.

    Attributes:
        trees: The analyses.
        log_probs: The log of the probability that each is what one trial draws. [trees]
        tried: How many trials there were.
        deep: How many of them were given up because they got too deep, or too large.
    """

    trees: tuple[FeatureTree, ...]
    log_probs: FloatArray
    tried: int
    deep: int


def covering(
    grammar: FeatureGrammar, counts: Mapping[str, float] | None = None, smoothing: float = 0.5
) -> FloatArray:
    """Return the logs of the probabilities of rules among those of their category.

    Args:
        grammar: The grammar.
        counts: How often rules were used, by their names; rules that share a name share its count.
        smoothing: What is added to every rule's count; above 0, so that every analysis has a
            probability.

    Raises:
        OptionError: If the smoothing is not positive.
    """
    if not 0 < smoothing < math.inf:
        raise OptionError(f"the smoothing of a covering grammar must be positive, not {smoothing}")
    alike = Counter(rule.name for rule in grammar.rules)
    given = counts or {}
    amounts = np.array(
        [given.get(rule.name, 0.0) / alike[rule.name] + smoothing for rule in grammar.rules]
    )
    totals: defaultdict[str, float] = defaultdict(float)
    kinds = [_kind(rule) for rule in grammar.rules]
    for kind, amount in zip(kinds, amounts.tolist(), strict=True):
        totals[kind] += amount
    return np.asarray(np.log(amounts / np.array([totals[kind] for kind in kinds])), np.float64)


def rule_counts(trees: Iterable[tuple[Tree, float]]) -> dict[str, float]:
    """Return how often the rules of weighted derivations occur, by their names."""
    counts: defaultdict[str, float] = defaultdict(float)
    for tree, weight in trees:
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            counts[node.label] += weight
            waiting.extend(child for child in node.children if isinstance(child, Tree))
    return dict(counts)


def propose(
    grammar: FeatureGrammar,
    log_probs: FloatArray,
    tried: int,
    rng: np.random.Generator,
    depth: int = DEPTH,
) -> Proposals:
    r"""Draw analyses.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> rules = b"S -> NP[N=?n] VP[N=?n]\nNP[N=sg] -> 'Kim'\nNP -> 'fish'\nVP[N=pl] -> 'swim'"
    >>> grammar = read_fcfg(io.BytesIO(rules))
    >>> found = propose(grammar, covering(grammar), 8, np.random.default_rng(1))
    >>> {str(tree) for tree in found.trees}, found.tried
    ({"(S[] (NP[] fish) (VP[N='pl'] swim))"}, 8)

    Args:
        grammar: The grammar.
        log_probs: Of its rules, as :func:`covering` gives them. [rules]
        tried: How many trials there are; some of them may give nothing.
        rng: Draws.
        depth: How many categories may lie above a word.

    Raises:
        OptionError: If a number is not positive, or the depth too large.
    """
    if tried < 1:
        raise OptionError("the number of trials must be at least 1")
    check_depth(depth)
    drawing = _Drawing(grammar, np.exp(log_probs), rng)
    trees, scores = [], []
    for _ in range(tried):
        made = drawing.draw(depth)
        if made is not None:
            trees.append(made[0])
            scores.append(made[1])
    return Proposals(tuple(trees), np.array(scores, np.float64), tried, drawing.deep)


def universe(found: Proposals, name: str = "universe") -> ParseSet:
    """Return what was drawn as the universe of a selection model.

    Raises:
        OptionError: If nothing was drawn.
    """
    if not found.trees:
        raise OptionError(
            f"none of {found.tried:,} trials came to an analysis: give more of them, or trees to "
            "learn the probabilities of rules from"
        )
    scores = -found.log_probs - math.log(found.tried)
    analyses = tuple(
        Candidate(Tree(ROOT, (rule_tree(tree),)), {}, score)
        for tree, score in zip(found.trees, scores.tolist(), strict=True)
    )
    return ParseSet(name, "", analyses)


def rule_tree(tree: FeatureTree) -> Tree:
    """Return an analysis as parse sets have it, but for the root: with rules' names as labels."""
    words = any(isinstance(child, str) for child in tree.children)
    parts = any(isinstance(child, FeatureTree) for child in tree.children)

    def below(child: FeatureTree | str) -> Tree | str:
        if isinstance(child, FeatureTree):
            return rule_tree(child)
        return Tree(f"'{child}'", (child,)) if words and parts else child

    return Tree(tree.rule.name, tuple(below(child) for child in tree.children))


def _kind(rule: FeatureRule) -> str:
    return category_of(rule.structure, rule.sides[0]) or ""


class _Plan(NamedTuple):
    rule: FeatureRule
    parts: tuple[_Plan | str, ...]


class _GivenUp(Exception):  # noqa: N818
    pass


class _Drawing:
    def __init__(self, grammar: FeatureGrammar, probs: FloatArray, rng: np.random.Generator):
        self.grammar, self.probs, self.rng = grammar, probs, rng
        self.deep = 0
        self.carried = carried_features(grammar)
        self.rules: defaultdict[str, list[int]] = defaultdict(list)
        for number, rule in enumerate(grammar.rules):
            self.rules[_kind(rule)].append(number)
        self.known: dict[tuple[str, object], tuple[Sequence[int], FloatArray]] = {}

    def draw(self, depth: int) -> tuple[FeatureTree, float] | None:
        """An analysis with the log of its probability; None where a trial came to nothing."""
        self.graph, self.score, self.size = Graph(self.grammar.start.nodes), 0.0, 0
        try:
            plan = self.make(0, category_of(self.grammar.start, 0) or "", depth)
            tree = self.labelled(plan)
        except _GivenUp:
            return None
        return None if part_of_itself(tree, self.carried) else (tree, self.score)

    def make(self, place: int, kind: str, depth: int) -> _Plan:
        """Draw what a category becomes."""
        self.size += 1
        if not depth or self.size > LARGEST:
            self.deep += 1
            raise _GivenUp
        numbers, shares = self.possible(place, kind)
        if not len(numbers):
            raise _GivenUp
        chosen = int(np.searchsorted(np.cumsum(shares), self.rng.random(), side="right"))
        chosen = min(chosen, len(numbers) - 1)
        self.score += math.log(shares[chosen])
        rule = self.grammar.rules[numbers[chosen]]
        base = self.graph.add(rule.structure.nodes)
        left, *right = (base + side for side in rule.sides)
        self.graph.unify(place, left, self.grammar.defaults)
        parts: list[_Plan | str] = []
        for number, (side, word) in enumerate(zip(right, rule.words, strict=True)):
            wanted = category_of(rule.structure, rule.sides[number + 1]) or ""
            parts.append(self.make(side, wanted, depth - 1) if word is None else word)
        return _Plan(rule, tuple(parts))

    def labelled(self, plan: _Plan) -> FeatureTree:
        """The tree of a plan, with structures as parsing gives them."""
        parts = tuple(part if isinstance(part, str) else self.labelled(part) for part in plan.parts)
        labels = [part.label for part in parts if isinstance(part, FeatureTree)]
        try:
            return FeatureTree(make_label(self.grammar, plan.rule, labels), parts, plan.rule)
        except (ValueError, CycleError):  # in parsing, parts do not know what is above them
            raise _GivenUp from None

    def possible(self, place: int, kind: str) -> tuple[Sequence[int], FloatArray]:
        """The rules that a category may become by what is known of it, and their shares."""
        known = self.graph.structure(place)
        key = kind, known
        if key not in self.known:
            numbers = [number for number in self.rules[kind] if self.unifies(known.nodes, number)]
            amounts = self.probs[numbers]
            self.known[key] = numbers, amounts / amounts.sum()
        return self.known[key]

    def unifies(self, nodes: tuple[object, ...], number: int) -> bool:
        """Whether a rule's left side unifies with a structure."""
        graph = Graph(nodes)  # type: ignore[arg-type]
        rule = self.grammar.rules[number]
        return graph.unify(
            0, graph.add(rule.structure.nodes) + rule.sides[0], self.grammar.defaults
        )
