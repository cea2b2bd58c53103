"""Which constructs of the notation a grammar has, once it is read."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from weft.lfg.language import (
    AnyAttribute,
    At,
    CheckCategory,
    CheckContains,
    CheckEqual,
    CheckExists,
    Choice,
    Contains,
    Either,
    Element,
    Equal,
    Form,
    From,
    Ignore,
    Local,
    Mark,
    Not,
    Nothing,
    Place,
    Repeat,
    Sequence,
    Shuffle,
    Symbol,
    Values,
)
from weft.lfg.paths import list_plain

ALL = {
    *("( )", "{ | }", "A B", "A*", "A+", "A#m#n", "A, B", "A / B", "e:"),
    *("=", "=c", "~=", "$", "$c", "~$", "exists", "exists not", "~[ ]", "mark"),
    *("one of several descriptions", "may be left out", "%x", "closed values", "@(CAT)"),
    *("instantiated symbol", "non-thematic argument", "NULL", "FN"),
    *("uncertain path, tested", "uncertain path, defining", "off-path"),
    *("inside-out, tested", "inside-out, defining", "endless path, defining"),
    *("$ in a path, tested", "$ in a path, defining", "?, tested", "?, defining"),
}
"""What random grammars have; macros, lexical rules and the like are gone once a grammar is read."""


def list_constructs(grammar) -> set[str]:
    """The constructs of a grammar."""
    return set(_of((grammar.rules, grammar.entries), ""))


def _of(thing, where: str) -> Iterator[str]:
    if isinstance(thing, Mapping):
        thing = tuple(thing.values())
    if isinstance(thing, tuple):
        for each in thing:
            yield from _of(each, where)
    elif is_dataclass(thing) and not isinstance(thing, Place):
        if isinstance(thing, (Equal, Contains)) and where != "beside":
            where = "defining"
        if isinstance(thing, (CheckEqual, CheckContains, CheckExists, CheckCategory, Not)):
            where = "tested"
        yield from _names(thing, where)
        for field in fields(thing):
            value = getattr(thing, field.name)
            if field.name == "off_path" and value:
                yield "off-path"
                yield from _of(value, "beside")
            elif not isinstance(thing, Form):
                yield from _of(value, where)


def _names(thing, where: str) -> Iterator[str]:
    match thing:
        case Choice(options):
            yield "( )" if Sequence(()) in options else "{ | }"
        case Sequence(parts):
            yield from ["A B"][: len(parts) > 1]
        case Repeat(_, least, most):
            yield {(0, None): "A*", (1, None): "A+"}.get((least, most), "A#m#n")
        case Shuffle() | Ignore() | Nothing():
            yield {Shuffle: "A, B", Ignore: "A / B", Nothing: "e:"}[type(thing)]
        case CheckEqual(positive=positive):
            yield "=c" if positive else "~="
        case CheckContains(positive=positive):
            yield "$c" if positive else "~$"
        case CheckExists(positive=positive):
            yield "exists" if positive else "exists not"
        case Either(options):
            yield "may be left out" if () in options else "one of several descriptions"
        case Equal() | Contains() | Not() | Mark() | CheckCategory() | Local() | Values():
            yield _SIMPLE[type(thing)]
        case Symbol(_, True):
            yield "instantiated symbol"
        case Form(_, thematic, other):
            yield from ["NULL"][: None in thematic]
            yield from ["non-thematic argument"][: len(other)]
        case At(_, path):
            plain = list_plain(path)
            yield from [f"uncertain path, {where}"][: plain is None or len(plain) > 1]
            yield from ["endless path, defining"][: plain is None and where == "defining"]
            yield from ["FN"][: "name='FN'" in repr(path)]
        case From() | Element() | AnyAttribute():
            yield f"{_SEARCHING[type(thing)]}, {where}"


_SIMPLE = {
    Equal: "=",
    Contains: "$",
    Not: "~[ ]",
    Mark: "mark",
    CheckCategory: "@(CAT)",
    Local: "%x",
    Values: "closed values",
}
_SEARCHING = {From: "inside-out", Element: "$ in a path", AnyAttribute: "?"}
