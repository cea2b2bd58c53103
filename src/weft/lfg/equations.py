"""Descriptions in XLE's notation: equations, tests, disjunctions, templates.

=======================  ===========================================================================
``=``, ``$``             defining
``=c``, ``~=``, ``$c``, ``~$``, ``(^ A)``, ``~(^ A)``  tests
``{a|b}``, ``{a}``       disjunction; what may be left out
``[a b]``, ``~[a b]``, ``~~a``  a group, its negation, and defining statements as tests
``@T``, ``@(T a b)``     what a template says
``@(CAT (^ X) {NP VP})``  a test of the categories of an f-structure's nodes
``m $ o::*``, ``@(OT-MARK m)``  marks of optimality
``(^ OBJ) --> (^ SUBJ)``  a lexical rule (`weft.lfg.arrows`)
=======================  ===========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from weft.lfg.arrows import Arrow, resolve
from weft.lfg.cursor import RELATIONS, Cursor, Definition
from weft.lfg.designators import (
    OneValue,
    Read,
    Skipped,
    is_form_name,
    read_category,
    read_designator,
)
from weft.lfg.language import (
    At,
    CheckCategory,
    CheckContains,
    CheckEqual,
    CheckExists,
    Contains,
    Description,
    Designator,
    Equal,
    Form,
    From,
    Local,
    Mark,
    Place,
    Statement,
    Symbol,
    Values,
)
from weft.lfg.logic import NEVER, UNREAD, Unread, conjoin, disjoin, negate
from weft.lfg.scan import Token
from weft.lfg.stems import STEM

_STOPS = (")", "}", "|", "]", ";", ",", "/")
_LEFT_OUT = {"<<": "subsumption", ">>": "subsumption"}


def read_description(cursor: Cursor) -> Description:
    """Read statements up to what ends them, resolving lexical rules."""
    return resolve(_description(cursor), None, cursor)


def _description(cursor: Cursor) -> Description:
    parts: list[Description] = []
    with cursor.deeper():
        while cursor.peek() is not None and not cursor.at(*_STOPS):
            parts.append(_statement(cursor))
    found = conjoin(statement for part in parts for statement in part)
    return UNREAD if not found and any(isinstance(part, Unread) for part in parts) else found


def _statement(cursor: Cursor) -> Description:
    token = cursor.next("a statement")
    cursor.place -= 1
    if cursor.take("~"):
        return _negated(cursor, token)
    if cursor.at("{") and not _is_value(cursor):
        return _disjunction(cursor)
    if cursor.take("["):
        found = _description(cursor)
        cursor.expect("]")
        return found
    if cursor.at("@"):
        start = cursor.place
        name, arguments = cursor.call()
        if not cursor.at_relation():
            return _called(cursor, name, arguments)
        cursor.place = start
    return _equation(cursor, token)


def _is_value(cursor: Cursor) -> bool:
    """Whether a relation follows the braces that come."""
    start = cursor.place
    cursor.skip_bracket()
    found = cursor.at_relation()
    cursor.place = start
    return found


def _negated(cursor: Cursor, token: Token) -> Description:
    with cursor.deeper():
        found = _statement(cursor)
    if any(isinstance(each, Arrow) for each in found):
        raise cursor.error("a lexical rule cannot be negated", token)
    return negate(found, token.place)


def _disjunction(cursor: Cursor) -> Description:
    first = cursor.expect("{")
    known = dict(cursor.context.constants)
    options = [_description(cursor)]
    while cursor.take("|"):
        cursor.context.constants = dict(known)
        options.append(_description(cursor))
    cursor.expect("}")
    cursor.context.constants = known
    if len(options) == 1:
        options.append(())
    return disjoin(options, first.place)


# ---------------------------------------------------------------------------------- calls


def _called(cursor: Cursor, name: Token, arguments: list[list[Token]]) -> Description:
    context = cursor.context
    definition = context.templates.get(name.text)
    if definition is None:
        builtin = _BUILTIN.get(name.text)
        if builtin is not None:
            return builtin(cursor, name, arguments)
        context.undefined[name.text, name.place] = None
        context.warn(f"there is no template {name.text}: the call says nothing", name)
        return UNREAD
    if len(arguments) != len(definition.parameters):
        context.warn(_arity(definition, len(arguments)), name)
        return UNREAD
    inner = cursor.inside(definition, name, arguments)
    found = _description(inner)
    inner.end()
    return resolve(found, definition, cursor)


def _arity(definition: Definition, given: int) -> str:
    place = definition.place
    return (
        f"{definition.name} has {len(definition.parameters)} parameters "
        f"({place.path}:{place.line}), but {given} arguments are given: the call says nothing"
    )


def _category_test(cursor: Cursor, name: Token, arguments: list[list[Token]]) -> Description:
    if len(arguments) != 2:
        raise cursor.error("expected @(CAT designator categories)", name)
    first = Cursor(cursor.context, arguments[0], name)
    what = read_designator(first, read_description)
    first.end()
    if isinstance(what, OneValue | Skipped):
        raise cursor.error("expected a designator, as in @(CAT (^ XCOMP) {AP PP})", name)
    inner = Cursor(cursor.context, arguments[1], name)
    braces = inner.take("{")
    names = set()
    while inner.peek() is not None and not inner.at("}"):
        inner.take("|")
        names.add(read_category(inner))
    if braces:
        inner.expect("}")
    inner.end()
    return (CheckCategory(what, frozenset(names), place=name.place),)


def _mark(cursor: Cursor, name: Token, arguments: list[list[Token]]) -> Description:
    if len(arguments) != 1 or len(arguments[0]) != 1 or not arguments[0][0].is_symbol:
        raise cursor.error("expected @(OT-MARK name)", name)
    return (Mark(arguments[0][0].text, name.place),)


def _concatenate(cursor: Cursor, name: Token, arguments: list[list[Token]]) -> Description:
    known = cursor.context.constants
    tokens = [token for part in arguments for token in part]
    if len(tokens) != len(arguments) or len(tokens) < 2 or not tokens[-1].raw.startswith("%"):
        raise cursor.error("expected @(CONCAT symbol … %name)", name)
    locals_ = [each for each in tokens[:-1] if each.raw.startswith("%") and each.text != STEM]
    if any(each.text not in known for each in locals_):
        return _left_out(cursor, "CONCAT of what is not known when the grammar is read", name)
    texts = [known.get(t.text, t.text) if t.raw.startswith("%") else t.text for t in tokens]
    target = tokens[-1].text
    known[target] = "".join(texts[:-1])
    return (Equal(Local(target[1:]), Symbol(known[target]), name.place),)


_BUILTIN = {"CAT": _category_test, "OT-MARK": _mark, "CONCAT": _concatenate}


# ------------------------------------------------------------------------------ equations


def _equation(cursor: Cursor, first: Token) -> Description:
    left = read_designator(cursor, read_description)
    token = cursor.peek()
    if token is None or token.is_symbol or token.text not in RELATIONS:
        return _existential(cursor, left, first)
    cursor.next("a relation")
    while token.text == "$" and cursor.at("<h", ">h", "<s", ">s"):
        cursor.context.warn("the order of a set's elements is not read", token)
        cursor.next("a relation")
    right = read_designator(cursor, read_description)
    return _related(cursor, left, token, right)


def _existential(cursor: Cursor, what: Read, first: Token) -> Description:
    if isinstance(what, Skipped):
        return _left_out(cursor, what.what, first)
    if isinstance(what, At | From):
        return (CheckExists(what, place=first.place),)
    raise cursor.error("expected an equation, a test such as (^ SUBJ), or a template", first)


def _left_out(cursor: Cursor, what: str, token: Token) -> Description:
    cursor.context.warn(f"{what} is not read: the statement is left out", token)
    return UNREAD


def _related(cursor: Cursor, left: Read, token: Token, right: Read) -> Description:
    relation = token.text
    if relation == "$" and isinstance(left, Symbol) and right == Skipped("o::*"):
        return (Mark(left.text, token.place),)
    for side in (left, right):
        if isinstance(side, Skipped):
            return _left_out(cursor, side.what, token)
    if relation in _LEFT_OUT or relation[0] in "<>":
        return _left_out(cursor, _LEFT_OUT.get(relation, "precedence and scope"), token)
    if relation in ("=", "$") and (is_form_name(left) or is_form_name(right)):
        if not isinstance(left, Symbol) and not isinstance(right, Symbol | Values):
            return _left_out(cursor, "a definition by the name of a semantic form", token)
        token = replace(token, text="=c")
    if relation == "-->":
        return cast(Description, (_arrow(cursor, left, right, token),))  # until `resolve`
    options = _options(left), _options(right)
    pairs = [(one, other) for one in options[0] for other in options[1]]
    negative = relation.startswith("~")
    found = [_compare(cursor, one, token, other) for one, other in pairs]
    if negative:
        return conjoin([each for description in found for each in description])
    return disjoin(found, token.place)


def _options(side: Read) -> tuple[Designator, ...]:
    if isinstance(side, OneValue):
        return tuple(each for option in side.options for each in _options(option))
    return () if isinstance(side, Skipped) else (side,)


def _arrow(cursor: Cursor, left: Read, right: Read, token: Token) -> Arrow:
    target = None if right == Symbol("NULL") else right
    if isinstance(left, At) and (target is None or isinstance(target, At)):
        return Arrow(left, target, token.place)
    raise cursor.error("expected a lexical rule, such as (^ OBJ) --> (^ SUBJ) or --> NULL", token)


def _compare(cursor: Cursor, left: Designator, token: Token, right: Designator) -> Description:
    relation, place = token.text, token.place
    if isinstance(left, Symbol | Values) and isinstance(right, Symbol | Values):
        holds = bool(_symbols(left) & _symbols(right))
        return () if holds != relation.startswith("~") else NEVER
    if isinstance(left, Symbol | Values | Form) and relation in ("=", "=c", "~=", "~=c"):
        left, right = right, left
    if "=" in relation or isinstance(right, Values):
        return (_EQUATIONS[relation](left, right, place),)
    if isinstance(right, Symbol | Form):
        raise cursor.error("expected a set after '$', such as (^ ADJUNCT) or {a b}", token)
    return (_MEMBERSHIPS[relation](left, right, place),)


def _symbols(value: Symbol | Values) -> frozenset[str]:
    return value.symbols if isinstance(value, Values) else frozenset([value.text])


def _made(
    kind: type[CheckEqual] | type[CheckContains], positive: bool
) -> Callable[[Designator, Designator, Place], Statement]:
    return lambda left, right, place: kind(left, right, positive, place)


_EQUATIONS: dict[str, Callable[[Designator, Designator, Place], Statement]] = {
    "=": Equal,
    "=c": _made(CheckEqual, True),
    "~=": _made(CheckEqual, False),
    "~=c": _made(CheckEqual, False),
    "$": Equal,
    "$c": _made(CheckEqual, True),
    "~$": _made(CheckEqual, False),
}
_MEMBERSHIPS: dict[str, Callable[[Designator, Designator, Place], Statement]] = {
    "$": Contains,
    "$c": _made(CheckContains, True),
    "~$": _made(CheckContains, False),
}
