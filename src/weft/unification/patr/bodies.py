"""What stands in the bodies of rules, words and templates: equations, and names of templates.

A body with alternatives is several bodies without: it is *multiplied out* as it is read, and each
is then a list of steps that are taken one after the other (:mod:`weft.unification.patr.build`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from weft.errors import no_such
from weft.unification.grammar import LeftOut
from weft.unification.patr.tokens import END, QUOTED, TEXT, Token
from weft.unification.structure import Atom

MOST_ALTERNATIVES = 1000
MOST_STEPS = 5000
DEEPEST = 100
LONGEST_PATH = 50

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """An equation, or a lexical rule that is applied.

    Attributes:
        path: Its left side.
        value: Its right side: another path, or an atom.
        token: Where it stands.
        is_default: Whether it holds only where nothing else is said.
        lexical: The name of the lexical rule, if it is one.
    """

    path: Path
    value: Path | Atom
    token: Token
    is_default: bool = False
    lexical: str = ""


Alternatives = tuple[tuple[Step, ...], ...]

NOTHING: Alternatives = ((),)


@dataclass(slots=True)
class Known:
    """What a grammar defines for bodies, and what of bodies was left out."""

    templates: dict[str, Alternatives] = field(default_factory=dict)
    lexical_rules: dict[str, Alternatives] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)

    def leave_out(self, token: Token, reason: str) -> None:
        """Note what has no meaning here."""
        note = LeftOut(reason, token.file.path, token.line)
        if note not in self.left_out:
            self.left_out.append(note)


class BodyReader:
    """Reads bodies from tokens."""

    def __init__(self, tokens: Sequence[Token], known: Known) -> None:
        self.tokens, self.known = tokens, known
        self.place = self.depth = 0

    @property
    def next(self) -> Token:
        """The token that comes next; the last one again and again."""
        return self.tokens[min(self.place, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Take the next token."""
        token = self.next
        self.place += 1
        return token

    def expect(self, kind: str, what: str = "") -> Token:
        """Take a token of a kind.

        Raises:
            FormatError: If the next token is of another.
        """
        if self.next.kind != kind:
            self.refuse(what or f"'{kind}'")
        return self.take()

    def refuse(self, what: str) -> NoReturn:
        """Raise an error that says what was expected in place of the next token."""
        token = self.next
        found = "the end" if token.kind == END else f"'{token.text}'"
        raise token.error(f"expected {what}, not {found}")

    def body(self, named: bool, single: bool = False) -> Alternatives:
        """Read all that follows.

        Args:
            named: Whether templates may stand without brackets.
            single: Whether to end between one structure and the next.
        """
        found, before = NOTHING, ""
        while True:
            token = self.next
            if single and token.kind == before == "[":
                return found
            before = before if token.kind == "," else token.kind
            if token.kind == ",":
                self.take()
            elif token.kind == "<":
                found = multiply(found, self.equation(), token)
            elif token.kind == "{":
                found = multiply(found, self.choice(named), token)
            elif token.kind == "[":
                found = multiply(found, self.bracket(()), token)
            elif named and token.kind == TEXT and not token.keyword:
                found = multiply(found, self.template((), self.take()), token)
            else:
                return found

    def choice(self, named: bool) -> Alternatives:
        """Read bodies between braces; structures side by side are alternatives, as values are."""
        self.deeper(self.take())
        found = list(self.body(named, single=True))
        while self.next.kind in ("/", "["):
            if self.next.kind == "/":
                self.take()
            found.extend(self.body(named, single=True))
        self.expect("}", "'<', '/' or '}'")
        self.depth -= 1
        return tuple(found)

    def deeper(self, token: Token) -> None:
        """Note that something lies in something else."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise token.error(f"brackets are nested more than {DEEPEST} deep")

    def equation(self) -> Alternatives:
        """Read an equation; what is none that can be obeyed is left out."""
        token = self.next
        path = self.path()
        if self.next.kind == "=":
            self.take()
            return self.value(path, token)
        if self.next.kind == "<=":
            self.known.leave_out(token, "a priority union (<=) is left out")
            self.take()
            self.value(path, token)
        elif self.next.kind == "==":
            self.known.leave_out(token, "a constraint (==) is left out")
            self.take()
            self.logic()
        else:
            self.refuse("'='")
        return NOTHING

    def path(self) -> Path:
        """Read features between angle brackets."""
        token = self.expect("<")
        names = []
        while self.next.kind in (TEXT, QUOTED) and not self.next.keyword:
            names.append(self.take().text)
        self.expect(">", "the name of a feature or '>'")
        if len(names) > LONGEST_PATH:
            raise token.error(f"the path has more than {LONGEST_PATH} features")
        return tuple(names)

    def value(self, path: Path, token: Token) -> Alternatives:
        """Read what a path is equal to."""
        following = self.next
        if following.kind == "<":
            return ((Step(path, self.path(), token),),)
        if following.kind == "{":
            return self.values(path, token)
        if following.kind == "[":
            return self.bracket(path)
        if following.kind not in (TEXT, QUOTED) or following.keyword:
            self.refuse("a value: an atom, a path such as <NP head>, '{' or '['")
        self.take()
        text = following.text
        is_default = following.kind == TEXT and text.startswith("!") and len(text) > 1
        atom = _atom(text[1:] if is_default else text, following.kind == QUOTED)
        return ((Step(path, atom, token, is_default),),)

    def values(self, path: Path, token: Token) -> Alternatives:
        """Read several values between braces, of which one is taken."""
        self.deeper(self.take())
        found: list[tuple[Step, ...]] = []
        while self.next.kind != "}":
            if self.next.kind in ("/", ","):
                self.take()
                continue
            found.extend(self.value(path, token))
        self.take()
        self.depth -= 1
        if not found:
            raise token.error("there is no value between the braces")
        return tuple(found)

    def bracket(self, path: Path) -> Alternatives:
        """Read a structure such as ``[head: [form: finite]]``, or templates: ``[finite]``."""
        token = self.take()
        self.deeper(token)
        found = NOTHING
        while self.next.kind != "]":
            if self.next.kind == ",":
                self.take()
                continue
            name = self.expect(TEXT, "the name of a feature or template, or ']'")
            if self.next.kind == ":":
                self.take()
                more = self.value((*path, name.text), name)
            else:
                more = self.template(path, name)
            found = multiply(found, more, name)
        self.take()
        self.depth -= 1
        return found

    def template(self, path: Path, name: Token) -> Alternatives:
        """The steps of a template, for what is at the end of a path."""
        if name.text in self.known.lexical_rules and not path:
            return ((Step((), (), name, lexical=name.text),),)
        if name.text not in self.known.templates:
            raise name.error(no_such("template", name.text, tuple(self.known.templates)))
        return tuple(
            tuple(_below(path, step) for step in steps) for steps in self.known.templates[name.text]
        )

    def logic(self) -> None:
        """Read a logical expression over structures, which is left out."""
        while self.next.kind == "~":
            self.take()
        token = self.next
        if token.kind == "(":
            self.deeper(self.take())
            self.logic()
            self.expect(")")
            self.depth -= 1
        elif token.kind == "[":
            self.skip_brackets()
        elif token.kind in (TEXT, QUOTED):
            self.take()
        elif token.kind == "<":
            self.path()
        else:
            self.refuse("a structure, '(' or '~'")
        if self.next.kind in ("&", "->", "<->") or self.is_or():
            self.take()
            self.logic()

    def is_or(self) -> bool:
        """Whether a slash separates structures, not bodies."""
        after = self.tokens[min(self.place + 1, len(self.tokens) - 1)]
        return self.next.kind == "/" and after.kind in ("[", "(", "~")

    def skip_brackets(self) -> None:
        """Pass over a structure."""
        opened = self.next
        depth = 0
        while True:
            token = self.take()
            depth += {"[": 1, "]": -1}.get(token.kind, 0)
            if depth == 0:
                return
            if token.kind == END:
                raise opened.error("this bracket has no partner")


def multiply(some: Alternatives, others: Alternatives, token: Token) -> Alternatives:
    """Return every alternative of some with every one of others."""
    if len(some) * len(others) > MOST_ALTERNATIVES:
        raise token.error(f"there are more than {MOST_ALTERNATIVES:,} alternatives")
    found = tuple(one + other for one, other in itertools.product(some, others))
    if sum(map(len, found)) > MOST_ALTERNATIVES * MOST_STEPS or max(map(len, found)) > MOST_STEPS:
        raise token.error(f"there are more than {MOST_STEPS:,} equations")
    return found


def _below(path: Path, step: Step) -> Step:
    """A step for what is at the end of a path."""
    value = step.value if isinstance(step.value, Atom) else (*path, *step.value)
    return replace(step, path=(*path, *step.path), value=value) if path else step


def _atom(text: str, quoted: bool) -> Atom:
    if not quoted and text in ("+", "-"):
        return Atom(text == "+")
    is_number = not quoted and text.isascii() and text.isdigit() and len(text) < 19
    return Atom(int(text) if is_number else text)
