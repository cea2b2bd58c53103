r"""Prolog terms, as far as XLE writes them: atoms, numbers, variables, lists and f(…).

There are no operators, and nothing is ever run. A list may end in a comma, as XLE's do where one of
its parts is empty. Terms are read one at a time, without recursion, and no deeper than `DEEPEST`.

>>> list(read_terms("cf(not(A1), subtree(7,'I\\'',-,3)).", "x.pl"))
[Compound('cf', (Compound('not', (Variable('A1'),)), Compound('subtree', (7, "I'", '-', 3))))]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.errors import FormatError, abbreviate

DEEPEST = 100
"""Terms in terms: more are refused."""

_TOKEN = re.compile(
    r"""(?P<space>\s+|%[^\n]*|/\*.*?\*/)
    |(?P<end>\.(?=\s|%|\Z))
    |(?P<number>-?[0-9]+(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?)?)
    |(?P<quoted>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    |(?P<variable>[A-Z_]\w*)
    |(?P<name>[^\W\d_]\w*|[-+*/\\^<>=~:.?@\#&$!;]+)
    |(?P<mark>[(),\[\]])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)|''|\"\"", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
_LONGEST_NUMBER = 18


@dataclass(frozen=True, slots=True)
class Variable:
    """A name that begins with a capital, such as that of an alternative, ``A1``."""

    name: str

    def __repr__(self) -> str:
        return f"Variable({self.name!r})"


@dataclass(frozen=True, slots=True)
class Compound:
    """A name with arguments.

    Attributes:
        name: The name.
        arguments: What is in brackets after it.
        line: Where it begins; of two terms that differ in nothing else, it makes no difference.
    """

    name: str
    arguments: tuple[Term, ...]
    line: int = field(default=0, compare=False)

    def __repr__(self) -> str:
        return f"Compound({self.name!r}, {self.arguments!r})"


Term = str | int | float | Variable | Compound | tuple["Term", ...]
"""An atom is a text, whether or not it was in quotation marks; a list is a tuple."""


def read_terms(text: str, path: str) -> Iterator[Term]:
    """Yield the terms of a text, each of which ends in a full stop.

    Args:
        text: The text.
        path: What messages call it.

    Raises:
        FormatError: With line and column, where it is no such term.
    """
    reader = _Reader(text, path)
    for token in reader.tokens():
        reader.take(token)
        if reader.whole is not None:
            yield reader.whole
            reader.whole = None
    reader.finish()


def first_arguments(text: str, path: str, count: int) -> tuple[Term, ...]:
    """Return the first arguments of the first term of a text, whatever comes after them.

    >>> first_arguments("f(1, [x], g(", "x.pl", 2)
    (1, ('x',))

    Raises:
        FormatError: With line and column, where these are no terms.
    """
    reader = _Reader(text, path)
    for token in reader.tokens():
        reader.take(token)
        if len(reader.frames) == 2 and len(reader.frames[1].items) == count:
            return tuple(reader.frames[1].items)
        if reader.whole is not None:
            break
    return ()


@dataclass(slots=True)
class _Frame:
    """A term that is not yet closed; without a name, a list."""

    name: str | None
    line: int
    items: list[Term] = field(default_factory=list)
    waiting: bool = True  # for an item, where a comma is not in place


class _Reader:
    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.frames = [_Frame(None, 1)]
        self.named: tuple[str, int] | None = None
        self.place = 0
        self.line = 1
        self.whole: Term | None = None

    def tokens(self) -> Iterator[re.Match[str]]:
        for token in _TOKEN.finditer(self.text):
            self.line += self.text.count("\n", self.place, token.start())
            self.place = token.start()
            if token.lastgroup != "space":
                yield token

    def take(self, token: re.Match[str]) -> None:
        """Go on by one token."""
        text, kind = token.group(), token.lastgroup
        if self.named is not None:
            self.open(_Frame(*self.named))  # the token is its bracket
            self.named = None
        elif kind in ("name", "quoted"):
            atom = _unquoted(text) if kind == "quoted" else text
            if self.text[token.end() : token.end() + 1] == "(":
                self.expect_item()
                self.named = (atom, self.line)
            else:
                self.add(atom)
        elif kind == "number":
            self.add(self.number(text))
        elif kind == "variable":
            self.add(Variable(text))
        elif kind == "end":
            self.end()
        elif kind == "mark":
            self.mark(text)
        else:
            hint = "; is it closed?" if text in "'\"" else ""
            self.refuse(f"'{text}' has no place in a term{hint}")

    def mark(self, text: str) -> None:
        if text == "[":
            self.expect_item()
            self.open(_Frame(None, self.line))
        elif text == "(":
            self.refuse("'(' comes after a name, without a space between them")
        elif text == ",":
            frame = self.frames[-1]
            if frame.waiting or len(self.frames) == 1:
                self.refuse("a comma separates two terms, and there is none before this one")
            frame.waiting = True
        else:
            self.close(text)

    def open(self, frame: _Frame) -> None:
        if len(self.frames) > DEEPEST:
            self.refuse(f"terms are nested more than {DEEPEST} deep; this is no file of XLE's")
        self.frames.append(frame)

    def close(self, text: str) -> None:
        frame = self.frames.pop()
        wanted = "" if not self.frames else "]" if frame.name is None else ")"
        if text != wanted:
            self.frames.append(frame)
            since = f", for what begins in line {frame.line}" if wanted else ""
            self.refuse(f"'{text}' closes nothing; expected '{wanted or 'a term'}'{since}")
        items = tuple(frame.items)
        self.add(items if frame.name is None else Compound(frame.name, items, frame.line))

    def expect_item(self) -> None:
        if not self.frames[-1].waiting:
            self.refuse(
                "expected a full stop before the next term; there are no operators in XLE's files"
                if len(self.frames) == 1
                else "expected a comma or a closing bracket; is a quotation mark open before it?"
            )

    def add(self, term: Term) -> None:
        self.expect_item()
        frame = self.frames[-1]
        frame.items.append(term)
        frame.waiting = False

    def end(self) -> None:
        if len(self.frames) > 1:
            self.refuse(f"the term of line {self.frames[-1].line} ends before it is closed")
        frame = self.frames[0]
        if frame.waiting:
            self.refuse("there is no term before this full stop")
        self.whole = frame.items[0]
        self.frames = [_Frame(None, self.line)]

    def finish(self) -> None:
        self.place, self.line = len(self.text), self.text.count("\n") + 1
        if len(self.frames) > 1 or self.named is not None:
            line = self.frames[-1].line
            self.refuse(f"the file ends too early: what begins in line {line} is not closed")
        if not self.frames[0].waiting:
            self.refuse("the file ends too early: there is no full stop after the last term")

    def number(self, text: str) -> int | float:
        if len(text) > _LONGEST_NUMBER:
            self.refuse(f"the number {abbreviate(text)} is too long")
        return float(text) if "." in text else int(text)

    def refuse(self, message: str) -> None:
        start = self.text.rfind("\n", 0, self.place) + 1
        end = self.text.find("\n", self.place)
        raise FormatError(
            message,
            path=self.path,
            line=self.line,
            column=self.place - start + 1,
            text=self.text[start : len(self.text) if end < 0 else end],
        )


def _unquoted(text: str) -> str:
    inner = text[1:-1]
    return _ESCAPE.sub(_escaped, inner) if "\\" in inner or "''" in inner else inner


def _escaped(found: re.Match[str]) -> str:
    letter = found.group(1)
    return found.group()[0] if letter is None else _LETTERS.get(letter, letter)
