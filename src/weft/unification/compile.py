"""Feature grammars as arrays of numbers, for the kernel that parses.

Values are words: the number of an atom, of a variable or of a box, times four, with 0, 1 or 2 for
which of them (``native/unify_words.hpp``). Boxes hold features with values, lists or terms. What a
category is called is no feature of it there, and carried features are left out; but for open
grammars, whose categories may be values of features, or unknown: there it is a feature like others.

Features are numbered so that unification fails early: those first by which a random category of a
right side most often differs from a random left side. This does what quick checks do elsewhere
(Kiefer, Krieger, Carroll and Malouf 1999), without a second structure to keep.
"""

from __future__ import annotations

import mmap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import IndexArray, IntArray, flatten, freeze
from weft.inference.components import components
from weft.unification.carried import carried_features, carried_part
from weft.unification.grammar import FeatureGrammar, FeatureRule, category_of
from weft.unification.limits import check_time
from weft.unification.structure import (
    TYPE,
    Atom,
    FeatureStructure,
    Listed,
    Node,
    Struct,
    Term,
    Variable,
    shared_nodes,
    values_of,
    with_values,
)
from weft.unification.terms import Symbol

ATOM, VARIABLE, BOX = 0, 1, 2
STRUCT, LIST, TERM = 0, 1, 2
ANY = ""
"""The name of what may be of any category."""


@dataclass(frozen=True, slots=True, eq=False)
class CompiledGrammar:
    """A grammar for the kernel.

    Attributes:
        grammar: The grammar itself.
        carried: The features that are left out.
        features: By their numbers.
        atoms: By their numbers.
        symbols: Of terms, by their numbers.
        categories: By their numbers.
        words: The numbers of words.
        arrays: What the kernel takes, before tokens.
    """

    grammar: FeatureGrammar
    carried: frozenset[str]
    features: tuple[str, ...]
    atoms: tuple[Atom, ...]
    symbols: tuple[Symbol, ...]
    categories: tuple[str, ...]
    words: dict[str, int]
    arrays: tuple[Any, ...]


