"""Statements as numbers: attributes, symbols, forms, paths and designators, each numbered once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.arrays import IndexArray, IntArray, flatten
from weft.lfg.branches import NotCompiled
from weft.lfg.language import (
    UP,
    AnyAttribute,
    At,
    Attribute,
    CheckContains,
    CheckEqual,
    CheckExists,
    Contains,
    Designator,
    Element,
    Equal,
    Form,
    From,
    Lfg,
    Local,
    Mark,
    Meta,
    Path,
    Symbol,
    Values,
)
from weft.lfg.names import Names
from weft.lfg.paths import build_path, list_plain
from weft.lfg.statements import Late, NotAll, Simple, categories_of, flat

_EQUAL, _CONTAINS, _TEST_EQUAL, _TEST_CONTAINS, _TEST_EXISTS, _NOT_ALL, _MARK, _LATE = range(8)
_TESTS, _EQUATES, _INCLUDES = range(3)
_REGISTER, _SYMBOL, _INSTANCE, _FORM, _VALUES, _BESIDE, _HOLDER, _BEYOND = range(8)
_FOR_WHOLE, _FOR_OTHERS = 1, 2
_ANY, _ELEMENT = -1, -2
_OWN, _OF_CATEGORIES = 1, 2
_MOST_FUNCTIONS = 64


class Numbers(dict[Any, int]):
    """Numbers of things in the order in which they are asked for."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


