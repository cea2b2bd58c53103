"""Statements as the kernel has them: tests that are tests of plain facts, joined by "not all".

Off-path statements and tests of categories are put into these terms here; a category is an
attribute that the kernel gives to the f-structures of its nodes. What cannot be is *late*: the
kernel keeps all that it may look at or change, and the plain solver decides it for each whole
sentence that can be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from weft.lfg.branches import is_late
from weft.lfg.language import (
    AFTER,
    BEFORE,
    FORM_NAME,
    AnyAttribute,
    At,
    Attribute,
    CheckCategory,
    CheckContains,
    CheckEqual,
    CheckExists,
    Contains,
    Description,
    Designator,
    Either,
    Element,
    Equal,
    From,
    Mark,
    Not,
    Path,
    Statement,
    Steps,
)
from weft.lfg.paths import build_path, list_plain
from weft.lfg.reference.describe import sides_of


@dataclass(frozen=True, slots=True)
class NotAll:
    """A test that some of these tests does not hold."""

    tests: tuple[Simple, ...]


@dataclass(frozen=True, slots=True)
class Late:
    """A statement that only the f-structure of a whole sentence decides.

    Attributes:
        statement: The statement.
        beside: The off-path statements of its paths, as tests.
    """

    statement: Equal | Contains | CheckEqual | CheckContains | CheckExists
    beside: tuple[Simple, ...]


Simple = Equal | Contains | CheckEqual | CheckContains | CheckExists | NotAll | Mark | Late
"""What the kernel knows."""


def category_attribute(categories: frozenset[str]) -> str:
    """Return the attribute that f-structures of nodes of these categories have."""
    return "@" + " ".join(sorted(categories))


def categories_of(attribute: str) -> frozenset[str]:
    """Return the categories that an attribute of this kind is for; of others, none."""
    return frozenset(attribute[1:].split(" ") if attribute[0] == "@" else ())


def simplify(statement: Statement) -> Iterator[Simple]:
    """Yield what a statement of a branch comes to."""
    match statement:
        case Equal() | Contains() if is_late(statement):
            yield _late(statement, sides_of(statement))
        case Equal(left, right):
            yield from (_without(statement, Equal, left, right), *_beside(left), *_beside(right))
        case Contains(left, right):
            yield from (_without(statement, Contains, left, right), *_beside(left), *_beside(right))
        case Mark():
            yield statement
        case _:
            yield from _tests(statement)


def _without(
    statement: Equal | Contains,
    kind: type[Equal | Contains],
    left: Designator,
    right: Designator,
) -> Equal | Contains:
    return kind(_bare(left), _bare(right), statement.place)


def _bare(designator: Designator) -> Designator:
    """A plain designator without its off-path statements."""
    if isinstance(designator, At) and isinstance(designator.path, Steps):
        names = tuple(Attribute(step.name) for step in designator.path.parts)  # type: ignore[union-attr]
        return At(designator.base, Steps(names))
    return designator


def _beside(designator: Designator) -> Iterator[Simple]:
    """The off-path statements of a plain designator, as tests."""
    if not isinstance(designator, At) or not isinstance(designator.path, Steps):
        return
    steps = designator.path.parts
    for place, step in enumerate(steps):
        if isinstance(step, Attribute) and step.off_path:
            before = _bare(At(designator.base, Steps(steps[:place])))
            after = _bare(At(designator.base, Steps(steps[: place + 1])))
            for statement in step.off_path:
                yield from _tests(_replaced(statement, before, after))


def _tests(statement: Statement) -> Iterator[Simple]:
    """What a statement that is read as a test comes to: all of these have to hold."""
    match statement:
        case Equal(left, right):
            yield from _tests(CheckEqual(left, right))
        case Contains(left, right):
            yield from _tests(CheckContains(left, right))
        case CheckCategory(what, categories, positive):
            step = Attribute(category_attribute(categories))
            yield from _tests(CheckExists(_longer(what, step), positive))
        case CheckExists(what, positive):
            yield from _ways(statement, (what,), positive)
        case CheckEqual(left, right, positive) | CheckContains(left, right, positive):
            yield from _ways(statement, (left, right), positive)
        case Not(description):
            yield from _none_of(description)
        case Either(options):
            # Not that none of them holds.
            none = [_none_of(option) for option in options]
            yield NotAll(tuple(test for each in none for test in each))
        case _:  # a mark
            return


def _none_of(description: Description) -> Iterator[Simple]:
    """That a description does not hold."""
    tests: list[Simple] = []
    for statement in description:
        tests += _tests(statement)
    yield NotAll(tuple(tests))


def _ways(
    statement: CheckExists | CheckEqual | CheckContains,
    sides: tuple[Designator, ...],
    positive: bool,
) -> Iterator[Simple]:
    """A test whose paths may have off-path statements."""
    named = any(_mentions(side, FORM_NAME) for side in sides)
    if not named and not any(map(_has_beside, sides)):
        yield statement
        return
    plain = list(map(_plain, sides))
    known = [each for each in plain if each is not None]
    if named or len(known) < len(plain):
        yield _late(statement, sides)
        return
    refusals: list[Simple] = []
    for way in product(*known):
        tests = [test for side in way for test in _beside(side)]
        bare = [_bare(side) for side in way]
        test = _test(statement, bare, positive)
        refusals.append(NotAll((*tests, test if positive else NotAll((test,)))))
    if positive:
        yield NotAll(tuple(refusals))
    else:
        yield from refusals


def _test(
    statement: CheckExists | CheckEqual | CheckContains, sides: list[Designator], positive: bool
) -> Simple:
    """The test of this kind on other sides."""
    if isinstance(statement, CheckExists):
        return CheckExists(sides[0], positive)
    return type(statement)(sides[0], sides[1], positive)


def _plain(designator: Designator) -> list[Designator] | None:
    """A designator with each of its plain paths; None if there are others."""
    if not isinstance(designator, At):
        return None if isinstance(designator, From) else [designator]
    base, path = flat(designator)
    words = list_plain(path)
    if words is None or isinstance(base, From):
        return None
    return [At(base, Steps(word)) for word in words]


def _late(
    statement: Equal | Contains | CheckEqual | CheckContains | CheckExists,
    sides: tuple[Designator, ...],
) -> Late:
    beside = [
        test
        for side in sides
        for step in list_moves(side)
        for each in step.off_path
        for test in _tests(each)
    ]
    return Late(statement, tuple(dict.fromkeys(beside)))


def list_moves(designator: Designator) -> Iterator[Attribute | AnyAttribute]:
    """Yield the attributes in the paths of a designator."""
    if isinstance(designator, (At, From)):
        yield from list_moves(designator.base)
        for row in build_path(designator.path).arcs:
            yield from (move for move, _, _ in row if not isinstance(move, Element))


def flat(designator: At) -> tuple[Designator, Path]:
    """Return what a designator begins with, and its whole path."""
    if isinstance(designator.base, At):
        base, path = flat(designator.base)
        return base, Steps((path, designator.path))
    return designator.base, designator.path


def _longer(designator: Designator, step: Attribute) -> Designator:
    return At(designator, step)


def _has_beside(designator: Designator) -> bool:
    return any(move.off_path for move in list_moves(designator))


def _mentions(designator: Designator, name: str) -> bool:
    return any(isinstance(m, Attribute) and m.name == name for m in list_moves(designator))


def _replaced(statement: Statement, before: Designator, after: Designator) -> Statement:
    """A statement with what stands for <- and -> put in."""

    def put(designator: Designator) -> Designator:
        match designator:
            case At(base, path):
                return At(put(base), path)
            case From(path, base):
                return From(path, put(base))
            case _:
                return (
                    before if designator == BEFORE else after if designator == AFTER else designator
                )

    match statement:
        case Equal(left, right):
            return Equal(put(left), put(right), statement.place)
        case Contains(left, right):
            return Contains(put(left), put(right), statement.place)
        case CheckEqual(left, right, positive):
            return CheckEqual(put(left), put(right), positive, statement.place)
        case CheckContains(left, right, positive):
            return CheckContains(put(left), put(right), positive, statement.place)
        case CheckExists(what, positive):
            return CheckExists(put(what), positive, statement.place)
        case CheckCategory(what, categories, positive):
            return CheckCategory(put(what), categories, positive, statement.place)
        case Either(options):
            each = (tuple(_replaced(s, before, after) for s in option) for option in options)
            return Either(tuple(each), statement.place)
        case Not(description):
            return Not(tuple(_replaced(s, before, after) for s in description), statement.place)
        case _:
            return statement
