r"""Grammars as text.

    %start S
    S  -> NP VP [0.9] | VP [0.1]      # alternatives, each with its weight
    NP -> 'time' [0.5] | "flies" [0.5]
    VP -> 'flies' NP [0.75] |  [0.25]  # nothing: ε

A line holds the rules of one symbol. Quoted symbols are terminals, others nonterminals; a name with
white space, quotation marks, ``|``, ``[``, ``]``, ``#``, braces or an arrow in it stands in braces,
as in ``{NP|<DT-NN>}``. A weight is a number in square brackets, 1 where there is none; 0 makes the
rule impossible, but it stays a rule. Weights may be beyond the range of floating-point numbers, as
``[1e-400]`` is: their logarithms are not. ``#`` begins a comment, and a backslash at a line's end
joins the next line to it. The start symbol is that of the first rule, unless ``%start`` (or
``% start``, as NLTK writes it) names it.

The files of NLTK's ``CFG`` and ``PCFG`` are in this notation as they are.

Reference: Bird, Klein and Loper (2009), Natural Language Processing with Python, chapter 8.
"""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

import numpy as np

from weft.errors import FormatError
from weft.files import Source, name_of, read_lines, write_text
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar, shown

MOST_RULES = 1_000_000
"""A grammar with more rules is not read unless it is asked for."""

_LONGEST_SHOWN = 300
_TOKEN = re.compile(
    r"""(?P<space>\s+) | (?P<comment>\#.*) | (?P<arrow>->|→) | (?P<bar>\|)
    | (?P<weight>\[[^\]]*\]) | (?P<quoted>"[^"]*"|'[^']*') | \{(?P<braced>[^{}]*)\}
    | (?P<plain>(?:(?!->|→)[^\s'"|\[\]{}\#])+)""",
    re.VERBOSE,
)
_PLAIN = re.compile(r"(?!%)(?:(?!->|→)[^\s'\"|\[\]{}#\\])+")
_NUMBER = re.compile(r"\+?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,15})?", re.I)
_WIDE = Context(prec=20, Emax=MAX_EMAX, Emin=MIN_EMIN)  # decimals of any size


@dataclass(frozen=True, slots=True)
class PlacedRule:
    """A rule and the line of a file that it stands in."""

    rule: Rule
    line: int


def read_grammar(source: Source, limit: int = MOST_RULES) -> Grammar:
    r"""Read a grammar.

    >>> import io
    >>> sentences = read_grammar(io.BytesIO(b"S -> S S [0.4] | 'a' [0.6]\n"))
    >>> [shown(rule) for rule in sentences.rules()]
    ['S -> S S', "S -> 'a'"]

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.
        limit: How many rules there may be.

    Returns:
        The grammar; the rules in the order of the file.

    Raises:
        FormatError: At what is no rule, or a rule that comes twice; or if there is no rule.
    """
    placed, start = read_rules(source, limit)
    return grammar((each.rule for each in placed), start)


def parse_grammar(text: str) -> Grammar:
    """Read a grammar from a string.

    >>> parse_grammar("S -> 'a' S | ").rule_count
    2

    Raises:
        FormatError: As :func:`read_grammar` does.
    """
    return read_grammar(io.BytesIO(text.encode()))


def read_rules(source: Source, limit: int = MOST_RULES) -> tuple[list[PlacedRule], str]:
    """Read the rules of a file with their lines, and the start symbol.

    Raises:
        FormatError: As :func:`read_grammar` does.
    """
    placed: list[PlacedRule] = []
    lines: dict[tuple[str, tuple[Symbol, ...]], int] = {}
    start: str | None = None
    for line in _logical_lines(source):
        if (name := line.start_symbol()) is not None:
            start = name
            continue
        for place, rule in line.rules():
            key = rule.head, rule.body
            if key in lines:
                raise line.error(
                    place,
                    f"the rule {shown(rule)} comes a second time, after line {lines[key]}; keep "
                    "one, with the sum of the weights",
                )
            lines[key] = line.number
            placed.append(PlacedRule(rule, line.number))
            if len(placed) > limit:
                raise line.error(place, f"there are more than {limit:,} rules; raise the limit")
    if not placed:
        message = "there is no rule; expected lines such as S -> NP VP [0.9]"
        raise FormatError(message, path=name_of(source))
    return placed, placed[0].rule.head if start is None else start


