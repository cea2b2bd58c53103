"""Defining statements with functional uncertainty or inside-out paths: which way is meant.

They wait until the graph of the whole sentence is there. A way follows attributes that exist, and
may go on with new ones: never by ?, never to elements, and by a repetition without end at most
`NEW_STEPS` times, through governable functions only where a PRED lists them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from weft.lfg.language import At, Attribute, Contains, Designator, Equal, From, Local, Meta, Path
from weft.lfg.paths import Plain, build_path
from weft.lfg.reference.describe import Scope, Spot, sides_of
from weft.lfg.reference.governing import Government, licensed, predicate
from weft.lfg.reference.reading import Group, View
from weft.unification.limits import check_time

NEW_STEPS = 4
"""How many new attributes a repetition without end makes."""


Sides: TypeAlias = "tuple[Designator | Spot, Designator | Spot]"


def list_ways(
    view: View, government: Government, statement: Equal | Contains, scope: Scope
) -> list[Sides]:
    """Return the sides of a statement for each choice of ways, shortest first."""
    chooser = _Chooser(view, government, scope)
    left, right = (_shortest_first(chooser.spots(side)) for side in sides_of(statement))
    return list(product(left, right))


def _shortest_first(spots: Iterator[Designator | Spot]) -> list[Designator | Spot]:
    found = list(dict.fromkeys(spots))
    return sorted(found, key=lambda each: len(each.steps) if isinstance(each, Spot) else 0)


@dataclass(frozen=True, slots=True)
class _Start:
    """A way in the making: the group is empty once it goes over new attributes."""

    state: int
    spot: Spot
    group: Group
    new: int = 0
    seen: frozenset[tuple[int, Group]] = frozenset()


class _Chooser:
    def __init__(self, view: View, government: Government, scope: Scope) -> None:
        self.view = view
        self.government = government
        self.scope = scope

    def spots(self, designator: Designator) -> Iterator[Designator | Spot]:
        match designator:
            case Meta(name):
                yield Spot(self.scope.up if name == "^" else self.scope.down)
            case Local(name):
                yield Spot(self.scope.names[name])
            case At(base, path):
                for spot in self.spots(base):
                    if isinstance(spot, Spot):
                        yield from self._grow(spot, path)
            case From(path, base):
                for spot in self.spots(base):
                    if isinstance(spot, Spot):
                        yield from self._look_up(spot, path)
            case _:
                yield designator

    def _group(self, spot: Spot) -> Group:
        group: Group = (self.view.graph.find(spot.node),)
        for step in spot.steps:
            group = self.view.follow(group, step.name)
        return group if any(node is not None for node in group) else ()

    def _look_up(self, spot: Spot, path: Path) -> Iterator[Spot]:
        targets = {node for node in self._group(spot) if node is not None}
        for node, way in self.view.look_up(targets, path):
            beside = (*spot.beside, *_beside(spot), *way.beside)
            yield Spot(node, (), beside, (*spot.way, *spot.steps, *way.attributes))

    def _grow(self, spot: Spot, path: Path) -> Iterator[Spot]:
        machine = build_path(path)
        agenda = [_Start(0, spot, self._group(spot))]
        while agenda:
            check_time()
            here = agenda.pop()
            if (here.state, here.group) in here.seen:
                continue
            if here.state in machine.final:
                yield here.spot
            for move, target, endless in machine.arcs[here.state]:
                old = [(s, g) for s, g in self.view.moves(here.group, move) if any(_there(g))]
                agenda += [_old(here, target, step, group) for step, group in old]
                if not old and isinstance(move, Attribute) and self._may(here, move, endless):
                    steps: Plain = (*here.spot.steps, move)
                    longer = replace(here.spot, steps=steps)
                    agenda.append(_Start(target, longer, (), here.new + endless))

    def _may(self, here: _Start, move: Attribute, endless: bool) -> bool:
        if not endless:
            return True
        if here.new >= NEW_STEPS:
            return False
        if move.name not in self.government.governable:
            return True
        forms = [predicate(self.view.graph, node) for node in here.group if node is not None]
        return any(form is not None and move.name in licensed(form) for form in forms)


def _there(group: Group) -> list[bool]:
    return [node is not None for node in group]


def _beside(spot: Spot) -> tuple[tuple[int, Plain], ...]:
    return ((spot.node, spot.steps),) if any(step.off_path for step in spot.steps) else ()


def _old(here: _Start, target: int, step: Attribute | None, group: Group) -> _Start:
    spot = here.spot
    seen = here.seen | {(here.state, here.group)}
    if step is not None:
        spot = replace(spot, steps=(*spot.steps, step))
    elif (element := group[0]) is not None:
        beside = (*spot.beside, *_beside(spot))
        spot = Spot(element, (), beside, (*spot.way, *spot.steps, element))
    return _Start(target, spot, group, here.new, seen)
