"""Designators, paths and semantic forms in XLE's notation.

=======================  ===========================================================================
``(^ OBJ NUM)``          a path from an f-structure on; ``(^OBJ NUM)`` is the same
``(COMP* OBJ ^)``        inside-out; ``((COMP ^) SUBJ)`` and out again
``{A|B}``, ``A*``, ``A+``, ``(A)``, ``A#1#2``  alternatives, repetition, what may be left out
``$``, ``?``             a step to an element of a set; any attribute
``A: (-> X)=c +;``       off-path statements
``'see<(^ SUBJ) NULL>(^ OBJ)'``  a semantic form
``{a b}``, ``{a|b}``     one of some values; a choice of values
``x_``, ``%x``           an instantiated symbol; a local name
=======================  ===========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from weft.lfg.cursor import Cursor
from weft.lfg.language import (
    AFTER,
    BEFORE,
    DOWN,
    FORM_NAME,
    UP,
    AnyAttribute,
    At,
    Attribute,
    Description,
    Designator,
    Element,
    Form,
    From,
    Local,
    OneOf,
    Path,
    Repeated,
    Steps,
    Symbol,
    Values,
)
from weft.lfg.scan import Token
from weft.lfg.stems import STEM

METAS = {"^": UP, "!": DOWN, "->": AFTER, "<-": BEFORE}
_REPEATS = {"*": (0, None), "+": (1, None)}
MOST_REPEATS = 100
"""Of #m#n, n is at most this."""

MOST_SIGNS = 5
"""So many signs of repetition after one part are too many."""


