"""Paths of attributes as automata: functional uncertainty, inside-out and off-path statements.

A path that holds no repetition and no element of a set is one of finitely many *plain* paths.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeAlias

from weft.lfg.language import AnyAttribute, Attribute, Element, OneOf, Path, Repeated, Steps

Move: TypeAlias = Attribute | AnyAttribute | Element
Plain: TypeAlias = tuple[Attribute, ...]


@dataclass(frozen=True, slots=True)
class PathMachine:
    """The automaton of a path, without empty moves; state 0 is the initial one.

    Attributes:
        arcs: Of each state, (move, state it leads to, whether a repetition without end has it).
        final: The states in which a path may end.
    """

    arcs: tuple[tuple[tuple[Move, int, bool], ...], ...]
    final: frozenset[int]


@cache
def list_plain(path: Path) -> tuple[Plain, ...] | None:
    """Return the plain paths that a path stands for; None if it is no such path.

    >>> from weft.lfg.language import Attribute, OneOf, Steps
    >>> either = OneOf((Attribute("COMP"), Attribute("XCOMP")))
    >>> [[step.name for step in plain] for plain in list_plain(Steps((either, Attribute("SUBJ"))))]
    [['COMP', 'SUBJ'], ['XCOMP', 'SUBJ']]
    """
    found: list[Plain]
    match path:
        case Attribute():
            return ((path,),)
        case Steps(parts):
            below = [list_plain(part) for part in parts]
            lists = [each for each in below if each is not None]
            if len(lists) < len(below):
                return None
            found = [sum(each, ()) for each in product(*lists)]
        case OneOf(options):
            below = [list_plain(option) for option in options]
            if any(each is None for each in below):
                return None
            found = [plain for each in below if each is not None for plain in each]
        case Repeated(part, least, int() as most):
            once = list_plain(part)
            if once is None:
                return None
            found = [sum(e, ()) for n in range(least, most + 1) for e in product(once, repeat=n)]
        case _:
            return None
    return tuple(dict.fromkeys(found))


@cache
def build_path(path: Path) -> PathMachine:
    """Return the automaton of a path, deterministic over equal moves."""
    arcs: list[list[tuple[Move | None, int, bool]]] = [[], []]
    _add(arcs, path, 0, 1, False)
    return _determinise(arcs)


_Loose: TypeAlias = list[list[tuple[Move | None, int, bool]]]


def _add(arcs: _Loose, path: Path, start: int, end: int, endless: bool) -> None:
    match path:
        case Attribute() | AnyAttribute() | Element():
            arcs[start].append((path, end, endless))
        case Steps(parts):
            _chain(arcs, parts, start, end, endless)
        case OneOf(options):
            for option in options:
                _chain(arcs, (option,), start, end, endless)
        case Repeated(part, least, most):
            middle = _chain(arcs, (part,) * least, start, None, endless)
            if most is None:
                back = _chain(arcs, (part,), middle, None, True)
                arcs[back].append((None, middle, False))
            for _ in range((most or least) - least):
                arcs[middle].append((None, end, False))
                middle = _chain(arcs, (part,), middle, None, endless)
            arcs[middle].append((None, end, False))


def _chain(
    arcs: _Loose, parts: tuple[Path, ...], start: int, end: int | None, endless: bool
) -> int:
    at = start
    for part in (*parts, None):
        arcs += [[], []]
        before, after = len(arcs) - 2, len(arcs) - 1
        arcs[at].append((None, before, False))
        at = before
        if part is not None:
            _add(arcs, part, before, after, endless)
            at = after
    if end is not None:
        arcs[at].append((None, end, False))
    return at


def _close(arcs: _Loose, states: set[int]) -> frozenset[int]:
    agenda = list(states)
    while agenda:
        for move, target, _ in arcs[agenda.pop()]:
            if move is None and target not in states:
                states.add(target)
                agenda.append(target)
    return frozenset(states)


def _determinise(arcs: _Loose) -> PathMachine:
    first = _close(arcs, {0})
    numbers, agenda = {first: 0}, [first]
    rows = []
    while agenda:
        here = agenda.pop(0)
        targets: dict[Move, tuple[set[int], list[bool]]] = {}
        for state in sorted(here):
            for move, target, endless in arcs[state]:
                if move is not None:
                    reached, kinds = targets.setdefault(move, (set(), []))
                    reached.add(target)
                    kinds.append(endless)
        row = []
        for move, (reached, kinds) in targets.items():
            there = _close(arcs, reached)
            if there not in numbers:
                numbers[there] = len(numbers)
                agenda.append(there)
            row.append((move, numbers[there], any(kinds)))
        rows.append(tuple(row))
    return PathMachine(tuple(rows), frozenset(n for states, n in numbers.items() if 1 in states))
