"""Conjunction, disjunction and negation of descriptions, as far as they are known when read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from weft.lfg.language import (
    CheckCategory,
    CheckContains,
    CheckEqual,
    CheckExists,
    Contains,
    Description,
    Either,
    Equal,
    Not,
    Place,
    Statement,
)

NEVER: Description = (Either(()),)
"""What never holds: a choice of nothing."""


class Unread(tuple[Statement, ...]):
    """Nothing, where something stood that is left out: its negation is left out, too."""

    __slots__ = ()


UNREAD: Description = Unread()


def conjoin(statements: Iterable[Statement]) -> Description:
    """Return all of some statements, or `NEVER` if one of them never holds."""
    found = tuple(statements)
    return NEVER if NEVER[0] in found else found


def disjoin(options: Sequence[Description], place: Place) -> Description:
    """Return one of some descriptions, each once and without those that never hold."""
    possible = tuple(dict.fromkeys(option for option in options if option != NEVER))
    return possible[0] if len(possible) == 1 else (Either(possible, place),)


def tests(description: Description) -> Description:
    """Return a description with every defining statement as a test of the same."""
    return tuple(_test(statement) for statement in description)


def _test(statement: Statement) -> Statement:
    if isinstance(statement, Equal):
        return CheckEqual(statement.left, statement.right, place=statement.place)
    if isinstance(statement, Contains):
        return CheckContains(statement.element, statement.whole, place=statement.place)
    if isinstance(statement, Either):
        return replace(statement, options=tuple(map(tests, statement.options)))
    return statement


def negate(description: Description, place: Place) -> Description:
    """Return the test that a description does not hold.

    >>> from weft.lfg.language import UP, At, Attribute, Symbol
    >>> number = At(UP, Attribute("NUM"))
    >>> negate((Equal(number, Symbol("sg")),), Place())[0].positive
    False
    >>> negate(negate((CheckExists(number),), Place()), Place()) == (CheckExists(number),)
    True
    """
    if isinstance(description, Unread):
        return description
    if len(description) != 1:
        return (Not(tests(description), place),) if description else NEVER
    statement = _test(description[0])
    if isinstance(statement, CheckEqual | CheckContains | CheckExists | CheckCategory):
        return (replace(statement, positive=not statement.positive),)
    if isinstance(statement, Not):
        return statement.description
    if isinstance(statement, Either):
        return conjoin(each for option in statement.options for each in negate(option, place))
    return ()