class _Numbers(dict[Any, int]):
    """Numbers of things in the order in which they are asked for."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


@dataclass(slots=True)
class _Tables:
    carried: frozenset[str]
    is_open: bool
    features: _Numbers
    atoms: _Numbers
    symbols: _Numbers
    categories: _Numbers
    words: _Numbers


@dataclass(slots=True)
class _Rule:
    """A rule in words."""

    cells: list[int]
    variables: int
    left: int
    category: int
    sides: list[tuple[int, int]]
    shared: list[tuple[int, int]]
    live: list[list[int]]
    own: list[bool]


def compile_grammar(grammar: FeatureGrammar) -> CompiledGrammar:
    """Return a grammar as arrays.

    Raises:
        Spent: If the time of the open allowance is over.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> compiled = compile_grammar(read_fcfg(io.BytesIO(b"S -> NP[NUM=sg]")))
    >>> compiled.features, compiled.categories
    (('NUM',), ('NP', 'S'))
    """
    tables = _Tables(carried_features(grammar), grammar.is_open, *(_Numbers() for _ in range(5)))
    hidden = tables.carried if grammar.is_open else tables.carried | {TYPE}
    for name in _ranked_features(grammar, hidden):
        tables.features[name]
    rules = [_compile_rule(rule, tables) for rule in grammar.rules]
    classes = _Numbers()
    numbers = [
        classes[carried_part(rule, tables.carried) if tables.carried else None]
        for rule in grammar.rules
    ]
    rules.append(_start_rule(grammar, tables))
    arrays = (
        *_rule_arrays(rules),
        *_indices(rules[:-1], tables),
        _defaults(grammar, tables),
        np.array([*numbers, -1], np.int32),
        _left_corners(rules, tables),
        np.array([tables.categories.get(str(atom.value), -1) for atom in tables.atoms], np.int32),
    )
    return CompiledGrammar(
        grammar,
        tables.carried,
        tuple(tables.features),
        tuple(tables.atoms),
        tuple(tables.symbols),
        tuple(tables.categories),
        dict(tables.words),
        (
            *map(freeze, arrays),
            tables.features.get(TYPE, -1) if grammar.is_open else -1,
            tables.categories.get(ANY, -1),
        ),
    )


def _start_rule(grammar: FeatureGrammar, tables: _Tables) -> _Rule:
    """The rule whose only side is the start category."""
    moved = [_shifted(node) for node in grammar.start.nodes]
    structure = FeatureStructure((Listed((1, 1)), *moved))
    return _compile_rule(FeatureRule(structure), tables)


def _shifted(node: Node) -> Node:
    return with_values(node, [value + 1 for value in values_of(node)])


def _compile_rule(rule: FeatureRule, tables: _Tables) -> _Rule:
    check_time()
    compiler = _RuleCompiler(rule.structure, tables)
    left, *right = rule.sides
    left_word = compiler.category(left)
    sides = [compiler.side(place) for place in right]
    # Nothing is kept before the first side, nor after the last one.
    live = [compiler.mentioned([left, *right[dot:]]) for dot in range(1, len(right))]
    live = [[], *live, *([[]] if right else [])]
    return _Rule(
        compiler.cells,
        len(compiler.variables),
        left_word,
        tables.categories[category_of(rule.structure, left) or ANY],
        sides,
        compiler.shared,
        live,
        [side == left or _kind(rule, side) == _kind(rule, left) is not None for side in right],
    )


def _kind(rule: FeatureRule, side: int) -> int | None:
    """The node that names the category of a side."""
    node = rule.structure.nodes[side]
    return dict(node.features).get(TYPE) if isinstance(node, Struct) else None


class _RuleCompiler:
    def __init__(self, structure: FeatureStructure, tables: _Tables) -> None:
        self.structure, self.tables = structure, tables
        self.cells: list[int] = []
        self.variables = _Numbers()
        self.shared: list[tuple[int, int]] = []
        self.reentrant = set(shared_nodes(structure))

    def category(self, place: int) -> int:
        """The word of a category, without its type and what it carries, unless it is open."""
        if self.tables.is_open:
            return self.word(place)
        node = self.structure.nodes[place]
        assert isinstance(node, Struct)  # noqa: S101
        features = self.kept(node)
        return self.box(STRUCT, features, [value for _, value in features])

    def kept(self, node: Struct) -> list[tuple[int, int]]:
        """The features of a category that the kernel sees, by number."""
        names = ((name, value) for name, value in node.features if name not in self.tables.carried)
        return sorted((self.tables.features[name], value) for name, value in names if name != TYPE)

    def side(self, place: int) -> tuple[int, int]:
        """The word and the category of a side; of a word, its number from -1 downward."""
        node = self.structure.nodes[place]
        if isinstance(node, Atom):
            return -1 - self.tables.words[str(node.value)], -1
        kind = category_of(self.structure, place) or ANY
        return self.category(place), self.tables.categories[kind]

    def word(self, place: int) -> int:
        node = self.structure.nodes[place]
        if isinstance(node, Atom):
            return self.tables.atoms[node] * 4 + ATOM
        if isinstance(node, Variable) or place in self.reentrant:
            new = place not in self.variables
            number = self.variables[place]
            if new and place in self.reentrant:
                self.shared.append((number, self.node(node)))
            return number * 4 + VARIABLE
        return self.node(node)

    def node(self, node: Node) -> int:
        if isinstance(node, Struct):
            features = sorted((self.tables.features[name], value) for name, value in node.features)
            return self.box(STRUCT, features, [value for _, value in features])
        if isinstance(node, Listed):
            return self.box(LIST, [], node.items)
        assert isinstance(node, Term)  # noqa: S101
        symbol = self.tables.symbols[node.symbol] * 2 + (
            node.symbol.computed and bool(node.arguments)
        )
        return self.box(TERM, [], node.arguments, [symbol])

    def box(
        self,
        kind: int,
        features: Sequence[tuple[int, int]],
        values: Sequence[int],
        symbol: Sequence[int] = (),
    ) -> int:
        """Write a box; return its word."""
        words = [self.word(value) for value in values]
        start = len(self.cells)
        self.cells += [len(values) * 4 + kind, *symbol]
        if kind == STRUCT:
            for (feature, _), word in zip(features, words, strict=True):
                self.cells += [feature, word]
        else:
            self.cells += words
        return start * 4 + BOX

    def mentioned(self, sides: Iterable[int]) -> list[int]:
        """The variables that some sides mention, in the order of their numbers."""
        found: set[int] = set()
        seen: set[int] = set()
        waiting = [value for side in sides for value in self.values(side)]
        while waiting:
            place = waiting.pop()
            if place in self.variables:
                found.add(self.variables[place])
            if place not in seen:
                seen.add(place)
                waiting.extend(values_of(self.structure.nodes[place]))
        return sorted(found)

    def values(self, side: int) -> list[int]:
        node = self.structure.nodes[side]
        if self.tables.is_open:
            return [side]
        return [value for _, value in self.kept(node)] if isinstance(node, Struct) else []


def _rule_arrays(rules: Sequence[_Rule]) -> tuple[Any, ...]:
    cell_starts, cells = flatten([rule.cells for rule in rules])
    side_offsets, sides = flatten([rule.sides for rule in rules])
    shared_offsets, shared = flatten([rule.shared for rule in rules])
    live_offsets, live = flatten([each for rule in rules for each in rule.live])
    words, categories = _columns(sides)
    variables, boxes = _columns(shared)
    return (
        np.array(cells, np.int32),
        cell_starts,
        np.array([rule.variables for rule in rules], np.int32),
        np.array([rule.left for rule in rules], np.int32),
        np.array([rule.category for rule in rules], np.int32),
        side_offsets,
        words,
        categories,
        shared_offsets,
        variables,
        boxes,
        live_offsets,
        np.array(live, np.int32),
    )


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[IndexArray, IndexArray]:
    table = np.array(pairs, np.int32).reshape(-1, 2)
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])


def _indices(rules: Sequence[_Rule], tables: _Tables) -> Iterator[Any]:
    """Rules by the category or the word that their right sides begin with; those with none."""
    by_category: defaultdict[int, list[int]] = defaultdict(list)
    by_word: defaultdict[int, list[int]] = defaultdict(list)
    for number, rule in enumerate(rules):
        if rule.sides and rule.sides[0][0] < 0:
            by_word[-1 - rule.sides[0][0]].append(number)
        elif rule.sides:
            for category in _matching(rule.sides[0][1], tables):
                by_category[category].append(number)
    for table, size in ((by_category, len(tables.categories)), (by_word, len(tables.words))):
        offsets, numbers = flatten([table[key] for key in range(size)])
        yield offsets
        yield np.array(numbers, np.int32)
    yield np.array([n for n, rule in enumerate(rules) if not rule.sides], np.int32)


def _defaults(grammar: FeatureGrammar, tables: _Tables) -> IndexArray:
    made = np.full(len(tables.features), -1, np.int32)
    for name, atom in grammar.defaults.items():
        if name in tables.features:
            made[tables.features[name]] = tables.atoms[atom]
    return made


def _matching(category: int, tables: _Tables) -> Iterable[int]:
    """The categories of constituents that may be of a category."""
    wild = tables.categories.get(ANY, -1)
    if category == wild:
        return range(len(tables.categories))
    return (category,) if wild < 0 else (category, wild)


def _left_corners(rules: Sequence[_Rule], tables: _Tables) -> Any:
    """Whether a category may begin another, itself included: [category, beginning].

    Only the rows of categories that the kernel looks for are filled in: the start, and what comes
    after the first side of a rule. The other rows take no memory, as no page of theirs is written.
    """
    *rules, start = rules
    count, wild = len(tables.categories), tables.categories.get(ANY, -1)
    every, any_head = count, count + 1  # what all are, and what the rules for all begin with
    empty = _empty_categories(rules, tables)
    edges: set[tuple[int, int]] = set()
    for rule in rules:
        check_time()
        head = any_head if rule.category == wild else rule.category
        for (word, category), own in zip(rule.sides, rule.own, strict=True):
            # What begins with something of its own category, whichever, adds nothing.
            if word >= 0 and not own:
                edges.add((head, every if category == wild else category))
            if word < 0 or empty.isdisjoint(_matching(category, tables)):
                break
    if wild >= 0:
        edges.update((each, any_head) for each in range(count))
        edges.update((every, each) for each in range(count))
    later = {category for rule in rules for word, category in rule.sides[1:] if word >= 0}
    begins = _sparse_square(count)
    for category, reached in _reachable(count + 2, edges, {start.sides[0][1]} | later):
        begins[category, reached[reached < count]] = 1
        if wild >= 0:
            begins[category, slice(None) if category == wild else wild] = 1
    return begins


def _empty_categories(rules: Sequence[_Rule], tables: _Tables) -> set[int]:
    """The categories that may be of no words."""
    wild = tables.categories.get(ANY, -1)
    empty: set[int] = set()
    # Rules with the side that is next to be found empty, by its category; those of words never are.
    waiting: defaultdict[int, list[tuple[_Rule, int]]] = defaultdict(list)
    found = [(rule, 0) for rule in rules if all(word >= 0 for word, _ in rule.sides)]
    while found:
        check_time()
        rule, side = found.pop()
        if side < len(rule.sides):
            category = rule.sides[side][1]
            if empty.isdisjoint(_matching(category, tables)):
                waiting[category].append((rule, side))
            else:
                found.append((rule, side + 1))
        elif rule.category not in empty:
            empty.add(rule.category)
            woken = list(waiting) if rule.category == wild else [rule.category, wild]
            found += [each for category in woken for each in waiting.pop(category, ())]
    return empty


def _sparse_square(count: int) -> Any:
    """Zeros of which only the pages that are written take memory: no large ones, as NumPy's may."""
    try:
        memory = mmap.mmap(-1, count * count)
    except OSError as error:
        raise MemoryError(*error.args) from None
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with suppress(OSError):  # a kernel without large pages
            memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, np.uint8).reshape(count, count)


