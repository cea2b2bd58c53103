"""Structures of rules and of words, made by taking the steps of their bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from weft.unification.patr.bodies import DEEPEST, Alternatives, Path, Step
from weft.unification.structure import (
    TYPE,
    VARIABLE,
    Atom,
    CycleError,
    FeatureStructure,
    Listed,
    Struct,
    Variable,
    values_of,
)
from weft.unification.unify import Graph, describe
from weft.unification.write import fresh_names

_TOO_DEEP = f"the structure is nested more than {DEEPEST} deep"


class CannotBe(Exception):  # noqa: N818
    """A step cannot be taken after those before it."""

    def __init__(self, message: str, step: Step) -> None:
        super().__init__(message)
        self.step = step


@dataclass(slots=True)
class Builder:
    """Makes one structure.

    Attributes:
        category_feature: What the feature is called that names categories.
        lexical_rules: By their names.
        graph: What is made.
    """

    category_feature: str
    lexical_rules: Mapping[str, Alternatives]
    graph: Graph

    def side(self, category: str | None) -> int:
        """Add a category; None for one of which nothing is known."""
        if category is None:
            return self.graph.add_node(Struct(()))
        return self.graph.add_node(Struct(((TYPE, self.graph.add_node(Atom(category))),)))

    def obey(self, steps: Iterable[Step], roots: Mapping[str, int]) -> None:
        """Take steps whose paths begin with names of roots, those that are defaults last.

        Raises:
            CannotBe: If one cannot be taken.
        """
        ordered = sorted(steps, key=lambda step: step.is_default)
        for step in ordered:
            self.equate(step, roots)

    def equate(self, step: Step, roots: Mapping[str, int]) -> None:
        """Take one step."""
        one = self.find(step.path, roots, step)
        if isinstance(step.value, Atom):
            if step.is_default and not isinstance(self.graph.nodes[self.graph.find(one)], Variable):
                return
            names = self.is_category(step.path)
            atom = Atom(str(_written(step.value))) if names else step.value
            other = self.graph.add_node(atom)
        else:
            other = self.find(step.value, roots, step)
        if not self.graph.unify(one, other, {}):
            clash = self.graph.failed
            assert clash is not None  # noqa: S101
            raise CannotBe(" and ".join(map(describe, clash.nodes)) + " cannot be equal", step)

    def is_category(self, path: Path) -> bool:
        """Whether a path ends in the name of a category."""
        return len(path) > 1 and path[-1] == self.category_feature

    def find(self, path: Path, roots: Mapping[str, int], step: Step) -> int:
        """Return the node at the end of a path, which is made if it is not there."""
        place = roots[path[0]]
        for name in path[1:]:
            feature = TYPE if name == self.category_feature else name
            place = self.graph.find(place)
            node = self.graph.nodes[place]
            if isinstance(node, Variable):
                node = Struct(())
            if not isinstance(node, Struct):
                raise CannotBe(f"{describe(node)} has no feature {name}", step)
            features = dict(node.features)
            if feature not in features:
                features[feature] = self.graph.add_node(VARIABLE)
                self.graph.nodes[place] = Struct(tuple(sorted(features.items())))
            place = features[feature]
        return place

    def entry(self, steps: Sequence[Step]) -> int:
        """Make the structure of a word; return its node."""
        root = self.side(None)
        waiting: list[Step] = []
        for step in steps:
            if not step.lexical:
                waiting.append(_rooted(step))
                continue
            self.obey(waiting, {"": root})
            waiting, before, root = [], root, self.side(None)
            [rule] = self.lexical_rules[step.lexical]
            self.obey(rule, {"in": before, "out": root})
        self.obey(waiting, {"": root})
        return root

    def structure(self, sides: Sequence[int], step: Step | None) -> FeatureStructure:
        """Return the structure of a rule with some sides."""
        try:
            found = self.graph.structure(self.graph.add_node(Listed(tuple(sides))))
            problem = "" if _depth(found) <= DEEPEST else _TOO_DEEP
        except CycleError as error:
            problem = str(error)
        except RecursionError:
            problem = _TOO_DEEP
        if problem and step is not None:
            raise CannotBe(problem, step)
        variables = (n for n, node in enumerate(found.nodes) if isinstance(node, Variable))
        return replace(found, names=tuple(zip(variables, fresh_names(), strict=False)))


def _depth(structure: FeatureStructure) -> int:
    """How many nodes lie in one another."""
    known: dict[int, int] = {}

    def depth(place: int) -> int:
        if place not in known:
            below = values_of(structure.nodes[place])
            known[place] = 1 + max(map(depth, below), default=0)
        return known[place]

    return depth(0)


def _rooted(step: Step) -> Step:
    value = step.value if isinstance(step.value, Atom) else ("", *step.value)
    return Step(("", *step.path), value, step.token, step.is_default)


def _written(atom: Atom) -> str:
    """An atom as it was written."""
    signs = {True: "+", False: "-"}
    return signs[atom.value] if isinstance(atom.value, bool) else str(atom.value)
