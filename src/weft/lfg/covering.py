"""A covering grammar of a lexical-functional grammar: how likely its steps are.

Its derivations are c-structures with one choice per disjunction, without regard to f-structures. A
node goes through the automaton of its category's right side, and each arc, and the end, has a
weight in its state; a preterminal has a word by the weight of the entry. Weights are counted in
trees: ways through an automaton over the same daughters share a node alike, and so do the entries
of a word.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from weft.errors import OptionError
from weft.lfg.language import Category, Entry, Lfg
from weft.lfg.right_sides import Machine, Step, build_machine
from weft.lfg.vocabulary import Vocabulary
from weft.structures.tree import Tree

MOST_WAYS = 1000
"""Of more ways than this over the same daughters of a node, the first ones are counted."""


@dataclass(frozen=True, slots=True)
class Arc:
    """A step of a right side, the state that it leads to, and its weight in its state."""

    step: Step
    target: int
    weight: float


@dataclass(frozen=True, slots=True)
class State:
    """A state of a right side: where it leads, and the weight of its end, 0 for none."""

    arcs: tuple[Arc, ...]
    end: float


@dataclass(frozen=True, slots=True, eq=False)
class Covering:
    """A covering grammar.

    Attributes:
        grammar: The grammar that it covers.
        vocabulary: Its words.
        states: The right side of each category that has one.
        entries: The entries of each category, with weights.
        rules: How much a category is made by rules; the rest of 1 is by entries.
        heights: How many categories there are at least from each one to a word, or to nothing.
    """

    grammar: Lfg
    vocabulary: Vocabulary
    states: Mapping[str, tuple[State, ...]]
    entries: Mapping[str, tuple[tuple[Entry, float], ...]]
    rules: Mapping[str, float]
    heights: Mapping[str, int]


def build_covering(
    grammar: Lfg,
    vocabulary: Vocabulary,
    trees: Iterable[tuple[Tree, float]] = (),
    smoothing: float = 0.5,
) -> Covering:
    """Return a covering grammar.

    Args:
        grammar: The grammar.
        vocabulary: Its words.
        trees: c-structures that say how likely steps are, each with how much it counts.
        smoothing: What is added to every count; above 0, so that every analysis has a probability.

    Raises:
        OptionError: If the smoothing is not positive, or there are trees and none of their nodes
            is one of the grammar.
    """
    if not 0 < smoothing < math.inf:
        raise OptionError(f"the smoothing of a covering grammar must be positive, not {smoothing}")
    machines = {name: build_machine(side) for name, side in grammar.rules.items()}
    counts = _count(machines, vocabulary, trees)
    states = {
        name: tuple(
            State(
                tuple(
                    Arc(step, target, counts[name, state, number] + smoothing)
                    for number, (step, target) in enumerate(row)
                ),
                counts[name, state, -1] + smoothing if state in machine.final else 0.0,
            )
            for state, row in enumerate(machine.arcs)
        )
        for name, machine in machines.items()
    }
    entries = {
        name: tuple((entry, counts[name, entry.word] + smoothing) for entry in some)
        for name, some in vocabulary.entries.items()
    }
    return Covering(
        grammar,
        vocabulary,
        states,
        entries,
        {name: _share(counts, name, smoothing) for name in states if name in entries},
        _find_heights(states, entries),
    )


def _share(counts: Mapping[tuple[object, ...], float], name: str, smoothing: float) -> float:
    by_rules, by_entries = (counts.get((name, kind), 0.0) + smoothing for kind in (True, False))
    return by_rules / (by_rules + by_entries)


def _count(
    machines: Mapping[str, Machine], vocabulary: Vocabulary, trees: Iterable[tuple[Tree, float]]
) -> defaultdict[tuple[object, ...], float]:
    counts: defaultdict[tuple[object, ...], float] = defaultdict(float)
    words: defaultdict[tuple[str, str], int] = defaultdict(int)
    for name, some in vocabulary.entries.items():
        for entry in some:
            words[name, entry.word] += 1
    known: dict[tuple[str, ...], list[list[tuple[int, int]]]] = {}
    given = False
    for tree, weight in trees:
        given = True
        agenda = [tree]
        while agenda:
            node = agenda.pop()
            below = [child for child in node.children if isinstance(child, Tree)]
            agenda += below
            if len(below) < len(node.children):
                word = " ".join(map(str, node.children))
                if words[node.label, word]:
                    counts[node.label, word] += weight / words[node.label, word]
                    counts[node.label, False] += weight
                continue
            key = (node.label, *(child.label for child in below))
            if key not in known:
                known[key] = list_ways(machines[key[0]], key[1:]) if key[0] in machines else []
            for way in known[key]:
                for state, number in way:
                    counts[node.label, state, number] += weight / len(known[key])
            if known[key]:
                counts[node.label, True] += weight
    if given and not counts:
        raise OptionError(
            "no node of the given analyses is one of the grammar; give parse sets that "
            "'weft unify export --list' or 'weft unify marks' wrote with it"
        )
    return counts


def list_ways(machine: Machine, labels: tuple[str, ...]) -> list[list[tuple[int, int]]]:
    """Return the ways through a right side over daughters of these categories.

    A way is a list of states, each with the number of the arc that is taken there, -1 for the end.
    """
    found: list[list[tuple[int, int]]] = []
    waiting: list[tuple[int, int, list[tuple[int, int]], frozenset[int]]] = [
        (0, 0, [], frozenset({0}))
    ]
    while waiting and len(found) < MOST_WAYS:
        state, place, way, seen = waiting.pop()
        if place == len(labels) and state in machine.final:
            found.append([*way, (state, -1)])
        for number, (step, target) in enumerate(machine.arcs[state]):
            further = [*way, (state, number)]
            if not isinstance(step, Category):
                if target not in seen:
                    waiting.append((target, place, further, seen | {target}))
            elif place < len(labels) and step.name == labels[place]:
                waiting.append((target, place + 1, further, frozenset({target})))
    return found


def _find_heights(
    states: Mapping[str, tuple[State, ...]], entries: Mapping[str, object]
) -> dict[str, int]:
    """The height of each category that comes to words."""
    heights = dict.fromkeys(entries, 1)
    height = 0
    waiting = True
    while waiting:
        height += 1
        found = [
            name
            for name, rows in states.items()
            if name not in heights and 0 in find_useful(rows, heights, height - 1)
        ]
        heights.update(dict.fromkeys(found, height))
        waiting = bool(found) or height <= max(heights.values(), default=0)
    return heights


def find_useful(rows: tuple[State, ...], heights: Mapping[str, int], depth: int) -> frozenset[int]:
    """Return the states of a right side from which its end is reached within a depth."""
    useful = {number for number, row in enumerate(rows) if row.end}
    changed = True
    while changed:
        more = {
            number
            for number, row in enumerate(rows)
            if number not in useful
            and any(arc.target in useful for arc in list_arcs(row, heights, depth))
        }
        useful |= more
        changed = bool(more)
    return frozenset(useful)


def list_arcs(row: State, heights: Mapping[str, int], depth: int) -> Iterator[Arc]:
    """Yield the arcs of a state whose categories come to words within a depth."""
    for arc in row.arcs:
        if not isinstance(arc.step, Category) or heights.get(arc.step.name, depth + 1) <= depth:
            yield arc