def _reachable(
    count: int, edges: set[tuple[int, int]], starts: Iterable[int]
) -> Iterator[tuple[int, IntArray]]:
    """Yield some nodes of a graph, each with those that it leads to, itself included."""
    sources, targets = np.array(sorted(edges), np.int64).reshape(-1, 2).T
    numbers = components(count, sources, targets).numbers
    size = int(numbers.max()) + 1
    below: list[set[int]] = [set() for _ in range(size)]
    for head, tail in zip(numbers[sources].tolist(), numbers[targets].tolist(), strict=True):
        if head != tail:
            below[head].add(tail)
    # The components that one leads to, as bits; none are kept for those that lead nowhere.
    bits: dict[int, Any] = {}
    for number, tails in enumerate(below):  # a component comes after all that it points to
        if tails:
            check_time()
            bits[number] = _packed(size, tails)
            for tail in bits.keys() & tails:
                bits[number] |= bits[tail]
    for start in sorted(starts):
        check_time()
        number = int(numbers[start])
        if number in bits:
            found = np.unpackbits(bits[number], count=size).astype(np.bool_)
            found[number] = True
            yield start, np.flatnonzero(found[numbers])
        else:
            yield start, np.flatnonzero(numbers == number)


def _packed(size: int, numbers: Iterable[int]) -> Any:
    """Some numbers as bits."""
    found = np.zeros(size, np.bool_)
    found[list(numbers)] = True
    return np.packbits(found)


def _ranked_features(grammar: FeatureGrammar, hidden: frozenset[str]) -> list[str]:
    """Features by how often they make a category of a right side and a left side differ."""
    lefts: defaultdict[str, Counter[Node]] = defaultdict(Counter)
    rights: defaultdict[str, Counter[Node]] = defaultdict(Counter)
    names: set[str] = set()
    for rule in grammar.rules:
        for number, side in enumerate(rule.sides):
            node = rule.structure.nodes[side]
            for name, value in node.features if isinstance(node, Struct) else ():
                if name not in hidden:
                    names.add(name)
                    table = rights if number else lefts
                    table[name][rule.structure.nodes[value]] += 1

    def differing(name: str) -> int:
        left, right = (
            {atom: count for atom, count in table[name].items() if isinstance(atom, Atom)}
            for table in (lefts, rights)
        )
        both = sum(left.values()) * sum(right.values())
        return both - sum(count * right.get(atom, 0) for atom, count in left.items())

    return sorted(names, key=lambda name: (-differing(name), name))
