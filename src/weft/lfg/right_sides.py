"""Right sides as automata: the least deterministic one, so that a sequence is one path.

States are numbered from 0, the initial one. An arc bears an annotated category or an annotated
empty string. Equal annotated categories are one symbol wherever they stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from weft.lfg.language import (
    Category,
    Choice,
    Ignore,
    Nothing,
    Repeat,
    RightSide,
    Sequence,
    Shuffle,
)

Step: TypeAlias = Category | Nothing


@dataclass(frozen=True, slots=True)
class Machine:
    """The automaton of a right side.

    Attributes:
        arcs: Of each state, the symbols that leave it with the states they lead to.
        final: The states in which a right side may end.
    """

    arcs: tuple[tuple[tuple[Step, int], ...], ...]
    final: frozenset[int]


@dataclass(slots=True)
class _Loose:
    """An automaton with empty moves (None), one initial and one final state."""

    arcs: list[list[tuple[Step | None, int]]] = field(default_factory=list)

    def state(self) -> int:
        self.arcs.append([])
        return len(self.arcs) - 1

    def arc(self, source: int, symbol: Step | None, target: int) -> None:
        self.arcs[source].append((symbol, target))


def build_machine(side: RightSide) -> Machine:
    """Return the least deterministic automaton of a right side.

    >>> from weft.lfg.language import Category, Repeat
    >>> build_machine(Repeat(Category("N"))).final
    frozenset({0})
    """
    loose = _Loose()
    start, end = loose.state(), loose.state()
    _add(loose, side, start, end)
    return _shrink(_determinise(loose, start, end))


def _add(loose: _Loose, side: RightSide, start: int, end: int) -> None:
    match side:
        case Nothing(notes=()):
            loose.arc(start, None, end)
        case Category() | Nothing():
            loose.arc(start, side, end)
        case Sequence(parts):
            _chain(loose, parts, start, end)
        case Choice(options):
            for option in options:
                _add(loose, option, start, end)
        case Repeat(part, least, most):
            _repeat(loose, part, (least, most), start, end)
        case Shuffle(parts):
            _shuffle(loose, parts, start, end)
        case Ignore(part, ignored):
            _ignore(loose, part, ignored, start, end)


def _chain(loose: _Loose, parts: Iterable[RightSide], start: int, end: int) -> None:
    at = start
    for part in parts:
        # A state of its own before and after: loops of one part must not touch another's.
        before, after = loose.state(), loose.state()
        loose.arc(at, None, before)
        _add(loose, part, before, after)
        at = after
    loose.arc(at, None, end)


def _repeat(
    loose: _Loose, part: RightSide, times: tuple[int, int | None], start: int, end: int
) -> None:
    least, most = times
    if most is None:
        middle = loose.state()
        before, after = loose.state(), loose.state()
        _chain(loose, (part,) * least, start, middle)
        loose.arc(middle, None, before)
        _add(loose, part, before, after)
        loose.arc(after, None, middle)
        loose.arc(middle, None, end)
        return
    at = start
    for number in range(most):
        if number >= least:
            loose.arc(at, None, end)
        after = loose.state()
        _chain(loose, (part,), at, after)
        at = after
    loose.arc(at, None, end)


def _shuffle(loose: _Loose, parts: tuple[RightSide, ...], start: int, end: int) -> None:
    machines = [build_machine(part) for part in parts]
    numbers = {(0,) * len(parts): loose.state()}
    loose.arc(start, None, numbers[(0,) * len(parts)])
    agenda = list(numbers)
    while agenda:
        here = agenda.pop()
        if all(at in machine.final for at, machine in zip(here, machines, strict=True)):
            loose.arc(numbers[here], None, end)
        for place, machine in enumerate(machines):
            for symbol, target in machine.arcs[here[place]]:
                there = (*here[:place], target, *here[place + 1 :])
                if there not in numbers:
                    numbers[there] = loose.state()
                    agenda.append(there)
                loose.arc(numbers[here], symbol, numbers[there])


def _ignore(loose: _Loose, part: RightSide, ignored: RightSide, start: int, end: int) -> None:
    machine = build_machine(part)
    states = [loose.state() for _ in machine.arcs]
    loose.arc(start, None, states[0])
    for number, arcs in enumerate(machine.arcs):
        before, after = loose.state(), loose.state()
        loose.arc(states[number], None, before)
        _add(loose, ignored, before, after)
        loose.arc(after, None, states[number])
        if number in machine.final:
            loose.arc(states[number], None, end)
        for symbol, target in arcs:
            loose.arc(states[number], symbol, states[target])


def _close(loose: _Loose, states: Iterable[int]) -> frozenset[int]:
    found = set(states)
    agenda = list(found)
    while agenda:
        for symbol, target in loose.arcs[agenda.pop()]:
            if symbol is None and target not in found:
                found.add(target)
                agenda.append(target)
    return frozenset(found)


def _determinise(loose: _Loose, start: int, end: int) -> Machine:
    first = _close(loose, [start])
    numbers = {first: 0}
    rows: list[tuple[tuple[Step, int], ...]] = []
    agenda = [first]
    while agenda:
        here = agenda.pop(0)
        targets: dict[Step, set[int]] = {}
        for state in sorted(here):
            for symbol, target in loose.arcs[state]:
                if symbol is not None:
                    targets.setdefault(symbol, set()).add(target)
        row = []
        for symbol, reached in targets.items():
            there = _close(loose, reached)
            if there not in numbers:
                numbers[there] = len(numbers)
                agenda.append(there)
            row.append((symbol, numbers[there]))
        rows.append(tuple(row))
    return Machine(tuple(rows), frozenset(n for states, n in numbers.items() if end in states))


def _shrink(machine: Machine) -> Machine:
    """Return the least automaton: states that the same sequences follow become one."""
    classes = [int(state in machine.final) for state in range(len(machine.arcs))]
    while True:
        signs = [
            (classes[state], frozenset((symbol, classes[target]) for symbol, target in row))
            for state, row in enumerate(machine.arcs)
        ]
        names: dict[object, int] = {}
        finer = [names.setdefault(sign, len(names)) for sign in signs]
        if len(names) == len(set(classes)):
            break
        classes = finer
    rows: dict[int, tuple[tuple[Step, int], ...]] = {}
    for state, row in enumerate(machine.arcs):
        rows.setdefault(finer[state], tuple((symbol, finer[target]) for symbol, target in row))
    final = frozenset(finer[state] for state in machine.final)
    return Machine(tuple(rows[number] for number in sorted(rows)), final)
