"""Grammars and their parts in XLE's notation, with nothing left to expand.

What is read of a written grammar is the same grammar, but for places and warnings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import count

from weft.files import write_text
from weft.lfg.language import (
    AnyAttribute,
    At,
    Attribute,
    Category,
    CheckCategory,
    CheckContains,
    CheckEqual,
    CheckExists,
    Choice,
    Contains,
    Description,
    Designator,
    Either,
    Element,
    Entry,
    Equal,
    Form,
    Ignore,
    Lfg,
    Local,
    Mark,
    Meta,
    Not,
    Nothing,
    OneOf,
    Path,
    Repeat,
    Repeated,
    RightSide,
    Sequence,
    Shuffle,
    Statement,
    Steps,
    Symbol,
    Values,
)
from weft.lfg.rules import categories_of
from weft.lfg.stems import STEM

_SPECIAL = re.compile(r"[\s()\[\]{}<>|;:,.^!*+=~$@/\\#&\"?`%↑↓∈¬≠∉]|_$|-(?=-?>)|^'")


def write_lfg(path: str | os.PathLike[str], grammar: Lfg) -> None:
    """Write a grammar into one file; ``-`` is the standard output.

    Its morphology is not written: `read_lfg` takes networks that split text and analyse words.
    """
    with write_text(path) as stream:
        stream.writelines(_lines(grammar))


def _lines(grammar: Lfg) -> Iterator[str]:
    one, _, other = grammar.name.partition(" ")
    name = f"{_headword(one)} {_headword(other)}"
    categories = {each.name for side in grammar.rules.values() for each in categories_of(side)}
    epsilon = next(each for each in ("e", *map("e{}".format, count())) if each not in categories)
    yield f"{name} CONFIG (1.0)\n  ROOTCAT {grammar.root}.\n  EPSILON {epsilon}.\n"
    yield f"  RULES ({name}).\n  LEXENTRIES ({name}).\n"
    for field, patterns in (
        ("GOVERNABLERELATIONS", grammar.governable),
        ("SEMANTICFUNCTIONS", grammar.semantic),
        ("NONDISTRIBUTIVES", grammar.nondistributive),
    ):
        yield f"  {field} {' '.join(map(_pattern, patterns))}.\n"
    groups = [each[0] if len(each) == 1 else f"({' '.join(each)})" for each in grammar.optimality]
    yield f"  OPTIMALITYORDER {' '.join(groups)}.\n----\n\n{name} RULES (1.0)\n\n"
    for category, side in grammar.rules.items():
        yield f"  {_category(category)} --> {show_side(side, epsilon)}.\n"
    yield f"\n----\n\n{name} LEXICON (1.0)\n\n"
    for word, entries in grammar.entries.items():
        if entries:
            yield f"{_headword(word)} {'; '.join(map(_entry, entries))}.\n"
    for word in dict.fromkeys(entry.word for entry in grammar.unknown):
        found = [entry for entry in grammar.unknown if entry.word == word]
        yield f"{word} {'; '.join(map(_entry, found))}.\n"
    yield "\n----\n"


def _pattern(pattern: str) -> str:
    return re.sub(r"\\(.)|(\.)", lambda found: found.group(1) or "?", pattern)


def _headword(text: str) -> str:
    return re.sub(r"[\s`\"]", lambda found: f"`{found.group()}", text)


def _entry(entry: Entry) -> str:
    category = entry.category if entry.surface else entry.category.removesuffix("_BASE")
    code = "*" if entry.surface else "XLE"
    return f"{_category(category)} {code} {show_description(entry.notes)}".rstrip()


def _category(name: str) -> str:
    base, bracket, rest = name.partition("[")
    if not bracket or not base:
        return show_symbol(name)
    return f"{show_symbol(base)}[{' '.join(map(show_symbol, rest[:-1].split(',')))}]"


# ----------------------------------------------------------------------------- right sides


def show_side(side: RightSide, epsilon: str = "e") -> str:
    """Return a right side; `epsilon` is the symbol of empty strings.

    >>> show_side(Repeat(Choice((Category("NP"), Sequence(()))), 1, None))
    '[(NP)]+'
    """
    if isinstance(side, Sequence | Shuffle):
        between = " " if isinstance(side, Sequence) else ", "
        return between.join(_part(part, epsilon) for part in side.parts)
    return _part(side, epsilon)


def _part(side: RightSide, epsilon: str) -> str:
    if isinstance(side, Category | Nothing):
        name = _category(side.name) if isinstance(side, Category) else epsilon
        return f"{name}: {show_description(side.notes)};" if side.notes else name
    if isinstance(side, Choice):
        shown = [show_side(option, epsilon) for option in side.options]
        if len(shown) == 2 and side.options[1] == Sequence(()):
            return f"({shown[0]})"
        return f"{{ {' | '.join(shown)} }}"
    if isinstance(side, Repeat):
        return f"[{show_side(side.part, epsilon)}]{_times(side.least, side.most)}"
    if isinstance(side, Ignore):
        return f"[{show_side(side.part, epsilon)}]/[{show_side(side.ignored, epsilon)}]"
    return f"[{show_side(side, epsilon)}]"


def _times(least: int, most: int | None) -> str:
    if most is None:
        return {0: "*", 1: "+"}.get(least, f"#{least}#*")
    return f"#{least}#{most}"


# ---------------------------------------------------------------------------- descriptions


def show_description(description: Description) -> str:
    """Return a description.

    >>> from weft.lfg.language import UP
    >>> show_description((Equal(At(UP, Attribute("NUM")), Symbol("sg")),))
    '(^ NUM) = sg'
    """
    return " ".join(map(show_statement, description))


def show_statement(statement: Statement) -> str:
    """Return a statement."""
    if isinstance(statement, Either):
        options = " | ".join(map(show_description, statement.options))
        return f"{{ {options} }}" if statement.options else "a = b"
    if isinstance(statement, Not):
        return f"~[ {show_description(statement.description)} ]"
    if isinstance(statement, Mark):
        return f"{show_symbol(statement.name)} $ o::*"
    if isinstance(statement, CheckExists):
        return f"{'' if statement.positive else '~'}{show_designator(statement.what)}"
    if isinstance(statement, CheckCategory):
        names = " ".join(map(_category, sorted(statement.categories)))
        sign = "" if statement.positive else "~"
        return f"{sign}@(CAT {show_designator(statement.what)} {{{names}}})"
    if isinstance(statement, Equal | CheckEqual):
        sign = "=" if isinstance(statement, Equal) else "=c" if statement.positive else "~="
        return f"{show_designator(statement.left)} {sign} {show_designator(statement.right)}"
    assert isinstance(statement, Contains | CheckContains)  # noqa: S101
    sign = "$" if isinstance(statement, Contains) else "$c" if statement.positive else "~$"
    return f"{show_designator(statement.element)} {sign} {show_designator(statement.whole)}"


def show_designator(designator: Designator) -> str:
    """Return a designator."""
    if isinstance(designator, Meta):
        return designator.name
    if isinstance(designator, Local):
        return f"%{show_symbol(designator.name)}"
    if isinstance(designator, Symbol):
        return show_symbol(designator.text) + ("_" if designator.instantiated else "")
    if isinstance(designator, Values):
        return f"{{{' '.join(map(show_symbol, sorted(designator.symbols)))}}}"
    if isinstance(designator, Form):
        return _form(designator)
    base = show_designator(designator.base)
    path = show_path(designator.path)
    return f"({base} {path})" if isinstance(designator, At) else f"({path} {base})"


def _form(form: Form) -> str:
    thematic, other = (
        "".join("NULL " if each is None else show_designator(each) for each in arguments)
        for arguments in (form.thematic, form.other)
    )
    brackets = f"<{thematic.rstrip()}>" if thematic or other else ""
    name = show_symbol(form.name).replace("`'", "'").replace("'", "`'")
    return f"'{name}{brackets}{other.rstrip()}'"


def show_path(path: Path) -> str:
    """Return a path.

    >>> show_path(Steps((Repeated(Attribute("COMP")), OneOf((Attribute("A"), Element())))))
    '[COMP]* {A|$}'
    """
    return " ".join(map(_step, path.parts)) if isinstance(path, Steps) else _step(path)


def _step(path: Path) -> str:
    if isinstance(path, Attribute | AnyAttribute):
        name = show_symbol(path.name) if isinstance(path, Attribute) else "?"
        return f"{name}: {show_description(path.off_path)};" if path.off_path else name
    if isinstance(path, Element):
        return "$"
    if isinstance(path, OneOf):
        return f"{{{'|'.join(map(show_path, path.options))}}}"
    if isinstance(path, Repeated):
        if (path.least, path.most) == (0, 1):
            return f"({show_path(path.part)})"
        return f"[{show_path(path.part)}]{_times(path.least, path.most)}"
    return f"[{show_path(path)}]"


def show_symbol(text: str) -> str:
    """Return a symbol with its backquotes.

    >>> print(show_symbol("New York"), show_symbol("+Pl"))
    New` York +Pl
    """
    if text in (STEM, "+"):
        return text
    start = "+" if text[:1] == "+" and len(text) > 1 else ""
    return start + _SPECIAL.sub(lambda found: f"`{found.group()}", text[len(start) :])
