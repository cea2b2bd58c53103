r"""Templates: how attributes of a token are read off the columns around it.

A template is a conjunction of *atoms*. An atom is a function of one column's value at one offset
from the token, so a template declares its *window*, the offsets that it looks at. In notation:

    word[0]                  the word itself
    suffix3[0]               its last three characters (absent from shorter words)
    word[-1]|word[0]         the previous word and this one, together
    column2[1]               the second column of the next token
    column2.lower[0]         a function of another column
    bias                     the empty conjunction, an attribute of every token
    test:%5E%5Cu[0]          whether a regular expression, here ``^\u``, matches: true or false
    match:.%3F%24[0]         what of the word it matches, of ``.?$`` the last character

Before and after the sentence an atom's value is the distance to it, as ``<-1>`` or ``<+2>``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from weft.errors import OptionError, abbreviate, no_such
from weft.features.patterns import check_expression, decode_expression, find_match

Function = Callable[[str], str | None]
"""A function of a column's value; None where the token has no such attribute."""

_LONGEST_AFFIX = 20


def shape(word: str) -> str:
    """Return a word's shape: character classes, a run of one class written once.

    >>> shape("McDonald's"), shape("1,234-fold")
    ("XxXx'x", 'd,d-x')
    """
    classes = (
        "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word
    )
    collapsed: list[str] = []
    for char in classes:
        if not collapsed or collapsed[-1] != char:
            collapsed.append(char)
    return "".join(collapsed)


def _flag(test: Callable[[str], bool]) -> Function:
    return lambda word: "yes" if test(word) else None


def _affix(kind: str, length: int) -> Function:
    if kind == "prefix":
        return lambda word: word[:length] if len(word) >= length else None
    return lambda word: word[-length:] if len(word) >= length else None


_FUNCTIONS: dict[str, Function] = {
    "word": lambda word: word,
    "lower": str.lower,
    "shape": shape,
    "capital": _flag(lambda word: word[:1].isupper()),
    "digit": _flag(lambda word: any(c.isdigit() for c in word)),
    "hyphen": _flag(lambda word: "-" in word),
}

_BY_EXPRESSION: dict[str, Callable[[str], Function]] = {
    "test": lambda text: lambda word: "false" if find_match(text, word) is None else "true",
    "match": lambda text: lambda word: find_match(text, word) or "",
    "lowermatch": lambda text: lambda word: (find_match(text, word) or "").lower(),
}
"""Functions that are told by a regular expression of Wapiti's, after a colon."""

_MEANT = (*_FUNCTIONS, "prefix3", "suffix3")
"""What a name that does not exist may be a misspelling of."""


def find_function(name: str) -> Function:
    """Return the function that atoms call by ``name``.

    >>> find_function("suffix2")("weft"), find_function("suffix2")("a")
    ('ft', None)
    """
    affix = re.fullmatch(r"(prefix|suffix)(\d{1,2})", name)
    if affix and 1 <= int(affix[2]) <= _LONGEST_AFFIX:
        return _affix(affix[1], int(affix[2]))
    kind, colon, expression = name.partition(":")
    if colon and kind in _BY_EXPRESSION:
        check_expression(decode_expression(expression))
        return _BY_EXPRESSION[kind](decode_expression(expression))
    if name not in _FUNCTIONS:
        known = ", ".join([*_FUNCTIONS, f"prefix1 … prefix{_LONGEST_AFFIX}", "suffix1 …"])
        raise OptionError(no_such("attribute function", name, _MEANT, known))
    return _FUNCTIONS[name]


@dataclass(frozen=True, slots=True)
class Atom:
    """A function of one column's value at one offset; columns count from 0 here."""

    function: str
    offset: int
    column: int = 0

    def __str__(self) -> str:
        if self.column == 0:
            return f"{self.function}[{self.offset}]"
        suffix = "" if self.function == "word" else f".{self.function}"
        return f"column{self.column + 1}{suffix}[{self.offset}]"


@dataclass(frozen=True, slots=True)
class Template:
    """A conjunction of atoms; the empty one is the bias."""

    atoms: tuple[Atom, ...]

    @property
    def window(self) -> tuple[int, int]:
        """The smallest and the largest offset that the template looks at."""
        offsets = [atom.offset for atom in self.atoms] or [0]
        return min(offsets), max(offsets)

    def __str__(self) -> str:
        return "|".join(map(str, self.atoms)) or "bias"