def write_grammar(path: str | os.PathLike[str], grammar: Grammar) -> None:
    """Write a grammar, one rule a line; ``-`` is the standard output.

    Weights are written so that reading gives their logarithms back to the last digit or two.

    >>> from weft.structures.grammar import grammar
    >>> write_grammar("-", grammar([Rule("S", (Terminal("a"), "S"), -0.5), Rule("S", ())]))
    S -> 'a' S [0.6065306597126334]
    S -> [1]

    Raises:
        FormatError: If a symbol cannot be written, and then nothing is; or if the file cannot be
            made.
    """
    lines = list(_rendered(grammar))
    with write_text(path) as stream:
        stream.writelines(lines)


def format_grammar(grammar: Grammar) -> str:
    """Return a grammar as text.

    Raises:
        FormatError: If a symbol cannot be written.
    """
    return "".join(_rendered(grammar))


def _rendered(grammar: Grammar) -> Iterator[str]:
    start = grammar.nonterminals[grammar.start]
    if not grammar.rule_count or int(grammar.heads[0]) != grammar.start:
        yield f"%start {_name(start)}\n"
    for rule in grammar.rules():
        body = [
            quote_terminal(each.text) if isinstance(each, Terminal) else _name(each)
            for each in rule.body
        ]
        yield " ".join([_name(rule.head), "->", *body, f"[{format_weight(rule.weight)}]"]) + "\n"


def format_weight(weight: float) -> str:
    """Write a weight of which the logarithm is given.

    >>> format_weight(-1.0), format_weight(-1000.0), format_weight(-math.inf)
    ('0.36787944117144233', '5.0759588975494568E-435', '0')
    """
    if weight == -math.inf:
        return "0"
    if abs(weight) > 690:
        with localcontext(_WIDE):
            return f"{Decimal(weight).exp():.16E}"
    value = math.exp(weight)
    # NLTK reads no exponents: they are for what nobody would write without.
    return np.format_float_positional(value, trim="-") if 1e-20 < value < 1e20 else repr(value)


def _name(symbol: str) -> str:
    if _PLAIN.fullmatch(symbol):
        return symbol
    if symbol.strip() and not re.search(r"[{}\r\n]", symbol):
        return f"{{{symbol}}}"
    raise FormatError(
        f"the nonterminal {symbol!r} cannot be written in this notation, even in braces; rename "
        "it, or write the grammar as JSON"
    )


