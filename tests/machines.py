"""Random small transducers and lattices, and what they mean by listing every path."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from oracles import log_sum
from strategies import mild_weights
from weft.automata import EPSILON, Arc, Transducer, outgoing
from weft.structures.lattice import Lattice, arcs_of, lattice

String = tuple[str, ...]
Relation = dict[tuple[String, String], float]

WORDS = ("a", "b")

thorough = settings(max_examples=200, deadline=None, derandomize=True)
"""Most random machines relate little; more of them are needed to meet every case."""


@st.composite
def transducers(
    draw: st.DrawFn,
    *,
    acceptor: bool = False,
    epsilons: bool = True,
    weights: st.SearchStrategy[float] = mild_weights,
) -> Transducer:
    """Acyclic machines with dead ends, arcs that are there twice, and perhaps no string."""
    count = draw(st.sampled_from([1, 2, 3, 4, 4, 4]))
    symbols = st.sampled_from((*WORDS, EPSILON) if epsilons else WORDS)
    made = []
    for _ in range(draw(st.sampled_from([0, 2, 4, 6, 8])) if count > 1 else 0):
        source = draw(st.sampled_from(range(count - 1)))
        target = draw(st.sampled_from(range(source + 1, count)))
        reads = draw(symbols)
        writes = reads if acceptor else draw(symbols)
        made.append(Arc(source, reads, writes, target, draw(weights)))
    ends = st.lists(st.booleans(), min_size=count, max_size=count)
    finals = [draw(weights) if end else -math.inf for end in draw(ends)]
    # States in another order than paths meet them, but for the initial one.
    order = [0, *draw(st.permutations(range(1, count)))]
    moved = [arc._replace(source=order[arc.source], target=order[arc.target]) for arc in made]
    placed = [finals[order.index(state)] for state in range(count)]
    return Transducer(tuple(moved), tuple(placed))


def paths(machine: Transducer) -> Iterable[tuple[String, String, float]]:
    """What every path of an acyclic machine reads and writes, and its weight."""
    rows = outgoing(machine)
    waiting: list[tuple[int, String, String, float]] = [(0, (), (), 0.0)]
    while waiting:
        state, reads, writes, weight = waiting.pop()
        if weight + machine.finals[state] > -math.inf:
            yield reads, writes, weight + machine.finals[state]
        for arc in rows[state]:
            more, made = ((word,) if word else () for word in (arc.input, arc.output))
            waiting.append((arc.target, reads + more, writes + made, weight + arc.weight))


def relation(machine: Transducer, best: bool = False) -> Relation:
    """The weight of each pair of strings: the sum over its paths, or the best of them."""
    found: dict[tuple[String, String], list[float]] = {}
    for reads, writes, weight in paths(machine):
        found.setdefault((reads, writes), []).append(weight)
    total = max if best else lambda weights: log_sum(np.array(weights))
    return {pair: total(weights) for pair, weights in found.items()}


def composed(first: Transducer, second: Transducer, best: bool = False) -> Relation:
    found: dict[tuple[String, String], list[float]] = {}
    for one, other in itertools.product(paths(first), paths(second)):
        if one[1] == other[0]:
            found.setdefault((one[0], other[1]), []).append(one[2] + other[2])
    total = max if best else lambda weights: log_sum(np.array(weights))
    return {pair: total(weights) for pair, weights in found.items()}


def residuals(strings: Iterable[String]) -> set[frozenset[String]]:
    """The different sets of what may follow a prefix: the states of the smallest automaton."""
    every = set(strings)
    prefixes = {string[:end] for string in every for end in range(len(string) + 1)}
    return {
        frozenset(s[len(prefix) :] for s in every if s[: len(prefix)] == prefix)
        for prefix in prefixes
    }


def isomorphic(one: Lattice, other: Lattice) -> bool:
    """Whether two deterministic lattices differ in the numbers of states and symbols only."""
    rows = [
        {(source, each.symbols[symbol]): target for source, symbol, target in arcs_of(each)}
        for each in (one, other)
    ]
    paired = {0: 0}
    for state in range(one.state_count):
        if state not in paired or one.final[state] != other.final[paired[state]]:
            return False
        words = [{word for source, word in row if source == at} for row, at in
                 zip(rows, (state, paired[state]), strict=True)]  # fmt: skip
        if words[0] != words[1]:
            return False
        for word in words[0]:
            target = rows[1][paired[state], word]
            if paired.setdefault(rows[0][state, word], target) != target:
                return False
    return len(set(paired.values())) == one.state_count == other.state_count


def trie(strings: Sequence[String]) -> Lattice:
    """The lattice in which every prefix is a state: deterministic, but not minimal."""
    prefixes = sorted({s[:end] for s in strings for end in range(len(s) + 1)})
    numbers = {prefix: number for number, prefix in enumerate(prefixes)}
    arcs = [(numbers[prefix[:-1]], prefix[-1], numbers[prefix]) for prefix in prefixes[1:]]
    return lattice(arcs, [numbers[s] for s in strings])


string_sets = st.sets(
    st.lists(st.sampled_from("abc"), max_size=4).map(tuple), min_size=1, max_size=8
)
"""Sets of short strings, the empty one among them now and then."""