@dataclass(frozen=True, slots=True)
class OneValue:
    """A choice of designators, {a|b}: as many statements as there are."""

    options: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A designator that cannot be said here, such as a projection: its statement is left out."""

    what: str


Read: TypeAlias = "Designator | OneValue | Skipped"
Describe = Callable[[Cursor], Description]


def read_designator(cursor: Cursor, describe: Describe) -> Read:
    """Read a designator; `describe` reads the statements after a colon in paths."""
    with cursor.deeper():
        found = _plain(cursor, describe)
    token = cursor.peek()
    if cursor.at("/", "\\") and token is not None and token.glued:
        cursor.next("/")
        cursor.next("an attribute")
        return Skipped("restriction")
    return found


def _plain(cursor: Cursor, describe: Describe) -> Read:
    if cursor.at("("):
        return _paren(cursor, describe)
    if cursor.at("'"):
        return _form(cursor, describe)
    if cursor.at("{"):
        return _braces(cursor, describe)
    if cursor.at("@"):
        inner = called(cursor)
        found = read_designator(inner, describe)
        inner.end()
        return found
    if cursor.at("*"):
        cursor.next("*")
        return Skipped("a node of the c-structure")
    token = cursor.next("a designator")
    if not token.is_symbol:
        if token.text in METAS:
            return METAS[token.text]
        raise cursor.error("expected a designator, such as (^ SUBJ), ! or a symbol", token)
    if cursor.at("::"):
        return _projection(cursor, token, describe)
    following = cursor.peek()
    if cursor.at("[") and following is not None and following.glued:
        cursor.place -= 1
        return Symbol(read_category(cursor))
    return _symbol(cursor, token)


def read_category(cursor: Cursor) -> str:
    """Read the name of a category with its parameters, NP or VP[fin]; return it."""
    name = cursor.symbol("a category").text
    token = cursor.peek()
    if not (cursor.at("[") and token is not None and token.glued):
        return name
    cursor.expect("[")
    parameters = []
    while not cursor.take("]"):
        if not cursor.take(","):
            parameters.append(cursor.symbol("a parameter of the category, or ']'").text)
    return f"{name}[{','.join(parameters)}]"


def called(cursor: Cursor) -> Cursor:
    """Return a cursor over what a template stands for that has to be there."""
    name, arguments = cursor.call()
    definition = cursor.context.templates.get(name.text)
    if definition is None:
        raise cursor.error(f"there is no template {name.text}", name)
    return cursor.inside(definition, name, arguments)


def _projection(cursor: Cursor, name: Token, describe: Describe) -> Skipped:
    cursor.expect("::")
    if cursor.at("*"):
        cursor.next("*")
        return Skipped(f"{name.text}::*")
    read_designator(cursor, describe)
    return Skipped(f"the projection {name.text}::")


def _symbol(cursor: Cursor, token: Token) -> Designator:
    text = token.text
    if text in cursor.context.constants and token.raw.startswith("%"):
        return Symbol(cursor.context.constants[text])
    if token.raw.startswith("%") and len(text) > 1 and text != STEM:
        return Local(text[1:])
    if token.raw.endswith("_") and not token.raw.endswith("`_") and len(text) > 1:
        return Symbol(text[:-1], instantiated=True)
    return Symbol(text)


def _braces(cursor: Cursor, describe: Describe) -> Read:
    cursor.expect("{")
    options: list[list[Read]] = [[]]
    while not cursor.at("}"):
        if cursor.take("|"):
            options.append([])
        else:
            options[-1].append(read_designator(cursor, describe))
    cursor.expect("}")
    if len(options) > 1 and all(len(option) == 1 for option in options):
        return OneValue(tuple(option[0] for option in options))
    names = [each.text for each in options[0] if isinstance(each, Symbol)]
    if len(options) > 1 or len(names) < len(options[0]) or not names:
        raise cursor.error("expected symbols, as in {a b}, or one value in each part of {a|b}")
    return Symbol(names[0]) if len(names) == 1 else Values(frozenset(names))


# ---------------------------------------------------------------------------- in parentheses


def _paren(cursor: Cursor, describe: Describe) -> Read:
    first = cursor.expect("(")
    before: list[Path] = []
    base: Read | None = None
    after: list[Path] = []
    while not cursor.at(")"):
        found = _base(cursor, describe) if base is None else None
        if found is not None:
            base = found
        else:
            (before if base is None else after).append(read_item(cursor, describe))
    cursor.expect(")")
    if base is None:
        raise cursor.error("expected an f-structure in it: ^, ! or a local name", first)
    if isinstance(base, Skipped):
        return base
    if isinstance(base, OneValue):
        raise cursor.error("no path goes from a choice of values", first)
    part = _part_of_form(after)
    if part:
        return Skipped(f"a part of a semantic form, PRED {part},")
    if before:
        base = From(_steps(before), base)
    return At(base, _steps(after)) if after else base


def _part_of_form(path: list[Path]) -> str:
    """The name of an attribute after PRED, such as ARG1, which is in no f-structure."""
    names = [step.name if isinstance(step, Attribute) else "" for step in path]
    parts = (b for a, b in pairwise(names) if a == "PRED" and b)
    return next((each for each in parts if each != FORM_NAME), "")


def is_form_name(designator: Read) -> bool:
    """Say whether a designator is the name of a semantic form, such as (^ PRED FN)."""
    path = designator.path if isinstance(designator, At) else None
    last = path.parts[-2:] if isinstance(path, Steps) else ()
    return last == (Attribute("PRED"), Attribute(FORM_NAME))


def _base(cursor: Cursor, describe: Describe) -> Read | None:
    token = cursor.peek()
    if token is None:
        raise cursor.error("expected ')'")
    if token.is_symbol:
        is_local = token.raw.startswith("%") and token.text not in cursor.context.constants
        is_base = is_local or cursor.at("::", ahead=1)
        return read_designator(cursor, describe) if is_base else None
    if token.text in METAS or token.text == "*" or (token.text == "(" and _has_base(cursor)):
        return read_designator(cursor, describe)
    if token.text == "@":
        place = cursor.place
        inner = called(cursor)
        if inner.at(*METAS) or (inner.at("(") and _has_base(inner)):
            found = read_designator(inner, describe)
            inner.end()
            return found
        cursor.place = place
    return None


def _has_base(cursor: Cursor) -> bool:
    """Whether the parentheses that come have an f-structure at their beginning or end."""
    start = cursor.place
    cursor.skip_bracket()
    last = cursor.tokens[cursor.place - 2]
    cursor.place = start
    ahead = 1
    while cursor.at("(", ahead=ahead):
        ahead += 1
    first = cursor.peek(ahead)
    return _is_base(first) or _is_base(last) or cursor.at("::", ahead=ahead + 1)


def _is_base(token: Token | None) -> bool:
    if token is None or token.is_symbol:
        return token is not None and token.raw.startswith("%")
    return token.text in METAS


# ------------------------------------------------------------------------------------ paths


def _steps(parts: list[Path]) -> Path:
    return parts[0] if len(parts) == 1 else Steps(tuple(parts))


def read_item(cursor: Cursor, describe: Describe) -> Path:
    """Read a step of a path, with its repetition and its off-path statements."""
    with cursor.deeper():
        path = _step(cursor, describe)
    for least, most in all_repeats(cursor):
        path = Repeated(path, least, most)
    if cursor.take(":"):
        path = _with_statements(path, describe(cursor))
        cursor.take(";")
    return path


def _step(cursor: Cursor, describe: Describe) -> Path:
    token = cursor.next("an attribute")
    if token.is_symbol:
        known = cursor.context.constants if token.raw.startswith("%") else {}
        name = known.get(token.text, token.text)
        if token.raw.startswith("%") and token.text not in known:
            raise cursor.error("an attribute cannot be a local name", token)
        return Attribute(name)
    if token.text == "$":
        return Element()
    if token.text == "?":
        return AnyAttribute()
    if token.text == "@":
        cursor.place -= 1
        inner = called(cursor)
        found = _sequence(inner, describe)
        inner.end()
        return found
    if token.text in "([{":
        options = [_sequence(cursor, describe)]
        while token.text == "{" and cursor.take("|"):
            options.append(_sequence(cursor, describe))
        cursor.expect({"(": ")", "[": "]", "{": "}"}[token.text])
        path = options[0] if len(options) == 1 else OneOf(tuple(options))
        return Repeated(path, 0, 1) if token.text == "(" else path
    raise cursor.error(f"expected an attribute; '{token.text}' is not read in paths", token)


def _sequence(cursor: Cursor, describe: Describe) -> Path:
    parts: list[Path] = []
    while cursor.peek() is not None and not cursor.at(")", "]", "}", "|"):
        parts.append(read_item(cursor, describe))
    return _steps(parts)


def all_repeats(cursor: Cursor) -> Iterator[tuple[int, int | None]]:
    """Read all of *, + and #m#n that come; yield the least and the most of each."""
    for _ in range(MOST_SIGNS):
        token = cursor.peek()
        if token is None or token.raw not in ("*", "+", "#"):
            return
        yield _repeats(cursor)
    raise cursor.error(f"more than {MOST_SIGNS - 1} signs of repetition come together")