def quote_terminal(text: str) -> str:
    r"""Write a terminal.

    Raises:
        FormatError: If no quotation mark fits around it.

    >>> quote_terminal("o'clock")
    '"o\'clock"'
    """
    for mark in "'\"":
        if text and mark not in text and not re.search(r"[\r\n]", text):
            return f"{mark}{text}{mark}"
    raise FormatError(
        f"the terminal {text!r} cannot be written in this notation, which has no way to quote it; "
        "write the grammar as JSON"
    )


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class _JoinedLine:
    """A line with those that are joined to it, and where each of them begins."""

    path: str
    texts: tuple[str, ...]
    number: int

    def error(self, place: int, message: str) -> FormatError:
        number = self.number
        for text in self.texts[:-1]:
            if place < len(text):
                break
            place -= len(text)
            number += 1
        text = self.texts[number - self.number]
        return FormatError(
            message,
            path=self.path,
            line=number,
            column=place + 1,
            text=text if len(text) <= _LONGEST_SHOWN else None,
        )

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def start_symbol(self) -> str | None:
        """The symbol of a line ``%start``; None for other lines."""
        text = self.text
        if not text.lstrip().startswith("%"):
            return None
        tokens = list(self._tokens())
        if [each.text for each in tokens[:2]] == ["%", "start"]:  # as NLTK writes it
            tokens = [_Token("name", "%start", tokens[0].start), *tokens[2:]]
        if tokens[0].text != "%start":
            message = f"{tokens[0].text!r} is no instruction; the only one is %start"
            raise self.error(tokens[0].start, message)
        if len(tokens) != 2 or tokens[1].kind != "name":
            raise self.error(tokens[0].start, "expected one nonterminal after %start")
        return tokens[1].text

    def rules(self) -> Iterator[tuple[int, Rule]]:
        """Yield where each alternative begins, and its rule."""
        tokens = list(self._tokens())
        if not tokens:
            return
        if tokens[0].kind != "name":
            raise self.error(tokens[0].start, "expected a nonterminal, then -> and what it becomes")
        end = len(self.text)
        if len(tokens) < 2 or tokens[1].kind != "arrow":
            place = tokens[1].start if len(tokens) > 1 else end
            raise self.error(place, f"expected -> after the nonterminal {tokens[0].text}")
        head, body, weight = tokens[0].text, list[Symbol](), 0.0
        begun, weighed = tokens[1].start, False
        for token in [*tokens[2:], _Token("bar", "|", end)]:
            if token.kind == "bar":
                yield begun, Rule(head, tuple(body), weight)
                body, weight, begun, weighed = [], 0.0, token.start, False
            elif token.kind == "arrow":
                raise self.error(token.start, "a second -> in one line; put each symbol in its own")
            elif weighed:
                raise self.error(token.start, "expected | or the line's end after a weight")
            elif token.kind == "weight":
                weight, weighed = self._weight(token), True
            else:
                body.append(self._symbol(token))

    def _symbol(self, token: _Token) -> Symbol:
        if token.kind == "name":
            return token.text
        if not token.text:
            message = "a terminal cannot be empty; leave the right side empty for nothing"
            raise self.error(token.start, message)
        return Terminal(token.text)

    def _weight(self, token: _Token) -> float:
        text = token.text.strip()
        if not _NUMBER.fullmatch(text):
            raise self.error(
                token.start, f"{text!r} is no weight; expected a number from 0 on, such as [0.25]"
            )
        value = float(text)
        if 1e-300 < value < 1e300:
            return math.log(value)
        with localcontext(_WIDE):
            exact = Decimal(text)
            return float(exact.ln()) if exact else -math.inf

    def _tokens(self) -> Iterator[_Token]:
        text, place = self.text, 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise self.error(place, _unreadable(text[place]))
            kind = match.lastgroup
            if kind in ("weight", "quoted"):
                yield _Token(kind, match[kind][1:-1], place)
            elif kind in ("plain", "braced"):
                if not match[kind].strip():
                    raise self.error(place, "a nonterminal cannot be empty")
                yield _Token("name", match[kind], place)
            elif kind in ("arrow", "bar"):
                yield _Token(kind, match[kind], place)
            place = match.end()


def _unreadable(mark: str) -> str:
    if mark in "'\"":
        return f"the terminal that begins here has no closing {mark}"
    if mark == "[":
        return "the weight that begins here has no closing ]"
    if mark == "{":
        return "the name that begins here has no closing }"
    return f"{mark!r} has no meaning here; write names that contain it in braces"


def _logical_lines(source: Source) -> Iterator[_JoinedLine]:
    path = name_of(source)
    held: list[str] = []
    first = 1
    for number, text in read_lines(source):
        first = first if held else number
        if text.endswith("\\") and not text.lstrip().startswith("#"):
            held.append(text[:-1])
            continue
        yield _JoinedLine(path, (*held, text), first)
        held = []
    if held:
        yield _JoinedLine(path, tuple(held), first)
