"""Lexical rules, ``(^ OBJ) --> (^ SUBJ)``: functions that a template changes.

In a template's body, a rule changes the functions in semantic forms and in what the body takes from
its arguments and from other templates; what the body itself says is about functions after the
change. All rules of a body apply at the same time. A function that becomes NULL is an argument that
nothing fills: statements about it are left out.

Reference: Bresnan (1982), "The Passive in Lexical Theory"; XLE's documentation, "Lexical rules".
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from weft.lfg.cursor import Cursor, Definition
from weft.lfg.language import (
    At,
    Attribute,
    Description,
    Designator,
    Either,
    Form,
    From,
    Not,
    Path,
    Place,
    Statement,
    Steps,
)
from weft.lfg.logic import conjoin, disjoin

MOST_VARIANTS = 256
"""Of choices among lexical rules, as many may come together."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A lexical rule; its target is None for NULL. Only readers see it."""

    left: At
    right: At | None
    place: Place


def resolve(description: Any, definition: Definition | None, cursor: Cursor) -> Description:
    """Apply the lexical rules of a template's body, or of what stands outside templates."""
    if not _has_arrows(description):
        return cast(Description, description)
    variants = _variants(description, cursor)
    found = [_changed(statements, arrows, definition) for statements, arrows in variants]
    return disjoin(found, description[0].place)


def _has_arrows(description: Sequence[Any]) -> bool:
    return any(
        isinstance(each, Arrow)
        or (isinstance(each, Either) and any(map(_has_arrows, each.options)))
        for each in description
    )


def _variants(
    description: Sequence[Any], cursor: Cursor
) -> list[tuple[list[Statement], list[Arrow]]]:
    """Choose in every disjunction with lexical rules: all the ways, each with its rules."""
    choices: list[list[tuple[list[Statement], list[Arrow]]]] = []
    for each in description:
        if isinstance(each, Arrow):
            choices.append([([], [each])])
        elif isinstance(each, Either) and any(map(_has_arrows, each.options)):
            options = [_variants(option, cursor) for option in each.options]
            choices.append([variant for option in options for variant in option])
        else:
            choices.append([([each], [])])
        count = 1
        for options_of_one in choices:
            count *= len(options_of_one)
        if count > MOST_VARIANTS:
            raise cursor.error(f"more than {MOST_VARIANTS} choices among lexical rules")
    return [
        ([each for part in chosen for each in part[0]], [a for part in chosen for a in part[1]])
        for chosen in itertools.product(*choices)
    ]


def _changed(
    statements: list[Statement], arrows: list[Arrow], definition: Definition | None
) -> Description:
    found: list[Statement] = []
    for statement in statements:
        whole = definition is not None and not _is_within(statement.place, definition)
        found.extend(_rewritten(statement, arrows, whole))
    return conjoin(found)


def _is_within(place: Place, definition: Definition) -> bool:
    first, last = definition.place, definition.body[-1].place
    position = (place.line, place.column)
    same = place.path == first.path
    return same and (first.line, first.column) <= position <= (last.line, last.column)


def _rewritten(statement: Statement, arrows: list[Arrow], whole: bool) -> list[Statement]:
    if isinstance(statement, Either):
        options = [
            tuple(new for each in option for new in _rewritten(each, arrows, whole))
            for option in statement.options
        ]
        return [replace(statement, options=tuple(options))]
    if isinstance(statement, Not):
        inner = [new for each in statement.description for new in _rewritten(each, arrows, whole)]
        return [replace(statement, description=tuple(inner))] if inner else []
    changes: dict[str, Designator] = {}
    for name in ("left", "right", "element", "whole", "what"):
        value = getattr(statement, name, None)
        if isinstance(value, Form):
            changes[name] = _form(value, arrows)
        elif value is not None and whole:
            new = _designator(value, arrows)
            if new is None:
                return []
            changes[name] = new
    return [replace(statement, **changes)] if changes else [statement]  # type: ignore[arg-type]


def _form(form: Form, arrows: list[Arrow]) -> Form:
    def change(arguments: tuple[Designator | None, ...]) -> tuple[Designator | None, ...]:
        return tuple(each and _designator(each, arrows) for each in arguments)

    return replace(form, thematic=change(form.thematic), other=change(form.other))


def _designator(value: Designator, arrows: list[Arrow]) -> Designator | None:
    if isinstance(value, From):
        base = _designator(value.base, arrows)
        return None if base is None else replace(value, base=base)
    if not isinstance(value, At):
        return value
    for arrow in arrows:
        if arrow.left.base == value.base:
            rest = _rest(value.path, arrow.left.path)
            if rest is not None:
                return arrow.right and _joined(arrow.right, rest)
    base = _designator(value.base, arrows)
    return None if base is None else replace(value, base=base)


def _rest(path: Path, prefix: Path) -> tuple[Path, ...] | None:
    """What of a path comes after a prefix; None if it does not begin so."""
    parts, first = _parts(path), _parts(prefix)
    names = [part.name for part in parts[: len(first)] if isinstance(part, Attribute)]
    wanted = [part.name for part in first if isinstance(part, Attribute)]
    return parts[len(first) :] if names == wanted and len(wanted) == len(first) else None


def _parts(path: Path) -> tuple[Path, ...]:
    return path.parts if isinstance(path, Steps) else (path,)


def _joined(target: At, rest: tuple[Path, ...]) -> At:
    return replace(target, path=Steps((*_parts(target.path), *rest))) if rest else target