def _repeats(cursor: Cursor) -> tuple[int, int | None]:
    token = cursor.next("a repetition")
    if token.text in _REPEATS:
        return _REPEATS[token.text]
    least = _number(cursor)
    if not cursor.take("#"):
        return least, least
    if cursor.take("*"):
        return least, None
    most = _number(cursor)
    if most < least:
        raise cursor.error("the second number of #m#n is less than the first", token)
    return least, most


def _number(cursor: Cursor) -> int:
    token = cursor.symbol("a number, as in #0#1")
    if not token.text.isdecimal() or len(token.text) > 3 or int(token.text) > MOST_REPEATS:
        raise cursor.error(f"expected a number up to {MOST_REPEATS}, as in #0#1", token)
    return int(token.text)


def _with_statements(path: Path, notes: Description) -> Path:
    if isinstance(path, Attribute | AnyAttribute):
        return replace(path, off_path=path.off_path + notes)
    if isinstance(path, Steps):
        return Steps(tuple(_with_statements(part, notes) for part in path.parts))
    if isinstance(path, OneOf):
        return OneOf(tuple(_with_statements(part, notes) for part in path.options))
    if isinstance(path, Repeated):
        return replace(path, part=_with_statements(path.part, notes))
    return path


# ---------------------------------------------------------------------------- semantic forms


def _form(cursor: Cursor, describe: Describe) -> Read:
    first = cursor.expect("'")
    name, local = _form_name(cursor)
    thematic: list[Designator | None] = []
    other: list[Designator | None] = []
    if cursor.take("<"):
        while not cursor.take(">"):
            _argument(cursor, describe, thematic)
    while not cursor.take("'"):
        _argument(cursor, describe, other)
    if local:
        return Skipped(f"a semantic form whose name is {local}")
    if not name:
        raise cursor.error("the semantic form has no name", first)
    return Form(name, tuple(thematic), tuple(other))


def _form_name(cursor: Cursor) -> tuple[str, str]:
    """Read the name of a semantic form; second, the local name in it whose value is not known."""
    name = local = ""
    while not cursor.at("<", "'"):
        inner = called(cursor) if cursor.at("@") else None
        tokens = [cursor.next("the end of the semantic form")] if inner is None else inner.tokens
        for token in tokens:
            text = token.text
            if token.raw.startswith("%") and text != STEM:
                text = cursor.context.constants.get(text, "")
                local = local if text else token.text
            elif token.raw == STEM:
                text = cursor.context.constants.get(STEM, STEM)
            name += text if token.glued or not name else f" {text}"
    return name, local


def _argument(cursor: Cursor, describe: Describe, arguments: list[Designator | None]) -> None:
    token = cursor.peek()
    found = read_designator(cursor, describe)
    if isinstance(found, Symbol) and found.text == "NULL":
        arguments.append(None)
    elif isinstance(found, At | From | Local):
        arguments.append(found)
    else:
        raise cursor.error("expected an argument, such as (^ SUBJ) or NULL", token)
