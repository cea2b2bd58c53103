r"""λ-expressions in NLTK's notation: read, filled, reduced and written.

    \x y.M      exists x.M   some x.M   all x.M   forall x.M   iota x.M
    -M   not M  M & N   M and N   M | N   M -> N   M implies N   M <-> N   M = N   M != N
    f(a, b)     f(a)(b)     (\x.M)(a)

λ binds closest, then negation, application, equality, quantifiers, ``&``, ``|``, ``->``, ``<->``;
the body of a λ therefore ends where an operator follows. Application takes one argument at a time:
``f(a, b)`` is ``f(a)(b)``. Filling gaps renames bound variables where they would catch free ones.

Reference: Bird, Klein and Loper (2009), Natural Language Processing with Python, chapter 10.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from weft.errors import LimitError

DEEPEST = 100
"""Expressions that are nested more deeply are refused."""

MOST_STEPS = 100_000
"""So many steps may one reduction take."""

_TOKEN = re.compile(r"\s*(<->|<=>|->|=>|!=|==|[\\.(),!&^|=-]|[^\s\\.(),!&^|>=<-]+)")
_QUANTIFIERS = {
    "some": "exists",
    "exists": "exists",
    "exist": "exists",
    "all": "all",
    "forall": "all",
    "iota": "iota",
}
_OPERATORS = {
    **dict.fromkeys(("and", "&", "^"), "&"),
    **dict.fromkeys(("or", "|"), "|"),
    **dict.fromkeys(("implies", "->", "=>"), "->"),
    **dict.fromkeys(("iff", "<->", "<=>"), "<->"),
    **dict.fromkeys(("=", "=="), "="),
    "!=": "!=",
}
_PUNCTUATION = frozenset("\\.(),")
_NOT = frozenset(("not", "-", "!"))
_RANKS = {"\\": 1, "-": 2, "()": 3, "=": 4, "!=": 4, "Q": 5, "&": 6, "|": 7, "->": 8, "<->": 9}
_LOOSEST = 10


class LogicError(ValueError):
    """A text is no λ-expression."""


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, a constant or a gap."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """A function with one argument."""

    function: Expression
    argument: Expression


@dataclass(frozen=True, slots=True)
class Bind:
    """A λ or a quantifier with its variable and body."""

    operator: str
    variable: str
    body: Expression


@dataclass(frozen=True, slots=True)
class Not:
    """A negation."""

    body: Expression


@dataclass(frozen=True, slots=True)
class Pair:
    """Two expressions with an operator between them."""

    operator: str
    left: Expression
    right: Expression


Expression = Name | Apply | Bind | Not | Pair


@lru_cache(maxsize=4096)
def read_logic(text: str) -> Expression:
    r"""Read an expression.

    Raises:
        LogicError: If it is none.

    >>> write_logic(read_logic(r"\x y.(see(x, y) and - (x = y))"))
    '\\x y.(see(x,y) & -(x = y))'
    """
    reader = _Reader(_tokens(text))
    found = reader.expression(_LOOSEST)
    if reader.place < len(reader.tokens):
        raise LogicError(f"unexpected {reader.tokens[reader.place]!r}")
    return found


def _tokens(text: str) -> list[str]:
    tokens, place = [], 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            raise LogicError(f"unexpected {text[place:].strip()[0]!r}")
        tokens.append(found.group(1))
        place = found.end()
    return tokens


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.place, self.depth = tokens, 0, 0

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        if not token or (expected is not None and token != expected):
            raise LogicError(f"expected {expected or 'an expression'}, found {token or 'the end'}")
        self.place += 1
        return token

    def expression(self, rank: int) -> Expression:
        """Read what binds more closely than operators of a rank."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise LogicError("it is nested too deeply")
        found = self.first()
        while True:
            token = self.peek()
            operator = _OPERATORS.get(token)
            if token == "(" and _RANKS["()"] <= rank:  # noqa: S105
                found = self.arguments(found)
            elif operator is not None and _RANKS[operator] < rank:
                self.take()
                found = Pair(operator, found, self.expression(_RANKS[operator]))
            else:
                self.depth -= 1
                return found

    def first(self) -> Expression:
        token = self.take()
        if token == "\\":  # noqa: S105
            return self.binder(token, _RANKS["\\"])
        if token in _QUANTIFIERS:
            return self.binder(_QUANTIFIERS[token], _RANKS["Q"])
        if token in _NOT:
            return Not(self.expression(_RANKS["-"]))
        if token == "(":  # noqa: S105
            found = self.expression(_LOOSEST)
            self.take(")")
            return found
        if _is_mark(token):
            raise LogicError(f"expected an expression, found {token}")
        name = Name(token)
        # Right after a name, arguments belong to it whatever stands before the name.
        return self.arguments(name) if self.peek() == "(" else name

    def arguments(self, function: Expression) -> Expression:
        self.take("(")
        while True:
            function = Apply(function, self.expression(_RANKS["()"]))
            if self.peek() != ",":
                self.take(")")
                return function
            self.take()

    def binder(self, operator: str, rank: int) -> Expression:
        variables = [self.take()]
        while self.peek() and not _is_mark(self.peek()):
            variables.append(self.take())
        if self.peek() == ".":
            self.take()
        if any(map(_is_mark, variables)):
            raise LogicError(f"expected a variable after {operator}")
        body = self.expression(rank)
        for variable in reversed(variables):
            body = Bind(operator, variable, body)
        return body


def _is_mark(token: str) -> bool:
    return token in _PUNCTUATION or token in _OPERATORS or token in _NOT or token in _QUANTIFIERS