_ATOM = re.compile(
    r"(?:column(?P<column>[0-9]{1,9})(?:\.(?P<of>[\w:%.~-]+))?|(?P<function>[\w:%.~-]+))"
    r"\[(?P<at>[+-]?[0-9]{1,9})\]"
)
_WIDEST_OFFSET = 20


def _atom(text: str) -> Atom:
    match = _ATOM.fullmatch(text.strip())
    if not match:
        raise OptionError(
            f"'{abbreviate(text)}' is no atom of a template; expected one such as word[-1], "
            "column2[0]"
        )
    column = int(match["column"]) if match["column"] else 1
    offset = int(match["at"])
    if column < 1 or abs(offset) > _WIDEST_OFFSET:
        raise OptionError(
            f"'{abbreviate(text)}': columns count from 1, offsets are at most {_WIDEST_OFFSET} away"
        )
    function = match["of"] or match["function"] or "word"
    find_function(function)
    return Atom(function, offset, column - 1)


def template(text: str) -> Template:
    """Read a template's notation.

    >>> template("word[-1]|column2[0]").window
    (-1, 0)
    >>> str(template("column1.suffix3[0]"))
    'suffix3[0]'
    """
    if text.strip() == "bias":
        return Template(())
    return Template(tuple(_atom(part) for part in text.split("|")))


def templates(texts: str | Iterable[str]) -> tuple[Template, ...]:
    """Read several templates, separated by spaces or commas where they are one string.

    >>> [str(t) for t in templates("word[0], suffix2[0] bias")]
    ['word[0]', 'suffix2[0]', 'bias']
    """
    parts = re.split(r"[,\s]+", texts.strip()) if isinstance(texts, str) else list(texts)
    return tuple(dict.fromkeys(template(part) for part in parts if part))


def _window(function: str, first: int, last: int) -> list[str]:
    return [f"{function}[{offset}]" for offset in range(first, last + 1)]


def _ngrams(function: str, size: int, first: int, last: int) -> list[str]:
    return [
        "|".join(f"{function}[{offset}]" for offset in range(start, start + size))
        for start in range(first, last - size + 2)
    ]


def default_templates(columns: int, *, narrow: bool = False) -> tuple[Template, ...]:
    """Return templates that work well for tagging and chunking sentences of this many columns.

    The words in a window of two, their neighbouring pairs, and spelling; further columns (such as
    part-of-speech tags for a chunker) with their pairs and triples in a window of two, and the
    first two letters of the token's own, which of Penn tags are the coarse ones.

    Narrow ones are for corpora that have each pair of words once: of words and spelling, those of
    a token and its two neighbours, without pairs; of further columns, likewise with pairs, and the
    same of their first two letters.

    >>> len(default_templates(1)), len(default_templates(2))
    (29, 42)
    >>> len(default_templates(1, narrow=True)), len(default_templates(2, narrow=True))
    (22, 32)
    """
    texts = ["bias", *_window("word", -2, 2), *_window("lower", -1, 1), *_ngrams("lower", 2, -1, 1)]
    texts += [f"{kind}{length}[0]" for kind in ("prefix", "suffix") for length in (1, 2, 3, 4)]
    texts += [*_window("shape", -1, 1), *_ngrams("shape", 2, -1, 1), "capital[0]|word[-1]"]
    texts += ["capital[0]", "digit[0]", "hyphen[0]", "suffix3[-1]"]
    found = templates(texts)
    if narrow:
        near = (each for each in found if max(map(abs, each.window)) < 2)
        found = tuple(each for each in near if len(each.atoms) < 2)
    texts = []
    for column in range(2, columns + 1):
        name = f"column{column}"
        if narrow:
            for each in (name, f"{name}.prefix2"):
                texts += [*_window(each, -1, 1), *_ngrams(each, 2, -1, 1)]
        else:
            texts += [*_window(name, -2, 2), *_ngrams(name, 2, -2, 2), *_ngrams(name, 3, -2, 2)]
            texts.append(f"{name}.prefix2[0]")
    return (*found, *templates(texts))


def window_of(several: Sequence[Template]) -> tuple[int, int]:
    """Return the smallest window that holds those of several templates."""
    windows = [each.window for each in several] or [(0, 0)]
    return min(low for low, _ in windows), max(high for _, high in windows)
