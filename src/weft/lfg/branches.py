"""Descriptions as lists of branches: every way to choose among what they leave open.

A branch is a conjunction of statements. Defining ones have plain paths, but for those whose way
only the f-structure of a whole sentence decides: inside-out paths, paths over elements or any
attribute, and endless repetition of what nothing governs. Other repetitions without end are cut
off after `DEPTH` times, for each needs a word of its own that governs the attribute; or none is cut
off, and all of these paths wait for the whole sentence.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
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
from weft.lfg.paths import Plain, build_path, list_plain
from weft.lfg.reference.describe import sides_of
from weft.unification.limits import check_time

DEPTH = 5
MOST_BRANCHES = 20_000
MOST_WAYS = 500

T = TypeVar("T")


class NotCompiled(NotDefined):
    """A construct that the kernel does not know; the plain solver does."""


Branch = tuple[Statement, ...]
"""What one way to choose says, each statement once."""


def list_branches(
    description: Description, governable: Container[str], *, depth: int = DEPTH
) -> list[Branch]:
    """Return the branches of a description, those of the same statements once.

    Args:
        description: The description.
        governable: The attributes that need a governor.
        depth: How often a path without end is repeated; 0 if such paths wait for the whole.

    Raises:
        NotCompiled: If there are too many.
    """
    found: dict[frozenset[Statement], Branch] = {}
    for statements in _choose(list(description), {}, Words(governable, depth)):
        found.setdefault(frozenset(statements), tuple(statements))
        if len(found) > MOST_BRANCHES:
            raise NotCompiled(f"a description has more than {MOST_BRANCHES:,} branches")
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Words:
    """How paths become words: the attributes that need a governor, and how often they repeat."""

    governable: Container[str]
    depth: int = DEPTH


def _choose(
    description: list[Statement], chosen: dict[Statement, None], how: Words
) -> Iterator[dict[Statement, None]]:
    check_time()
    choices: list[Either] = []
    for statement in description:
        if isinstance(statement, Either):
            choices.append(statement)
        elif isinstance(statement, (Equal, Contains)) and statement not in chosen:
            ways = _plain_statements(statement, how)
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
        yield from _choose([*option, *rest], chosen, how)


def _plain_statements(statement: Equal | Contains, how: Words) -> list[Equal | Contains]:
    """The statement with each choice of plain paths; itself, if a whole sentence has to choose."""
    left, right = (_plain_designators(side, how) for side in sides_of(statement))
    if left is None or right is None:
        return [statement]
    return [type(statement)(one, two, statement.place) for one, two in product(left, right)]


def is_late(statement: Equal | Contains) -> bool:
    """Say whether a statement of a branch has paths that only a whole sentence chooses."""
    return not all(map(_is_plain, sides_of(statement)))


def _is_plain(designator: Designator) -> bool:
    match designator:
        case At(base, Steps(parts)):
            plain = all(isinstance(part, Attribute) for part in parts)
            return plain and not isinstance(base, (At, From))
        case At() | From():
            return False
        case _:
            return True


def _plain_designators(designator: Designator, how: Words) -> list[Designator] | None:
    """What a designator stands for, with plain paths; None if only a whole sentence tells."""
    match designator:
        case From():
            return None
        case At(base, path):
            words = list_words(path, how)
            bases = _plain_designators(base, how)
            if words is None or bases is None:
                return None
            return [_joined(each, word) for each, word in product(bases, words)]
        case _:
            return [designator]


def _joined(base: Designator, word: Plain) -> Designator:
    if isinstance(base, At):
        assert isinstance(base.path, Steps)  # noqa: S101
        return At(base.base, Steps((*base.path.parts, *word)))
    return At(base, Steps(word))


def list_words(path: Path, how: Words) -> list[Plain] | None:
    """Return the plain paths of a path, shortest first; None if only a whole sentence tells.

    >>> from weft.lfg.language import Repeated
    >>> more = Steps((Repeated(Attribute("COMP")), Attribute("OBJ")))
    >>> [len(word) for word in list_words(more, Words({"COMP"}))]
    [1, 2, 3, 4, 5, 6]
    >>> list_words(more, Words({"OBJ"}))
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
                    return None
                if endless and (move.name not in how.governable or not how.depth):
                    return None
                if repeated + endless <= how.depth:
                    following.append((target, (*word, move), repeated + endless))
        agenda = following
        if len(found) + len(agenda) > MOST_WAYS:
            if list_plain(path) is None:
                return None
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
