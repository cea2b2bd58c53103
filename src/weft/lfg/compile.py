"""Lexical-functional grammars as arrays of numbers, for the kernel that solves them.

Right sides are automata, descriptions lists of branches of statements (``native/lfg_grammar.hpp``).
Entries are compiled when a sentence needs them, so that large lexicons cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import flatten
from weft.lfg.branches import (
    DEPTH,
    Branch,
    NotCompiled,
    endless_attributes,
    governs,
    is_late,
    list_branches,
)
from weft.lfg.language import Category, Contains, Description, Entry, Equal, Lfg
from weft.lfg.numbering import Numbering, Numbers, as_rows, as_table, as_words
from weft.lfg.reference.describe import local_names
from weft.lfg.right_sides import Step, build_machine
from weft.lfg.statements import simplify


@dataclass(frozen=True, slots=True)
class Described:
    """A description.

    Attributes:
        number: Its number.
        branches: Its branches in the order of the kernel.
        late: Whether it defines something by paths that only a whole sentence chooses.
    """

    number: int
    branches: tuple[Branch, ...]
    late: bool


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc of a right side."""

    step: Step
    described: Described


class CompiledLfg:
    """A grammar for the kernel; it grows with the entries that sentences need.

    Args:
        grammar: The grammar.
        depth: How often paths without end that define something are repeated; 0 if they wait for
            the whole sentence.

    Attributes:
        grammar: The grammar.
        categories: The numbers of categories.
        arcs: All arcs of right sides, by number.
        deep: Whether rules themselves govern attributes that some path repeats without end.
        late: Whether rules define something by paths that only a whole sentence chooses.

    Raises:
        NotCompiled: If its rules say something that the kernel does not know.
    """

    def __init__(self, grammar: Lfg, *, depth: int = DEPTH) -> None:
        self.grammar = grammar
        self._depth = depth
        self.categories = Numbers()
        self.categories[grammar.root]
        self.arcs: list[Arc] = []
        self._numbering = Numbering(grammar)
        self._descriptions: dict[tuple[Description, tuple[str, ...]], Described] = {}
        self._locals: list[int] = []
        self._options: list[range] = []
        self._branches: list[list[int]] = []
        self._starts: dict[int, tuple[int, int]] = {}
        self._states: list[tuple[int, bool]] = []
        self._rows: list[list[tuple[int, int, int]]] = []
        for name, side in grammar.rules.items():
            self._add_side(name, build_machine(side))
        self._endless = endless_attributes((grammar.rules, grammar.entries, grammar.unknown))
        self._governs: dict[Entry, bool] = {}
        self.deep = bool(self._endless) and governs(grammar.rules, self._endless)
        self.late = any(arc.described.late for arc in self.arcs)
        self._made: tuple[tuple[int, ...], tuple[Any, ...]] = ((), ())

    def _add_side(self, name: str, machine: Any) -> None:
        owner, first = self.categories[name], len(self._states)
        notes = [step.notes for row in machine.arcs for step, _ in row]
        scope = tuple(sorted(set().union(*map(local_names, notes))))
        self._starts[owner] = (first, len(scope))
        for state, row in enumerate(machine.arcs):
            self._states.append((owner, state in machine.final))
            self._rows.append([self._add_arc(step, target + first, scope) for step, target in row])

    def _add_arc(self, step: Step, target: int, scope: tuple[str, ...]) -> tuple[int, int, int]:
        category = self.categories[step.name] if isinstance(step, Category) else -1
        described = self._describe(step.notes, scope)
        self.arcs.append(Arc(step, described))
        return category, described.number, target

    def entry(self, entry: Entry) -> Described:
        """Return what an entry says.

        Raises:
            NotCompiled: If it says something that the kernel does not know.
        """
        self.categories[entry.category]
        return self._describe(entry.notes, tuple(sorted(local_names(entry.notes))))

    def is_governor(self, entry: Entry) -> bool:
        """Say whether an entry governs an attribute that some path repeats without end."""
        if entry not in self._governs:
            self._governs[entry] = bool(self._endless) and governs(entry.notes, self._endless)
        return self._governs[entry]

    def is_late(self, entry: Entry) -> bool:
        """Say whether an entry defines something by paths that only a whole sentence chooses."""
        try:
            return self.entry(entry).late
        except NotCompiled:
            return False

    def _describe(self, notes: Description, scope: tuple[str, ...]) -> Described:
        key = (notes, scope)
        if key not in self._descriptions:
            governable = self._numbering.governable
            branches = tuple(list_branches(notes, governable, depth=self._depth))
            rows = [self._branch(branch, scope) for branch in branches]
            first = len(self._branches)
            self._branches += rows
            said = (each for branch in branches for each in branch)
            late = any(isinstance(each, Equal | Contains) and is_late(each) for each in said)
            self._descriptions[key] = Described(len(self._options), branches, late)
            self._options.append(range(first, first + len(rows)))
            self._locals.append(len(scope))
        return self._descriptions[key]

    def _branch(self, branch: Branch, scope: Sequence[str]) -> list[int]:
        simple = [each for statement in branch for each in simplify(statement)]
        # Equations first: tests wait until then in any case.
        simple.sort(key=lambda each: not isinstance(each, Equal | Contains))
        return list(dict.fromkeys(self._numbering.statement(each, scope) for each in simple))

    def arrays(self) -> tuple[Any, ...]:
        """Return what the kernel takes of the grammar, in its order."""
        sizes = (len(self.categories), len(self._numbering), len(self._options))
        if self._made[0] != sizes:
            self._made = (sizes, self._make_arrays())
        return self._made[1]

    def _make_arrays(self) -> tuple[Any, ...]:
        starts = [self._starts.get(number, (-1, 0)) for number in range(len(self.categories))]
        arc_offsets, arcs = flatten(self._rows)
        said = [
            list(dict.fromkeys(each for row in options for each in self._branches[row]))
            for options in self._options
        ]
        return (
            as_words([start for start, _ in starts]),
            as_words([count for _, count in starts]),
            *as_rows(self._numbering.marks(list(self.categories))),
            as_words([owner for owner, _ in self._states]),
            np.array([final for _, final in self._states], np.uint8),
            arc_offsets,
            as_table(arcs, 3),
            *as_rows(self._options),
            *as_rows(self._branches),
            *as_rows(said),
            as_words(self._locals),
            *self._numbering.arrays(),
        )
