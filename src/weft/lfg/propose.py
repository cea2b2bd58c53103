"""Analyses of a lexical-functional grammar drawn from a covering grammar, with their probabilities.

A c-structure is drawn from the root downward and from left to right, with a choice for each
disjunction that is met, and its statements are made true on the way: each step is drawn among those
that can still become an analysis, in proportion to the weights of the covering grammar
(:mod:`weft.lfg.covering`). What comes to a place without such a step, or gets too large, or turns
out to be incomplete or to fail a test in the end, is thrown away, and counted as tried. If paths
are uncertain, so that several analyses are left in the end, one of them is drawn.

C-structures with choices and analyses are one to one, and so the probability of an analysis is the
product q(ω) of those of its steps. With n the number of trials, the sum of w(ω) / n q(ω) over what
was drawn has the expectation Σ_ω w(ω), over all analyses that are not too deep or too large.

Reference: Abney (1997), "Stochastic Attribute-Value Grammars", section 5.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.lfg.alike import hide_names, sees_names
from weft.lfg.analysis import Analysis, CNode
from weft.lfg.covering import Arc, Covering, find_useful, list_arcs
from weft.lfg.language import (
    DOWN,
    UP,
    Category,
    Description,
    Entry,
    Equal,
)
from weft.lfg.optimality import Optimality
from weft.lfg.reference.describe import (
    Branch,
    Scope,
    Settled,
    local_names,
    open_scope,
    restate,
    settle_branches,
)
from weft.lfg.reference.doomed import is_doomed
from weft.lfg.reference.governing import find_incoherent
from weft.lfg.reference.graph import Graph
from weft.lfg.reference.solve import Run, Solution, Solver
from weft.lfg.tokens import TokenLattice
from weft.lfg.vocabulary import START, Places, Terminal
from weft.unification.generate import check_depth
from weft.unification.propose import DEPTH

_NOTHING = TokenLattice((), 0)
_SAME = (Equal(UP, DOWN),)

MOST_NODES = 200
"""A tree with more categories than this is given up: long sentences take long to solve."""


@dataclass(frozen=True, slots=True)
class LfgProposals:
    """What was drawn.

    Attributes:
        analyses: The analyses; places in them count terminals.
        sentences: The words of each.
        log_probs: The log of the probability that each is what one trial draws. [analyses]
        tried: How many trials there were.
        deep: How many of them were given up because they got too large.
    """

    analyses: tuple[Analysis, ...]
    sentences: tuple[tuple[str, ...], ...]
    log_probs: FloatArray
    tried: int
    deep: int


@dataclass(frozen=True, slots=True)
class LfgDraw:
    """An analysis that was drawn, its words, and the log of its probability."""

    analysis: Analysis
    words: tuple[str, ...]
    log_prob: float


def propose_lfg(
    covering: Covering, tried: int, rng: np.random.Generator, depth: int = DEPTH
) -> LfgProposals:
    """Draw analyses.

    Args:
        covering: The covering grammar.
        tried: How many trials there are; some of them may give nothing.
        rng: Draws.
        depth: How many categories may lie above a word.

    Raises:
        OptionError: If a number is not positive, or no tree is as low as the depth.
    """
    if tried < 1:
        raise OptionError("the number of trials must be at least 1")
    drawer = LfgDrawer(covering, rng, depth)
    made = [each for each in (drawer.draw() for _ in range(tried)) if each is not None]
    return LfgProposals(
        tuple(each.analysis for each in made),
        tuple(each.words for each in made),
        np.array([each.log_prob for each in made], np.float64),
        tried,
        drawer.deep,
    )


class _GivenUp(Exception):  # noqa: N818
    pass


@dataclass(frozen=True, slots=True)
class _Alike:
    """Entries that say the same but for the names of their semantic forms.

    Attributes:
        entries: The entries.
        weights: Their weights.
        each: The sum of these, shared by the branches that the description of an entry has.
    """

    entries: tuple[Entry, ...]
    weights: list[float]
    each: float


@dataclass(slots=True)
class _Trial:
    """What a trial has come to."""

    run: Run
    branch: Branch
    score: float = 0.0
    size: int = 0
    places: Places = START
    terminals: list[Terminal] = field(default_factory=list)


class LfgDrawer:
    """Draws analyses one by one.

    Args:
        covering: The covering grammar.
        rng: Draws.
        depth: How many categories may lie above a word.

    Attributes:
        deep: How many trials were given up because they got too large.

    Raises:
        OptionError: If no tree is as low as the depth, or that is too large.
    """

    def __init__(self, covering: Covering, rng: np.random.Generator, depth: int = DEPTH) -> None:
        check_depth(depth)
        root = covering.grammar.root
        least = covering.heights.get(root)
        if least is None:
            raise OptionError(f"no right side of {root} comes to words, so that nothing is drawn")
        if depth < least:
            raise OptionError(
                f"in every tree {least} categories or more lie above some word, and the depth is "
                f"{depth}: see --depth"
            )
        self.deep = 0
        self._covering, self._rng, self._depth = covering, rng, depth
        self._solver = Solver(covering.grammar)
        self._nogood = Optimality(covering.grammar.optimality).nogood
        self._sees_names = sees_names(covering.grammar)
        self._useful: dict[tuple[str, int], frozenset[int]] = {}
        self._kinds: dict[tuple[Places, str], tuple[_Alike, ...]] = {}
        self._settlings: dict[int, tuple[Settled, ...]] = {}
        self._names: dict[int, set[str]] = {}
        self._hide_names = functools.cache(hide_names)

    def draw(self) -> LfgDraw | None:
        """Return an analysis; None where a trial came to nothing."""
        run = Run(self._solver, _NOTHING)
        trial = _Trial(run, Branch(Graph(run.start.numbers)))
        node = trial.branch.graph.new()
        try:
            tree = self._make(trial, self._covering.grammar.root, node, self._depth)
        except _GivenUp:
            return None
        words = self._covering.vocabulary.spell(trial.terminals)
        if words is None or repeats(tree):
            return None
        found = [
            each
            for each in run.finish(Solution(tree, trial.branch))
            if self._nogood.isdisjoint(each.marks)
        ]
        if not found:
            return None
        chosen = found[int(self._rng.integers(len(found)))]
        return LfgDraw(chosen, tuple(words), trial.score - math.log(len(found)))

    def _choose(self, trial: _Trial, weights: Sequence[float]) -> int:
        """Draw a number in proportion to its weight."""
        sums = list(itertools.accumulate(weights))
        if not sums or not sums[-1]:
            raise _GivenUp
        number = bisect.bisect_right(sums, self._rng.random() * sums[-1])
        number = min(number, len(sums) - 1)
        trial.score += math.log(weights[number] / sums[-1])
        return number

    def _make(self, trial: _Trial, category: str, node: int, depth: int) -> CNode:
        """Draw what a category becomes."""
        trial.size += 1
        if trial.size > MOST_NODES:
            self.deep += 1
            raise _GivenUp
        options = [
            (alike, number, branch)
            for alike in self._list_kinds(trial.places, category)
            for number, branch in enumerate(self._say(trial, alike.entries[0], node))
        ]
        weights = [alike.each for alike, _, _ in options]
        if 0 in self._find_useful(category, depth - 1):
            by_rules = self._covering.rules.get(category, 1.0)
            whole = sum(weights) / (1 - by_rules) if weights else 1.0
            weights.append(whole * by_rules)
        chosen = self._choose(trial, weights)
        if chosen == len(options):
            return self._expand(trial, category, node, depth)
        alike, number, branch = options[chosen]
        entry = alike.entries[self._choose(trial, alike.weights)]
        if entry is not alike.entries[0]:
            branch = self._say(trial, entry, node)[number]
        trial.branch = branch
        terminal = (entry.word, entry.surface)
        trial.places = self._covering.vocabulary.follow(trial.places, terminal)
        trial.terminals.append(terminal)
        at = len(trial.terminals)
        return CNode(category, (CNode(entry.word, (), -1, at - 1, at),), node, at - 1, at)

    def _expand(self, trial: _Trial, category: str, node: int, depth: int) -> CNode:
        """Draw a way through a right side, and what its daughters become."""
        scope = open_scope(trial.branch.graph, self._solver.names[category], node, node)
        rows, useful = self._covering.states[category], self._find_useful(category, depth - 1)
        start = len(trial.terminals)
        daughters: list[CNode] = []
        state, seen = 0, {0}
        while True:
            row = rows[state]
            arcs = [
                arc
                for arc in list_arcs(row, self._covering.heights, depth - 1)
                if arc.target in useful
                and (isinstance(arc.step, Category) or arc.target not in seen)
            ]
            down = trial.branch.graph.new()
            options = [
                (arc, branch)
                for arc in arcs
                for branch in self._state(trial, arc.step.notes, self._below(arc, scope, down))
            ]
            weights = [arc.weight / len(self._settled(arc.step.notes)) for arc, _ in options]
            chosen = self._choose(trial, [*weights, row.end])
            if chosen == len(options):
                return CNode(category, tuple(daughters), node, start, len(trial.terminals))
            arc, branch = options[chosen]
            if branch is trial.branch:
                branch.graph.unify(node, down)
            trial.branch = branch
            before, state = len(trial.terminals), arc.target
            if isinstance(arc.step, Category):
                daughters.append(self._make(trial, arc.step.name, down, depth - 1))
            if len(trial.terminals) > before:
                seen = {state}
            elif state in seen:
                raise _GivenUp  # a right side does not come back to a state without a word
            else:
                seen.add(state)

    @staticmethod
    def _below(arc: Arc, scope: Scope, down: int) -> Scope:
        return Scope(scope.up, down, scope.names) if isinstance(arc.step, Category) else scope

    def _say(self, trial: _Trial, entry: Entry, node: int) -> list[Branch]:
        """The branches of an entry that can still become an analysis."""
        names = self._local_names(entry)
        scope = open_scope(trial.branch.graph, names, node, node)
        return self._state(trial, entry.notes, scope)

    def _local_names(self, entry: Entry) -> set[str]:
        key = id(entry)
        if key not in self._names:
            self._names[key] = local_names(entry.notes)
        return self._names[key]

    def _state(self, trial: _Trial, notes: Description, scope: Scope) -> list[Branch]:
        """The branches of a description that can still become an analysis."""
        if notes == _SAME and scope.up != scope.down:  # a new node: it never fails, and is made
            return [trial.branch]  # when it is chosen
        found = (restate(trial.branch, each, scope) for each in self._settled(notes))
        return [each for each in found if each is not None and self._may_live(trial, each)]

    def _settled(self, notes: Description) -> tuple[Settled, ...]:
        """The branches of a description of the grammar; to hash one takes as long as to use it."""
        found = self._settlings.get(id(notes))
        if found is None:
            found = self._settlings[id(notes)] = settle_branches(notes)
        return found

    def _may_live(self, trial: _Trial, branch: Branch) -> bool:
        """Whether nothing has failed for good; only what was said last can have done that."""
        graph, before = branch.graph, trial.branch.graph.contents
        changed = [node for node, it in graph.contents.items() if it is not before.get(node)]
        return not any(is_doomed(graph, said) for said in branch.tests) and not any(
            find_incoherent(graph, self._solver.government, late=False, nodes=changed)
        )

    def _find_useful(self, category: str, depth: int) -> frozenset[int]:
        key = category, depth
        if key not in self._useful:
            rows = self._covering.states.get(category, ())
            self._useful[key] = find_useful(rows, self._covering.heights, depth)
        return self._useful[key]

    def _list_kinds(self, places: Places, category: str) -> tuple[_Alike, ...]:
        """The entries of a category that may stand there, those that are alike together."""
        key = places, category
        if key not in self._kinds:
            groups: defaultdict[object, list[tuple[Entry, float]]] = defaultdict(list)
            follow = self._covering.vocabulary.follow
            for number, (entry, weight) in enumerate(self._covering.entries.get(category, ())):
                if follow(places, (entry.word, entry.surface)):
                    groups[number if self._sees_names else self._hide_names(entry.notes)].append(
                        (entry, weight)
                    )
            self._kinds[key] = tuple(self._join(group) for group in groups.values())
        return self._kinds[key]

    def _join(self, group: list[tuple[Entry, float]]) -> _Alike:
        entries, weights = zip(*group, strict=True)
        return _Alike(entries, list(weights), sum(weights) / len(self._settled(entries[0].notes)))


def repeats(tree: CNode) -> bool:
    """Say whether a node has one of its own category over the same words below it."""
    waiting: list[tuple[CNode, frozenset[str]]] = [(tree, frozenset())]
    while waiting:
        node, above = waiting.pop()
        if node.label in above:
            return True
        for child in node.children:
            if child.value >= 0:
                same = (child.start, child.end) == (node.start, node.end)
                waiting.append((child, above | {node.label} if same else frozenset()))
    return False
