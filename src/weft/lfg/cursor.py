"""A place in a sequence of tokens, and what the definitions of a grammar put in there.

Templates and macros are expanded token by token: a parameter stands for whatever tokens the call
gives, be it a path, a template or a disjunction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from weft.errors import FormatError, LimitError
from weft.lfg.language import Place
from weft.lfg.scan import Token

DEEPEST = 100
"""Brackets and calls that are nested more deeply are refused."""

MOST_TOKENS = 4_000_000
"""So many tokens may be read after expansion, unless more are asked for."""

COST_OF_CALL = 20
"""A call counts as so many tokens, beside those of the body."""

RELATIONS = frozenset(
    ["=", "=c", "~=", "~=c", "$", "$c", "~$", "-->", "<<", ">>", "<h", ">h", "<s", ">s"]
)
_OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A template or macro: its name, parameters and body."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Token, ...]
    token: Token

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.token.place


@dataclass(slots=True)
class Context:
    """What a reader knows and has found while it expands a grammar.

    Attributes:
        templates: The templates that are live.
        macros: The macros that are live.
        epsilon: The symbol for the empty string.
        tokens_left: How many tokens may still be read.
        warnings: What was left out.
        used: The templates and macros that were called.
        undefined: Calls of templates that there are not.
        undefined_macros: Calls of macros that there are not.
        constants: Values of %names that @(CONCAT …) has made, for the entry that is being read.
    """

    templates: Mapping[str, Definition]
    macros: Mapping[str, Definition]
    epsilon: str = "e"
    tokens_left: int = MOST_TOKENS
    warnings: dict[tuple[str, Place], None] = field(default_factory=dict)
    used: set[Definition] = field(default_factory=set)
    undefined: dict[tuple[str, Place], None] = field(default_factory=dict)
    undefined_macros: dict[tuple[str, Place], None] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    depth: int = 0

    def warn(self, message: str, token: Token) -> None:
        """Note what is left out, once for each place."""
        self.warnings[(message, token.place)] = None


class Cursor:
    """A place in tokens, which moves on."""

    def __init__(self, context: Context, tokens: Sequence[Token], last: Token) -> None:
        self.context = context
        self.tokens = tokens
        self.place = 0
        self.last = tokens[-1] if tokens else last
        self._closing: dict[int, int] | None = None
        context.tokens_left -= len(tokens) + COST_OF_CALL
        if context.tokens_left < 0:
            place = self.last.place
            where = f"{place.path}:{place.line}"
            message = "the grammar has too many tokens once templates and macros are expanded"
            raise LimitError(f"{where}: {message}; if it should, raise the limit")

    def peek(self, ahead: int = 0) -> Token | None:
        """Return a token that comes, or None."""
        place = self.place + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def at(self, *texts: str, ahead: int = 0) -> bool:
        """Whether an operator comes, one of these."""
        token = self.peek(ahead)
        return token is not None and not token.is_symbol and token.text in texts

    def at_relation(self) -> bool:
        """Whether a relation comes, such as = or $."""
        token = self.peek()
        return token is not None and not token.is_symbol and token.text in RELATIONS

    def next(self, wanted: str) -> Token:
        """Return the token that comes, and move on; `wanted` says what is needed."""
        token = self.peek()
        if token is None:
            raise self.error(f"expected {wanted}")
        self.place += 1
        return token

    def take(self, text: str) -> bool:
        """Move on if this operator comes."""
        found = self.at(text)
        self.place += found
        return found

    def expect(self, text: str) -> Token:
        """Move on over this operator."""
        if not self.at(text):
            raise self.error(f"expected '{text}'")
        return self.next(text)

    def symbol(self, wanted: str) -> Token:
        """Return the symbol that comes, and move on."""
        token = self.peek()
        if token is None or not token.is_symbol:
            raise self.error(f"expected {wanted}")
        self.place += 1
        return token

    def error(self, message: str, token: Token | None = None) -> FormatError:
        """Return an error at a token, or at the one that comes."""
        token = token or self.peek()
        if token is None:
            return self.last.source.error(f"{message} after this", self.last.offset)
        return token.source.error(message, token.offset)

    def end(self) -> None:
        """Make sure that nothing comes."""
        if self.peek() is not None:
            raise self.error(f"expected nothing more, or an operator before '{self._shown()}'")

    def _shown(self) -> str:
        token = self.peek()
        return token.text[:40] if token is not None else ""

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Count how deeply brackets and calls are nested."""
        self.context.depth += 1
        try:
            if self.context.depth > DEEPEST:
                raise self.error(f"brackets and calls are nested more than {DEEPEST} deep")
            yield
        finally:
            self.context.depth -= 1

    # ------------------------------------------------------------------------- calls

    def call(self) -> tuple[Token, list[list[Token]]]:
        """Read a call, @NAME or @(NAME argument …); return its name and its arguments."""
        self.expect("@")
        if not self.take("("):
            return self.symbol("the name of a template or macro"), []
        name = self.symbol("the name of a template or macro")
        arguments = []
        while not self.at(")"):
            arguments.append(self.argument())
        self.expect(")")
        return name, arguments

    def argument(self) -> list[Token]:
        """Read one argument: a symbol, something in brackets, a call, an equation or category."""
        start = self.place
        while self.take("~"):
            pass
        self._unit()
        while self.at_relation() or self.at("::", "/"):
            while self.at_relation() or self.at("::", "/", "~"):
                self.next("an operator")
            self._unit()
        found = list(self.tokens[start : self.place])
        if self.take(":"):
            self._annotation()
            found = list(self.tokens[start : self.place])
            # What the annotation is about ends with the argument.
            found.append(replace(found[-1], text=";", raw=";", is_symbol=False))
        return found

    def _unit(self) -> None:
        token = self.next("an argument")
        if token.is_symbol or token.text not in (*_OPENING, "@", "'", "^", "!", "*", "->", "<-"):
            if not token.is_symbol:
                raise self.error("expected an argument", token)
        elif token.text in _OPENING:
            self.place -= 1
            self.skip_bracket()
        elif token.text == "'":
            while not self.take("'"):
                self.next('"\'"')
        elif token.text == "@":
            self._unit()
        while (self.at("*", "+", "#", "[", "::") and self._glued()) or self.at("#"):
            if self.at("["):
                self.skip_bracket()
            elif self.next("a sign").text in "#::":
                self.next("a number or name")

    def _glued(self) -> bool:
        token = self.peek()
        return token is not None and token.glued

    def _annotation(self) -> None:
        while self.peek() is not None and not self.at(")", ";"):
            if self.at(*_OPENING):
                self.skip_bracket()
            else:
                self.next("an annotation")
        self.take(";")

    def skip_bracket(self) -> None:
        """Move behind the bracket that closes the one that comes."""
        if self._closing is None:
            self._closing = _closing_places(self.tokens)
        if self.place not in self._closing:
            raise self.error("expected a bracket that is closed")
        self.place = self._closing[self.place] + 1

    def inside(self, definition: Definition, name: Token, arguments: list[list[Token]]) -> Cursor:
        """Return a cursor over a definition's body with the arguments of a call put in."""
        if len(arguments) != len(definition.parameters):
            given, wanted = len(arguments), len(definition.parameters)
            place = definition.place
            message = f"{name.text} has {wanted} parameters ({place.path}:{place.line})"
            raise self.error(f"{message}, but {given} arguments are given", name)
        self.context.used.add(definition)
        given_to = dict(zip(definition.parameters, arguments, strict=True))
        return Cursor(self.context, substituted(definition.body, given_to), name)


def _closing_places(tokens: Sequence[Token]) -> dict[int, int]:
    """For every bracket that opens, the place of the one that closes it."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.is_symbol:
            continue
        if token.text in _OPENING:
            opened.append(place)
        elif token.text in _OPENING.values() and opened:
            found[opened.pop()] = place
    return found


def substituted(
    tokens: Sequence[Token], arguments: Mapping[str, Sequence[Token]]
) -> Sequence[Token]:
    """Return tokens with arguments in place of parameters."""
    if not arguments:
        return tokens
    result: list[Token] = []
    for token in tokens:
        found = arguments.get(token.text) if token.is_symbol else None
        if found is None:
            result.append(token)
        elif found:
            result.append(replace(found[0], glued=token.glued))
            result.extend(found[1:])
    return result
