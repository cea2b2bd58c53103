"""Tests of statements on a finished f-structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from weft.lfg.language import (
    At,
    CheckCategory,
    CheckContains,
    CheckEqual,
    CheckExists,
    Contains,
    Description,
    Designator,
    Either,
    Equal,
    Form,
    From,
    Local,
    Meta,
    Not,
    Statement,
    Symbol,
    Values,
)
from weft.lfg.paths import Plain
from weft.lfg.reference.describe import Said, Scope, Spot
from weft.lfg.reference.graph import Atom, Graph, OneAtomOf, SemanticForm
from weft.lfg.reference.reading import Beside, Group, View

Literal: TypeAlias = Symbol | Form | Values
Thing: TypeAlias = int | Literal | None
Things: TypeAlias = tuple[Thing, ...]


class Tester:
    """A finished f-structure, and a function that gives the categories that belong to a node."""

    def __init__(self, view: View, categories: Callable[[], Mapping[int, set[str]]]) -> None:
        self.view = view
        self.graph: Graph = view.graph
        self.categories = categories

    def passes(self, said: Said) -> bool:
        """Say whether what was kept for the end holds."""
        statement, scope = said.statement, said.scope
        if isinstance(statement, Beside):
            return self._holds_beside(statement, scope)
        if isinstance(statement, tuple):
            node, steps = statement
            return all(self._holds_beside(each, scope) for each in self._beside(node, steps))
        return self.holds(statement, scope)

    def _beside(self, node: int, steps: Plain) -> Iterator[Beside]:
        here: Group = (self.graph.find(node),)
        for step in steps:
            there = self.view.follow(here, step.name)
            if step.off_path:
                yield Beside(step.off_path, here, there)
            here = there

    def _holds_beside(self, beside: Beside, scope: Scope) -> bool:
        found = Scope(scope.up, scope.down, scope.names, beside.before, beside.after)
        return self.holds_all(beside.description, found)

    def holds_all(self, description: Description, scope: Scope) -> bool:
        """Say whether a description holds, all of it read as tests."""
        return all(self.holds(each, scope) for each in description)

    def holds(self, statement: Statement, scope: Scope) -> bool:
        """Say whether a statement holds, read as a test."""
        match statement:
            case Equal(left, right):
                return self._relates(left, right, self._same, True, scope)
            case CheckEqual(left, right, positive):
                return self._relates(left, right, self._same, positive, scope)
            case Contains(element, whole):
                return self._relates(element, whole, self._within, True, scope)
            case CheckContains(element, whole, positive):
                return self._relates(element, whole, self._within, positive, scope)
            case CheckExists(what, positive):
                return self._is_so(what, lambda _: True, positive, scope)
            case CheckCategory(what, categories, positive):
                wanted = self._has_category(categories)
                return self._is_so(what, wanted, positive, scope)
            case Either(options):
                return any(self.holds_all(option, scope) for option in options)
            case Not(description):
                return not self.holds_all(description, scope)
            case _:
                return True

    def _has_category(self, categories: frozenset[str]) -> Callable[[Thing], bool]:
        known = self.categories()
        return lambda node: (
            isinstance(node, int)
            and not categories.isdisjoint(known.get(self.graph.find(node), ()))
        )

    def _is_so(
        self, what: Designator, test: Callable[[Thing], bool], positive: bool, scope: Scope
    ) -> bool:
        truths = (
            [thing is not None and test(thing) for thing in things]
            for things in self._readings(what, scope)
        )
        return any(map(all, truths)) if positive else not any(map(any, truths))

    def _relates(
        self,
        left: Designator,
        right: Designator,
        test: Callable[[Thing, Thing], bool],
        positive: bool,
        scope: Scope,
    ) -> bool:
        rights = list(self._readings(right, scope))
        truths = (
            [test(one, two) for one in things for two in others]
            for things in self._readings(left, scope)
            for others in rights
        )
        return any(map(all, truths)) if positive else not any(map(any, truths))

    # ------------------------------------------------------------------------ designators

    def _readings(self, designator: Designator | Spot, scope: Scope) -> Iterator[Things]:
        match designator:
            case Meta("^"):
                yield (self.graph.find(scope.up),)
            case Meta("!"):
                yield (self.graph.find(scope.down),)
            case Meta(name):
                yield scope.before if name == "<-" else scope.after
            case Local(name):
                yield (self.graph.find(scope.names[name]),)
            case At(base, path):
                for things in self._readings(base, scope):
                    for way in self.view.walk(_nodes(things), path):
                        if all(self._holds_beside(each, scope) for each in way.beside):
                            yield way.end
            case From(path, base):
                things_ = {thing for things in self._readings(base, scope) for thing in things}
                targets = {each for each in things_ if isinstance(each, int)}
                for node, way in self.view.look_up(targets, path):
                    if all(self._holds_beside(each, scope) for each in way.beside):
                        yield (node,)
            case Symbol() | Form() | Values():
                yield (designator,)

    # --------------------------------------------------------------------------- relations

    def _same(self, one: Thing, two: Thing) -> bool:
        if not isinstance(one, int):
            if not isinstance(two, int):
                return one is not None and one == two
            one, two = two, one
        value = self.graph[one].value
        match two:
            case int():
                other = self.graph[two].value
                return self.graph.find(one) == self.graph.find(two) or (
                    value is not None and value == other
                )
            case Symbol(text):
                return isinstance(value, Atom) and value.text == text
            case Form(name, thematic, rest):
                return (
                    isinstance(value, SemanticForm)
                    and value.name == name
                    and (
                        not (thematic or rest)
                        or (len(thematic), len(rest)) == (len(value.thematic), len(value.other))
                    )
                )
            case Values(symbols):
                if isinstance(value, OneAtomOf):
                    return value.texts <= symbols
                return isinstance(value, Atom) and value.text in symbols
        return False

    def _within(self, one: Thing, two: Thing) -> bool:
        if isinstance(two, Values):
            return self._same(one, two)
        elements = self.graph.elements(two) if isinstance(two, int) else None
        return any(self._same(one, each) for each in elements or ())


def _nodes(things: Things) -> Group:
    return tuple(each if isinstance(each, int) else None for each in things)