def fill(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    r"""Put expressions in the place of names, and reduce.

    Raises:
        LimitError: If that would go on for very long, or for ever.

    >>> vp = read_logic(r"\x.bark(x)")
    >>> write_logic(fill(read_logic("?0(?1)"), {"?0": vp, "?1": Name("cyril")}))
    'bark(cyril)'
    """
    reducer = _Reducer()
    return reducer.reduced(reducer.substituted(expression, values))


def reduce_logic(expression: Expression) -> Expression:
    r"""Apply every λ-expression to its arguments.

    Raises:
        LimitError: If that would go on for very long, or for ever.

    >>> write_logic(reduce_logic(read_logic(r"(\x.\y.see(x,y))(y)")))
    '\\z1.see(y,z1)'
    """
    return _Reducer().reduced(expression)


class _Reducer:
    """Substitutes and reduces, with a limit on all its steps together."""

    def __init__(self) -> None:
        self.steps, self.depth = 0, 0

    def step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS or self.depth > 3 * DEEPEST:
            raise LimitError(
                "a λ-expression takes too many steps to reduce; perhaps it is applied to itself"
            )

    def reduced(self, expression: Expression) -> Expression:
        self.step()
        self.depth += 1
        found = self._reduced(expression)
        self.depth -= 1
        return found

    def _reduced(self, expression: Expression) -> Expression:
        match expression:
            case Apply(function, argument):
                function, argument = self.reduced(function), self.reduced(argument)
                if isinstance(function, Bind) and function.operator == "\\":
                    body = self.substituted(function.body, {function.variable: argument})
                    return self.reduced(body)
                return Apply(function, argument)
            case Bind(operator, variable, body):
                return Bind(operator, variable, self.reduced(body))
            case Not(body):
                return Not(self.reduced(body))
            case Pair(operator, left, right):
                return Pair(operator, self.reduced(left), self.reduced(right))
        return expression

    def substituted(self, expression: Expression, values: Mapping[str, Expression]) -> Expression:
        self.step()
        match expression:
            case Name(name):
                return values.get(name, expression)
            case Apply(function, argument):
                return Apply(self.substituted(function, values), self.substituted(argument, values))
            case Not(body):
                return Not(self.substituted(body, values))
            case Pair(operator, left, right):
                sides = self.substituted(left, values), self.substituted(right, values)
                return Pair(operator, *sides)
            case Bind():
                return self._substituted_below(expression, values)

    def _substituted_below(self, binder: Bind, values: Mapping[str, Expression]) -> Expression:
        """Substitute in the body of a binder, whose variable must not catch a free one."""
        variable, body = binder.variable, binder.body
        below = free_names(body)
        inner = {name: value for name, value in values.items() if name in below - {variable}}
        caught: set[str] = set().union(*map(free_names, inner.values()))
        if variable in caught:
            fresh = _fresh(variable, caught | below)
            body, variable = self.substituted(body, {variable: Name(fresh)}), fresh
        return Bind(binder.operator, variable, self.substituted(body, inner))


def _fresh(variable: str, taken: set[str] | frozenset[str]) -> str:
    """A variable of the same kind: letters tell individuals, events and functions."""
    letter = "F" if variable[:1].isupper() else "e" if variable[:1] == "e" else "z"
    number = 1
    while f"{letter}{number}" in taken:
        number += 1
    return f"{letter}{number}"


@lru_cache(maxsize=65536)
def free_names(expression: Expression) -> frozenset[str]:
    """Return the names that are not bound, constants and gaps included.

    >>> sorted(free_names(read_logic("exists x.see(x, kim)")))
    ['kim', 'see']
    """
    match expression:
        case Name(name):
            return frozenset((name,))
        case Bind(_, variable, body):
            return free_names(body) - {variable}
        case Not(body):
            return free_names(body)
        case Apply(left, right) | Pair(_, left, right):
            return free_names(left) | free_names(right)


def write_logic(expression: Expression) -> str:
    r"""Write an expression, so that it can be read back.

    >>> write_logic(read_logic(r"\P Q.exists x.(P(x) & Q(x))"))
    '\\P Q.exists x.(P(x) & Q(x))'
    """
    match expression:
        case Name(name):
            return name
        case Not(body):
            return f"-{_closed(body)}"
        case Pair(operator, left, right):
            return f"({_inside(left)} {operator} {_inside(right)})"
        case Bind(operator, variable, body):
            return _write_binder(operator, variable, body)
        case Apply():
            return _write_call(expression)


def _write_binder(operator: str, variable: str, body: Expression) -> str:
    variables = [variable]
    while isinstance(body, Bind) and body.operator == operator:
        variables.append(body.variable)
        body = body.body
    space = "" if operator == "\\" else " "
    return f"{operator}{space}{' '.join(variables)}.{_closed(body)}"


def _write_call(expression: Apply) -> str:
    arguments, function = [], expression.function
    arguments.append(expression.argument)
    while isinstance(function, Apply):
        arguments.append(function.argument)
        function = function.function
    inside = ",".join(_inside(each) for each in reversed(arguments))
    return f"{_closed(function)}({inside})"


def _closed(expression: Expression) -> str:
    """Write what stands where an operator or arguments might tear it apart."""
    head = expression
    while isinstance(head, Apply):
        head = head.function
    quantified = isinstance(expression, Bind) and expression.operator != "\\"
    text = write_logic(expression)
    return text if isinstance(head, Name | Pair) or quantified else f"({text})"


def _inside(expression: Expression) -> str:
    text = write_logic(expression)
    return f"({text})" if isinstance(expression, Bind) and expression.operator != "\\" else text
