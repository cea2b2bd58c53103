"""All analyses of a short sentence by trying everything, with the reference unification only."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from weft.unification.carried import carried_features
from weft.unification.structure import (
    CycleError,
    FeatureStructure,
    Struct,
    canonical,
    part,
    shared_nodes,
)
from weft.unification.unify import Graph


class TooMany(Exception):  # noqa: N818
    """There are more analyses than anybody wants to enumerate, perhaps ever larger ones."""


@dataclass(frozen=True)
class Analysis:
    """A constituent: its rule as its parts bind it, and its parts. Equal ones count once."""

    bound: FeatureStructure
    children: tuple[Analysis | str, ...]

    @property
    def label(self) -> FeatureStructure:
        return part(self.bound, self.bound.nodes[0].items[0])

    def words(self) -> int:
        return sum(1 if isinstance(each, str) else each.words() for each in self.children)

    def over(self, words: int) -> Iterator[Analysis]:
        """What is over as many words below it, and so over the same ones."""
        for each in self.children:
            if not isinstance(each, str) and each.words() == words:
                yield each
                yield from each.over(words)

    def is_part_of_itself(self, carried) -> bool:
        mine = tested(self.label, carried)
        return any(tested(each.label, carried) == mine for each in self.over(self.words()))


def tested(label, carried):
    """A structure without the features that no rule tests."""
    if not isinstance(label.nodes[0], Struct):
        return label
    kept = tuple(each for each in label.nodes[0].features if each[0] not in carried)
    return canonical([Struct(kept), *label.nodes[1:]])


def analyses(grammar, words, most=40, most_attempts=800):
    """The analyses of a sentence."""
    budget = iter(range(most_attempts))
    found: set[tuple[int, int, Analysis]] = set()
    while True:
        new = set(_steps(grammar, words, found, budget)) - found
        if not new:
            break
        found |= new
        if len(found) > most:
            raise TooMany
    whole = [each for start, end, each in found if (start, end) == (0, len(words))]
    return [each for each in whole if _unified(grammar, each.label, grammar.start)]


def _steps(grammar, words, found, budget):
    """What one rule makes of what was found, anywhere."""
    for rule in grammar.rules:
        for start in range(len(words) + 1):
            for children, end in _sequences(rule.words, words, found, start):
                if next(budget, None) is None:
                    raise TooMany
                bound = _bind(grammar, rule, children)
                if bound is None:
                    continue
                made = Analysis(bound, tuple(children))
                if not made.is_part_of_itself(carried_features(grammar)):
                    yield start, end, made


def _sequences(sides, words, found, start):
    """Children for a rule's right side from a place on, and where they end."""
    if not sides:
        yield [], start
        return
    first, *rest = sides
    if first is not None:
        starts = [(first, start + 1)] if words[start : start + 1] == [first] else []
    else:
        starts = [(each, end) for begin, end, each in found if begin == start]
    for child, middle in starts:
        for children, end in _sequences(rest, words, found, middle):
            yield [child, *children], end


def _bind(grammar, rule, children):
    graph = Graph(rule.structure.nodes)
    shared = set(shared_nodes(rule.structure))
    for side, child in zip(rule.sides[1:], children, strict=True):
        if not isinstance(child, str):
            below = graph.add(child.label.nodes)
            # What a part says is only seen through variables: the side itself stays as it is,
            # unless it is the value of something, too.
            copy = side if side in shared else graph.add_node(graph.nodes[side])
            if not graph.unify(copy, below, grammar.defaults):
                return None
    try:
        return graph.structure(0)
    except CycleError:
        return None


def _unified(grammar, one, other):
    graph = Graph(one.nodes)
    return graph.unify(0, graph.add(other.nodes), grammar.defaults)


def shape(tree):
    """Labels and children of an analysis, or of a tree of ours."""
    if isinstance(tree, str):
        return tree
    return tree.label, tuple(map(shape, tree.children))


def strings(words, longest):
    """All sentences over some words, the shortest first."""
    for size in range(longest + 1):
        yield from map(list, itertools.product(words, repeat=size))
