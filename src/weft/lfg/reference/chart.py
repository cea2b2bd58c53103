"""Which categories there are over which words, without regard to f-structures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from weft.lfg.language import Category
from weft.lfg.right_sides import Machine
from weft.lfg.tokens import TokenArc, TokenLattice
from weft.unification.limits import check_time


class Chart:
    """The categories over the spans of a sentence.

    Attributes:
        ends: For a category and a state, the states at which it may end if it begins there.
        tokens: For a category and a span, the tokens with entries of this category.
    """

    def __init__(self, machines: Mapping[str, Machine], lattice: TokenLattice) -> None:
        self.machines = machines
        self.lattice = lattice
        self.ends: dict[tuple[str, int], set[int]] = defaultdict(set)
        self.tokens: dict[tuple[str, int, int], list[TokenArc]] = defaultdict(list)
        self._finishes: dict[tuple[str, int, int, int], bool] = {}
        starts: dict[int, list[TokenArc]] = defaultdict(list)
        for token in lattice.arcs:
            starts[token.start].append(token)
        for start in range(lattice.last, -1, -1):
            self._fill(start, starts[start])

    def _fill(self, start: int, tokens: list[TokenArc]) -> None:
        for token in tokens:
            for category in {entry.category for entry in token.entries}:
                self.ends[category, start].add(token.end)
                self.tokens[category, start, token.end].append(token)
        changed = True
        while changed:
            changed = False
            for name, machine in self.machines.items():
                found = self._run(machine, start)
                if not found <= self.ends[name, start]:
                    self.ends[name, start] |= found
                    changed = True

    def _run(self, machine: Machine, start: int) -> set[int]:
        check_time()
        seen = {(0, start)}
        agenda = [(0, start)]
        while agenda:
            state, at = agenda.pop()
            for step, target in machine.arcs[state]:
                ends = self.ends.get((step.name, at), ()) if isinstance(step, Category) else (at,)
                for end in ends:
                    if (target, end) not in seen:
                        seen.add((target, end))
                        agenda.append((target, end))
        return {at for state, at in seen if state in machine.final}

    def finishes(self, name: str, state: int, at: int, end: int) -> bool:
        """Say whether a right side in a state, at a state of the words, can end at another."""
        key = (name, state, at, end)
        if key not in self._finishes:
            self._finishes[key] = self._search(*key)
        return self._finishes[key]

    def _search(self, name: str, state: int, at: int, end: int) -> bool:
        check_time()
        machine = self.machines[name]
        seen, agenda = {(state, at)}, [(state, at)]
        while agenda:
            here, place = agenda.pop()
            if place == end and here in machine.final:
                return True
            for step, target in machine.arcs[here]:
                ends = (
                    self.ends.get((step.name, place), ())
                    if isinstance(step, Category)
                    else (place,)
                )
                for there in ends:
                    if there <= end and (target, there) not in seen:
                        seen.add((target, there))
                        agenda.append((target, there))
        return False
