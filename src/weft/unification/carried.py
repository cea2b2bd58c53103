"""Features that only travel upward: what no rule ever tests need not be known while parsing.

A feature of categories is *carried* if every right side that mentions it gives it a variable that
is mentioned nowhere else but in carried features of the left side. Whatever value it has below, no
unification fails for it. So it can be left out while parsing, constituents that differ only in it
are one, and its value is found by following one analysis.

In most grammars with semantics, the semantics is carried. Where a whole constituent may be the
value of a feature, all that is known of it is passed on, and nothing is carried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from weft.unification.grammar import FeatureGrammar, FeatureRule
from weft.unification.limits import check_time
from weft.unification.structure import (
    TYPE,
    FeatureStructure,
    Listed,
    Node,
    Struct,
    Variable,
    canonical,
    values_of,
)
from weft.unification.trees import FeatureTree, subtrees


def carried_features(grammar: FeatureGrammar) -> frozenset[str]:
    r"""Return the features that are carried: the largest set of which all that is said above holds.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> rules = "% start S\nS[SEM=<?v(?n)>] -> NP[SEM=?n, A=?a] VP[SEM=?v, A=?a]"
    >>> sorted(carried_features(read_fcfg(io.BytesIO(rules.encode()))))
    ['SEM']
    """
    if grammar.is_open:
        return frozenset()
    tested = {TYPE, *grammar.defaults, *dict(_features(grammar.start, 0))}
    everything = {
        name
        for rule in grammar.rules
        for side in rule.sides
        for name, _ in _features(rule.structure, side)
    }
    carried = everything - tested
    with_left: defaultdict[str, list[FeatureRule]] = defaultdict(list)
    for rule in grammar.rules:
        for name, _ in _features(rule.structure, rule.sides[0]):
            with_left[name].append(rule)
    waiting = list(grammar.rules)
    while waiting:
        failing = {name for rule in waiting for name in _tested(rule, carried)}
        carried -= failing
        # What a rule tests depends on which features of its left side are carried.
        waiting = [rule for name in failing for rule in with_left[name]]
    return frozenset(carried)


def carried_part(rule: FeatureRule, carried: frozenset[str]) -> FeatureStructure:
    """Return what a rule says of carried features."""
    check_time()
    nodes: list[Node] = list(rule.structure.nodes)
    sides = []
    for side in rule.sides:
        kept = tuple(each for each in _features(rule.structure, side) if each[0] in carried)
        nodes.append(Struct(kept))
        sides.append(len(nodes) - 1)
    nodes.append(Listed(tuple(sides)))
    return canonical(nodes, len(nodes) - 1)


def part_of_itself(tree: FeatureTree, carried: frozenset[str]) -> bool:
    """Return whether a constituent is part of one that differs in carried features only.

    That is, of one over the same words: parsing gives no such tree.
    """
    waiting: list[tuple[FeatureTree, frozenset[FeatureStructure]]] = [(tree, frozenset())]
    while waiting:
        node, above = waiting.pop()
        known = _without(node.label, carried)
        if known in above:
            return True
        for child in node.children:
            if isinstance(child, FeatureTree):
                same = _count_words(child) == _count_words(node)
                waiting.append((child, above | {known} if same else frozenset()))
    return False


def _without(label: FeatureStructure, carried: frozenset[str]) -> FeatureStructure:
    kept = tuple(each for each in _features(label, 0) if each[0] not in carried)
    return canonical([Struct(kept), *label.nodes[1:]])


def _count_words(tree: FeatureTree) -> int:
    return sum(isinstance(child, str) for node in subtrees(tree) for child in node.children)


def _features(structure: FeatureStructure, place: int) -> tuple[tuple[str, int], ...]:
    node = structure.nodes[place]
    return node.features if isinstance(node, Struct) else ()


def _tested(rule: FeatureRule, carried: Iterable[str]) -> Iterator[str]:
    """The features among some that are tested by a rule."""
    check_time()
    if all(rule.words):
        return
    structure, (left, *right) = rule.structure, rule.sides
    values = [each for each in _features(structure, left) if each[0] not in carried]
    values += [each for side in right for each in _features(structure, side)]
    uses: Counter[int] = Counter()
    for _, value in values:
        uses.update(_below(structure, value))
    for side in right:
        for name, value in _features(structure, side):
            variable = isinstance(structure.nodes[value], Variable)
            if name in carried and not (variable and uses[value] == 1):
                yield name


def _below(structure: FeatureStructure, place: int) -> Iterator[int]:
    """A node and all below it, those that are mentioned more than once more than once."""
    seen: set[int] = set()
    waiting = [place]
    while waiting:
        node = waiting.pop()
        yield node
        if node not in seen:
            seen.add(node)
            waiting.extend(values_of(structure.nodes[node]))
