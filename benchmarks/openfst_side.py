"""What is measured of OpenFst on lattices, through pynini, which need not be there.

Its sums over given automata are not measured here: pynini makes a Python object of each state's
sum, which takes longer than the sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pynini

from benchmarks.job import Clock, Result, main
from benchmarks.lattice_data import Task, task
from weft.structures.lattice import Lattice, arcs_of

_Arc = tuple[int, int, int, float, int]
"""Source, input, output, cost and target."""


def sums(corpus: str, passes: int, count: int) -> Result:
    """Compose lattices with the dictionary and the chain, and sum over the paths of each."""
    these = task(corpus)
    lattices = these.lattices(count)
    numbers = {
        word: number
        for number, word in enumerate(dict.fromkeys(w for s in lattices for w in s.symbols), 1)
    }
    strings = [_strings(each, numbers) for each in lattices]
    tagged = [(0, numbers[w], tag + 1, 0.0, 0) for w in numbers for tag in these.tags_of[w]]
    dictionary = _machine(1, tagged, {0: 0.0}).arcsort("ilabel")
    chain = _chain(these).arcsort("ilabel")
    clock = Clock()
    for _ in range(passes):
        clock.start()
        value = 0.0
        for each in strings:
            tags = pynini.compose(each, dictionary).project("output").arcsort("olabel")
            both = pynini.compose(tags, chain)
            value -= float(pynini.shortestdistance(both, reverse=True)[both.start()])
        clock.lap()
    return {**clock.laps(), "value": value}


def _machine(states: int, arcs: Iterable[_Arc], ends: Mapping[int, float]) -> pynini.Fst:
    made = pynini.Fst("log64")
    made.add_states(states)
    made.set_start(0)
    for source, reads, writes, cost, target in arcs:
        weight = pynini.Weight("log64", cost)
        made.add_arc(source, pynini.Arc(reads, writes, weight, target))
    for state, cost in ends.items():
        made.set_final(state, pynini.Weight("log64", cost))
    return made


def _strings(strings: Lattice, numbers: Mapping[str, int]) -> pynini.Fst:
    labels = [numbers[word] for word in strings.symbols]
    arcs = [(source, labels[w], labels[w], 0.0, target) for source, w, target in arcs_of(strings)]
    ends = {state: 0.0 for state, final in enumerate(strings.final.tolist()) if final}
    return _machine(strings.state_count, arcs, ends)


def _chain(these: Task) -> pynini.Fst:
    """An automaton over tags, whose states are pairs of tags; the pair of boundaries begins."""
    tags = len(these.model.tags)
    table = these.model.topology.table(these.theta)
    # State 0 is (boundary, boundary), then come (boundary, tag) and all (tag, tag).
    number = {(tags, tags): 0}
    for before in (tags, *range(tags)):
        for tag in range(tags):
            number[before, tag] = len(number)
    arcs = [
        (state, tag + 1, tag + 1, -float(table[last, before, tag]), number[last, tag])
        for (before, last), state in number.items()
        for tag in range(tags)
    ]
    ends = {state: -float(table[last, before, tags]) for (before, last), state in number.items()}
    return _machine(len(number), arcs, ends)


if __name__ == "__main__":
    main((sums,))
