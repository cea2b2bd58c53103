"""Rules, macros and templates: their definitions, and rules of categories with parameters.

====================================  ==============================================================
``S --> NP: (^ SUBJ)=!; VP.``         a rule
``VP[_type] --> V[_type].``           for every value of _type that is asked for
``VP[_type $ {fin inf}] --> …``       for these values
``NPS(CAT) = CAT: ! $ (^ MOD).``      a macro; in a section of templates, a template
``METARULEMACRO(_CAT _BASECAT _RHS) = { _RHS | … }.``  what becomes of every rule
====================================  ==============================================================

A rule for exactly the parameters that are asked for goes before one with variables.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from weft.lfg.cursor import Context, Cursor, Definition, substituted
from weft.lfg.defaults import with_defaults
from weft.lfg.language import Category, Choice, Ignore, Nothing, Place, Repeat, RightSide
from weft.lfg.scan import Token, scan_entry
from weft.lfg.sections import Section
from weft.lfg.sides import IMPOSSIBLE, read_side

META = "METARULEMACRO"
MOST_RULES = 100_000
"""As many rules may come of those with parameters."""


@dataclass(frozen=True, slots=True, eq=False)
class RawRule:
    """A rule as it is written.

    Attributes:
        base: Its category without parameters.
        parameters: For each parameter its value, or the values that its variable may have; None
            for any.
        variables: For each parameter the name of its variable; "" for a value.
        body: The right side.
        token: The first one.
    """

    base: str
    parameters: tuple[frozenset[str] | None, ...]
    variables: tuple[str, ...]
    body: tuple[Token, ...]
    token: Token

    @property
    def name(self) -> str:
        """The category as it is written."""
        shown = [
            variable or next(iter(values or ("",)))
            for variable, values in zip(self.variables, self.parameters, strict=True)
        ]
        return f"{self.base}[{','.join(shown)}]" if shown else self.base

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.token.place

    def matches(self, parameters: tuple[str, ...]) -> bool:
        """Whether it is a rule of a category with these parameters."""
        return len(parameters) == len(self.parameters) and all(
            allowed is None or given in allowed
            for given, allowed in zip(parameters, self.parameters, strict=True)
        )


def scan_definitions(section: Section, context: Context) -> Iterator[RawRule | Definition]:
    """Yield the rules, macros or templates of a section."""
    source, offset = section.source, section.start
    while True:
        while offset < section.end and source.bare[offset].isspace():
            offset += 1
        if offset >= section.end:
            return
        tokens, offset = scan_entry(source, offset, section.end)
        if not tokens:
            raise source.error("expected a definition before the period", offset - 1)
        yield _definition(Cursor(context, tokens, tokens[0]))


def _definition(cursor: Cursor) -> RawRule | Definition:
    first = cursor.symbol("the name of a category, macro or template")
    parameters: list[frozenset[str] | None] = []
    variables: list[str] = []
    if cursor.take("["):
        while not cursor.take("]"):
            if not cursor.take(","):
                variable, values = _parameter(cursor)
                variables.append(variable)
                parameters.append(values)
    if cursor.take("-->"):
        body = tuple(cursor.tokens[cursor.place :])
        return RawRule(first.text, tuple(parameters), tuple(variables), body, first)
    if variables:
        raise cursor.error("expected '-->'")
    names: list[str] = []
    if cursor.take("("):
        while not cursor.take(")"):
            names.append(cursor.symbol("the name of a parameter, or ')'").text)
    if not cursor.take("="):
        raise cursor.error("expected '-->' of a rule, or '=' of a macro or template")
    if len(set(names)) < len(names):
        raise cursor.error("two parameters have the same name", first)
    return Definition(first.text, tuple(names), tuple(cursor.tokens[cursor.place :]), first)


def _parameter(cursor: Cursor) -> tuple[str, frozenset[str] | None]:
    name = cursor.symbol("a parameter").text
    if not name.startswith("_"):
        return "", frozenset([name])
    if not cursor.take("$"):
        return name, None
    cursor.expect("{")
    values = set()
    while not cursor.take("}"):
        values.add(cursor.symbol("a value of the parameter, or '}'").text)
    return name, frozenset(values)


# ----------------------------------------------------------------------------- reading them


def make_rules(
    raw: Mapping[str, RawRule], root: str, context: Context
) -> tuple[dict[str, RightSide], dict[str, Place]]:
    """Read all rules; those with variables for the parameters that right sides ask for."""
    rules: dict[str, RightSide] = {}
    places: dict[str, Place] = {}
    by_base: dict[str, list[RawRule]] = {}
    for rule in raw.values():
        by_base.setdefault(rule.base, []).append(rule)
    waiting = deque([root, *(name for name, rule in raw.items() if not any(rule.variables))])
    while waiting:
        name = waiting.popleft()
        found = None if name in rules else _rule_of(name, raw, by_base)
        if found is None:
            continue
        side = with_defaults(_read(found, name, context))
        rules[name], places[name] = side, found.place
        if len(rules) > MOST_RULES:
            raise found.token.source.error("there are too many rules", found.token.offset)
        waiting.extend(each.name for each in categories_of(side) if each.name not in rules)
    possible = {name: side for name, side in rules.items() if side != IMPOSSIBLE}
    return possible, {name: places[name] for name in possible}


def _rule_of(
    name: str, raw: Mapping[str, RawRule], by_base: Mapping[str, list[RawRule]]
) -> RawRule | None:
    if name in raw and not any(raw[name].variables):
        return raw[name]
    base, parameters = parameters_of(name)
    found = [rule for rule in by_base.get(base, ()) if rule.matches(parameters)]
    return found[0] if found and parameters else None


def parameters_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Split a category's name: VP[fin,x] is VP and its parameters."""
    base, bracket, rest = name.partition("[")
    return (base, tuple(rest[:-1].split(","))) if bracket and base else (name, ())


def _read(rule: RawRule, name: str, context: Context) -> RightSide:
    context.constants.clear()
    base, parameters = parameters_of(name)
    values = {
        variable: [_symbol(rule, value)]
        for variable, value in zip(rule.variables, parameters, strict=False)
        if variable
    }
    tokens = substituted(rule.body, values)
    meta = context.macros.get(META)
    if meta is not None and len(meta.parameters) == 3:
        context.used.add(meta)
        whole = [_symbol(rule, base)]
        if parameters:
            middle = [_symbol(rule, value) for value in parameters]
            whole += [_operator(rule, "["), *middle, _operator(rule, "]")]
        group = [_operator(rule, "["), *tokens, _operator(rule, "]")]
        given = (whole, [_symbol(rule, base)], group)
        tokens = substituted(meta.body, dict(zip(meta.parameters, given, strict=True)))
    cursor = Cursor(context, tokens, rule.token)
    side = read_side(cursor)
    cursor.end()
    return side


def _symbol(rule: RawRule, text: str) -> Token:
    return Token(text, True, False, rule.token.source, rule.token.offset, text)


def _operator(rule: RawRule, text: str) -> Token:
    return Token(text, False, True, rule.token.source, rule.token.offset, text)


def categories_of(side: RightSide) -> Iterator[Category]:
    """Yield the categories of a right side."""
    if isinstance(side, Category):
        yield side
    elif isinstance(side, Choice):
        for option in side.options:
            yield from categories_of(option)
    elif isinstance(side, Repeat):
        yield from categories_of(side.part)
    elif isinstance(side, Ignore):
        yield from categories_of(side.part)
        yield from categories_of(side.ignored)
    elif not isinstance(side, Nothing):
        for part in side.parts:
            yield from categories_of(part)