@dataclass(slots=True)
class _Paths:
    """Paths as automata, one after the other, and as words where they are plain."""

    numbers: Numbers = field(default_factory=Numbers)
    words: list[tuple[int, ...]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    rows: list[list[tuple[int, int]]] = field(default_factory=list)
    finals: list[bool] = field(default_factory=list)


class Numbering:
    """The numbers of all that statements of a grammar mention."""

    def __init__(self, grammar: Lfg) -> None:
        self.governable = Names(grammar.governable)
        self._semantic = Names(grammar.semantic)
        self._own = Names(grammar.nondistributive)
        self._attributes, self._symbols, self._names = Numbers(), Numbers(), Numbers()
        self._forms, self._values, self._functions = Numbers(), Numbers(), Numbers()
        self._designators, self._statements = Numbers(), Numbers()
        self._paths = _Paths()
        self._registers: list[tuple[int, ...]] = []
        self._waits: list[int] = []
        self._inside_out: set[int] = set()
        self._attributes["PRED"]

    def __len__(self) -> int:
        """How many statements there are."""
        return len(self._statements)

    def statement(self, simple: Simple, scope: Sequence[str]) -> int:
        """Return the number of a statement.

        Args:
            simple: The statement.
            scope: The names of f-structures that it may mention.

        Raises:
            NotCompiled: If the kernel knows no such thing.
        """
        row, group, registers = self._row(simple, scope)
        known = len(self._statements)
        number = self._statements[row, group, _kind_of_late(simple)]
        if number == known:
            self._registers.append(tuple(sorted(registers)))
            self._waits.append(self._waits_for(row, group))
        return number

    def _waits_for(self, row: tuple[int, int, int, int], group: tuple[int, ...]) -> int:
        kind, *sides, _ = row
        if kind == _LATE:
            return _FOR_OTHERS
        if kind == _NOT_ALL:
            return max((self._waits[each] for each in group), default=0)
        if kind == _MARK:
            return 0
        return _FOR_WHOLE * (not self._inside_out.isdisjoint(sides))

    def _row(
        self, simple: Simple, scope: Sequence[str]
    ) -> tuple[tuple[int, int, int, int], tuple[int, ...], set[int]]:
        registers: set[int] = set()

        def number(designator: Designator) -> int:
            return self._designator(designator, scope, registers)

        match simple:
            case NotAll(tests):
                group = tuple(self.statement(test, scope) for test in tests)
                registers.update(r for test in group for r in self._registers[test])
                return (_NOT_ALL, -1, -1, 1), group, registers
            case Mark(name):
                return (_MARK, self._names[name], -1, 1), (), registers
            case Late(statement, beside):
                group = tuple(self.statement(test, scope) for test in beside)
                registers.update(r for test in group for r in self._registers[test])
                return (_LATE, *self._late(statement, number)), group, registers
            case CheckExists(what, positive):
                row = (_TEST_EXISTS, number(what), -1, int(positive))
            case CheckEqual(one, two, positive):
                row = (_TEST_EQUAL, number(one), number(two), int(positive))
            case CheckContains(one, two, positive):
                row = (_TEST_CONTAINS, number(one), number(two), int(positive))
            case Equal(one, two) | Contains(one, Values() as two):
                row = (_EQUAL, number(one), number(two), 1)
            case Contains(one, two):
                row = (_CONTAINS, number(one), number(two), 1)
        return row, (), registers

    @staticmethod
    def _late(
        statement: Equal | Contains | CheckEqual | CheckContains | CheckExists,
        number: Callable[[Designator], int],
    ) -> tuple[int, int, int]:
        match statement:
            case CheckExists(what):
                return number(what), -1, _TESTS
            case Equal(one, two) | Contains(one, Values() as two):
                return number(one), number(two), _EQUATES
            case Contains(one, two):
                return number(one), number(two), _INCLUDES
            case CheckEqual(one, two) | CheckContains(one, two):
                return number(one), number(two), _TESTS

    def _designator(self, designator: Designator, scope: Sequence[str], registers: set[int]) -> int:
        path = -1
        if isinstance(designator, At):
            designator, given = flat(designator)
            path = self._path(given)
        if isinstance(designator, From):
            base = self._designator(designator.base, scope, registers)
            up = self._path(designator.path)
            holder = base if up < 0 else self._designators[_HOLDER, base, up]
            found = holder if path < 0 else self._designators[_BEYOND, holder, path]
            self._inside_out.add(found)
            return found
        match designator:
            case Meta("<-" | "->" as name):
                row = (_BESIDE, ("<-", "->").index(name), path)
            case Meta("^" | "!" as name):
                row = (_REGISTER, "^!".index(name), path)
            case Local(name):
                row = (_REGISTER, 2 + scope.index(name), path)
            case Symbol(text, instantiated):
                row = (_INSTANCE if instantiated else _SYMBOL, self._symbols[text], -1)
            case Form():
                row = (_FORM, self._form(designator), -1)
            case Values(symbols):
                row = (
                    _VALUES,
                    self._values[tuple(sorted(map(self._symbols.__getitem__, symbols)))],
                    -1,
                )
        if row[0] == _REGISTER:
            registers.add(row[1])
        return self._designators[row]

    def _form(self, form: Form) -> int:
        thematic, other = (
            sum({1 << self._function(each) for each in arguments if each is not None})
            for arguments in (form.thematic, form.other)
        )
        arity = len(form.thematic) * 256 + len(form.other)
        return self._forms[thematic, thematic | other, self._names[form.name], arity]

    def _function(self, argument: Designator) -> int:
        if isinstance(argument, At):
            base, path = flat(argument)
            words = list_plain(path)
            if base == UP and words is not None and len(words) == 1 and len(words[0]) == 1:
                self._attribute(words[0][0].name)
                return self._bit(words[0][0].name)
        raise NotCompiled("an argument of a semantic form that is no function of its f-structure")

    def _bit(self, name: str) -> int:
        bit = self._functions[name]
        if bit >= _MOST_FUNCTIONS:
            raise NotCompiled(f"more than {_MOST_FUNCTIONS} functions that can be governed")
        return bit

    def _attribute(self, name: str) -> int:
        if name in self.governable:
            self._bit(name)
        return self._attributes[name]

    def _path(self, path: Path) -> int:
        words = list_plain(path)
        plain = words is not None and len(words) == 1
        key = tuple(step.name for step in words[0]) if words and plain else path
        if key == ():
            return -1
        paths = self._paths
        if key in paths.numbers:
            return paths.numbers[key]
        machine, first = build_path(path), len(paths.finals)
        rows = [
            [(self._move(move), target + first) for move, target, _ in row] for row in machine.arcs
        ]
        paths.words.append(tuple(map(self._attribute, key)) if isinstance(key, tuple) else ())
        paths.starts.append(first)
        paths.rows += rows
        paths.finals += [state in machine.final for state in range(len(rows))]
        return paths.numbers[key]

    def _move(self, move: object) -> int:
        match move:
            case Attribute(name):
                return self._attribute(name)
            case AnyAttribute():
                return _ANY
            case Element():
                return _ELEMENT
        raise NotCompiled(f"a step {move}")

    # ------------------------------------------------------------------------------ arrays

    def marks(self, categories: Sequence[str]) -> list[list[int]]:
        """Return the attributes that stand for tests of each category."""
        sets = [(number, categories_of(name)) for name, number in self._attributes.items()]
        return [[number for number, found in sets if each in found] for each in categories]

    def arrays(self) -> tuple[Any, ...]:
        """Return what the kernel takes of statements, in its order."""
        rows, groups, _ = zip(*self._statements, strict=True) if self._statements else ((), (), ())
        paths = self._paths
        move_offsets, moves = flatten(paths.rows)
        return (
            as_table(rows, 4),
            *as_rows(groups),
            *as_rows(self._registers),
            np.array(self._waits, np.uint8),
            as_table(list(self._designators), 3),
            *as_rows(paths.words),
            as_words(paths.starts),
            move_offsets,
            as_words([move for move, _ in moves]),
            as_words([target for _, target in moves]),
            np.array(paths.finals, np.uint8),
            *self._attribute_arrays(),
            np.array(list(self._forms), np.uint64).reshape(-1, 4).view(np.int64),
            *as_rows(list(self._values)),
        )

    def _attribute_arrays(self) -> tuple[Any, ...]:
        names = list(self._attributes)
        own = [_OF_CATEGORIES if name[0] == "@" else _OWN * (name in self._own) for name in names]
        return (
            as_words([self._functions.get(name, -1) for name in names]),
            np.array([name in self._semantic for name in names], np.uint8),
            np.array(own, np.uint8),
            as_words([self._attributes[name] for name in self._functions]),
            np.array([name in self.governable for name in self._functions], np.uint8),
        )


def _kind_of_late(simple: Simple) -> tuple[type, bool] | None:
    """Return what tells statements apart that the kernel keeps and the plain solver decides."""
    if not isinstance(simple, Late):
        return None
    return type(simple.statement), getattr(simple.statement, "positive", True)


def as_words(numbers: Sequence[int]) -> IndexArray:
    """Return numbers as the kernel takes them."""
    return np.array(numbers, np.int32)


def as_table(rows: Sequence[tuple[int, ...]], width: int) -> npt.NDArray[np.int32]:
    """Return rows of one length as the kernel takes them."""
    return np.array(rows, np.int32).reshape(-1, width)


def as_rows(rows: Sequence[Sequence[int]]) -> tuple[IntArray, IndexArray]:
    """Return rows of different lengths as the kernel takes them."""
    offsets, items = flatten(rows)
    return offsets, as_words(items)
