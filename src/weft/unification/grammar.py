"""Grammars whose categories are feature structures.

A rule is one structure, a list: its left side, then its right side from left to right, where an
atom is a word. Variables are shared within a rule, and are new ones whenever the rule is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.errors import FormatError
from weft.reprs import count_things, shorten
from weft.unification.structure import (
    TYPE,
    Atom,
    FeatureStructure,
    Listed,
    Struct,
    part,
    shared_nodes,
)
from weft.unification.unify import NLTK_DEFAULTS

MOST_SIDES = 1000
"""Longer rules are refused: what is known after each side takes room and time."""


@dataclass(frozen=True, slots=True, repr=False)
class FeatureRule:
    """A rule, or a lexical entry.

    Attributes:
        structure: The list of its sides.
        name: What it is called in parse sets.
        path: The file that it comes from.
        line: The line there.
    """

    structure: FeatureStructure
    name: str = field(default="", compare=False)
    path: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def sides(self) -> tuple[int, ...]:
        """The nodes of the left side and of the right side."""
        root = self.structure.nodes[0]
        assert isinstance(root, Listed)  # noqa: S101
        return root.items

    @property
    def words(self) -> tuple[str | None, ...]:
        """The words of the right side, with None for each category."""
        nodes = (self.structure.nodes[place] for place in self.sides[1:])
        return tuple(str(node.value) if isinstance(node, Atom) else None for node in nodes)

    def __str__(self) -> str:
        left, *right = (str(part(self.structure, place)) for place in self.sides)
        return f"{left} -> {' '.join(right)}".rstrip()

    def __repr__(self) -> str:
        return f"FeatureRule({shorten(str(self))!r})"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of a grammar's file that has no meaning here, and why."""

    reason: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True, eq=False)
class FeatureGrammar:
    """Rules and a start category.

    Attributes:
        start: What a sentence is; its features must unify with those of the whole.
        rules: In the order of the file, equal ones once.
        defaults: Values of features where only one of two structures that meet has them.
        is_open: Whether a side of a rule may be of any category, or be the value of a feature.
        left_out: What of its file is not obeyed.
    """

    start: FeatureStructure
    rules: tuple[FeatureRule, ...]
    defaults: Mapping[str, Atom] = field(default_factory=lambda: NLTK_DEFAULTS)
    is_open: bool = False
    left_out: tuple[LeftOut, ...] = ()

    def __repr__(self) -> str:
        lexical = sum(1 for rule in self.rules if any(rule.words))
        return (
            f"<FeatureGrammar of {count_things(len(self.rules) - lexical, 'rule')} and "
            f"{count_things(lexical, 'rule')} with words, from {self.start}>"
        )


def category_of(structure: FeatureStructure, place: int) -> str | None:
    """Return the type of a category; None if it has none, or a variable.

    >>> from weft.unification import read_structure
    >>> category_of(read_structure("NP[+WH]"), 0)
    'NP'
    """
    node = structure.nodes[place]
    if not isinstance(node, Struct):
        return None
    kind = dict(node.features).get(TYPE)
    value = None if kind is None else structure.nodes[kind]
    return str(value.value) if isinstance(value, Atom) else None


def default_name(structure: FeatureStructure) -> str:
    """Return the categories and words of a rule, without features.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> default_name(read_fcfg(io.BytesIO(b"S -> NP[+WH] 'on'")).rules[0].structure)
    "S → NP 'on'"
    """
    root = structure.nodes[0]
    assert isinstance(root, Listed)  # noqa: S101
    left, *right = (_short(structure, place) for place in root.items)
    return f"{left} → {' '.join(right) or 'ε'}"


def _short(structure: FeatureStructure, place: int) -> str:
    node = structure.nodes[place]
    if isinstance(node, Atom):
        return f"'{node.value}'"
    return category_of(structure, place) or "?"


def make_grammar(
    start: FeatureStructure | None,
    rules: list[FeatureRule],
    defaults: Mapping[str, Atom] | None = None,
    left_out: tuple[LeftOut, ...] = (),
    unnamed: bool = False,
) -> FeatureGrammar:
    """Make a grammar; without a start category, it is the left side of the first rule.

    Args:
        start: What a sentence is.
        rules: The rules.
        defaults: Values of features; by default those of NLTK.
        left_out: What of its file is not obeyed.
        unnamed: Whether categories may be without names.

    Raises:
        FormatError: If there are no rules, a rule is too long, or a category has no name.
    """
    if not rules:
        raise FormatError("a grammar needs at least one rule, such as: S -> NP VP")
    if start is None:
        start = part(rules[0].structure, rules[0].sides[0])
    for rule in rules:
        if len(rule.sides) > MOST_SIDES:
            message = f"a rule has {len(rule.sides):,} sides; there may be {MOST_SIDES:,}"
            raise FormatError(message, path=rule.path or None, line=rule.line or None)
        for place in () if unnamed else rule.sides:
            check_named(rule, place)
    if category_of(start, 0) is None:
        raise FormatError(f"the start category {start} has no name; expected one such as S")
    kept = {rule: rule for rule in reversed(rules)}
    return FeatureGrammar(
        start,
        tuple(rule for rule in rules if kept[rule] is rule),
        NLTK_DEFAULTS if defaults is None else defaults,
        any(map(_is_open, kept)),
        left_out,
    )


def _is_open(rule: FeatureRule) -> bool:
    """Whether a side has no name, or is one with something else."""
    nodes = rule.structure.nodes
    categories = [side for side in rule.sides if isinstance(nodes[side], Struct)]
    unnamed = any(category_of(rule.structure, side) is None for side in categories)
    return unnamed or not set(categories).isdisjoint(shared_nodes(rule.structure))


def check_named(rule: FeatureRule, place: int) -> None:
    """Refuse a category of which it cannot be said which rules are for it."""
    if isinstance(rule.structure.nodes[place], Atom) and place != rule.sides[0]:
        return
    if category_of(rule.structure, place) is None:
        shown = part(rule.structure, place)
        message = f"the category {shown} has no name before its brackets, such as NP in NP[+WH]"
        raise FormatError(message, path=rule.path or None, line=rule.line or None)
