"""Descriptions as lists of branches: every way to choose among what they leave open.

A branch is a conjunction of statements with plain paths. Functional uncertainty without end is cut
off after `DEPTH` repetitions: each of them needs a word of its own that governs the attribute.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import product
from typing import TypeVar

from weft.errors import NotDefined
from weft.lfg.language import (
    At,
    Attribute,
    Contains,
    Description,
    Designator,
    Either,
    Equal,
    Form,
    From,
    Path,
    Place,
    Repeated,
    Statement,
    Steps,
)
from weft.lfg.paths import Plain, build_path

DEPTH = 5
MOST_BRANCHES = 20_000
MOST_WAYS = 500

T = TypeVar("T")


class NotCompiled(NotDefined):
    """A construct that the kernel does not know; the plain solver does."""


Branch = tuple[Statement, ...]
"""What one way to choose says, each statement once."""


def list_branches(description: Description, governable: Container[str]) -> list[Branch]:
    """Return the branches of a description, those of the same statements once.

    Raises:
        NotCompiled: If there are too many, or a path is of a kind that only whole sentences decide.
    """
    found: dict[frozenset[Statement], Branch] = {}
    for statements in _choose(list(description), {}, governable):
        found.setdefault(frozenset(statements), tuple(statements))
        if len(found) > MOST_BRANCHES:
            raise NotCompiled(f"a description has more than {MOST_BRANCHES:,} branches")
    return list(found.values())


def _choose(
    description: list[Statement], chosen: dict[Statement, None], governable: Container[str]
) -> Iterator[dict[Statement, None]]:
    choices: list[Either] = []
    for statement in description:
        if isinstance(statement, Either):
            choices.append(statement)
        elif isinstance(statement, (Equal, Contains)) and statement not in chosen:
            ways = _plain_statements(statement, governable)
            if len(ways) == 1:
                chosen = {**chosen, ways[0]: None}
            else:
                choices.append(Either(tuple((way,) for way in ways)))
        else:
            chosen = {**chosen, statement: None}
    if not choices:
        yield chosen
        return
    first, *rest = choices
    for option in first.options:
        yield from _choose([*option, *rest], chosen, governable)


def _plain_statements(
    statement: Equal | Contains, governable: Container[str]
) -> list[Equal | Contains]:
    """The statement with each choice of plain paths."""
    if isinstance(statement, Equal):
        sides = (statement.left, statement.right)
    else:
        sides = (statement.element, statement.whole)
    left, right = (plain_designators(side, governable) for side in sides)
    return [type(statement)(one, two, statement.place) for one, two in product(left, right)]


def plain_designators(designator: Designator, governable: Container[str]) -> list[Designator]:
    """Return what a designator stands for, with plain paths."""
    match designator:
        case From():
            raise NotCompiled("inside-out paths are not compiled")
        case At(base, path):
            words = list_words(path, governable)
            bases = plain_designators(base, governable)
            return [_joined(each, word) for each, word in product(bases, words)]
        case _:
            return [designator]


def _joined(base: Designator, word: Plain) -> Designator:
    if isinstance(base, At):
        assert isinstance(base.path, Steps)  # noqa: S101
        return At(base.base, Steps((*base.path.parts, *word)))
    return At(base, Steps(word))


def list_words(path: Path, governable: Container[str]) -> list[Plain]:
    """Return the plain paths of a path, shortest first.

    >>> from weft.lfg.language import Repeated
    >>> more = Steps((Repeated(Attribute("COMP")), Attribute("OBJ")))
    >>> [len(word) for word in list_words(more, {"COMP"})]
    [1, 2, 3, 4, 5, 6]
    """
    machine = build_path(path)
    found: dict[Plain, None] = {}
    agenda: list[tuple[int, Plain, int]] = [(0, (), 0)]
    while agenda:
        following: list[tuple[int, Plain, int]] = []
        for state, word, repeated in agenda:
            if state in machine.final:
                found[word] = None
            for move, target, endless in machine.arcs[state]:
                if not isinstance(move, Attribute):
                    raise NotCompiled("paths over elements or any attribute that define something")
                if endless and move.name not in governable:
                    raise NotCompiled("repeated attributes that nothing governs")
                if repeated + endless <= DEPTH:
                    following.append((target, (*word, move), repeated + endless))
        agenda = following
        if len(found) + len(agenda) > MOST_WAYS:
            raise NotCompiled(f"a path with more than {MOST_WAYS} ways")
    return list(found)


def endless_attributes(thing: object) -> set[str]:
    """Return the attributes that some path of a grammar's part repeats without end."""
    return {
        each.name
        for repeated in parts_of(thing, Repeated)
        if repeated.most is None
        for each in parts_of(repeated.part, Attribute)
    }


def governs(thing: object, names: Container[str]) -> bool:
    """Say whether a semantic form in a grammar's part lists one of some attributes."""
    return any(
        each.name in names for form in parts_of(thing, Form) for each in parts_of(form, Attribute)
    )


def parts_of(thing: object, kind: type[T]) -> Iterator[T]:
    """Yield the things of a kind in a part of a grammar."""
    agenda = [thing]
    while agenda:
        here = agenda.pop()
        if isinstance(here, kind):
            yield here
        if isinstance(here, Mapping):
            agenda += here.values()
        elif isinstance(here, tuple):
            agenda += here
        elif is_dataclass(here) and not isinstance(here, Place):
            agenda += [getattr(here, each.name) for each in fields(here)]
